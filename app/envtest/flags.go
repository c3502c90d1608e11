package envtest

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"
)

//go:embed kube-apiserver.flags
var apiServerText string

//go:embed etcd.flags
var etcdText string

// The flags of both programs, in the order of their names.
var (
	apiServerFlags = sync.OnceValue(func() []known { return readKnown(apiServerText) })
	etcdFlags      = sync.OnceValue(func() []known { return readKnown(etcdText) })
)

// A known is a flag of one of the programs.
type known struct {
	name, kind string
	word       string // what becomes of it: "acts", "*", a value that asks for nothing, or ""
}

// readKnown reads a file of flags, a line each.
func readKnown(text string) []known {
	var all []known
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] == "#" {
			continue
		}
		all = append(all, known{words[0], words[1], strings.Join(words[2:], " ")})
	}
	return all
}

// asks reports whether a value asks for what Kubarium does not do.
func (k known) asks(value string) bool {
	return k.word != "*" && k.word != "acts" && value != k.word && value != "" && value != "[]"
}

// Acts reports whether a flag of kube-apiserver is one that Kubarium acts on.
func Acts(flag string) bool {
	return slices.ContainsFunc(apiServerFlags(), func(k known) bool { return k.name == flag && k.word == "acts" })
}

// Unheeded are the flags of kube-apiserver that are known and not acted on.
type Unheeded struct{ flags *pflag.FlagSet }

// Complete declares in a set all flags of kube-apiserver that Kubarium does not act on, hidden, with the types that
// they have there.
func Complete(f *pflag.FlagSet) Unheeded {
	for _, k := range apiServerFlags() {
		if k.word == "acts" {
			continue
		}
		switch k.kind {
		case "level":
			f.IntP(k.name, "v", 0, "")
		case "bool":
			f.Bool(k.name, false, "")
		case "int":
			f.Int(k.name, 0, "")
		case "int64":
			f.Int64(k.name, 0, "")
		case "uint":
			f.Uint(k.name, 0, "")
		case "float":
			f.Float64(k.name, 0, "")
		case "duration":
			f.Duration(k.name, 0, "")
		case "ip":
			f.IP(k.name, nil, "")
		case "strings":
			f.StringSlice(k.name, nil, "")
		default:
			f.String(k.name, "", "")
		}
		f.Lookup(k.name).Hidden = true
	}
	return Unheeded{f}
}

// Asked returns those flags that ask for what Kubarium does not do, as "--name=value", in the order of their names.
func (u Unheeded) Asked() []string {
	var asked []string
	for _, k := range apiServerFlags() {
		f := u.flags.Lookup(k.name)
		if f == nil || !f.Changed || !k.asks(f.Value.String()) {
			continue
		}
		value := f.Value.String()
		if s, ok := f.Value.(pflag.SliceValue); ok {
			value = strings.Join(s.GetSlice(), ",")
		}
		asked = append(asked, fmt.Sprintf("--%s=%s", k.name, value))
	}
	slices.Sort(asked)
	return asked
}
