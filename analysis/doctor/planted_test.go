package doctor_test

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"kubarium/analysis/doctor"
	"kubarium/flow"
	"kubarium/flow/recording"
)

// planted is what the doctor must say of each recording of the planted controller: its rule, by whom and of what, and
// nothing else but what is true as well.
var planted = map[string]struct {
	severity doctor.Severity
	client   string
	objects  []string
	too      []string // other rules that are right to speak
}{
	"conflicts":                  {doctor.Warning, controller, sites[1:], nil},
	"writes-that-change-nothing": {doctor.Warning, controller, deployments, nil},
	"write-circles":              {doctor.Warning, controller, sites[1:], nil},
	"updates-without-version":    {doctor.Error, controller, deployments, nil},
	"repeated-lists": {doctor.Warning, controller, []string{"deployments.apps in namespace default-shop"},
		nil},
	"lists-without-limit":          {doctor.Warning, controller, []string{"configmaps in namespace default-shop"}, nil},
	"polling":                      {doctor.Note, controller, deployments[1:], nil}, // it lasts for a second alone
	"watches-without-bookmarks":    {doctor.Warning, controller, []string{"configmaps in namespace default-shop"}, nil},
	"expired-versions":             {doctor.Error, controller, []string{"configmaps in namespace default-shop"}, nil},
	"status-through-main-resource": {doctor.Warning, controller, sites, nil},
	"recreated-objects":            {doctor.Warning, controller, deployments, nil},
	"forced-applies":               {doctor.Warning, controller, deployments[1:], []string{"fought-fields"}},
	"fought-fields":                {doctor.Warning, controller, deployments[1:], []string{"write-circles"}},
	"finalizers-left":              {doctor.Warning, "planted-user/v1", sites[1:], nil},
	"owners-left":                  {doctor.Warning, controller, sites, nil},
	"bursts":                       {doctor.Warning, controller, []string{"configmaps"}, nil},
	"throttled-waits":              {doctor.Note, controller, []string{"configmaps in namespace default-shop"}, nil},
}

const controller = "site-controller/v1"

var (
	sites       = []string{"sites.planted.example.com default-shop/blog", "sites.planted.example.com default-shop/shop"}
	deployments = []string{"deployments.apps default-shop/blog", "deployments.apps default-shop/shop"}
)

// Each rule speaks of the controller that makes its mistake, with the right names, and of its mended twin there is
// nothing to say.
func TestRules_Planted(t *testing.T) {
	for _, rule := range doctor.Rules() {
		t.Run(rule.Name, func(t *testing.T) {
			want, ok := planted[rule.Name]
			if !ok {
				t.Fatal("there is no planted mistake for this rule")
			}
			var objects []string
			for _, f := range reportOf(t, rule.Name).Findings {
				switch {
				case f.Rule == rule.Name:
					objects = append(objects, f.Object)
					if f.Severity != want.severity || !strings.Contains(f.Client, want.client) || len(f.Records) == 0 {
						t.Errorf("%s by %s with %d records: %s", f.Severity, f.Client, len(f.Records), f.What)
					}
				case !slices.Contains(want.too, f.Rule):
					t.Errorf("it also says: %s %s: %s", f.Severity, f.Rule, f.What)
				}
			}
			if slices.Sort(objects); !slices.Equal(objects, want.objects) {
				t.Errorf("it speaks of %q, want %q", objects, want.objects)
			}
			for _, f := range reportOf(t, rule.Name+"-mended").Findings {
				t.Errorf("of the mended twin it says: %s %s of %s: %s", f.Severity, f.Rule, f.Client, f.What)
			}
		})
	}
}

// reportOf is what the doctor says of a recording.
func reportOf(t *testing.T, name string) *doctor.Report {
	t.Helper()
	d := doctor.New(doctor.Options{})
	for _, f := range recorded(t, "testdata/planted/"+name+".jsonl.gz") {
		d.Add(f)
	}
	return d.Report()
}

// recorded are the flows of a compressed file of JSON Lines.
func recorded(t *testing.T, path string) (flows []*flow.Flow) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for r := bufio.NewReader(z); ; {
		text, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return flows
		}
		if err != nil {
			t.Fatal(err)
		}
		l, err := recording.Read(text)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		flows = append(flows, l.Flow)
	}
}
