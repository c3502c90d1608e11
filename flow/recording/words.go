package recording

// A writer starts a new table after so many words or bytes, so that texts that never repeat do not accumulate.
const (
	maxWords    = 1 << 16
	maxWordText = 8 << 20
)

// words are the texts that often repeat: names of headers, user agents, SQL. Each is written once, before the first
// record with it; from then on its number, from 1, stands for it.
type words struct {
	numbers map[string]uint64 // writing
	fresh   []string          // numbered and not yet written
	table   []string          // reading: the word with number n is at n-1
	bytes   int               // of all words
	short   map[string]string // reading: short texts, which repeat too: "412 B"
	free    []string          // reading: memory for lists
}

func (w *words) number(s string) uint64 {
	n, known := w.numbers[s]
	if !known {
		n = uint64(len(w.numbers) + 1)
		w.numbers[s] = n
		w.fresh = append(w.fresh, s)
		w.bytes += len(s)
	}
	return n
}

// add adds a word that was read.
func (w *words) add(s string) *LimitError {
	w.table = append(w.table, s)
	w.bytes += len(s)
	return w.exceed(len(w.table))
}

// exceed returns the limit that a table of so many words exceeds, nil for none.
func (w *words) exceed(count int) *LimitError {
	switch {
	case count > mostWords:
		return errWords
	case w.bytes > mostWordText:
		return errText
	}
	return nil
}

// full reports whether a writer must start a new table.
func (w *words) full() bool { return len(w.numbers) > maxWords || w.bytes > maxWordText }

func (w *words) word(number uint64) (string, bool) {
	if number == 0 || number > uint64(len(w.table)) {
		return "", false
	}
	return w.table[number-1], true
}

// forget starts a new table.
func (w *words) forget() {
	clear(w.numbers)
	w.fresh, w.table, w.bytes = w.fresh[:0], nil, 0
}

// Short texts and small lists share memory when reading, so that a flow needs fewer allocations.
const (
	shortText  = 24
	mostShort  = 4096
	sharedList = 512
)

// text returns a text that was read.
func (w *words) text(b []byte) string {
	if len(b) > shortText {
		return string(b)
	}
	s, known := w.short[string(b)]
	if !known {
		s = string(b)
		if w.short == nil || len(w.short) >= mostShort {
			w.short = map[string]string{}
		}
		w.short[s] = s
	}
	return s
}

// list returns memory for a list that is read; nil for an empty one.
func (w *words) list(n int) []string {
	if n == 0 {
		return nil
	}
	if n > sharedList/8 {
		return make([]string, n)
	}
	if len(w.free) < n {
		w.free = make([]string, sharedList)
	}
	l := w.free[:n:n]
	w.free = w.free[n:]
	return l
}
