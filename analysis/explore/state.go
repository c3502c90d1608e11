package explore

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"kubarium/analysis/compare"
	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/flow/recording"
)

// A Key names objects that are alike: one object, or all whose names were made of one generateName.
type Key struct {
	Server                    int // of the run, from 0
	Resource, Namespace, Name string
}

// String is "configmaps shop/web".
func (k Key) String() string { return describe(k.Resource, k.Namespace, k.Name) }

// A State is the objects at the end of a run, without values that differ in every run: versions, uids, times, random
// parts of names, addresses and ports that the server chose, how often an object was written and by which client.
// Objects that only Kubarium wrote are not in it.
type State struct {
	objects map[Key][]standing
	lives   map[Key]lives
}

// lives are how often objects came and went.
type lives struct{ created, deleted int }

// A standing is one of its objects.
type standing struct {
	fields   map[string]string // JSON texts by paths
	revision int64
}

// StateOf is the state at the end of a run, on the servers that it had.
func StateOf(servers ...*Server) *State {
	s := &State{objects: map[Key][]standing{}, lives: map[Key]lives{}}
	for i, one := range servers {
		s.add(i, one)
	}
	for _, all := range s.objects {
		slices.SortFunc(all, func(a, b standing) int { return cmp.Compare(a.revision, b.revision) })
	}
	return s
}

// Len is how many objects there are.
func (s *State) Len() (n int) {
	for _, all := range s.objects {
		n += len(all)
	}
	return n
}

func (s *State) add(number int, of *Server) {
	var all []*entry
	for _, c := range of.objects {
		if o := newEntry(&c); o != nil && !of.volatile(object.RefOf(c.Commit)) && !of.ownAlone(object.RefOf(c.Commit)) {
			all = append(all, o)
		}
	}
	n := namesOf(all)
	for _, o := range all {
		k := Key{number, o.Resource, n.of(o.Namespace), n.of(o.Name)}
		s.objects[k] = append(s.objects[k], standing{n.fields(o), o.Revision})
	}
	s.live(number, of)
}

// live counts how often objects came and went, by their names without what is random.
func (s *State) live(number int, of *Server) {
	var created []*entry
	for i := range of.Changes {
		if c := &of.Changes[i]; c.Type == flow.Created {
			if o := newEntry(c); o != nil {
				created = append(created, o)
			}
		}
	}
	n := namesOf(created)
	for i := range of.Changes {
		c := &of.Changes[i]
		if c.Type == flow.Updated || of.volatile(object.RefOf(c.Commit)) || of.ownAlone(object.RefOf(c.Commit)) {
			continue
		}
		k := Key{number, c.Resource, n.of(c.Namespace), n.of(c.Name)}
		l := s.lives[k]
		if c.Type == flow.Created {
			l.created++
		} else {
			l.deleted++
		}
		s.lives[k] = l
	}
}

// An entry is an object, parsed.
type entry struct {
	*recording.Change
	value map[string]any
}

func newEntry(c *recording.Change) *entry {
	v, _ := object.Parse(c.Value).(map[string]any)
	if v == nil {
		return nil
	}
	return &entry{c, v}
}

// names say what random names and uids of one run mean.
type names struct {
	plain map[string]string // names that were generated, with a star for what is random
	uids  map[string]string // objects by their uids
}

func namesOf(all []*entry) *names {
	n := &names{plain: map[string]string{}, uids: map[string]string{}}
	// An object comes before those that are named after it.
	slices.SortFunc(all, func(a, b *entry) int { return cmp.Compare(len(a.Name), len(b.Name)) })
	for _, o := range all {
		stem := object.TextIn(o.value, "metadata", "generateName")
		if stem != "" && len(o.Name) > len(stem) && strings.HasPrefix(o.Name, stem) {
			base := strings.TrimSuffix(stem, "-")
			n.plain[o.Name] = n.of(base) + stem[len(base):] + "*"
		}
	}
	for _, o := range all {
		if uid := object.TextIn(o.value, "metadata", "uid"); uid != "" {
			n.uids[uid] = describe(o.Resource, n.of(o.Namespace), n.of(o.Name))
		}
	}
	return n
}

// of is a name without what is random in it.
func (n *names) of(name string) string {
	if plain, ok := n.plain[name]; ok {
		return plain
	}
	return compare.Shape(name)
}

// fields are an object's fields without what is different in every run.
func (n *names) fields(o *entry) map[string]string {
	generation := object.Text(object.In(o.value, "metadata", "generation"))
	cleaned := n.clean(o.value, generation).(map[string]any)
	if spec, ok := cleaned["spec"].(map[string]any); ok && o.Resource == "services" {
		cleanService(spec)
	}
	if meta, ok := cleaned["metadata"].(map[string]any); ok {
		for _, name := range []string{
			"uid", "creationTimestamp", "generation", "managedFields", "selfLink", "deletionGracePeriodSeconds",
		} {
			delete(meta, name)
		}
		meta["name"], meta["namespace"] = n.of(o.Name), n.of(o.Namespace)
	}
	out := map[string]string{}
	for path, v := range object.Leaves(cleaned) {
		out[path] = text(v)
	}
	return out
}

// clean copies a value without what is different in every run.
func (n *names) clean(v any, generation string) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, field := range v {
			switch name {
			case "resourceVersion":
			case "observedGeneration":
				out[name] = seen(object.Text(field), generation)
			default:
				out[name] = n.clean(field, generation)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = n.clean(v[i], generation)
		}
		return out
	case string:
		return n.text(v)
	}
	return v
}

// seen says of an observedGeneration whether it is that of the object: how often that changed does not count.
func seen(observed, generation string) string {
	if observed == generation {
		return "(up to date)"
	}
	return "(behind)"
}

var uid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// text is a string without times, uids and generated names.
func (n *names) text(s string) string {
	if _, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return "(a time)"
	}
	s = uid.ReplaceAllStringFunc(s, func(id string) string {
		if of, ok := n.uids[id]; ok {
			return "(uid of " + of + ")"
		}
		return "(uid of no object)"
	})
	if len(n.plain) == 0 || s == "" {
		return s
	}
	parts := strings.Split(s, "/")
	for i, part := range parts {
		if plain, ok := n.plain[part]; ok {
			parts[i] = plain
		}
	}
	return strings.Join(parts, "/")
}

// cleanService takes out of a Service's spec what the server has allocated.
func cleanService(spec map[string]any) {
	if ip, ok := spec["clusterIP"].(string); ok && ip != "None" && ip != "" {
		spec["clusterIP"] = "(allocated)"
		delete(spec, "clusterIPs")
	}
	delete(spec, "healthCheckNodePort")
	ports, _ := spec["ports"].([]any)
	for _, p := range ports {
		if p, ok := p.(map[string]any); ok && p["nodePort"] != nil {
			p["nodePort"] = "(allocated)"
		}
	}
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(b)
}
