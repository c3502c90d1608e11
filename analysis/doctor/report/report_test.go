package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubarium/analysis/doctor"
	"kubarium/analysis/doctor/report"
)

var update = flag.Bool("update", false, "renew the golden files")

// sample is a report with findings of each severity; empty is one with nothing.
func sample() *doctor.Report {
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	return &doctor.Report{
		From: at, To: at.Add(75 * time.Second), Flows: 321, Missed: 3,
		Clients: []doctor.Client{
			{Name: "operator/v1", Tags: []string{"ope1"}, Requests: 300, Verbs: map[string]int{"get": 200, "update": 100},
				Conflicts: 6, Unchanged: 12, Lists: 1, Watches: 2, Bytes: 3 << 20},
			{Name: "kubectl/v1.37", Tags: []string{"k1", "k2"}, Requests: 21, Verbs: map[string]int{"get": 21}, Bytes: 900},
		},
		Findings: []doctor.Finding{
			{Rule: "updates-without-version", Severity: doctor.Error, Client: "operator/v1",
				Object: "configmaps default/<web> & co", Count: 1,
				What: "operator/v1 updated configmaps default/<web> & co once without a resourceVersion and once put back what " +
					"kubectl/v1.37 had written: data.b.", Records: []uint64{7, 5}, First: at, Last: at},
			{Rule: "conflicts", Severity: doctor.Warning, Client: "operator/v1", Object: "deployments.apps default/web",
				Count:   6,
				What:    "6 writes of deployments.apps default/web were refused with 409 (stale resourceVersion 6×).",
				Cost:    "18 requests, 3.2 s",
				Records: []uint64{11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22}, First: at, Last: at.Add(time.Minute)},
			{Rule: "conflicts", Severity: doctor.Note, Client: "kubectl/v1.37", Object: "services", Count: 3,
				Objects: []string{"services default/\x1bweb", "services default/b", "services default/c"},
				What: "1 write of services default/\x1bweb was refused with 409 (stale resourceVersion). " +
					"The same holds for 2 more: services default/b, services default/c.", Records: []uint64{30},
				First: at, Last: at},
		},
	}
}

var forms = map[string]func(io.Writer, *doctor.Report, []doctor.Rule) error{"txt": report.Text, "json": report.JSON,
	"xml": report.JUnit, "sarif": report.SARIF}

// Each form of a report is as it was agreed, also of one in which nothing was found.
func TestGolden(t *testing.T) {
	for form, write := range forms {
		for name, p := range map[string]*doctor.Report{"sample": sample(), "empty": {}} {
			var b bytes.Buffer
			if err := write(&b, p, doctor.Rules()); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+"."+form)
			if *update {
				if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(b.Bytes(), want) {
				t.Errorf("%s differs; -update renews it:\n%s", file, b.String())
			}
		}
	}
}

// A writer that fails is an error.
func TestWrite_error(t *testing.T) {
	for form, write := range forms {
		if write(broken{}, sample(), doctor.Rules()) == nil {
			t.Errorf("%s: no error", form)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// The JSON document reads as the report that it was made of.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	var got struct {
		doctor.Report
		Rules []doctor.Rule
	}
	if err := report.JSON(&b, sample(), doctor.Rules()); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Findings) != 3 || got.Findings[1].Cost != "18 requests, 3.2 s" || len(got.Rules) != len(doctor.Rules()) ||
		got.Clients[0].Verbs["get"] != 200 {
		t.Errorf("%+v", got)
	}
}

// JUnit has a case for each rule, and those with errors and warnings have failed.
func TestJUnit(t *testing.T) {
	var b bytes.Buffer
	if err := report.JUnit(&b, sample(), doctor.Rules()); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Suite struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Cases    []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Text string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	var failed []string
	for _, c := range got.Suite.Cases {
		if c.Failure != nil {
			failed = append(failed, c.Name)
		}
	}
	if s := got.Suite; s.Tests != len(doctor.Rules()) || len(s.Cases) != s.Tests || s.Failures != 2 ||
		strings.Join(failed, " ") != "conflicts updates-without-version" {
		t.Errorf("%+v, failed %v", got, failed)
	}
}

// SARIF has what the schema of 2.1.0 requires: version, runs; of a run its tool and the driver's name; of a rule its
// id; of a result its message; and levels, indexes and counts within their limits.
func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	if err := report.SARIF(&b, sample(), doctor.Rules()); err != nil {
		t.Fatal(err)
	}
	var log map[string]any
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log["version"] != "2.1.0" || !strings.HasSuffix(log["$schema"].(string), "sarif-schema-2.1.0.json") {
		t.Errorf("%v", log)
	}
	run := log["runs"].([]any)[0].(map[string]any)
	driver := run["tool"].(map[string]any)["driver"].(map[string]any)
	rules, results := driver["rules"].([]any), run["results"].([]any)
	levels := map[any]bool{"none": true, "note": true, "warning": true, "error": true}
	ids := map[any]bool{}
	for _, r := range rules {
		rule := r.(map[string]any)
		if rule["id"] == "" || ids[rule["id"]] || !strings.HasPrefix(rule["helpUri"].(string), "https://") ||
			!levels[rule["defaultConfiguration"].(map[string]any)["level"]] {
			t.Errorf("rule %v", rule)
		}
		ids[rule["id"]] = true
	}
	if driver["name"] == "" || len(rules) != len(doctor.Rules()) || len(results) != 3 ||
		!run["invocations"].([]any)[0].(map[string]any)["executionSuccessful"].(bool) {
		t.Errorf("%v", run)
	}
	prints := map[string]bool{}
	for _, r := range results {
		result := r.(map[string]any)
		at := result["locations"].([]any)[0].(map[string]any)["logicalLocations"].([]any)[0].(map[string]any)
		index := int(result["ruleIndex"].(float64))
		if result["message"].(map[string]any)["text"] == "" || !levels[result["level"]] ||
			rules[index].(map[string]any)["id"] != result["ruleId"] || at["name"] == "" ||
			result["occurrenceCount"].(float64) < 1 {
			t.Errorf("result %v", result)
		}
		for _, print := range result["partialFingerprints"].(map[string]any) {
			prints[print.(string)] = true
		}
	}
	if len(prints) != 3 {
		t.Errorf("fingerprints %v", prints)
	}
}

// Severities and rules say what fails; other names are refused.
func TestFailing(t *testing.T) {
	onlyNotes := &doctor.Report{Findings: []doctor.Finding{{Rule: "bursts", Severity: doctor.Note}}}
	for _, c := range []struct {
		report *doctor.Report
		spec   string
		want   bool
		err    string
	}{
		{sample(), "error", true, ""}, {sample(), "warning", true, ""}, {sample(), "note", true, ""},
		{sample(), "", false, ""},
		{onlyNotes, "error", false, ""}, {onlyNotes, "warning", false, ""}, {onlyNotes, "note", true, ""},
		{onlyNotes, "bursts", true, ""}, {onlyNotes, "error,bursts", true, ""}, {onlyNotes, "error, conflicts", false, ""},
		{&doctor.Report{}, "note", false, ""},
		{sample(), "warnings", false, `unknown rule or severity "warnings", did you mean warning?`},
		{sample(), "error,poling", false, `unknown rule or severity "poling", did you mean polling?`},
		{sample(), "everything", false, `unknown rule or severity "everything"`},
	} {
		got, err := report.Failing(c.report, c.spec)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if got != c.want || text != c.err {
			t.Errorf("%q: %v, %q", c.spec, got, text)
		}
	}
}
