package debug

import (
	"encoding/json"
	"net/http"
	"strings"
)

const controllersPath = "/debug/controllers"

// Controllers are the parts of a Program that do what kube-controller-manager and kube-scheduler do.
type Controllers interface {
	// Controllers returns all that there are, sorted by name.
	Controllers() []Controller
	// PauseControllers stops those of the names that are to run, and returns their names. They go on when each of their
	// pauses was ended by resume. An unknown name is a Refusal.
	PauseControllers(names []string) (paused []string, resume func(), err error)
}

// A Controller is one of them as /debug/controllers answers.
type Controller struct {
	Name   string `json:"name"`
	Runs   bool   `json:"runs"`
	Paused bool   `json:"paused,omitempty"` // it would run
}

// serveControllers answers with all controllers (GET), or pauses those of ?pause=, names parted by commas, until the
// client goes away (POST): one frame says which they are.
func (p *handlers) serveControllers(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodGet, http.MethodPost) {
		return
	}
	if r.Method == http.MethodGet {
		Answer(w, func() (any, error) { return p.Program.Controllers(), nil })
		return
	}
	paused, resume, err := p.PauseControllers(strings.Split(r.URL.Query().Get("pause"), ","))
	if err != nil {
		Answer(w, func() (any, error) { return nil, err })
		return
	}
	defer resume()
	w.Header().Set("Content-Type", "application/json")
	frame := map[string]any{"type": "PAUSED", "object": map[string]any{"paused": paused}}
	if json.NewEncoder(w).Encode(frame) != nil || http.NewResponseController(w).Flush() != nil {
		return
	}
	<-r.Context().Done()
}
