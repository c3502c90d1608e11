package redact

import (
	"maps"
	"slices"
	"strings"

	"kubarium/flow"
)

// maskCalls masks what calls send and get: headers that prove an identity, the objects in reviews, and the tokens in
// token reviews. A webhook's patch is text in the answer, and hidden as a whole.
func maskCalls(calls []flow.Call, keys []string) []flow.Call {
	calls = slices.Clone(calls)
	for i := range calls {
		c := &calls[i]
		if c.Flow == nil {
			continue
		}
		f := *c.Flow
		maskHead(&f)
		if secret := callKeys(c, keys); secret != nil {
			f.RequestBody, f.ResponseBody = maskBody(f.RequestBody, secret), maskBody(f.ResponseBody, secret)
		}
		c.Flow = &f
	}
	return calls
}

// callKeys returns the fields whose contents are secret in a call's bodies; keys are those of the request that made it.
func callKeys(c *flow.Call, keys []string) []string {
	switch {
	case c.Kind == flow.TokenCall:
		return []string{"token"}
	case keys == nil:
		return nil
	}
	return append(slices.Clone(keys), "patch")
}

// maskPlugins masks the values of secret fields that plugins and webhooks changed.
func maskPlugins(marks []flow.PluginMark, keys []string) []flow.PluginMark {
	marks = slices.Clone(marks)
	for i := range marks {
		m := &marks[i]
		m.Changes, m.Annotations = maskChanges(m.Changes, keys), maskAnnotations(m.Annotations)
		m.Opinions = slices.Clone(m.Opinions)
		for j := range m.Opinions {
			o := &m.Opinions[j]
			o.Changes, o.Patch = maskChanges(o.Changes, keys), Object(o.Patch, keys)
		}
	}
	return marks
}

func maskChanges(all []flow.FieldChange, keys []string) []flow.FieldChange {
	all = slices.Clone(all)
	for i := range all {
		c := &all[i]
		if Field(c.Path, keys) {
			c.Before, c.After = hidden(c.Before), hidden(c.After)
			continue
		}
		c.Before, c.After = Object(c.Before, keys), Object(c.After, keys)
	}
	return all
}

// hidden hides a value; only whether there is one remains visible.
func hidden(b flow.Bytes) flow.Bytes {
	if b == nil {
		return nil
	}
	return flow.Bytes(`"` + Hidden + `"`)
}

// patchAnnotation begins the keys of audit annotations with the patches of mutating webhooks.
const patchAnnotation = "patch.webhook.admission.k8s.io/"

func maskAnnotations(all map[string]string) map[string]string {
	secret := func(key string) bool { return strings.HasPrefix(key, patchAnnotation) }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(all)), secret) {
		return all
	}
	masked := maps.Clone(all)
	for key := range masked {
		if secret(key) {
			masked[key] = Hidden
		}
	}
	return masked
}
