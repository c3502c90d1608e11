// Package runs reads files of recorded requests within a limit of memory, and writes files that are there whole or
// not at all.
package runs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"kubarium/flow"
	"kubarium/flow/recording"
)

// longestLine is how many bytes a line of a file of recorded requests may have: some bodies of flow.MaxBody, with room.
const longestLine = 64 << 20

// Read reads the requests of a recording, or of a file of JSON Lines as /debug/flows gives them, in the order of the
// file; "-" is in. Instead of a flow comes a missedFlows where the file says that some are missing, and in the end an
// error if not all could be read: a partialRun if some could, any other if none.
func Read(path string, in io.Reader) iter.Seq2[*flow.Flow, error] {
	return func(yield func(*flow.Flow, error) bool) {
		from := in
		if path != "-" {
			file, err := os.Open(path)
			if err != nil {
				yield(nil, err)
				return
			}
			defer file.Close()
			from = file
		}
		file := bufio.NewReaderSize(from, 1<<16)
		if recording.IsRecording(file) {
			readRecording(path, file, yield)
			return
		}
		r := runReader{path: path}
		if !r.read(file, yield) {
			return
		}
		if err := r.rest(); err != nil {
			yield(nil, err)
		}
	}
}

// A Missed is about requests that were gone before they could be recorded.
type Missed struct{ N, Upto uint64 }

func (m Missed) Error() string {
	return fmt.Sprintf("%d requests up to number %d were no longer kept", m.N, m.Upto)
}

// A Partial says in one line what could not be read of a file.
type Partial struct{ Text string }

func (p Partial) Error() string { return p.Text }

// A runReader reads one file.
type runReader struct {
	path    string
	lines   int
	flows   int
	missed  uint64
	foreign int   // lines that are none of a recording
	first   int   // the first of them
	why     error // and what is wrong with it
	cut     bool  // the last line has no end
	failed  error // why the reading ended before the file did
}

// read reads to the end, and reports whether it was not stopped.
func (r *runReader) read(file io.Reader, yield func(*flow.Flow, error) bool) bool {
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 64<<10), longestLine)
	lines.Split(wholeLines)
	limit := LimitMemory()
	for lines.Scan() {
		if r.failed = limit.Exceeded(); r.failed != nil {
			return true
		}
		r.lines++
		text := lines.Bytes()
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		l, err := recording.Read(text)
		switch {
		case err != nil && text[len(text)-1] != '\n':
			r.cut, r.why = true, err
		case err != nil:
			if r.foreign++; r.foreign == 1 {
				r.first, r.why = r.lines, err
			}
		case l.Flow == nil:
			r.missed += l.Missed
			if !yield(nil, Missed{l.Missed, l.Upto}) {
				return false
			}
		default:
			r.flows++
			if !yield(l.Flow, nil) {
				return false
			}
		}
	}
	if r.failed = lines.Err(); errors.Is(r.failed, bufio.ErrTooLong) {
		r.failed = fmt.Errorf("line %d has more than %d MiB", r.lines+1, longestLine>>20)
	}
	return true
}

// wholeLines splits lines without taking their ends off, so that one without an end is known.
func wholeLines(data []byte, atEnd bool) (advance int, line []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if atEnd && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// rest is what there is to say in the end.
func (r *runReader) rest() error {
	if r.flows == 0 && r.missed == 0 && (r.foreign > 0 || r.cut || r.failed != nil) {
		return fmt.Errorf("%s is not a file of recorded requests, as /debug/flows gives them: %w", r.path, errors.Join(r.failed, r.why))
	}
	var said []string
	if r.foreign > 0 {
		said = append(said, fmt.Sprintf("%d of its lines are not recorded requests, the first is line %d", r.foreign, r.first))
	}
	if r.cut {
		said = append(said, "its last line is cut")
	}
	if r.failed != nil {
		said = append(said, fmt.Sprintf("the reading ended early: %v", r.failed))
	}
	if len(said) == 0 {
		return nil
	}
	return Partial{fmt.Sprintf("%s: %s; %d requests were read", r.path, strings.Join(said, "; "), r.flows)}
}

// readRecording reads the requests of a recording.
func readRecording(path string, file io.Reader, yield func(*flow.Flow, error) bool) {
	d, err := NewReader(file)
	if err != nil {
		yield(nil, err)
		return
	}
	defer d.Close()
	for flows := 0; ; {
		e, err := d.Next()
		switch {
		case err == io.EOF:
			return
		case recording.Partial(err):
			yield(nil, Partial{fmt.Sprintf("%s: %v; %d requests were read", path, err, flows)})
			return
		case err != nil:
			yield(nil, fmt.Errorf("%s: %w", path, err))
			return
		case e.Missed != nil && e.Missed.Others+e.Missed.Own > 0:
			if !yield(nil, Missed{e.Missed.Others + e.Missed.Own, e.Missed.Upto}) {
				return
			}
		case e.Flow != nil:
			if flows++; !yield(e.Flow, nil) {
				return
			}
		}
	}
}
