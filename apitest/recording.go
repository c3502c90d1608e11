package apitest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
)

// Record writes the run of the server into a file when the test ends, for kubarium open, diff, doctor, role and export. The
// file has what the server still keeps then, and what cleanups did that were registered later; so call it after Start.
//
//	s.Record(filepath.Join(t.ArtifactDir(), "run.kubarium"))
//
// If the process may be killed, or a long run must be whole, Args "--record=FILE" writes it as it goes.
func (s *Server) Record(file string) {
	s.t.Helper()
	s.recordIf(func() bool { return true }, file)
}

// RecordFailed does what Record does if the test has failed by then.
func (s *Server) RecordFailed(file string) {
	s.t.Helper()
	s.recordIf(s.t.Failed, file)
}

func (s *Server) recordIf(wanted func() bool, file string) {
	s.t.Helper()
	file, err := filepath.Abs(file) // a test may leave its folder
	if err != nil {
		s.t.Fatalf("apitest: record: %v", err)
	}
	s.t.Cleanup(func() {
		if !wanted() {
			return
		}
		if err := s.writeRecording(file); err != nil {
			s.t.Errorf("apitest: record: %v", err)
			return
		}
		s.t.Logf("apitest: to see the run: kubarium open %s", file)
	})
}

// writeRecording writes a recording, whole or not at all.
func (s *Server) writeRecording(file string) error {
	ctx, end := context.WithTimeout(context.Background(), startWithin)
	defer end()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/debug/recording", nil)
	if err != nil {
		return err
	}
	resp, err := s.child.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answers %s", resp.Status)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.Create(file + ".new")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = io.Copy(f, resp.Body)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
