package flow

// ToldWatch returns the record of a watch that another process tells of: Tell brings it up to date. It belongs to no Log until one
// adopts it.
func ToldWatch(info WatchInfo) *Watch { return &Watch{WatchInfo: info, heads: &heads{}} }

// FramesSince returns the frames behind the one with a number, oldest first, as far as they are still held.
func (w *Watch) FramesSince(number uint64) []Frame {
	w.mu.Lock()
	defer w.mu.Unlock()
	if number >= w.frames.count {
		return nil
	}
	return w.frames.last(w.frames.count - number)
}

// Tell brings the record up to what is known elsewhere: the counters as they are now, and the frames since the last ones, in their
// order. Those that are missing between them stay missing. The end of a watch is its end: what comes later changes nothing.
func (w *Watch) Tell(s WatchState, more []Frame) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.end.IsZero() {
		return
	}
	for _, f := range more {
		w.frames.tell(f, w.heads)
	}
	w.restate(s)
}

// tell adds a frame with its number. One that is held already changes nothing; one that does not follow the last begins anew.
func (f *frames) tell(l Frame, hs *heads) {
	switch {
	case l.Number <= f.count:
		return
	case l.Number != f.count+1:
		*f = frames{count: l.Number - 1, from: l.Number - 1}
	}
	f.add(hs.share(l), l.Size, l.Written)
}
