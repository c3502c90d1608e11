package who

import (
	"fmt"
	"slices"

	"kubarium/tui/page"
)

// plainWrites is how many of the newest writes plain mode prints.
const plainWrites = 10

// WordsHelp says what the words mean.
func (x *Page) WordsHelp() string {
	return "client: who has sent requests; client k1: who that is, what it waits for, what it did, and what led to its " +
		"newest writes."
}

// Tell prints the clients, or one of them.
func (x *Page) Tell(word, rest string, print func(format string, args ...any)) bool {
	if word != "client" {
		return false
	}
	x.reader.All()
	tags := x.reader.tags("")
	switch {
	case rest == "" && len(tags) == 0:
		print("No client has sent a request.")
	case rest == "":
		for _, tag := range tags {
			c := x.reader.of(tag, x.env.Now())
			if c != nil && len(c.Waits) > 0 {
				print("%s, %s: %s. It waits: %s: %s.", tag, agent(c.UserAgent), counts(c), c.Waits[0].Kind, c.Waits[0].What)
			}
		}
	case x.reader.of(rest, x.env.Now()) == nil:
		print("There is no client %q. client alone names all.", rest)
	default:
		x.about(rest, print)
	}
	return true
}

// about prints what the page shows of a client.
func (x *Page) about(tag string, print func(format string, args ...any)) {
	x.show(tag)
	x.client = x.reader.of(tag, x.env.Now())
	print("%s: %s.", tag, counts(x.client))
	x.facts.make(page.PlainWidth)
	for _, l := range x.facts.lines {
		print("%s", l.String())
	}
	if len(x.writes.all) == 0 {
		return
	}
	print("")
	newest := x.writes.all[max(0, len(x.writes.all)-plainWrites):]
	print("%s", fmt.Sprintf("The newest %d of %d writes, and what led to them:", len(newest), len(x.writes.all)))
	for _, seq := range slices.Backward(newest) {
		print("%d. %s", seq, x.head(seq, page.PlainWidth).String())
		for _, l := range x.parts(seq, page.PlainWidth) {
			print("%s", l.String())
		}
	}
}
