package debug

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"kubarium/app/record"
	"kubarium/flow"
	"kubarium/flow/recording"
)

// RecordingPath is the path of the run as a recording.
const RecordingPath = "/debug/recording"

// recordingQuery reads what is asked of /debug/recording.
func recordingQuery(q url.Values) (o record.Options, follow, secrets bool, err error) {
	o = record.Options{Flows: true, State: true, At: -1}
	var own = true
	flags := map[string]*bool{"follow": &follow, "secrets": &secrets, "objects": &o.State, "own": &own}
	for name, values := range q {
		switch {
		case len(values) != 1:
			return o, false, false, fmt.Errorf("say %s once", name)
		case name == "after":
			if o.After, err = strconv.ParseUint(values[0], 10, 64); err != nil {
				return o, false, false, fmt.Errorf("after is the number of a flow, not %q", values[0])
			}
		case flags[name] != nil:
			if *flags[name], err = strconv.ParseBool(values[0]); err != nil {
				return o, false, false, fmt.Errorf("%s is true or false, not %q", name, values[0])
			}
		default:
			return o, false, false, fmt.Errorf("there is no parameter %s; there are after, follow, objects, own and secrets", name)
		}
	}
	o.Quiet = !own
	return o, follow, secrets, nil
}

// serveRecording answers with the run as a recording (docs/recording.md): the oldest state that can be read with all
// changes since, and the requests that the log has; with ?follow=true also what comes. ?objects=false leaves out the
// objects, and has changes without them.
func (p *records) serveRecording(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodGet) {
		return
	}
	o, follow, secrets, err := recordingQuery(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	flow.From(r.Context()).Settle(r.Context(), settle)
	o.Wanted = func(f *flow.Flow) bool { return f.Path != RecordingPath }
	w.Header().Set("Content-Type", recording.Type)
	w.Header().Set("Content-Disposition", "attachment; filename=run"+record.Extension)
	conn := http.NewResponseController(w)
	to, err := recording.NewEncoder(patient{w, conn})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	err = record.Write(r.Context(), p.Run(secrets), o, to, follow, func() error {
		err := conn.Flush()
		_ = conn.SetWriteDeadline(time.Time{})
		return err
	})
	if err == nil {
		err = to.Close(recording.End{At: time.Now()})
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		panic(http.ErrAbortHandler) // so that the client does not take it for complete
	}
}
