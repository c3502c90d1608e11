package tui

import (
	"fmt"
	"slices"
	"strings"

	"kubarium/analysis/chain"
	"kubarium/flow"
	"kubarium/flow/recording"
	"kubarium/tui/export"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// An exported part of the run is what x offers.
type exported struct {
	words string              // "request 12"
	flows func() []*flow.Flow // called off the loop
	all   bool                // of a recording: with all versions of all objects
}

// askExport asks what to write to a file.
func (u *ui) askExport() {
	marks, shown := slices.Clone(u.Marks), slices.Clone(u.traffic().Passed)
	what := func(key, label string, n int, x exported) term.Item {
		return term.Item{Key: key, Label: label, Off: page.Unless(n > 0, "there is none"), Do: func() { u.askForm(x) }}
	}
	items := []term.Item{what("s", "the selected request", 0, exported{})}
	if f := u.Sel; f != nil {
		items[0] = what("s", fmt.Sprintf("the selected request, #%d", f.Seq), 1, exported{words: fmt.Sprintf("request %d", f.Seq), flows: func() []*flow.Flow { return []*flow.Flow{f} }})
	}
	filtered := term.Plural(len(shown), "request") + " that Traffic shows"
	if u.filter.text != "" {
		filtered += ", filtered by " + u.filter.text
	}
	log := u.Log
	items = append(items,
		what("m", term.Plural(len(marks), "marked request"), len(marks), exported{words: numbers(marks), flows: func() []*flow.Flow { return marks }}),
		what("f", filtered, len(shown), exported{words: filtered, flows: func() []*flow.Flow { return shown }}),
		what("a", fmt.Sprintf("all %s in memory, Kubarium's own too", term.Plural(u.Stats.Flows, "request")), u.Stats.Flows,
			exported{words: "all requests that were held", all: true, flows: func() []*flow.Flow {
				flows, _ := log.Since(0, 0)
				return flows
			}}))
	u.Over = &term.Menu{Title: "Export to a file", Text: []string{u.maskedText()}, Items: items}
}

func (u *ui) maskedText() string {
	return term.Pick(u.Unmasked, "UNMASKED: Secrets and credentials are written as they are.", "Secrets and credentials are masked; :unmask changes that.")
}

// numbers names requests by their numbers.
func numbers(flows []*flow.Flow) string {
	const most = 20
	var out []string
	for _, f := range flows {
		if len(out) == most {
			out = append(out, fmt.Sprintf("and %d more", len(flows)-most))
			break
		}
		out = append(out, fmt.Sprint(f.Seq))
	}
	return "marked requests " + strings.Join(out, ", ")
}

// askForm asks in which form x is to be written.
func (u *ui) askForm(x exported) {
	as := func(f export.Form) func() { return func() { u.askFile(x, f) } }
	u.Over = &term.Menu{Title: "Export as", Text: []string{x.words}, Items: []term.Item{
		{Key: "enter", Label: "recording for kubarium open" +
			term.Pick(x.all, ", with all versions of objects", ""), Do: as(export.Recording)},
		{Key: "j", Label: "JSON Lines, a request a line", Do: as(export.JSONLines)},
		{Key: "h", Label: "HTTP Archive (HAR), for other tools", Do: as(export.HAR)},
	}}
}

// askFile asks for the name of the file.
func (u *ui) askFile(x exported, form export.Form) {
	name := "kubarium-" + u.Clock().Format("20060102-150405") + form.Extension()
	u.Over = &term.Prompt{Title: u.F("Export as %s to a new file", form), Text: []string{u.maskedText()}, Edit: term.NewLineEdit(name), Done: func(path string) {
		if path = strings.TrimSpace(path); path == "" {
			u.Say("x: a file needs a name")
			return
		}
		u.export(x, form, path)
	}}
}

// export writes x off the loop, and says what came of it.
func (u *ui) export(x exported, form export.Form, path string) {
	whole := export.Whole{File: u.o.Source.File, URL: u.URL, Transport: u.API.Transport, Unmasked: u.Unmasked}
	choice := export.Choice{Form: form, Words: x.words, Unmasked: u.Unmasked, Head: recording.Head{Newest: u.Time.Head, At: u.Now()},
		Version: u.o.Version, URL: u.URL, DB: u.DB}
	_, choice.Head.Compacted = u.Log.Head()
	chains := u.Chains.All()
	u.Say("writing %s", path)
	u.Do(page.Work{Run: func() func() {
		var size int64
		var n int
		var err error
		if form == export.Recording && x.all {
			size, n, err = whole.Write(u.ctx, path)
		} else {
			for _, f := range x.flows() {
				choice.Flows = append(choice.Flows, chain.With(f, chains[f.Seq]))
			}
			n = len(choice.Flows)
			size, err = choice.Write(path)
		}
		return func() {
			if err != nil {
				u.Say("export: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
				return
			}
			u.Say("wrote %s: %s, %s, %s", path, term.Plural(n, "request"), term.BytesText(size), term.Pick(choice.Unmasked, "UNMASKED", "masked"))
		}
	}})
}
