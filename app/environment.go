package app

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"
)

// readEnvironment gives each flag that the command line left alone the value of its environment variable. The flags --help and
// --version have none.
func readEnvironment(flags *pflag.FlagSet) (err error) {
	flags.VisitAll(func(f *pflag.Flag) {
		name := "KUBARIUM_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, ok := os.LookupEnv(name)
		if !ok || f.Changed || err != nil || f.Name == "help" || f.Name == "version" {
			return
		}
		if e := flags.Set(f.Name, value); e != nil {
			err = usageError{fmt.Errorf("%s=%s: %w", name, value, causeOf(e))}
		}
	})
	return err
}

// inEnvironment reads flags from the environment alone, for programs whose command line does not have them.
func inEnvironment(declare func(*pflag.FlagSet)) error {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	declare(f)
	return readEnvironment(f)
}
