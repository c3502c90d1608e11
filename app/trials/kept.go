package trials

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"kubarium/analysis/explore"
	"kubarium/app/remedy"
	"kubarium/app/runs"
)

// An exploration keeps these in its folder until it ends, so that another one can go on.
const (
	askedFile = "explore.json"  // what was asked for
	keptRuns  = "runs"          // a folder for each run
	triedFile = "%s-tried.json" // next to it: what came of a fault
)

// An asked is the content of askedFile.
type asked struct {
	Folder  string // in which the command was started
	Command []string
	Exploration
}

// A tried is the content of a triedFile.
type tried struct {
	Fault   explore.Fault
	Outcome explore.Outcome
}

// Resume reads what an exploration that was interrupted was asked for, from the folder of its findings.
func Resume(folder string) (*Exploration, error) {
	var a asked
	err := readJSON(filepath.Join(folder, askedFile), &a)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has nothing to go on with: it has no %s", folder, askedFile)
	}
	if err != nil {
		return nil, err
	}
	if here, err := os.Getwd(); err != nil || here != a.Folder {
		return nil, fmt.Errorf("the command was started in %s; go there first", a.Folder)
	}
	x := &a.Exploration
	x.Out, x.resumed = folder, true
	return x, x.Complete(a.Command, 0)
}

// prepare makes the folder of the runs; end removes it, unless the exploration was interrupted.
func (x *Exploration) prepare() (end func(interrupted bool), err error) {
	x.folder = filepath.Join(x.Out, keptRuns)
	if err := os.MkdirAll(x.folder, 0o700); err != nil {
		return nil, remedy.Add(err, "say --out DIR for one that can be written")
	}
	end = func(interrupted bool) {
		if !interrupted {
			os.RemoveAll(x.folder)
			os.Remove(filepath.Join(x.Out, askedFile))
			os.Remove(x.Out) // if there are no findings
		}
	}
	here, err := os.Getwd()
	if err == nil {
		err = writeJSON(filepath.Join(x.Out, askedFile), asked{here, x.words, *x})
	}
	return end, err
}

// known is a run of an interrupted exploration; nil if there is none that came to its end, of which nothing is left then.
func (x *Exploration) known(name string) *ran {
	r := &ran{folder: filepath.Join(x.folder, name)}
	if x.resumed && readJSON(filepath.Join(r.folder, factsFile), &r.facts) == nil && r.read() == nil {
		return r
	}
	r.forget()
	return nil
}

// knownTrial is a trial of an interrupted exploration; nil if there is none with the same fault.
func (x *Exploration) knownTrial(name string, f *explore.Fault) *trial {
	var t tried
	if !x.resumed || readJSON(x.triedFile(name), &t) != nil || !reflect.DeepEqual(t.Fault, *f) {
		return nil
	}
	r := x.known(name)
	if r == nil {
		r = &ran{folder: filepath.Join(x.folder, name)} // it was forgotten
	}
	return &trial{fault: *f, outcome: t.Outcome, run: r, before: true}
}

// keepTrial keeps what came of a fault.
func (x *Exploration) keepTrial(name string, t *trial) error {
	return writeJSON(x.triedFile(name), tried{t.fault, t.outcome})
}

func (x *Exploration) triedFile(name string) string {
	return filepath.Join(x.folder, fmt.Sprintf(triedFile, name))
}

func readJSON(file string, into any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func writeJSON(file string, v any) error {
	return runs.WriteTo(file, nil, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(v)
	})
}
