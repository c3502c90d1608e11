package flow

// ToldWatch returns the record of a watch of another process; Tell updates it. It belongs to no Log until one adopts
// it.
func ToldWatch(info WatchInfo) *Watch { return &Watch{WatchInfo: info, heads: &heads{}} }

// FramesSince returns the frames after number, oldest first, as far as they are still held.
func (w *Watch) FramesSince(number uint64) []Frame {
	w.mu.Lock()
	defer w.mu.Unlock()
	if number >= w.frames.count {
		return nil
	}
	return w.frames.last(w.frames.count - number)
}

// Tell updates the record: with the present counters, and the frames since the last call, in their order. Frames that
// are missing between them stay missing. After the end of the watch it does nothing.
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

// tell adds a frame with its number. A frame that is already held is ignored; after a gap only new frames are kept.
func (f *frames) tell(l Frame, hs *heads) {
	switch {
	case l.Number <= f.count:
		return
	case l.Number != f.count+1:
		*f = frames{count: l.Number - 1, from: l.Number - 1}
	}
	f.add(hs.share(l), l.Size, l.Written)
}
