package report

import (
	"encoding/json"
	"io"

	"kubarium/analysis/doctor"
)

// A document is a report in JSON: what was found, and the rules by which it was.
type document struct {
	*doctor.Report
	Rules []doctor.Rule `json:"rules"`
}

// JSON writes a report with the rules that looked, as one document.
func JSON(w io.Writer, p *doctor.Report, rules []doctor.Rule) error {
	whole := *p
	if whole.Clients == nil {
		whole.Clients = []doctor.Client{}
	}
	if whole.Findings == nil {
		whole.Findings = []doctor.Finding{}
	}
	return writeJSON(w, document{&whole, rules})
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
