package doctor

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"kubarium/flow"
)

// clients are all that asked, by their tags: of one program each run of kubectl is a client of its own.
type clients struct {
	of     map[string]*client
	others *client // those beyond maxClients
}

// maxClients bounds them; a flow log tells no more apart.
const maxClients = 4096

// A client is who sends requests.
type client struct {
	key     string // what tells it from others
	name    string // for people
	program string // the user agent up to its first slash: the field manager if a request names none
	tag     string
	own     bool
	counted Client
}

func (c *clients) get(of flow.Client) *client {
	key := cmp.Or(of.Tag, of.UserAgent)
	if known := c.of[key]; known != nil {
		return known
	}
	if len(c.of) >= maxClients {
		if c.others == nil {
			c.others = &client{name: "further clients"}
		}
		return c.others
	}
	program, _, _ := strings.Cut(of.UserAgent, "/")
	made := &client{key: key, name: cut(cmp.Or(of.UserAgent, of.Tag, "a client without a name")), program: program, tag: of.Tag, own: of.Own()}
	c.of[key] = made
	return made
}

// count notes a request of it.
func (c *client) count(r *request) {
	n := &c.counted
	if n.Verbs == nil {
		n.Verbs = map[string]int{}
	}
	if r.Phase == flow.WatchClosed {
		n.Bytes += r.ResponseBody.Total
		return // its opening was counted
	}
	n.Requests++
	n.Verbs[cmp.Or(r.Target.Verb, strings.ToLower(r.Method))]++
	n.Bytes += r.RequestBody.Total + r.ResponseBody.Total
	switch {
	case r.Status == 409:
		n.Conflicts++
	case unchanged(r):
		n.Unchanged++
	case r.Target.Verb == "list":
		n.Lists++
	case r.Target.Verb == "watch":
		n.Watches++
	}
}

// maxTags is how many tags a report names for a client.
const maxTags = 10

// report puts the clients of one name together, who asked most first.
func (c *clients) report() []Client {
	byName := map[string]*Client{}
	all := slices.SortedFunc(maps.Values(c.of), func(a, b *client) int { return strings.Compare(a.key, b.key) })
	if c.others != nil {
		all = append(all, c.others)
	}
	for _, one := range all {
		n := one.counted
		if n.Requests == 0 && n.Bytes == 0 {
			continue
		}
		sum := byName[one.name]
		if sum == nil {
			sum = &Client{Name: one.name, Tags: []string{}, Verbs: map[string]int{}}
			byName[one.name] = sum
		}
		sum.add(&n, one.tag)
	}
	out := make([]Client, 0, len(byName))
	for _, sum := range byName {
		out = append(out, *sum)
	}
	slices.SortFunc(out, func(a, b Client) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), strings.Compare(a.Name, b.Name))
	})
	return out
}

func (c *Client) add(n *Client, tag string) {
	if tag != "" && len(c.Tags) < maxTags {
		c.Tags = append(c.Tags, tag)
	}
	for verb, count := range n.Verbs {
		c.Verbs[verb] += count
	}
	c.Requests += n.Requests
	c.Conflicts += n.Conflicts
	c.Unchanged += n.Unchanged
	c.Lists += n.Lists
	c.Watches += n.Watches
	c.Bytes += n.Bytes
}
