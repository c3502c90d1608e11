// Package kept is the flag --memory: how much memory the record of requests may take.
package kept

import (
	"fmt"

	"github.com/spf13/pflag"

	"kubarium/app/cli"
	"kubarium/flow"
)

// usual is the memory where --memory is not given: flow.Limits' default.
const usual = "64Mi"

// Bounds of --memory, in bytes.
const (
	least = 1 << 20
	most  = 64 << 30
)

// Flag declares --memory, which sets a log's limit. Where it is given, it is the only one: see flow.Limits.
func Flag(f *pflag.FlagSet, l *flow.Limits) {
	f.Var(memory{(*cli.Size)(&l.Bytes)}, "memory", "memory for the requests that are kept, for the UI and doctor; "+
		"beyond it the oldest go. If it is not given, at most 50,000 requests are kept")
}

// memory is the value of the flag: 0 is not given.
type memory struct{ *cli.Size }

func (m memory) String() string {
	if m.Size == nil || *m.Size == 0 {
		return usual
	}
	return m.Size.String()
}

// Check refuses a limit that is out of bounds; 0 is the usual one.
func Check(l flow.Limits) error {
	if l.Bytes != 0 && (l.Bytes < least || l.Bytes > most) {
		return cli.Misuse(fmt.Errorf("--memory must be 1Mi to 64Gi, not %s", (*cli.Size)(&l.Bytes)))
	}
	return nil
}
