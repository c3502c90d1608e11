package shop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"kubarium/app"
	"kubarium/tests/planted/shop"
)

// asKeeper lets the test's own binary be the command shopkeeper.
const asKeeper = "SHOPKEEPER_OF_TESTS"

func TestMain(m *testing.M) {
	if os.Getenv(asKeeper) == "" {
		os.Setenv(asKeeper, "yes") // for what the tests start
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) == 3 && os.Args[1] == "suite" {
		if err := suite(ctx, os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(shop.Main(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// suite is a command with its controller in it, as a test suite has it, which it starts again after what people do.
func suite(ctx context.Context, text string) error {
	mistakes, err := shop.ParseMistakes(text)
	if err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	run := func(then func() error) error {
		ctx, cancel := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = shop.Run(ctx, config, "default", mistakes...)
		}()
		err := then()
		cancel()
		<-ended
		return err
	}
	if err := run(func() error { return shop.Play(ctx, config, "default") }); err != nil {
		return err
	}
	time.Sleep(200 * time.Millisecond) // the end of its watches comes to the server
	return run(func() error {
		time.Sleep(2 * time.Second) // what it does when it starts
		return nil
	})
}

// A report is the part of explore's JSON that the tests look at.
type report struct {
	Possible int
	Faults   []struct {
		Kind, What, Failed string
		Came               bool
	}
	Findings []finding
}

type finding struct {
	Kind, What  string
	Differences []difference
	Folder      string
	Times, Of   int
	Stable      bool
}

type difference struct{ Object, Path, Should, Is string }

// explore runs the command explore with a controller that makes mistakes.
func explore(t *testing.T, mistakes string, flags ...string) (r report, code int) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"explore", "--format", "json", "--quiet", "700ms", "--stale-for", "1200ms", "--parallel", "2",
		"--out", filepath.Join(t.TempDir(), "findings"),
		"--controller", fmt.Sprintf("'%s' --mistakes %s", binary, mistakes)}, flags...)
	var out, errs bytes.Buffer
	code = app.Main(append(args, "--", binary, "play"), nil, &out, &errs)
	t.Log(errs.String())
	if code == 2 || json.Unmarshal(out.Bytes(), &r) != nil {
		t.Fatalf("code %d: %s", code, out.String())
	}
	return r, code
}

// planted says of each mistake by which kind of fault it is found, and which differences it makes.
var planted = map[shop.Mistake]struct {
	kind  string
	marks []string // objects and paths, each is enough
}{
	shop.Stale:   {"stale", []string{"configmaps default/corner-storage data.orders"}},
	shop.Unseen:  {"unseen", []string{"configmaps default/ledger data.corner"}},
	shop.Twice:   {"lost", []string{"configmaps default/corner-backup-* ", "configmaps default/market-backup-* "}},
	shop.Late:    {"late", []string{"serviceaccounts default/small-clerk-* "}},
	shop.Away:    {"away", []string{"configmaps default/members data.anna"}},
	shop.Refused: {"refused", []string{"configmaps default/corner-storage data.plan", "configmaps default/corner-backup-* "}},
}

// One run with all kinds of faults finds all mistakes, each by its kind, and by the differences that it makes. Which of the
// possible moments are tried varies from run to run.
func TestExplore_mistakes(t *testing.T) {
	t.Parallel()
	r, code := explore(t, "stale,unseen,twice,late,away,refused", "--most", "28", "--base", "1", "--repeat", "1")
	if code != 1 {
		t.Errorf("code %d", code)
	}
	for mistake, p := range planted {
		if !slices.ContainsFunc(r.Findings, func(f finding) bool {
			return f.Kind == p.kind && slices.ContainsFunc(f.Differences, func(d difference) bool {
				return slices.Contains(p.marks, d.Object+" "+d.Path)
			})
		}) {
			t.Errorf("%s is not found by %s: %+v", mistake, p.kind, r.Findings)
		}
	}
	checkCame(t, r, 28)
}

// checkCame looks whether nine of ten faults came. Of unseen some cannot: a version that answers the one before does not come
// until that was seen.
func checkCame(t *testing.T, r report, want int) {
	t.Helper()
	planned, came := 0, 0
	for _, f := range r.Faults {
		if f.Kind == "unseen" {
			continue
		}
		planned++
		if f.Came {
			came++
		}
	}
	if len(r.Faults) != want || came*10 < planned*9 {
		t.Errorf("%d faults, want %d; %d of %d came: %+v", len(r.Faults), want, came, planned, r.Faults)
	}
}

// A finding has all that repeats it.
func TestExplore_finding(t *testing.T) {
	t.Parallel()
	r, code := explore(t, "twice", "--kinds", "lost", "--most", "2", "--base", "1", "--repeat", "2")
	for _, f := range r.Findings {
		if at := slices.IndexFunc(f.Differences, func(d difference) bool { return d.Path == "" }); at >= 0 && f.Stable {
			checkFolder(t, f.Folder)
			checkReplay(t, "twice", f.Folder, f.Differences[at].Object)
			return
		}
	}
	t.Errorf("code %d, and nothing stable is found: %+v", code, r)
}

// checkReplay looks whether a finding comes again where its fault alone is tried.
func checkReplay(t *testing.T, mistake, folder, object string) {
	t.Helper()
	r, code := explore(t, mistake, "--replay", folder, "--base", "1")
	if code != 1 || len(r.Faults) != 1 || len(r.Findings) != 1 || r.Findings[0].Of != 1 ||
		!slices.ContainsFunc(r.Findings[0].Differences, func(d difference) bool { return d.Object == object }) {
		t.Errorf("code %d: %+v", code, r)
	}
}

// Without --controller a client that starts again by itself sees an old state then.
func TestExplore_suite(t *testing.T) {
	t.Parallel()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := app.Main([]string{"explore", "--kinds", "stale", "--most", "2", "--base", "1", "--repeat", "2", "--quiet",
		"700ms", "--stale-for", "1200ms",
		"--parallel", "2", "--out", filepath.Join(t.TempDir(), "findings"), "--", binary, "suite", "stale"}, nil, &out, &errs)
	if code != 1 || !strings.Contains(out.String(), ", stale after a restart, stable (2 of 2): ") {
		t.Errorf("code %d: %s%s", code, out.String(), errs.String())
	}
}

// A command that fails without a fault is not tried with one.
func TestExplore_fails(t *testing.T) {
	t.Parallel()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := app.Main([]string{"explore", "--", binary, "sell"}, nil, &out, &errs)
	if code != 1 || errs.String() != "kubarium: without a fault the command ends with code 2; its last line is "+
		"shopkeeper: unexpected argument \"sell\"\n" {
		t.Errorf("code %d: %s%s", code, out.String(), errs.String())
	}
}

// checkFolder looks whether a finding has all that repeats it.
func checkFolder(t *testing.T, folder string) {
	t.Helper()
	for _, name := range []string{"README.txt", "faults.rules", "fault.json", "command.sh", "base.kubarium",
		"faulty.kubarium", "base-output.txt", "faulty-controller.txt"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, "command.sh"))
	if err != nil || !strings.Contains(string(text), "kubarium explore --replay "+folder) {
		t.Errorf("%s %v", text, err)
	}
	page := filepath.Join(t.TempDir(), "finding.html")
	var out, errs bytes.Buffer
	code := app.Main([]string{"export", folder, "--out", page}, nil, &out, &errs)
	if text, err = os.ReadFile(page); code != 0 || err != nil || !strings.Contains(string(text), "<title>Finding "+filepath.Base(folder)+" ·") {
		t.Errorf("the page of a finding: code %d: %s%v", code, errs.String(), err)
	}
}

// The mended twin ends the same whatever happens to it.
func TestExplore_mended(t *testing.T) {
	t.Parallel()
	r, code := explore(t, "none", "--most", "14", "--base", "1", "--repeat", "2")
	if code != 0 || len(r.Findings) != 0 {
		t.Errorf("code %d: %+v", code, r.Findings)
	}
	checkCame(t, r, 14)
}

// A wrong argument gives one line and code 2.
func TestMain_codes(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--mistakes", "lost"}, 2, `no such mistake: "lost"`},
		{[]string{"sell"}, 2, `unexpected argument "sell"`},
		{[]string{"--help"}, 0, ""},
	} {
		var out, errs bytes.Buffer
		if code := shop.Main(t.Context(), c.args, &out, &errs); code != c.code || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%q: code %d and %q", c.args, code, errs.String())
		}
	}
	if all, err := shop.ParseMistakes("stale,unseen,twice,late,away,refused"); err != nil || !slices.Equal(all, shop.Mistakes) {
		t.Error(all, err)
	}
}
