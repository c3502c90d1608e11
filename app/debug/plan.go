package debug

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"kubarium/sqlitestore"
)

// errNoPlans is why a server on etcd has no plans.
var errNoPlans = errors.New("query plans are SQLite's, and the store of this server is etcd")

// servePlan answers how SQLite would run the statement ?sql=, without running it (EXPLAIN QUERY PLAN).
func (p *handlers) servePlan(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodGet) {
		return
	}
	if _, ok := p.Store().(*sqlitestore.Store); !ok {
		http.Error(w, errNoPlans.Error(), http.StatusNotImplemented)
		return
	}
	statement := strings.TrimSpace(r.URL.Query().Get("sql"))
	if statement == "" {
		http.Error(w, "say which statement, one and without a semicolon: /debug/plan?sql=SELECT+1", http.StatusBadRequest)
		return
	}
	plan, err := sqlitestore.Plan(r.Context(), statement)
	switch {
	case r.Context().Err() != nil:
		http.Error(w, r.Context().Err().Error(), http.StatusGatewayTimeout)
	case err != nil:
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string][]sqlitestore.PlanStep{"plan": plan})
	}
}
