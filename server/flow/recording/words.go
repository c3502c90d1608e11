package recording

// maxWords is how many words the table has before it begins anew, so that texts that never come again do not pile up.
const maxWords = 1 << 16

// words are the texts that come again and again: names of headers, user agents, SQL. Each is told once, before the first record that
// has it; from then on its number stands for it, from 1 on.
type words struct {
	numbers map[string]uint64 // of a writer
	fresh   []string          // numbered and not yet written
	table   []string          // of a reader: the word with number n is at n-1
}

func (w *words) number(s string) uint64 {
	n, known := w.numbers[s]
	if !known {
		n = uint64(len(w.numbers) + 1)
		w.numbers[s] = n
		w.fresh = append(w.fresh, s)
	}
	return n
}

func (w *words) word(number uint64) (string, bool) {
	if number == 0 || number > uint64(len(w.table)) {
		return "", false
	}
	return w.table[number-1], true
}

// forget begins the table anew.
func (w *words) forget() {
	clear(w.numbers)
	w.fresh, w.table = w.fresh[:0], nil
}
