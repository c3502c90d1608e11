package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"kubarium/scenarios/document"
)

// An Actor sends requests in a lesson. One with neither User nor Token acts as the user who plays the lesson, who may do everything.
// User, Groups and Token may have placeholders.
type Actor struct {
	Name   string   `yaml:"-"` // the end of the User-Agent
	Role   string   `yaml:"role"`
	User   string   `yaml:"user"`   // that the requests impersonate; "" for none
	Groups []string `yaml:"groups"` // of User, in addition to system:authenticated
	Token  string   `yaml:"token"`  // the bearer token of the requests; "" means none
}

// Actors are the actors of a lesson, in the order of its file.
type Actors []Actor

// Reader is the actor of the reader's own steps. No actor of a lesson has that name.
const Reader = "you"

// UnmarshalYAML reads a map of names and roles, or of names and maps with the fields of an Actor.
func (a *Actors) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: actors are a map of names and roles", n.Line)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		actor := Actor{Name: n.Content[i].Value}
		if err := actor.read(n.Content[i+1]); err != nil {
			return err
		}
		if a.Has(actor.Name) {
			return fmt.Errorf("line %d: there are two actors %q", n.Content[i].Line, actor.Name)
		}
		*a = append(*a, actor)
	}
	return nil
}

// read reads a role, or a map.
func (a *Actor) read(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return n.Decode(&a.Role)
	}
	known := document.Keys(Actor{})
	for i := 0; i < len(n.Content); i += 2 {
		if key := n.Content[i]; !slices.Contains(known, key.Value) {
			return fmt.Errorf("line %d: unknown field %q of an actor%s", key.Line, key.Value, document.Meant(key.Value, known))
		}
	}
	return n.Decode(a)
}

// Of returns the actor of a name; the zero Actor if there is none.
func (a Actors) Of(name string) Actor {
	if i := slices.IndexFunc(a, func(b Actor) bool { return b.Name == name }); i >= 0 {
		return a[i]
	}
	return Actor{}
}

// Has reports whether there is an actor of this name.
func (a Actors) Has(name string) bool {
	return slices.ContainsFunc(a, func(b Actor) bool { return b.Name == name })
}

var actorName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,30}$`)

// check looks at the names and roles.
func (a Actors) check() error {
	for _, b := range a {
		switch {
		case !actorName.MatchString(b.Name):
			return fmt.Errorf("actor %q: a name has only letters, digits and hyphens", b.Name)
		case b.Name == Reader:
			return fmt.Errorf("actor %q: that name is the reader's", b.Name)
		case b.User != "" && b.Token != "":
			return fmt.Errorf("actor %q: a user or a token says who it is, not both", b.Name)
		case b.Groups != nil && b.User == "":
			return fmt.Errorf("actor %q: groups are those of a user, and there is none", b.Name)
		case strings.ContainsAny(b.User+b.Token+strings.Join(b.Groups, ""), "\r\n"):
			return fmt.Errorf("actor %q: a user, a group or a token has a line break", b.Name)
		}
	}
	return nil
}
