package objects

import (
	"strings"

	"kubarium/tui/action"
	"kubarium/tui/client"
	"kubarium/tui/term"
)

// acts runs the commands that change something, and reports whether word is one.
func (p told) acts(word string, args []string, rest string) bool {
	switch word {
	case "namespace":
		p.namespace(args)
	case "scale", "label", "annotate", "delete":
		if r, k, ok := p.target(word, args); ok {
			p.act(word, *r, k, args[2:], rest)
		}
	default:
		return false
	}
	return true
}

func (p told) namespace(args []string) {
	if len(args) > 1 {
		p.print("namespace takes one name, or none for all.")
		return
	}
	p.o.env.Namespace = strings.Join(args, "")
	p.o.env.Refiltered()
	p.print("%s", term.Pick(len(args) == 0, "Objects of all namespaces are listed.",
		"Only objects in namespace "+p.o.env.Namespace+" are listed."))
}

// target returns the object of a command; ok is false after printing why there is none.
func (p told) target(word string, args []string) (r *client.Resource, k client.Key, ok bool) {
	if why := p.o.env.NeedsNow(); why != "" {
		p.print("%s: %s.", word, why)
		return nil, k, false
	}
	if len(args) < 2 {
		p.print("%s needs a resource and a name: %s deployments web", word, word)
		return nil, k, false
	}
	if r = p.resource(args[0]); r == nil {
		return nil, k, false
	}
	return r, p.o.keyOf(r, args[1]), true
}

// act runs a command on an object; a deletion waits for yes.
func (p told) act(word string, of client.Resource, k client.Key, args []string, rest string) {
	a, err := made(word, of, k, args, rest)
	switch {
	case err != nil:
		p.print("%s: %s.", word, err)
	case word == "delete":
		p.askFirst(a)
	default:
		p.o.env.AskInWords(p.print, "writes to", func() { p.send(a) })
	}
}

// made returns the action of a command.
func made(word string, of client.Resource, k client.Key, args []string, rest string) (*action.Action, error) {
	switch word {
	case "scale":
		n, err := replicas(strings.Join(args, " "))
		return action.Scale(of, k, n), err
	case "label":
		return action.Labels.Change(of, k, afterTwo(rest))
	case "annotate":
		return action.Annotations.Change(of, k, afterTwo(rest))
	}
	return deletion(of, k, args)
}

// afterTwo returns the text after the first two words.
func afterTwo(rest string) string {
	for range 2 {
		_, rest, _ = strings.Cut(strings.TrimLeft(rest, " "), " ")
	}
	return rest
}

// send sends an action and prints the result.
func (p told) send(a *action.Action) {
	if _, err := p.o.env.API.Do(a.Request()); err != nil {
		p.print("Refused: %s.", err)
		return
	}
	p.print("Done: %s", p.o.commandOf(a))
}

// askFirst describes a deletion, and waits for yes.
func (p told) askFirst(a *action.Action) {
	d := &deleting{o: p.o, of: a.Of, key: a.Key, known: true}
	d.owned, d.within, d.err = readConsequences(p.o.env.API, a.Of, a.Key, p.o.resources.all)
	if client.Code(d.err) == 404 {
		p.print("%s.", d.err)
		return
	}
	p.print("This deletes %s. %s", a.Name(), strings.Join(d.says(), " "))
	if c := p.o.env.Context; c != "" {
		p.print("This writes to %s.", c)
	}
	p.print("%s", p.o.commandOf(a))
	p.o.env.AwaitYes(p.print, func() { p.send(a) })
}
