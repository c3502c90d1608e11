package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"
)

// ReadEnvironment gives each flag that the command line left alone the value of its environment variable. The flags
// --help and --version have none.
func ReadEnvironment(flags *pflag.FlagSet) (err error) {
	flags.VisitAll(func(f *pflag.Flag) {
		name := "KUBARIUM_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, ok := os.LookupEnv(name)
		if !ok || f.Changed || err != nil || f.Name == "help" || f.Name == "version" {
			return
		}
		if e := flags.Set(f.Name, value); e != nil {
			err = Misuse(fmt.Errorf("%s=%s: %w", name, value, Cause(e)))
		}
	})
	return err
}

// InEnvironment reads flags from the environment alone, for programs whose command line does not have them.
func InEnvironment(declare func(*pflag.FlagSet)) error {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	declare(f)
	return ReadEnvironment(f)
}

// Cause is what is wrong with a flag's value, without the flag's name and in a user's words.
func Cause(err error) error {
	value := (*pflag.InvalidValueError)(nil)
	if !errors.As(err, &value) {
		return err
	}
	switch value.GetFlag().Value.Type() {
	case "int", "int64", "uint", "uint64", "int32", "uint32":
		return errors.New("must be a whole number")
	case "duration":
		return errors.New("must be a time such as 30s or 5m")
	case "bool":
		return errors.New("must be true or false")
	}
	return value.Unwrap()
}
