package page

import "kubarium/flow"

// Slices hands flows to a reader in slices, so that keys are answered in between. Those of a moment of the past are read
// once the reader stays there: there are many moments, and most are left at once.
type Slices struct {
	Env  *Env
	Read func(f *flow.Flow)
	Then func() // called after each slice

	pending []*flow.Flow // not read yet
}

// slice is how many flows are read at once: a few milliseconds.
const slice = 1000

// Take takes what came. In plain mode it is read when the reader asks for it, or at once.
func (s *Slices) Take(flows []*flow.Flow) {
	if len(flows) == 0 {
		return
	}
	waits := len(s.pending) > 0
	s.pending = append(s.pending, flows...)
	switch {
	case s.Env.InWords:
		s.All()
	case s.Env.Moment != nil:
		s.Env.Do(Later{SettleTime, s.Work})
	case !waits:
		s.Work()
	}
}

// Work reads a slice, and leaves the rest for later.
func (s *Slices) Work() {
	if s.Env.Moment != nil && s.Env.Behind {
		return // it will not be looked at
	}
	s.read(min(slice, len(s.pending)))
	if len(s.pending) > 0 {
		s.Env.Do(Later{Do: s.Work})
	}
	s.Then()
}

// All reads all that has come.
func (s *Slices) All() { s.read(len(s.pending)) }

func (s *Slices) read(n int) {
	for _, f := range s.pending[:n] {
		s.Read(f)
	}
	s.pending = s.pending[n:]
	if len(s.pending) == 0 {
		s.pending = nil
	}
}
