package features_test

import (
	"strings"
	"testing"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"

	"kubarium/server/features"
)

// Each way to name gates, and what is on then; a wrong one is an error and changes nothing.
func TestGates_Set(t *testing.T) {
	for _, c := range []struct {
		texts   []string
		on, off []features.Gate
		err     string // of the last text
		string  string
	}{
		{nil, []features.Gate{features.CBORServingAndStorage, features.WatchList}, nil, "", ""},
		{[]string{""}, []features.Gate{features.WatchList}, nil, "", ""},
		{[]string{"WatchList=false"}, []features.Gate{features.WatchListCompression}, []features.Gate{features.WatchList}, "", "WatchList=false"},
		{[]string{" WatchList = F , CBORServingAndStorage=0"}, nil, []features.Gate{features.WatchList, features.CBORServingAndStorage}, "", "CBORServingAndStorage=false,WatchList=false"},
		{[]string{"WatchList=false", "WatchList=true"}, []features.Gate{features.WatchList}, nil, "", "WatchList=true"},
		{[]string{"AllAlpha=false"}, []features.Gate{features.WatchList}, []features.Gate{features.CBORServingAndStorage}, "", "AllAlpha=false"},
		{[]string{"AllBeta=false,WatchList=true"}, []features.Gate{features.WatchList, features.CBORServingAndStorage}, []features.Gate{features.APIResponseCompression}, "", "AllBeta=false,WatchList=true"},
		{[]string{"WatchList=false,Nonsense=true"}, []features.Gate{features.WatchList}, []features.Gate{"Nonsense"}, `unrecognized feature gate "Nonsense"; those that act here are APIResponseCompression, `, ""},
		{[]string{"watchlist=true"}, nil, nil, `unrecognized feature gate "watchlist"`, ""},
		{[]string{"WatchList"}, []features.Gate{features.WatchList}, nil, "missing bool value for feature gate WatchList", ""},
		{[]string{"WatchList=perhaps"}, []features.Gate{features.WatchList}, nil, `invalid value "perhaps" of feature gate WatchList`, ""},
	} {
		var g features.Gates
		var err error
		for _, text := range c.texts {
			err = g.Set(text)
		}
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q: error %v, want %q", c.texts, err, c.err)
		}
		for _, gate := range c.on {
			if !g.Enabled(gate) {
				t.Errorf("%q: %s is off", c.texts, gate)
			}
		}
		for _, gate := range c.off {
			if g.Enabled(gate) {
				t.Errorf("%q: %s is on", c.texts, gate)
			}
		}
		if g.String() != c.string {
			t.Errorf("%q: reads %q, want %q", c.texts, g.String(), c.string)
		}
	}
}

// The help names each gate with its stage and default.
func TestUsage(t *testing.T) {
	for _, f := range (features.Gates{}).All() {
		if want := string(f.Gate) + "=true|false (" + f.Stage + ", default true)"; !strings.Contains(features.Usage(), want) {
			t.Errorf("no %q in %s", want, features.Usage())
		}
	}
}

// A gate of Kubernetes' packages is set in the process, and one that is locked is refused.
func TestGates_Settle(t *testing.T) {
	gate := utilfeature.DefaultMutableFeatureGate
	add := map[featuregate.Feature]featuregate.FeatureSpec{
		"KubariumTestAlpha":  {PreRelease: featuregate.Alpha},
		"KubariumTestLocked": {Default: true, LockToDefault: true, PreRelease: featuregate.GA},
	}
	if err := gate.Add(add); err != nil {
		t.Fatal(err)
	}
	var g features.Gates
	if err := g.Set("KubariumTestLocked=false"); err == nil || err.Error() != "cannot set feature gate KubariumTestLocked to false, feature is locked to true" {
		t.Errorf("a locked gate: %v", err)
	}
	if err := g.Set("KubariumTestAlpha=true,CBORServingAndStorage=false,KubariumTestLocked=true"); err != nil {
		t.Fatal(err)
	}
	if err := g.Settle(); err != nil || !gate.Enabled("KubariumTestAlpha") {
		t.Errorf("after Settle it is %t: %v", gate.Enabled("KubariumTestAlpha"), err)
	}
}

// Pairs that Set would refuse because the gate is not here, or is locked to the other value, are separated from the
// rest.
func TestGates_Known(t *testing.T) {
	for text, want := range map[string]string{
		"WatchList=false":                        "WatchList=false |",
		"Nonsense=true, WatchList=false":         "WatchList=false | Nonsense=true",
		"kube:WatchList=false,kube:Other=false":  "WatchList=false | Other=false",
		"AllAlpha=true,WatchList,Nonsense=maybe": "AllAlpha=true,WatchList,Nonsense=maybe |",
		"":                                       " |",
	} {
		kept, missing := new(features.Gates).Known(text)
		if got := strings.TrimSpace(kept + " | " + strings.Join(missing, ",")); got != strings.TrimSpace(want) {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
	locked := map[featuregate.Feature]featuregate.FeatureSpec{"KubariumTestLockedOn": {Default: true, LockToDefault: true, PreRelease: featuregate.GA}}
	if err := utilfeature.DefaultMutableFeatureGate.Add(locked); err != nil {
		t.Fatal(err)
	}
	kept, missing := new(features.Gates).Known("KubariumTestLockedOn=true,KubariumTestLockedOn=false")
	if kept != "KubariumTestLockedOn=true" || len(missing) != 1 || missing[0] != "KubariumTestLockedOn=false" {
		t.Errorf("%q %q", kept, missing)
	}
}
