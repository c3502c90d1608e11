package tui

import (
	"fmt"
	"io"
	"strings"

	"kubarium/cells"
	"kubarium/flow"
	"kubarium/flow/filter"
	"kubarium/flow/redact"
	"kubarium/tui/page"
	"kubarium/tui/story"
)

// A plain is the UI for screen readers and pipes: it appends sentences and takes typed commands. It draws nothing.
type plain struct {
	u     *ui
	out   io.Writer
	match *filter.Filter
	wait  bool // print a request only when `next` is typed
	queue []*flow.Flow
	told  string     // the narration printed last
	came  string     // the user's command that was printed last as the one that a step took
	held  uint64     // the newest held request that was printed
	done  chan error // gets the answer of the lesson's player; nil while it is not called
	err   error      // of the last write
}

// plainQueue is how many requests wait for `next` at most; older ones are skipped, and that is said.
const plainQueue = 1000

func (p *plain) print(format string, args ...any) {
	if p.err != nil {
		return
	}
	_, p.err = fmt.Fprintln(p.out, strings.TrimRight(cells.Inert(fmt.Sprintf(format, args...)), " "))
}

func (p *plain) tell(f *flow.Flow) { p.print("%d. %s", f.Seq, story.Line(p.masked(f))) }

func (p *plain) masked(f *flow.Flow) *flow.Flow {
	if p.u.Unmasked {
		return f
	}
	return redact.Flow(f)
}

// settle does at once what was left for the program.
func (p *plain) settle() {
	for effects := p.u.takeEffects(); len(effects) > 0; effects = p.u.takeEffects() {
		for _, e := range effects {
			if w, ok := e.(page.Work); ok {
				w.Run()()
			}
		}
	}
}
