package learn

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// progress is how each lesson ended that was played to an end, by its name: Done or Failed.
type progress map[string]Phase

// progressFile is the file of the progress in StateDir.
const progressFile = "lessons.json"

// readProgress reads the progress in a folder. An unreadable file counts as empty: lessons can be played again.
func readProgress(dir string) progress {
	p := progress{}
	if dir == "" {
		return p
	}
	b, err := os.ReadFile(filepath.Join(dir, progressFile))
	if err != nil || json.Unmarshal(b, &p) != nil || p == nil {
		return progress{}
	}
	return p
}

// write writes the progress into a folder, completely or not at all.
func (p progress) write(dir string) error {
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	next := filepath.Join(dir, progressFile+".new")
	if err := os.WriteFile(next, b, 0o600); err != nil {
		return err
	}
	return os.Rename(next, filepath.Join(dir, progressFile))
}

// KeepProgress saves how the loaded lesson ended, if it has.
func (l *Page) KeepProgress() {
	phase := l.Loaded.Player.State().Phase
	if phase != Done && phase != Failed || l.progress[l.Loaded.Name] == phase {
		return
	}
	l.progress[l.Loaded.Name] = phase
	dir := l.env.StateDir
	if dir == "" {
		return
	}
	kept := maps.Clone(l.progress)
	l.env.Do(page.Work{Run: func() func() {
		err := kept.write(dir)
		return func() {
			if err != nil {
				l.env.Say("the progress of the lessons is not kept: %s", err)
			}
		}
	}})
}

// Standing returns a lesson's state in the list: its present one, or how it ended in an earlier run.
func (l *Page) Standing(le *Lesson) (st term.Style, sign, word string) {
	s := le.Player.State()
	if s.Phase == Idle {
		if before, ok := l.progress[le.Name]; ok {
			st, sign = phaseSign(before)
			return st, sign, l.env.T(string(before))
		}
		if l.isNext(le) {
			return term.Bold, "○", l.env.T("next")
		}
		return term.Dim, "○", l.env.T("new")
	}
	st, sign = phaseSign(s.Phase)
	if s.Phase == Done {
		return st, sign, l.env.T(string(Done))
	}
	return st, sign, l.env.F("%d/%d %s", s.Done, len(le.Steps), l.env.T(string(s.Phase)))
}

// Finished reports whether any lesson was ever played to its end.
func (l *Page) Finished() bool {
	for _, phase := range l.progress {
		if phase == Done {
			return true
		}
	}
	return false
}

// done reports whether a lesson was played to its end, in this run or an earlier one.
func (l *Page) done(le *Lesson) bool {
	return le.Player.State().Phase == Done || l.progress[le.Name] == Done
}

// isNext reports whether a lesson is the first one on the road that is not done.
func (l *Page) isNext(le *Lesson) bool {
	for i := range l.Lessons {
		if each := &l.Lessons[i]; each.Road != "" && !l.done(each) {
			return each == le
		}
	}
	return false
}
