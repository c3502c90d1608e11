package story

import (
	"cmp"
	"encoding/json"
	"fmt"

	"kubarium/flow"
)

// TellCall describes in a few sentences a request of the server to another server, and its answer.
func TellCall(c *flow.Call) []string {
	s := &teller{Flow: c.Flow}
	s.asked(c)
	switch {
	case c.Flow.Status == 0:
		s.say("There was no answer: %s.", trimStop(cmp.Or(c.Flow.Message, unknown)))
		return s.sentences
	case c.Kind == flow.AggregatedCall:
		s.say("It answered %s, and the client got that answer as it came.", status(c.Flow.Status))
	default:
		s.say("It answered %s after %s.", status(c.Flow.Status), rounded(c.Flow.Duration))
	}
	s.reviewed(c)
	if c.Flow.Message != "" {
		s.say("The answer did not come whole: %s.", trimStop(c.Flow.Message))
	}
	return s.sentences
}

// asked describes which server was called, and for what.
func (s *teller) asked(c *flow.Call) {
	switch c.Kind {
	case flow.WebhookCall:
		s.say("At the station %s the server sent the object to the webhook %s%s, at %s.", c.Station, c.Name,
			of(c.By), c.Host)
	case flow.ConversionCall:
		s.say("The server asked the conversion webhook of %s, at %s, for the object in another version.",
			c.Name, c.Host)
	case flow.AggregatedCall:
		s.say("The group version is served elsewhere: the server passed the request on to %s, at %s, with the "+
			"client's identity in its headers.", c.Name, c.Host)
	case flow.TokenCall:
		s.say("The server asked the authentication webhook %s, at %s, whose token this is.", c.Name, c.Host)
	default:
		s.say("The server asked %s (%s), at %s.", c.Name, c.Kind, c.Host)
	}
}

func of(by string) string {
	if by == "" {
		return ""
	}
	return " of the configuration " + by
}

// A review is the common part of the answers of webhooks.
type review struct {
	Response *struct {
		Allowed *bool  `json:"allowed"`
		Patch   []byte `json:"patch"`
		Status  *struct {
			Message string `json:"message"`
			Code    int    `json:"code"`
		} `json:"status"`
		Warnings []string `json:"warnings"`
		Result   *struct {
			Status  string `json:"status"`
			Message string `json:"message"`
		} `json:"result"`
		Objects []json.RawMessage `json:"convertedObjects"`
	} `json:"response"`
}

// reviewed describes what the answer means, as far as it can be read.
func (s *teller) reviewed(c *flow.Call) {
	var r review
	if c.Flow.ResponseBody.Cut || json.Unmarshal(c.Flow.ResponseBody.Kept, &r) != nil || r.Response == nil {
		return
	}
	a := r.Response
	switch {
	case c.Kind == flow.ConversionCall && a.Result != nil && a.Result.Status != "Success":
		s.say("It could not convert: %s.", trimStop(cmp.Or(a.Result.Message, unknown)))
	case c.Kind == flow.ConversionCall:
		s.say("%s came back.", capital(plural(len(a.Objects), "object")))
	case a.Allowed == nil:
	case !*a.Allowed:
		why := ""
		if a.Status != nil && a.Status.Message != "" {
			why = ": " + trimStop(a.Status.Message)
		}
		s.say("It denies the request%s.", why)
	case len(a.Patch) > 0:
		var steps []json.RawMessage
		_ = json.Unmarshal(a.Patch, &steps) // the body itself is also shown
		s.say("It allows the request, with a patch of %s.", plural(len(steps), "operation"))
	default:
		s.say("It allows the request as it is.")
	}
	if n := len(a.Warnings); n > 0 {
		s.say("It sends the client %s.", plural(n, "warning"))
	}
}

// unknown stands in for a missing reason.
const unknown = "no reason is known"

// CallTitle names a call in a few words: "→ webhook sidecar.example.com".
func CallTitle(c *flow.Call) string { return fmt.Sprintf("→ %s %s", c.Kind, c.Name) }
