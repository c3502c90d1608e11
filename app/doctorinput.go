package app

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"kubarium/server/flow/doctor"
	"kubarium/server/flow/recording"
)

// errCut is the error of a run whose last line is not whole: its writer was ended while it wrote it.
var errCut = errors.New("the last line is cut off")

// readRun reads a run from a file of JSON Lines as /debug/flows gives them, "-" for standard input. An error is the last that it tells;
// errCut says that all before it is good.
func readRun(path string, in io.Reader) iter.Seq2[recording.Line, error] {
	return func(yield func(recording.Line, error) bool) {
		if path != "-" {
			f, err := os.Open(path)
			if err != nil {
				yield(recording.Line{}, err)
				return
			}
			defer f.Close()
			in = f
		}
		readLines(in, yield)
	}
}

func readLines(in io.Reader, yield func(recording.Line, error) bool) {
	lines := bufio.NewReaderSize(in, 1<<20)
	for number := 1; ; number++ {
		text, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			yield(recording.Line{}, err)
			return
		}
		ended := err != nil
		if text = bytes.TrimSpace(text); len(text) > 0 {
			l, err := recording.Read(text)
			switch {
			case err != nil && ended && number > 1:
				yield(l, errCut)
				return
			case err != nil:
				yield(l, fmt.Errorf("line %d: %w", number, err))
				return
			case !yield(l, nil):
				return
			}
		}
		if ended {
			return
		}
	}
}

// examine gives a run to a doctor, and tells whether its end is cut off.
func examine(run iter.Seq2[recording.Line, error], d *doctor.Doctor) (cut bool, err error) {
	var last uint64
	for l, err := range run {
		switch {
		case errors.Is(err, errCut):
			return true, nil
		case err != nil:
			return false, err
		case l.Flow == nil:
			d.Missed(l.Missed)
			continue
		case l.Seq <= last:
			return false, fmt.Errorf("flow %d comes behind flow %d; flows must be in the order of their numbers, of one run", l.Seq, last)
		}
		last = l.Seq
		d.Add(l.Flow)
	}
	return false, nil
}
