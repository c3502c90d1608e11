package envtest

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// ErrUsage is what is wrong with a command line.
type ErrUsage struct{ error }

func (e ErrUsage) Unwrap() error { return e.error }

// etcdHelp lists the flags that are acted on; envtest looks for the last one at the beginning of a line.
const etcdHelp = `Usage: etcd [flags]

Kubarium in the place of etcd. It keeps nothing itself: kube-apiserver, which is Kubarium too, asks
it for the data directory, and keeps its database there. All flags of etcd are known; these are
acted on:

  --name 'default'
      Name of this member, and of its data directory.
  --data-dir '${name}.etcd'
      Path to the data directory.
  --listen-client-urls 'http://localhost:2379'
      URLs to listen on, with commas.
  --listen-client-http-urls ''
      More of them.
  --unsafe-no-fsync 'false'
      Do not wait for the disk: what was written last may be lost in a power cut.
  --version 'false'
      Print the version and exit.
`

// etcdOptions are the flags of etcd that are acted on.
type etcdOptions struct {
	name, dataDir       string
	clientURLs, httpURL string
	noSync, version     bool
}

// readEtcd reads a command line of etcd in the form of Go's own flags, with one dash or two, and then the environment.
func readEtcd(args []string, errs io.Writer) (o etcdOptions, err error) {
	f := flag.NewFlagSet(Etcd, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.name, "name", "default", "")
	f.StringVar(&o.dataDir, "data-dir", "", "")
	f.StringVar(&o.clientURLs, "listen-client-urls", "http://localhost:2379", "")
	f.StringVar(&o.httpURL, "listen-client-http-urls", "", "")
	f.BoolVar(&o.noSync, "unsafe-no-fsync", false, "")
	f.BoolVar(&o.version, "version", false, "")
	var unheeded []string
	for _, k := range etcdFlags() {
		heed := func(value string) error {
			if k.asks(value) {
				unheeded = append(unheeded, "--"+k.name+"="+value)
			}
			return nil
		}
		switch {
		case f.Lookup(k.name) != nil:
		case k.kind == "bool":
			f.BoolFunc(k.name, "", heed)
		default:
			f.Func(k.name, "", heed)
		}
	}
	if err := f.Parse(args); err != nil {
		return o, etcdComplaint(err)
	}
	if f.NArg() > 0 {
		return o, ErrUsage{fmt.Errorf("%q is not a valid flag", f.Arg(0))}
	}
	if len(unheeded) > 0 {
		fmt.Fprintf(errs, "kubarium: etcd: not acted on: %s\n", strings.Join(unheeded, " "))
	}
	return o, readEtcdEnvironment(f)
}

// etcdComplaint is what Go's flags say of a command line, in the words of kube-apiserver's.
func etcdComplaint(err error) error {
	if name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		return ErrUsage{fmt.Errorf("unknown flag: --%s", name)}
	}
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	return ErrUsage{err}
}

// readEtcdEnvironment gives the flags that are acted on and were not given the values of etcd's variables.
func readEtcdEnvironment(f *flag.FlagSet) error {
	given := map[string]bool{}
	f.Visit(func(flag *flag.Flag) { given[flag.Name] = true })
	for _, k := range etcdFlags() {
		name := "ETCD_" + strings.ToUpper(strings.ReplaceAll(k.name, "-", "_"))
		value := os.Getenv(name)
		if k.word != "acts" || given[k.name] || value == "" {
			continue
		}
		if err := f.Set(k.name, value); err != nil {
			return ErrUsage{fmt.Errorf("%s=%s: %w", name, value, err)}
		}
	}
	return nil
}
