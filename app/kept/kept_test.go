package kept_test

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"kubarium/app/kept"
	"kubarium/flow"
)

// Without --memory a log has its usual limits; with it, only its bytes are limited.
func TestFlag(t *testing.T) {
	for _, c := range []struct {
		args  string
		flows int
		bytes int64
		fails bool
	}{
		{"", 50_000, 64 << 20, false},
		{"--memory=64Mi", flow.Unlimited, 64 << 20, false},
		{"--memory=512Mi", flow.Unlimited, 512 << 20, false},
		{"--memory=1Mi", flow.Unlimited, 1 << 20, false},
		{"--memory=1000", 0, 0, true},
		{"--memory=65Gi", 0, 0, true},
	} {
		var limits flow.Limits
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		kept.Flag(f, &limits)
		if usage := f.FlagUsages(); !strings.Contains(usage, "(default 64Mi)") {
			t.Error(usage)
		}
		if err := f.Parse(strings.Fields(c.args)); err != nil {
			t.Fatal(c.args, err)
		}
		if err := kept.Check(limits); (err != nil) != c.fails {
			t.Errorf("%s: %v", c.args, err)
		}
		if l := flow.NewLog(limits).Stats().Limits; !c.fails && (l.Flows != c.flows || l.Bytes != c.bytes) {
			t.Errorf("%s: at most %d requests in %d bytes", c.args, l.Flows, l.Bytes)
		}
	}
}
