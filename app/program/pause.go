package program

import (
	"fmt"
	"slices"

	"kubarium/app/debug"
	"kubarium/server/controllers"
)

// Controllers returns all controllers, sorted by name, and which of them run in this server.
func (p *Program) Controllers() []debug.Controller {
	runs, paused := p.pauses.State()
	var all []debug.Controller
	for _, name := range controllers.Names() {
		all = append(all, debug.Controller{Name: name, Runs: slices.Contains(runs, name), Paused: slices.Contains(paused, name)})
	}
	return all
}

// PauseControllers pauses those of the controllers that this server is to run, and returns their names, sorted. They go on
// when each of their pauses was ended by resume. An unknown name is a debug.Refusal.
func (p *Program) PauseControllers(names []string) (paused []string, resume func(), err error) {
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if !slices.Contains(controllers.Names(), name) {
			return nil, nil, debug.Wrong(fmt.Errorf("%q is not the name of a controller", name))
		}
		if p.config.Controllers.Enabled(name, p.config.Nodes > 0) {
			paused = append(paused, name)
		}
	}
	return paused, p.pauses.Pause(paused), nil
}
