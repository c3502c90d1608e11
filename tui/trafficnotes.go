package tui

import "kubarium/server/flow"

// noteRetry remembers refused writes, so that the same client's next try at the same thing can say so.
func (t *traffic) noteRetry(f *flow.Flow) {
	if seq, ok := replayOf(f); ok {
		t.retries[f.Seq] = seq
		return
	}
	if !writes(f.Target.Verb) {
		return
	}
	if len(t.refused) > 1024 {
		clear(t.refused)
	}
	if len(t.retries) > 4096 {
		clear(t.retries)
	}
	key := f.Client.Tag + " " + f.Target.Verb + " " + f.Path
	if seq, ok := t.refused[key]; ok {
		t.retries[f.Seq] = seq
		delete(t.refused, key)
	}
	if f.Status == 409 {
		t.refused[key] = f.Seq
	}
}

// noteWriter remembers who wrote which revision, so that a refused write can be told whom it met.
func (t *traffic) noteWriter(f *flow.Flow) {
	if len(t.writers) > 16384 {
		clear(t.writers)
	}
	for _, e := range f.Effects {
		t.writers[e.Commit.Revision] = f.Client.Tag
	}
}

// writes reports whether a verb changes something.
func writes(verb string) bool {
	switch verb {
	case "create", "update", "patch", "apply", "delete", "deletecollection":
		return true
	}
	return false
}
