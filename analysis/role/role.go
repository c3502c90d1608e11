// Package role finds the rights that a run proves to be needed: what clients asked the authorizers for, as the smallest
// Role and ClusterRole that allow it, and what other roles grant beyond that.
//
// It proves what a run used: rights that a client needs in other events than those of the run are not among them.
package role

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/flow"
)

// A Use is something that a client asked to do.
type Use struct {
	Namespace string // "" for cluster-scoped objects, and for those of all namespaces
	Group     string
	Resource  string // with the subresource: "pods/log"
	Verb      string
}

// Uses are what the requests asked to do, with how often. Requests for paths are not counted: all users may discover.
func Uses(flows []*flow.Flow) map[Use]int {
	all := map[Use]int{}
	for _, f := range flows {
		if f.Phase == flow.WatchClosed {
			continue
		}
		for _, u := range usesOf(f) {
			all[u]++
		}
	}
	return all
}

// ofItself are the questions that a user's own rights must answer.
var ofItself = []string{"", flow.ForCreate, flow.ForConnect, flow.ForUnsafeDelete}

func usesOf(f *flow.Flow) (out []Use) {
	for _, q := range f.Rights {
		if q.Resource != "" && q.User == "" && slices.Contains(ofItself, q.For) {
			out = append(out, Use{q.Namespace, q.Group, with(q.Resource, q.Subresource), q.Verb})
		}
	}
	if t := &f.Target; len(f.Rights) == 0 && t.Resource != "" { // no authorizer was asked
		verb := t.Verb
		if verb == "apply" {
			verb = "patch"
		}
		out = append(out, Use{t.Namespace, t.Group, with(t.Resource, t.Subresource), verb})
	}
	return out
}

func with(resource, sub string) string {
	if sub == "" {
		return resource
	}
	return resource + "/" + sub
}

// verbs are in the order in which roles name them.
var verbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}

func compareVerbs(a, b string) int {
	place := func(v string) int {
		if i := slices.Index(verbs, v); i >= 0 {
			return i
		}
		return len(verbs)
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), strings.Compare(a, b))
}

// Roles are the smallest roles of a name that allow the uses: a ClusterRole for what is of no namespace, or of all, and a
// Role in each namespace for the rest.
func Roles(uses map[Use]int, name string) (cluster *rbacv1.ClusterRole, roles []*rbacv1.Role) {
	in := map[string][]Use{}
	for u := range uses {
		everywhere := u
		everywhere.Namespace = ""
		if _, granted := uses[everywhere]; !granted || u.Namespace == "" {
			in[u.Namespace] = append(in[u.Namespace], u)
		}
	}
	for _, namespace := range slices.Sorted(maps.Keys(in)) {
		rules := rulesOf(in[namespace])
		if namespace == "" {
			cluster = &rbacv1.ClusterRole{TypeMeta: metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole"},
				ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}
			continue
		}
		roles = append(roles, &rbacv1.Role{TypeMeta: metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "Role"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}, Rules: rules})
	}
	return cluster, roles
}

// rulesOf are rules for uses of one namespace: resources of one group with the same verbs share one.
func rulesOf(uses []Use) (rules []rbacv1.PolicyRule) {
	type kind struct{ group, resource string }
	verbsOf := map[kind][]string{}
	for _, u := range uses {
		k := kind{u.Group, u.Resource}
		verbsOf[k] = append(verbsOf[k], u.Verb)
	}
	at := map[[2]string]int{}
	for _, k := range slices.SortedFunc(maps.Keys(verbsOf), func(a, b kind) int {
		return cmp.Or(strings.Compare(a.group, b.group), strings.Compare(a.resource, b.resource))
	}) {
		verbs := verbsOf[k]
		slices.SortFunc(verbs, compareVerbs)
		verbs = slices.Compact(verbs)
		same := [2]string{k.group, strings.Join(verbs, " ")}
		if i, ok := at[same]; ok {
			rules[i].Resources = append(rules[i].Resources, k.resource)
			continue
		}
		at[same] = len(rules)
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{k.group}, Resources: []string{k.resource}, Verbs: verbs})
	}
	return rules
}

// Unused are what rules grant and no use needs, a line each: "delete, patch of pods". A rule with "*" is unused only as a
// whole.
func Unused(rules []rbacv1.PolicyRule, uses map[Use]int) (out []string) {
	for _, r := range rules {
		for _, group := range r.APIGroups {
			for _, resource := range r.Resources {
				var left []string
				for _, verb := range r.Verbs {
					if !used(uses, group, resource, verb) {
						left = append(left, verb)
					}
				}
				if left == nil {
					continue
				}
				slices.SortFunc(left, compareVerbs)
				name := resource
				if group != "" {
					name += "." + group
				}
				out = append(out, strings.Join(left, ", ")+" of "+name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func used(uses map[Use]int, group, resource, verb string) bool {
	fits := func(rule, value string) bool { return rule == "*" || rule == value }
	for u := range uses {
		sub := ""
		if i := strings.IndexByte(u.Resource, '/'); i >= 0 {
			sub = "*" + u.Resource[i:]
		}
		if fits(group, u.Group) && (fits(resource, u.Resource) || resource == sub) && fits(verb, u.Verb) {
			return true
		}
	}
	return false
}
