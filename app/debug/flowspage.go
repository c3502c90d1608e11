package debug

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/recording"
)

// pageFlows is how many flows a page for people has at most, the newest.
const pageFlows = 200

const pageHead = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Kubarium: requests</title>
<style>
:root { color-scheme: light dark }
body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5em }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; padding: .2em .7em .2em 0; vertical-align: top; border-bottom: 1px solid #8884 }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
summary, pre, input { font-family: ui-monospace, monospace }
summary { cursor: pointer; overflow-wrap: anywhere }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8882; padding: .7em }
input[type=text] { width: min(40em, 60%) }
.c4 { color: light-dark(#a60, #fb6) }
.c5, .c0 { color: light-dark(#c00, #f77) }
</style>
`

// servePage shows the newest flows as a table, each with its line to unfold. It is written without html/template,
// with which the linker can leave out no method of anything, and the binary grows by a quarter.
func (p *records) servePage(w http.ResponseWriter, q flowQuery) {
	flows, missed := p.Flows().Since(q.after, 0)
	match := q.bind(p.Flows())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'")
	var b bytes.Buffer
	b.WriteString(pageHead)
	writeForm(&b, q)
	gone := missed.Others
	if q.own {
		gone = missed.All()
	}
	if gone > 0 {
		fmt.Fprintf(&b, "<p>%d older ones are no longer kept.\n", gone)
	}
	b.WriteString("<table>\n<tr><th>#<th>at<th>who<th>request<th>answer<th>took\n")
	rows := 0
	for i := len(flows) - 1; i >= 0 && rows < min(q.limit, pageFlows); i-- {
		if q.wants(flows[i], match) {
			writeFlowRow(&b, q.shown(p.Why().With(flows[i])))
			rows++
		}
	}
	if rows == 0 {
		b.WriteString("<tr><td colspan=\"6\">No match.\n")
	}
	b.WriteString("</table>\n</html>\n")
	_, _ = b.WriteTo(w)
}

func writeForm(w io.Writer, q flowQuery) {
	checked := ""
	if q.own {
		checked = " checked"
	}
	fmt.Fprintf(w, `<form>
<label>Filter <input type="text" name="filter" value="%s" placeholder="verb:update code:409"></label>
<label><input type="checkbox" name="own" value="true"%s> Kubarium's own requests</label>
<button>Show</button>
</form>
<p>The newest first, %d at most. For programs: the same address without a browser, as JSON Lines, and with <code>follow=true</code> as a stream.
`, html.EscapeString(q.text), checked, pageFlows)
}

func writeFlowRow(w io.Writer, f *flow.Flow) {
	request := f.Method + " " + f.Path
	if f.Query != "" {
		request += "?" + f.Query
	}
	answer := strings.TrimSpace(fmt.Sprintf("%d %s", f.Status, f.Reason))
	var line, pretty bytes.Buffer
	if recording.NewWriter(&line).Flow(f) != nil || json.Indent(&pretty, line.Bytes(), "", "  ") != nil {
		pretty.Reset() // what can be recorded can be indented
	}
	fmt.Fprintf(w, `<tr><td class="n">%d<td class="n">%s<td>%s<td><details><summary>%s</summary><pre>%s</pre></details><td class="c%d">%s<td class="n">%s`+"\n",
		f.Seq, f.Start.Format("15:04:05.000"), html.EscapeString(f.Client.Tag), html.EscapeString(request), html.EscapeString(pretty.String()),
		f.Status/100, html.EscapeString(answer), f.Duration.Round(10*time.Microsecond))
}
