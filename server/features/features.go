package features

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"

	"kubarium/server/nearest"
)

// A Gate is the name of a feature gate.
type Gate string

const (
	// APIResponseCompression compresses long answers that are not watches for clients that take gzip.
	APIResponseCompression Gate = "APIResponseCompression"
	// AllowUnsafeMalformedObjectDeletion heeds the delete option ignoreStoreReadErrorWithClusterBreakingPotential; without
	// it the option is as good as not given.
	AllowUnsafeMalformedObjectDeletion Gate = "AllowUnsafeMalformedObjectDeletion"
	// CBORServingAndStorage speaks CBOR. It is on here and off in Kubernetes 1.37.
	CBORServingAndStorage Gate = "CBORServingAndStorage"
	// WatchList allows sendInitialEvents.
	WatchList Gate = "WatchList"
	// WatchListCompression compresses watches that begin with initial events and their bookmark, for clients that take gzip.
	WatchListCompression Gate = "WatchListCompression"
)

// The stages of a gate.
const (
	Alpha = "ALPHA"
	Beta  = "BETA"
)

// A Feature is what a gate is and whether it is on.
type Feature struct {
	Gate    Gate
	Stage   string // Alpha or Beta
	Enabled bool
}

// known are the gates in the order of their names, as they are unless they are set.
var known = []Feature{
	{APIResponseCompression, Beta, true},
	{AllowUnsafeMalformedObjectDeletion, Beta, true},
	{CBORServingAndStorage, Alpha, true},
	{WatchList, Beta, true},
	{WatchListCompression, Beta, true},
}

// stages are the names that stand for all gates of one stage.
var stages = map[string]string{"AllAlpha": Alpha, "AllBeta": Beta}

// Gates says which gates are on. The zero value has all of them as they are by default. It is the value of a flag
// (github.com/spf13/pflag) that may be given more than once; after that it is not to be changed.
type Gates struct {
	set map[string]bool // what was said of gates and of stages
}

// Enabled reports whether a gate is on.
func (g Gates) Enabled(gate Gate) bool {
	i := slices.IndexFunc(known, func(f Feature) bool { return f.Gate == gate })
	if i < 0 {
		return false
	}
	return g.of(known[i])
}

// of is what was said of a gate, else of its stage, else its default.
func (g Gates) of(f Feature) bool {
	if on, ok := g.set[string(f.Gate)]; ok {
		return on
	}
	for name, stage := range stages {
		if on, ok := g.set[name]; ok && stage == f.Stage {
			return on
		}
	}
	return f.Enabled
}

// All returns each gate as it is now, in the order of their names.
func (g Gates) All() []Feature {
	all := slices.Clone(known)
	for i, f := range all {
		all[i].Enabled = g.of(f)
	}
	return all
}

// Set reads "NAME=true,NAME=false". Other gates stay as they are. An error changes nothing.
func (g *Gates) Set(text string) error {
	set := map[string]bool{}
	for name, on := range g.set {
		set[name] = on
	}
	for pair := range strings.SplitSeq(text, ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		on, err := strconv.ParseBool(value)
		spec, isOfficial := official()[featuregate.Feature(name)]
		switch {
		case !isKnown(name) && !isOfficial:
			return fmt.Errorf("unrecognized feature gate %q; those that act here are %s, and Kubernetes' own of the rules of its kinds%s", name, strings.Join(names(), ", "), nearest.Hint(name, Names()))
		case !ok:
			return fmt.Errorf("missing bool value for feature gate %s; say %s=true or %s=false", name, name, name)
		case err != nil:
			return fmt.Errorf("invalid value %q of feature gate %s; say true or false", value, name)
		case !isKnown(name) && spec.LockToDefault && on != spec.Default:
			return fmt.Errorf("cannot set feature gate %s to %t, feature is locked to %t", name, on, spec.Default)
		}
		set[name] = on
	}
	g.set = set
	return nil
}

// Known parts the pairs of a flag's value into those that Set takes, and those of gates that are not here or are locked
// to the other value. Set refuses the rest. A component's prefix, "kube:", is left out.
func (g *Gates) Known(text string) (kept string, missing []string) {
	var all []string
	for pair := range strings.SplitSeq(text, ",") {
		pair = strings.TrimPrefix(strings.TrimSpace(pair), "kube:")
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		on, err := strconv.ParseBool(strings.TrimSpace(value))
		spec, isOfficial := official()[featuregate.Feature(name)]
		isLocked := isOfficial && !isKnown(name) && spec.LockToDefault && on != spec.Default
		if ok && err == nil && name != "" && (isLocked || !isOfficial && !isKnown(name)) {
			missing = append(missing, pair)
			continue
		}
		all = append(all, pair)
	}
	return strings.Join(all, ","), missing
}

// official are the gates of Kubernetes' packages that this program is made of.
func official() map[featuregate.Feature]featuregate.FeatureSpec {
	return utilfeature.DefaultMutableFeatureGate.GetAll()
}

// Settle sets the gates of Kubernetes' packages as g says, except those that act in our own code. These packages keep
// them for the whole process: it is called once, before anything is served.
func (g Gates) Settle() error {
	set := map[string]bool{}
	for name, on := range g.set {
		if !slices.Contains(names(), name) {
			set[name] = on
		}
	}
	if len(set) == 0 {
		return nil
	}
	return utilfeature.DefaultMutableFeatureGate.SetFromMap(set)
}

// String is what was set, in the form that Set reads.
func (g *Gates) String() string {
	pairs := make([]string, 0, len(g.set))
	for name, on := range g.set {
		pairs = append(pairs, name+"="+strconv.FormatBool(on))
	}
	slices.Sort(pairs)
	return strings.Join(pairs, ",")
}

// Type names the value in the help.
func (g *Gates) Type() string { return "NAME=true|false,…" }

// Usage describes the flag: each gate with its stage and default.
func Usage() string {
	text := "turn Kubernetes' feature gates on or off: those that act in the rules of its kinds, and"
	for _, f := range known {
		text += fmt.Sprintf("\n%s=true|false (%s, default %t)", f.Gate, f.Stage, f.Enabled)
	}
	return text + "\nAllAlpha and AllBeta stand for all of a stage"
}

func isKnown(name string) bool {
	return stages[name] != "" || slices.Contains(names(), name)
}

// Names are the gates that can be set, and the stages, sorted; those that Kubernetes has locked are not among them.
func Names() []string {
	all := slices.AppendSeq(names(), maps.Keys(stages))
	for name, spec := range official() {
		if !isKnown(string(name)) && !spec.LockToDefault {
			all = append(all, string(name))
		}
	}
	slices.Sort(all)
	return all
}

func names() []string {
	all := make([]string, len(known))
	for i, f := range known {
		all[i] = string(f.Gate)
	}
	return all
}
