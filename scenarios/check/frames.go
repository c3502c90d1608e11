package check

import (
	"errors"
	"fmt"

	"kubarium/scenarios"
	"kubarium/scenarios/client"
	"kubarium/scenarios/expr"
)

// frames checks the frames of a watch in their order, and its end.
func (c *check) frames(want *scenarios.Frames, o Outcome) error {
	for i, f := range want.Expect {
		what := fmt.Sprintf("frame %d", i+1)
		if i == len(o.Frames) {
			return c.mismatch(what, f.Type, fmt.Sprint(o.Ended))
		}
		got := o.Frames[i]
		c.result.Frames = append(c.result.Frames, event(got))
		if got.Type != f.Type {
			return c.mismatch(what+" type", f.Type, got.Type+" "+expr.JSON(got.Object))
		}
		if err := c.fields(what, got.Object, f.Object); err != nil {
			return err
		}
		if err := c.keep(what, got.Object, f.Keep); err != nil {
			return err
		}
	}
	if !want.Ends {
		return nil
	}
	if errors.Is(o.Ended, client.ErrStreamEnd) {
		c.result.Ended = true
		return nil
	}
	actual := fmt.Sprint(o.Ended)
	if n := len(want.Expect); n < len(o.Frames) {
		actual = o.Frames[n].Type + " " + expr.JSON(o.Frames[n].Object)
	}
	return c.mismatch("stream", client.ErrStreamEnd.Error(), actual)
}

func event(f client.Frame) Event {
	text := func(path string) string { return expr.TextAt(f.Object, path) }
	return Event{Type: f.Type, Kind: text("kind"), Name: text("metadata.name"), ResourceVersion: text("metadata.resourceVersion"), Object: f.Object}
}
