package gate

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"kubarium/flow/rule"
	"kubarium/tui/client"
	"kubarium/tui/gates"
	"kubarium/tui/page"
)

// ask asks for the text of the chosen request once the cursor rests on it.
func (x *Page) ask() {
	h := x.selected().held
	if h == nil || h.Edits == "" || x.whole[h.ID] != nil || x.asked == h.ID {
		return
	}
	id := h.ID
	x.asked = id
	x.Env.Do(page.Later{After: page.SettleTime, Do: func() {
		if now := x.selected().held; now == nil || now.ID != id {
			x.asked = 0
			return
		}
		x.Env.Do(page.Work{Run: func() func() {
			var h rule.Held
			err := readHeld(x.Env.API, id, &h)
			return func() {
				if err == nil { // it may have gone since
					x.whole[id], x.Env.Dirty = &h, true
				}
			}
		}})
	}})
}

// read asks for one that is held with its text.
func (x *Page) read(id uint64, done func(h *rule.Held)) {
	var h rule.Held
	x.Env.AskServer(fmt.Sprintf("held request %d", id), func(a *client.Client) error {
		return readHeld(a, id, &h)
	}, func() {
		x.whole[id], x.Env.Dirty = &h, true
		done(&h)
	})
}

func readHeld(a *client.Client, id uint64, h *rule.Held) error {
	return a.Read(gates.HeldPath, url.Values{"id": {strconv.FormatUint(id, 10)}, "secrets": {"true"}}, client.JSON, h)
}

func readState(a *client.Client) (s rule.State, err error) {
	err = a.Read(gates.Path, nil, client.JSON, &s)
	return s, err
}

// A verdict is what becomes of a held request.
type verdict struct {
	id    uint64 // 0 for all
	do    string // go, refuse, drop
	code  int    // of refuse
	after int    // of refuse: Retry-After in seconds, 0 for none
	text  []byte // an edited text; nil for none
}

func (v verdict) send(a *client.Client) error {
	q := url.Values{"id": {"all"}, "do": {v.do}}
	if v.id > 0 {
		q.Set("id", strconv.FormatUint(v.id, 10))
	}
	if v.code > 0 {
		q.Set("code", strconv.Itoa(v.code))
	}
	if v.after > 0 {
		q.Set("retry-after", strconv.Itoa(v.after))
	}
	_, err := a.Tell(http.MethodPost, gates.HeldPath, q, v.text)
	return err
}

// decide sends a verdict about a held request, or about all, and shows what was done.
func (x *Page) decide(v verdict, said string) {
	x.Env.AskServer(v.do, v.send, func() { x.Env.Say("%s", said) })
}

func addRules(a *client.Client, text string) error {
	_, err := a.Tell(http.MethodPost, gates.Path, nil, []byte(text))
	return err
}

func replaceRules(a *client.Client, text string) error {
	_, err := a.Tell(http.MethodPut, gates.Path, nil, []byte(text))
	return err
}

// removeRule removes a rule, or all with 0.
func removeRule(a *client.Client, id int) error {
	q := url.Values{}
	if id > 0 {
		q.Set("id", strconv.Itoa(id))
	}
	_, err := a.Tell(http.MethodDelete, gates.Path, q, nil)
	return err
}
