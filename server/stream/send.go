package stream

import (
	"kubarium/flow"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

// reached records how far the stream has got, and how much waits.
func (st *stream) reached() {
	position, pending := st.watch.Progress()
	st.record.Reached(int64(position), pending)
}

// sendOne writes the frame of an event. A compressed one that others share is compressed once for all.
func (st *stream) sendOne(e registry.WatchEvent) error {
	if e.Type == registry.Bookmark {
		return st.bookmark(e.Revision, e.InitialEnd)
	}
	frame, err := st.frames.frame(e)
	if err != nil {
		return unencodable{err}
	}
	if !st.out.compresses() || !st.frames.shares(e) {
		return st.out.write(frame, headOf(e))
	}
	member, err := st.frames.member(e, frame)
	if err != nil {
		return err
	}
	return st.out.writeMember(member, len(frame), headOf(e))
}

// bookmark writes how far the client is (API Concepts, "Watch bookmarks").
func (st *stream) bookmark(at storage.Revision, initialEnd bool) error {
	frame, err := st.frames.bookmark(at, initialEnd)
	if err != nil {
		return err
	}
	if err := st.out.write(frame, flow.Frame{Type: string(registry.Bookmark), Revision: int64(at)}); err != nil {
		return err
	}
	return st.out.flush()
}

// sendError writes an ERROR event.
func (st *stream) sendError(err error) error {
	status := st.s.Answers.StatusOf(st.client, err)
	frame, err := st.frames.failure(&status)
	if err != nil {
		return err
	}
	if err := st.out.write(frame, flow.Frame{Type: "ERROR"}); err != nil {
		return err
	}
	return st.out.flush()
}
