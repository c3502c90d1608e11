package who

// keepChains is how many of the newest writes are kept from ageing out, with the requests that their chains name.
const keepChains = 20

// keep keeps the requests of the newest writes and of the chosen one, so that their links lead somewhere. Those of the
// client that was shown before may go.
func (w *writes) keep() {
	e := w.x.env
	if e.Moment != nil || len(w.all) == 0 {
		return
	}
	now := [2]uint64{w.all[len(w.all)-1], w.open}
	if w.kept == now {
		return
	}
	w.kept = now
	var seqs []uint64
	for _, write := range append(w.all[max(0, len(w.all)-keepChains):len(w.all):len(w.all)], w.open) {
		seqs = append(seqs, write)
		if c := w.x.of(write); c != nil {
			seqs = append(seqs, c.Retry)
			for i := range c.Events {
				seqs = append(seqs, c.Events[i].By)
			}
			for i := range c.Reads {
				seqs = append(seqs, c.Reads[i].Seq)
			}
		}
	}
	e.KeepFlows("client", seqs)
}
