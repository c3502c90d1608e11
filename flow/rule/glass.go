package rule

import (
	"errors"
	"fmt"
	"slices"
)

// glassStations are those of Stations that a proxy in front of another server has: a request before it is handed on, an
// answer, and an event of a watch before they are handed back.
var glassStations = []string{"negotiate", "encode", Frame}

// ErrInside says that a rule acts inside a server, where a proxy in front of it cannot.
var ErrInside = errors.New("inside the server")

// Inside reports whether rules of an action always act inside a server.
func (a Action) Inside() bool { return a == Lag || a == Coalesce }

// AtGlass is nil for a rule that can act at a proxy in front of another server; else an ErrInside, in one line.
func (r Rule) AtGlass() error {
	switch {
	case r.Action.Inside():
		return fmt.Errorf("%s acts %w; at the glass a rule can hold, delay, refuse, cut or lose", r.Action, ErrInside)
	case !slices.Contains(glassStations, r.Before):
		return fmt.Errorf("%s is %w; at the glass a rule acts before negotiate (the request), encode (the answer) or frame (an event)", r.Before, ErrInside)
	}
	return nil
}

// GlassExample is Example for a proxy in front of another server.
const GlassExample = "hold on verb:update"
