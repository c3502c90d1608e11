package shown

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"kubarium/flow/recording"
	"kubarium/tui"
)

// Options is what the UI shows: the first run, and the second next to it if there is one.
func Options(runs []*Run) tui.Options {
	first := runs[0]
	begin := first.Begin()
	o := tui.Options{
		Log: first.Log, URL: begin.URL, DB: begin.DB, Transport: &first.past, Now: first.Now,
		Source: tui.Source{Kind: tui.Recording, Name: filepath.Base(first.path), File: first.path, Bare: !begin.Objects, Note: first.Note},
	}
	if len(runs) > 1 {
		other := runs[1]
		begin := other.Begin()
		o.Other = &tui.Other{Log: other.Log, Name: filepath.Base(other.path), URL: begin.URL, DB: begin.DB, Now: other.Now}
		if o.Other.Name == o.Source.Name {
			o.Source.Name, o.Other.Name = first.path, other.path
		}
	}
	return o
}

func Close(runs []*Run) error {
	var errs []error
	for _, run := range runs {
		errs = append(errs, run.past.close())
	}
	return errors.Join(errs...)
}

// Unreadable explains an error of Open: why nothing can be read from a file.
func Unreadable(path string, err error) error {
	var later *recording.LaterError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file %s", path)
	case errors.Is(err, recording.ErrForeign), errors.As(err, &later):
		return err
	}
	return fmt.Errorf("read the recording: %w", err)
}
