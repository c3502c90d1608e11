package html

import (
	"kubarium/flow"
	"kubarium/tui/label"
)

// watches adds the streams of the run with their last frames.
func (b *builder) watches() {
	seqs := map[uint64][]uint64{}
	for _, f := range b.flows {
		if f.Watch != nil {
			seqs[f.Watch.ID] = append(seqs[f.Watch.ID], f.Seq)
		}
	}
	for _, w := range b.streams {
		s := w.State()
		out := Watch{
			ID: w.ID, Who: b.client(w.Client), Of: label.Watch(w), Opened: b.since(w.Opened), Ended: b.since(s.Ended), Cause: s.Cause,
			Start: w.Start, Seqs: seqs[w.ID], Sent: s.Sent, Frames: []int{},
		}
		for _, x := range w.Frames() {
			out.Frames = append(out.Frames, int(b.since(x.Written)), b.Word(x.Type), int(x.Revision), b.Word(name(x)), x.Size)
		}
		b.run.Watches = append(b.run.Watches, out)
	}
}

// name is the object that a frame is about.
func name(x flow.Frame) string {
	if x.Namespace == "" {
		return x.Name
	}
	return x.Namespace + "/" + x.Name
}
