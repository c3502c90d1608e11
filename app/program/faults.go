package program

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"kubarium/app/cli"
	"kubarium/flow/rule"
)

// Faults are the fault rules that a Program begins with.
type Faults struct {
	File string   // of rules, as package rule reads them; "" for none
	Set  rule.Set // after those of the file
}

func (f *Faults) flags(s *pflag.FlagSet) {
	s.StringVar(&f.File, "faults", "", "file of fault rules, a line each: hold, delay, refuse, cut, lose, coalesce, lag")
}

// read reads the file, if there is one.
func (f *Faults) read() (rule.Set, error) {
	if f.File == "" {
		return f.Set, nil
	}
	text, err := os.ReadFile(f.File)
	if err != nil {
		return rule.Set{}, fmt.Errorf("--faults: %w", err)
	}
	s, err := rule.ParseSet(string(text))
	if err != nil {
		return rule.Set{}, fmt.Errorf("--faults %s: %w", f.File, err)
	}
	s.Rules = append(s.Rules, f.Set.Rules...)
	if f.Set.Seed != 0 {
		s.Seed = f.Set.Seed
	}
	return s, nil
}

func (f *Faults) check() error {
	_, err := f.read()
	return err
}

// orEnvironment takes the file that the environment names, for programs without the flag: what envtest starts, and
// servers in Go tests.
func (f *Faults) orEnvironment(fork bool) error {
	if f.File != "" || fork {
		return nil
	}
	var said Faults
	if err := cli.InEnvironment(said.flags); err != nil {
		return err
	}
	f.File = said.File
	return f.check()
}
