// Package kept is the flag --memory: how much memory the record of requests may take.
package kept

import (
	"fmt"

	"github.com/spf13/pflag"

	"kubarium/app/cli"
	"kubarium/flow"
)

// Bounds of --memory, in bytes.
const (
	usual = 64 << 20
	least = 1 << 20
	most  = 64 << 30
)

// Flag declares --memory, which sets a log's limit.
func Flag(f *pflag.FlagSet, l *flow.Limits) {
	l.Bytes = usual
	f.Var((*cli.Size)(&l.Bytes), "memory", "memory for the requests that are kept, for the UI and doctor; "+
		"beyond it the oldest go")
}

// Check refuses a limit that is out of bounds; 0 is the usual one.
func Check(l flow.Limits) error {
	if l.Bytes != 0 && (l.Bytes < least || l.Bytes > most) {
		return cli.Misuse(fmt.Errorf("--memory must be 1Mi to 64Gi, not %s", (*cli.Size)(&l.Bytes)))
	}
	return nil
}
