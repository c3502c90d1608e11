package tui

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"kubarium/tui/term"
)

// progress is how each lesson that was played to an end went last, by its name: LessonDone or LessonFailed.
type progress map[string]LessonPhase

// progressFile is where progress is kept in StateDir.
const progressFile = "lessons.json"

// readProgress reads what is kept in a folder. What cannot be read is taken for nothing: lessons can be played again.
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

// write keeps the progress in a folder, whole or not at all.
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

// keepProgress remembers how the loaded lesson ended, if it has.
func (l *learn) keepProgress() {
	phase := l.loaded.Player.State().Phase
	if phase != LessonDone && phase != LessonFailed || l.progress[l.loaded.Name] == phase {
		return
	}
	l.progress[l.loaded.Name] = phase
	dir := l.u.stateDir
	if dir == "" {
		return
	}
	kept := progress{}
	for name, p := range l.progress {
		kept[name] = p
	}
	l.u.do(workEffect{func() func() {
		err := kept.write(dir)
		return func() {
			if err != nil {
				l.u.Say("the progress of the lessons is not kept: %s", err)
			}
		}
	}})
}

// standing is how the list of lessons shows one: where it stands now, or how it ended some time ago.
func (l *learn) standing(le *Lesson) (st term.Style, sign, word string) {
	s := le.Player.State()
	if s.Phase == LessonIdle {
		if before, ok := l.progress[le.Name]; ok {
			st, sign = phaseSign(before)
			return st, sign, string(before)
		}
		return term.Dim, "○", "new"
	}
	st, sign = phaseSign(s.Phase)
	return st, sign, fmt.Sprintf("%d/%d %s", s.Done, len(le.Steps), s.Phase)
}
