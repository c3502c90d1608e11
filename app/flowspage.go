package app

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"strings"
	"time"

	"kubarium/server/flow"
	"kubarium/server/flow/recording"
)

//go:embed flows.html
var flowsText string

var flowsTemplate = template.Must(template.New("flows").Parse(flowsText))

// pageFlows is how many flows a page for people has at most, the newest.
const pageFlows = 200

// A flowRow is a request in the table.
type flowRow struct {
	Seq             uint64
	At, Who, Took   string
	Request, Answer string
	Class           string // the hundreds of the status
	JSON            string
}

// servePage shows the newest flows as a table, each with its line to unfold.
func (p *Program) servePage(w http.ResponseWriter, q flowQuery) {
	flows, missed := p.Log.Since(q.after, 0)
	match := q.bind(p.Log)
	var rows []flowRow
	for i := len(flows) - 1; i >= 0 && len(rows) < min(q.limit, pageFlows); i-- {
		if q.wants(flows[i], match) {
			rows = append(rows, newFlowRow(q.shown(flows[i])))
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'")
	_ = flowsTemplate.Execute(w, struct {
		Filter string
		Own    bool
		Missed uint64
		Rows   []flowRow
	}{q.text, q.own, missed, rows})
}

func newFlowRow(f *flow.Flow) flowRow {
	row := flowRow{
		Seq: f.Seq, At: f.Start.Format("15:04:05.000"), Who: f.Client.Tag, Took: f.Duration.Round(10 * time.Microsecond).String(),
		Request: f.Method + " " + f.Path, Answer: strings.TrimSpace(http.StatusText(f.Status) + " " + f.Reason), Class: "none",
	}
	if f.Query != "" {
		row.Request += "?" + f.Query
	}
	if f.Status > 0 {
		row.Class = string('0'+rune(f.Status/100)) + "xx"
	}
	var line, pretty bytes.Buffer
	if recording.NewWriter(&line).Flow(f) == nil && json.Indent(&pretty, line.Bytes(), "", "  ") == nil {
		row.JSON = pretty.String()
	}
	return row
}
