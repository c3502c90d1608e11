package scenarios

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// An Actor is somebody who sends requests in a lesson.
type Actor struct {
	Name string // the end of the User-Agent
	Role string
}

// Actors are a lesson's actors, in the order of its file.
type Actors []Actor

// Reader is who plays the steps that are the reader's own. No actor has that name.
const Reader = "you"

// UnmarshalYAML reads a map of names and roles.
func (a *Actors) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: actors are a map of names and roles", n.Line)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		actor := Actor{Name: n.Content[i].Value}
		if err := n.Content[i+1].Decode(&actor.Role); err != nil {
			return err
		}
		if a.has(actor.Name) {
			return fmt.Errorf("line %d: there are two actors %q", n.Content[i].Line, actor.Name)
		}
		*a = append(*a, actor)
	}
	return nil
}

func (a Actors) has(name string) bool {
	return slices.ContainsFunc(a, func(b Actor) bool { return b.Name == name })
}

// check looks at the names and roles.
func (a Actors) check() error {
	for _, b := range a {
		switch {
		case !actorName.MatchString(b.Name):
			return fmt.Errorf("actor %q: a name has only letters, digits and hyphens", b.Name)
		case b.Name == Reader:
			return fmt.Errorf("actor %q: that name is the reader's", b.Name)
		}
	}
	return nil
}
