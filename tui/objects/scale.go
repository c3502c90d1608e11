package objects

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"kubarium/tui/action"
	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// askScale asks for the replicas of the object under the cursor; the present number is the default.
func (o *Page) askScale() {
	r, k := o.thing()
	of, a := *r, o.env.API
	o.env.Do(page.Work{Run: func() func() {
		var scale struct{ Spec struct{ Replicas int32 } }
		err := a.Read(of.Path(k.Namespace, k.Name)+"/scale", nil, client.JSON, &scale)
		return func() {
			if err != nil {
				o.env.Say("scale %s: %s", action.Name(of, k), err)
				return
			}
			o.promptScale(of, k, strconv.Itoa(int(scale.Spec.Replicas)))
		}
	}})
}

func (o *Page) promptScale(of client.Resource, k client.Key, typed string, problem ...string) {
	o.env.Over = &term.Prompt{Title: o.env.F("Scale %s", action.Name(of, k)), Text: append(problem, "how many replicas"),
		Edit: term.NewLineEdit(typed),
		Done: func(text string) { o.scaleTo(of, k, text) }}
}

// scale sets the replicas of the object under the cursor.
func (o *Page) scale(text string) {
	r, k := o.thing()
	o.scaleTo(*r, k, text)
}

func (o *Page) scaleTo(of client.Resource, k client.Key, text string) {
	n, err := replicas(text)
	if err != nil {
		o.promptScale(of, k, text, err.Error())
		return
	}
	a := action.Scale(of, k, n)
	o.do(a, fmt.Sprintf("%s scaled to %d", a.Name(), n), nil)
}

// replicas parses a number of replicas.
func replicas(text string) (int32, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a number from 0 to %d", text, math.MaxInt32)
	}
	return int32(n), nil
}
