package objects

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubarium/flow/object"
	"kubarium/tui/action"
	"kubarium/tui/term"
)

// askMeta asks which labels or annotations to set and remove. problem is the error of the words before.
func (o *Page) askMeta(m action.MetaMap, words string, problem ...string) {
	r, k := o.thing()
	text := append(slices.Clone(problem), "key=value sets, key- removes; several with blanks between them")
	if now := o.metaNow(m); now != "" {
		text = append(text, "now: "+now)
	}
	o.env.Over = &term.Prompt{Title: o.env.F("%s of %s", o.env.T(strings.ToUpper(m.Field[:1])+m.Field[1:]),
		action.Name(*r, k)), Text: text,
		Edit: term.NewLineEdit(words), Done: func(words string) { o.changeMeta(m, words) }}
}

// metaNow returns the labels or annotations of the object if they are known here.
func (o *Page) metaNow(m action.MetaMap) string {
	r, k := o.thing()
	if o.ShownSubject().Resource != r.ID() || o.Object.key != k {
		return ""
	}
	values, _ := object.In(object.Parse(o.Object.body), "metadata", m.Field).(map[string]any)
	var out []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		out = append(out, key+"="+object.Text(values[key]))
	}
	return strings.Join(out, " ")
}

// changeMeta sets and removes labels or annotations.
func (o *Page) changeMeta(m action.MetaMap, words string) {
	r, k := o.thing()
	a, err := m.Change(*r, k, words)
	if err != nil {
		o.askMeta(m, words, err.Error())
		return
	}
	o.do(a, fmt.Sprintf("%s of %s changed", m.Field, a.Name()), nil)
}
