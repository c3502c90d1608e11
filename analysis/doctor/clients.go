package doctor

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"kubarium/flow"
)

// clients are all that sent requests, by their tags: of one program each run of kubectl is a client of its own.
type clients struct {
	of     ongoing[string, *client]
	others *client // those beyond maxClients
}

// maxClients bounds them; a flow log knows no more.
const maxClients = 4096

// A client is a sender of requests.
type client struct {
	key     string // identifies it
	name    string // for people
	program string // the user agent up to its first slash: the field manager if a request names none
	tag     string
	own     bool
	counted Client
}

// A Client is what one client asked for in all.
type Client struct {
	Name      string         `json:"name"`               // its user agent, or its tag if it has none
	Tags      []string       `json:"tags"`               // under which its requests are shown, at most 10
	Requests  int            `json:"requests"`           // a watch is one
	Verbs     map[string]int `json:"verbs"`              // requests by verb
	Conflicts int            `json:"conflicts,omitzero"` // answers 409
	Unchanged int            `json:"unchanged,omitzero"` // accepted writes that changed nothing
	Lists     int            `json:"lists,omitzero"`
	Watches   int            `json:"watches,omitzero"`
	Bytes     int64          `json:"bytes,omitzero"` // of requests and answers
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
	name := cut(cmp.Or(of.UserAgent, of.Tag, "a client without a name"))
	made := &client{key: key, name: name, program: program, tag: of.Tag, own: of.Own()}
	c.of.put(key, made)
	return made
}

// ofTest reports whether a client is a test program, by the name that go test gives it.
func ofTest(name string) bool {
	program, _, _ := strings.Cut(name, "/")
	return strings.HasSuffix(strings.TrimSuffix(program, ".exe"), ".test")
}

// maxTags is how many tags a report names for a client.
const maxTags = 10

// report are the clients that asked for anything.
func (c *clients) report() []Client {
	all := slices.SortedFunc(maps.Values(c.of), func(a, b *client) int { return strings.Compare(a.key, b.key) })
	if c.others != nil {
		all = append(all, c.others)
	}
	var active []Client
	for _, one := range all {
		if n := one.counted; n.Requests > 0 || n.Bytes > 0 {
			n.Name = one.name
			if one.tag != "" {
				n.Tags = []string{one.tag}
			}
			active = append(active, n)
		}
	}
	return sum(active)
}

// sum puts the clients of one name together, those with the most requests first.
func sum(clients []Client) []Client {
	byName := map[string]*Client{}
	for _, n := range clients {
		c := byName[n.Name]
		if c == nil {
			c = &Client{Name: n.Name, Tags: []string{}, Verbs: map[string]int{}}
			byName[n.Name] = c
		}
		c.Tags = append(c.Tags, n.Tags...)
		c.Tags = c.Tags[:min(len(c.Tags), maxTags)]
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
	out := make([]Client, 0, len(byName))
	for _, c := range byName {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Client) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), strings.Compare(a.Name, b.Name))
	})
	return out
}
