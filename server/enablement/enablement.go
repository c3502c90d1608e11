// Package enablement reads kube-apiserver's flag --runtime-config: which built-in APIs are served. It knows versions
// and resources by their names alone.
package enablement

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/server/resourceconfig"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	cliflag "k8s.io/component-base/cli/flag"
)

// A Config is what was said of APIs. The zero Config leaves them as they are. It is the value of a flag
// (github.com/spf13/pflag); a flag that is given again adds to it.
type Config struct {
	said cliflag.ConfigurationMap
}

// Usage is the help of the flag.
const Usage = "built-in APIs to serve or not: GROUP/VERSION[/RESOURCE]=true|false, api/all=true|false, or api/ga, api/beta and api/alpha"

// Set adds pairs of key and value, parted by commas.
func (c *Config) Set(text string) error {
	if c.said == nil {
		c.said = cliflag.ConfigurationMap{}
	}
	return c.said.Set(text)
}

// String is what Set would read.
func (c *Config) String() string { return c.said.String() }

// Type names the value in a flag's help.
func (c *Config) Type() string { return c.said.Type() }

// core is the group version that nothing works without.
var core = schema.GroupVersion{Version: "v1"}

// Withheld returns those of the resources that are not to be served, and what was asked for in general and cannot be
// had, in one line or none. Known are all versions that there are in Kubernetes. The errors are in kube-apiserver's
// words.
func (c *Config) Withheld(resources []schema.GroupVersionResource, known *runtime.Scheme) (off []schema.GroupVersionResource, warning string, err error) {
	if len(c.said) == 0 {
		return nil, "", nil
	}
	said := withCore(c.said)
	if err := check(said, known); err != nil {
		return nil, "", err
	}
	served := sets.New[schema.GroupVersion]()
	for _, r := range resources {
		served.Insert(r.GroupVersion())
	}
	config := serverstorage.NewResourceConfig()
	config.EnableVersions(served.UnsortedList()...)
	config, err = resourceconfig.MergeAPIResourceConfigs(config, said, known)
	if err != nil {
		return nil, "", err
	}
	if err := checkServed(config, served); err != nil {
		return nil, "", err
	}
	for _, r := range resources {
		if !config.ResourceEnabled(r) {
			off = append(off, r)
		}
	}
	return off, unserved(said), nil
}

// Prune drops settings for versions that do not exist, and returns it in the form that Set reads, where it is not off
// anyway: for callers that serve the rest rather than refuse all.
func (c *Config) Prune(resources []schema.GroupVersionResource) (dropped []string) {
	if len(c.said) == 0 {
		return nil
	}
	served := sets.New[schema.GroupVersion]()
	for _, r := range resources {
		served.Insert(r.GroupVersion())
	}
	for _, key := range slices.Sorted(maps.Keys(c.said)) {
		on, err := strconv.ParseBool(cmp.Or(c.said[key], "true"))
		if err != nil || isServed(key, on, served) {
			continue
		}
		if on {
			dropped = append(dropped, key+"="+c.said[key])
		}
		delete(c.said, key)
	}
	return dropped
}

// isServed reports whether a key names a version that can be served; a stage that is to be off asks for nothing that
// is missing, and an unknown key is left to the code that refuses it.
func isServed(key string, on bool, served sets.Set[schema.GroupVersion]) bool {
	switch key {
	case resourceconfig.APIAll, resourceconfig.APIBeta, resourceconfig.APIAlpha:
		return !on
	case resourceconfig.APIGA, "api/legacy":
		return true
	}
	parts := strings.Split(strings.TrimPrefix(key, "api/"), "/")
	if parts[0] == "" || parts[0] == core.Version {
		return true
	}
	return len(parts) < 2 || served.Has(schema.GroupVersion{Group: parts[0], Version: parts[1]})
}

// withCore names the core group as the others are named, and drops what means nothing any more, as kube-apiserver does.
func withCore(said cliflag.ConfigurationMap) cliflag.ConfigurationMap {
	all := cliflag.ConfigurationMap{}
	for key, value := range said {
		switch first, rest, _ := strings.Cut(strings.TrimPrefix(key, "api/"), "/"); {
		case first == "v1":
			all["/v1"] = value
		case key == "api/legacy" && rest == "":
		default:
			all[key] = value
		}
	}
	return all
}

// check finds keys that name nothing.
func check(said cliflag.ConfigurationMap, known *runtime.Scheme) error {
	if said[resourceconfig.APIAll] == "false" && len(said) == 1 {
		return errors.New("invalid runtime-config with only api/all=false")
	}
	gvs, err := resourceconfig.ParseGroupVersions(said)
	if err != nil {
		return err
	}
	unknown := sets.New[string]()
	for _, gv := range gvs {
		if !known.IsGroupRegistered(gv.Group) {
			unknown.Insert(gv.String())
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("unknown api groups %s", strings.Join(sets.List(unknown), ","))
	}
	return nil
}

// checkServed finds versions that are to be served and cannot be, and the one that has to be.
func checkServed(config *serverstorage.ResourceConfig, served sets.Set[schema.GroupVersion]) error {
	wanted := sets.New[string]()
	for gv, on := range config.ExplicitGroupVersionConfigs {
		if on && !served.Has(gv) {
			wanted.Insert(gv.String())
		}
	}
	for gvr, on := range config.ExplicitResourceConfigs {
		if on && !served.Has(gvr.GroupVersion()) {
			wanted.Insert(gvr.GroupVersion().String())
		}
	}
	if len(wanted) > 0 {
		return fmt.Errorf("versions of Kubernetes that Kubarium does not serve: %s", strings.Join(sets.List(wanted), ", "))
	}
	if !config.ResourceEnabled(core.WithResource("namespaces")) {
		return errors.New("v1 cannot be switched off: add v1=true")
	}
	return nil
}

// unserved warns of stages that are switched on and have no versions.
func unserved(said cliflag.ConfigurationMap) string {
	var stages []string
	for _, key := range []string{resourceconfig.APIAll, resourceconfig.APIBeta, resourceconfig.APIAlpha} {
		if said[key] == "true" {
			stages = append(stages, key)
		}
	}
	if slices.Equal(stages, nil) {
		return ""
	}
	return fmt.Sprintf("--runtime-config %s=true adds nothing: Kubarium serves no beta and no alpha versions", strings.Join(stages, "=true,"))
}
