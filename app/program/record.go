package program

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"kubarium/app/cli"
	"kubarium/app/record"
)

// A Record says where the run of a Program is recorded.
type Record struct {
	File    string // "" for nowhere; a folder gets a file named by the time
	Limit   int64  // bytes; beyond it the oldest goes. 0 is defaultRecord
	Secrets bool   // what is secret is in it as well
}

const (
	defaultRecord = 256 << 20
	leastRecord   = 1 << 20
)

// Flags declares the flags.
func (r *Record) Flags(f *pflag.FlagSet) {
	f.StringVar(&r.File, "record", "", "file that the run is recorded in, for \"kubarium open\"; a folder gets a file named by the time")
	r.Limit = defaultRecord
	f.Var((*cli.Size)(&r.Limit), "record-limit", "bytes of a recording; beyond them the oldest goes")
	f.BoolVar(&r.Secrets, "record-secrets", false, "record Secrets, tokens and credentials as they are; otherwise they are masked")
}

// Check refuses what cannot be.
func (r *Record) Check() error {
	if r.File != "" && r.Limit != 0 && r.Limit < leastRecord {
		return fmt.Errorf("--record-limit must be 1Mi or more, not %s", (*cli.Size)(&r.Limit))
	}
	return nil
}

// orFolder takes the folder that the environment names, for programs without these flags: what envtest starts, and
// servers in Go tests.
func (r *Record) orFolder(fork bool) error {
	if r.File != "" || fork {
		return nil
	}
	var said Record
	if err := cli.InEnvironment(said.Flags); err != nil {
		return err
	}
	if s, err := os.Stat(said.File); err == nil && s.IsDir() {
		*r = said
	}
	return nil
}

// Size is how many bytes the recording may have.
func (r *Record) Size() int64 { return cmp.Or(r.Limit, defaultRecord) }

// recorded counts the recordings of this process.
var recorded atomic.Int64

// Path is the file that is written.
func (r *Record) Path() string {
	if s, err := os.Stat(r.File); err == nil && s.IsDir() {
		return filepath.Join(r.File, fmt.Sprintf("kubarium-%s-%d-%d%s", time.Now().Format("20060102-150405"), os.Getpid(), recorded.Add(1), record.Extension))
	}
	return r.File
}
