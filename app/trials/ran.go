package trials

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"kubarium/analysis/explore"
	"kubarium/analysis/quiet"
	"kubarium/app/child"
	"kubarium/app/record"
)

// A ran is one run of the command, after its end.
type ran struct {
	folder  string // with its recordings and what it printed
	servers []*explore.Server
	facts
}

// The facts of a run are what its recordings do not say.
type facts struct {
	Exit      int  // of the command
	Late      bool // whether it did not end in time
	Begun     time.Time
	Busy      []quiet.Busy // who did not rest at the end
	Rules     []string     // that were in force
	Took      time.Duration
	Falls     int  // how often the controller ended by itself
	Panicked  int  // how often it panicked
	Restarted bool // whether it was started again without a rule
}

// The files of a run.
const (
	ownRecording   = "run" + record.Extension // of the server that KUBECONFIG leads to
	commandOutput  = "output.txt"
	controllerFile = "controller.txt"
	setupOutput    = "setup.txt"
	rulesFile      = "faults.rules"
	factsFile      = "facts.json"
)

// read reads what the run recorded: on our server first, then on those that the command started.
func (r *ran) read() error {
	files, err := r.recordings()
	if err != nil {
		return err
	}
	for _, file := range files {
		s, err := readServer(file)
		if err != nil {
			return err
		}
		r.servers = append(r.servers, s)
	}
	return nil
}

// recordings are the files of the run, in the order of its servers.
func (r *ran) recordings() ([]string, error) {
	files, err := child.Recordings(child.Runs(r.folder))
	return append([]string{filepath.Join(r.folder, ownRecording)}, files...), err
}

func readServer(file string) (*explore.Server, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := explore.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// came reports whether the fault came.
func (r *ran) came() bool {
	return r.Restarted || slices.ContainsFunc(r.servers, func(s *explore.Server) bool { return s.Touched() > 0 })
}

// forget removes what a run has left.
func (r *ran) forget() {
	if r != nil {
		os.RemoveAll(r.folder)
	}
}
