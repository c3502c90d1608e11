package versions

import (
	"fmt"
	"strings"

	"kubarium/tui/client"
	"kubarium/tui/label"
)

// plainVersionsHelp is what `help` says of the command.
const plainVersionsHelp = `versions [WORDS]: the newest changes of the objects that have these words; version NUMBER: what its number means.`

// mostTold is how many changes are printed at most.
const mostTold = 30

// Tell does the commands of this page and reports whether word is one of them.
func (v *Page) Tell(word, rest string, print func(format string, args ...any)) bool {
	switch word {
	case "versions":
		v.tellAll(rest, print)
	case "version":
		v.tellOne(rest, print)
	default:
		return false
	}
	return true
}

func (v *Page) tellAll(words string, print func(format string, args ...any)) {
	v.Refilter()
	told := 0
	compacted := "nothing is compacted"
	if v.env.Time.Compacted > 0 {
		compacted = fmt.Sprintf("what was before %d is compacted", v.env.Time.Compacted)
	}
	print("The head is resourceVersion %d, %s. The order is the server's knowledge; to clients it is opaque.", v.env.Time.Head, compacted)
	for i := len(v.Lanes[0].commits) - 1; i >= 0 && told < mostTold; i-- {
		c := v.Lanes[0].commits[i]
		if label.HasWords(words, label.Object(c)) {
			print("resourceVersion %d: %s %s.", c.Revision, label.Object(c), v.env.Store().Letter(v.letter(c)))
			told++
		}
	}
	if told == 0 {
		print("Nothing of that was committed.")
	}
}

func (v *Page) tellOne(number string, print func(format string, args ...any)) {
	v.Refilter()
	for _, c := range v.Lanes[0].commits {
		if fmt.Sprint(c.Revision) != strings.TrimSpace(number) {
			continue
		}
		v.cursor.End(false)
		v.at = c.Revision
		if v.env.Maker(c.Revision) == nil {
			v.About.keep(c.Revision, client.ReadChange(v.env.API, c.Revision, label.Resource(c), v.env.MaskerOf(label.Resource(c))))
		}
		for _, l := range v.About.build(100) {
			print("%s", l.String())
		}
		return
	}
	print("version needs the number of a change that the store still has; versions lists them.")
}

func (v *Page) WordsHelp() string { return plainVersionsHelp }
