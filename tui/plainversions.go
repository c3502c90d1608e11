package tui

import (
	"fmt"
	"strings"

	"kubarium/tui/client"
	"kubarium/tui/label"
)

// plainVersionsHelp is what `help` says of the command.
const plainVersionsHelp = `versions [WORDS]: the newest changes of the objects that have these words; version NUMBER: what its number means.`

// plainVersions is how many changes are told at most.
const plainVersions = 30

// versions does the commands of the screen Versions and reports whether word is one of them.
func (p *plain) versions(word, rest string) bool {
	switch word {
	case "versions":
		p.listVersions(rest)
	case "version":
		p.version(rest)
	default:
		return false
	}
	return true
}

func (p *plain) listVersions(words string) {
	p.fold() // tells what has come meanwhile, before the list
	v := p.u.versions()
	v.refilter()
	told := 0
	compacted := "nothing is compacted"
	if p.u.time.Compacted > 0 {
		compacted = fmt.Sprintf("what was before %d is compacted", p.u.time.Compacted)
	}
	p.print("The head is resourceVersion %d, %s. The order is the server's knowledge; to clients it is opaque.", p.u.time.Head, compacted)
	for i := len(v.lanes[0].commits) - 1; i >= 0 && told < plainVersions; i-- {
		c := v.lanes[0].commits[i]
		if hasWords(words, label.Object(c)) {
			p.print("resourceVersion %d: %s %s.", c.Revision, label.Object(c), label.LetterWords[v.letter(c)])
			told++
		}
	}
	if told == 0 {
		p.print("Nothing of that was committed.")
	}
}

func (p *plain) version(number string) {
	p.fold()
	v := p.u.versions()
	v.refilter()
	for _, c := range v.lanes[0].commits {
		if fmt.Sprint(c.Revision) != strings.TrimSpace(number) {
			continue
		}
		v.cursor, v.at = 0, c.Revision
		if v.u.maker(c.Revision) == nil {
			v.about.keep(c.Revision, client.ReadChange(p.u.api, c.Revision, label.Resource(c), p.u.maskerOf(label.Resource(c))))
		}
		for _, l := range v.about.build(100) {
			p.print("%s", l.String())
		}
		return
	}
	p.print("version needs the number of a change that the store still has; versions lists them.")
}
