package app_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"kubarium/app/program/programtest"
)

// What cobra says to a shell beside words, as ":4" at the end.
const (
	filesToo   = ":0"
	noFiles    = ":4"
	noSpace    = ":6" // and no files
	someFiles  = ":8"
	onlyFolder = ":16"
)

// offered is what a shell would offer for the last of these arguments, without what it tells of each word.
func offered(t *testing.T, args ...string) (words []string, directive string) {
	t.Helper()
	code, out, _ := run(append([]string{"__complete"}, args...)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) == 0 {
		t.Fatalf("%q: code %d, %q", args, code, out)
	}
	for _, line := range lines[:len(lines)-1] {
		word, _, _ := strings.Cut(line, "\t")
		words = append(words, word)
	}
	return words, lines[len(lines)-1]
}

// TestMain_complete proves what is offered for commands, arguments and flags: the words that are taken, and files only where files
// are meant.
func TestMain_complete(t *testing.T) {
	for _, c := range []struct {
		args      string // with commas between
		directive string
		want      string // words, with spaces between
	}{
		{"serv", noFiles, "serve servers"},
		{"sc", noFiles, "scenario"},
		{"scenario,", noFiles, "book list new run translate verify"},
		{"help,sn", noFiles, "snapshot"},
		{"help,snapshot,", noFiles, "delete list restore save"},
		{"help,serve,", noFiles, ""},
		{"run,--,", filesToo, ""},
		{"run,--db", noFiles, "--db"},
		{"completion,", noFiles, "bash zsh fish powershell"},
		{"--them", noFiles, "--theme"},
		{"--theme,", noFiles, "auto dark light mono contrast"},
		{"--theme=d", noFiles, "dark"},
		{"serve,--sync,", noFiles, "full normal off"},
		{"--scenario,lost-u", noFiles, "lost-update"},
		{"scenario,run,lost", noFiles, "lost-answer lost-update"},
		{"scenario,run,lost-update,", noFiles, ""},
		{"scenario,verify,own-,", noFiles, "*"},
		{"scenario,run,./", someFiles, "yaml yml"},
		{"scenario,new,", someFiles, "yaml yml"},
		{"--authorization-mode,A", noSpace, "AlwaysAllow AlwaysDeny"},
		{"--authorization-mode,RBAC;", noSpace, "RBAC;AlwaysAllow RBAC;AlwaysDeny"},
		{"--controllers,*;-name", noSpace, "*;-namespace-controller"},
		{"--enable-admission-plugins,AlwaysP", noSpace, "AlwaysPullImages"},
		{"--feature-gates,WatchListC", noSpace, "WatchListCompression= WatchListClient="},
		{"--feature-gates,WatchList=", noFiles, "WatchList=true WatchList=false"},
		{"--feature-gates,WatchList=true;CBORS", noSpace, "WatchList=true;CBORServingAndStorage="},
		{"--db,", filesToo, ""},
		{"--tls-cert-file,", filesToo, ""},
		{"--audit-log-path,", filesToo, ""},
		{"kubeconfig,--out,", filesToo, ""},
		{"compact,--kubeconfig,", filesToo, ""},
		{"--cert-dir,", onlyFolder, ""},
		{"envtest,--dir,", onlyFolder, ""},
		{"--listen,", noFiles, ""},
		{"--history,", noFiles, ""},
		{"serve,", noFiles, ""},
		{"version,", noFiles, ""},
		{"snapshot,save,", noFiles, ""},
		{"fork,--file,", noFiles, ""},
	} {
		args := strings.Split(c.args, ",")
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], ";", ",")
		}
		words, directive := offered(t, args...)
		want := strings.Fields(strings.ReplaceAll(c.want, ";", ","))
		slices.Sort(words)
		slices.Sort(want)
		if directive != c.directive || c.want != "*" && !slices.Equal(words, want) {
			t.Errorf("%q: %q %s, want %q %s", args, words, directive, want, c.directive)
		}
	}
}

// TestMain_completeTaken proves that what is offered for a flag is taken by it.
func TestMain_completeTaken(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	for _, flag := range []string{"--theme", "--scenario", "--sync", "--authorization-mode", "--controllers", "--enable-admission-plugins"} {
		words, _ := offered(t, flag, "")
		if len(words) < 3 {
			t.Errorf("%s: %q", flag, words)
		}
		for _, word := range words {
			// An address that cannot be served ends it right after the flags were read.
			if code, _, errs := run(flag, word, "--listen", "nowhere"); code != 2 || !strings.Contains(errs, "--listen must be") {
				t.Errorf("%s %s: code %d, %s", flag, word, code, errs)
			}
		}
	}
}

// TestMain_completeByServer proves that snapshots and forks of a running server are offered, and that one which does not answer
// keeps nobody waiting.
func TestMain_completeByServer(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	<-p.Bootstrapped()
	for _, name := range []string{"before", "after"} {
		if code, _, errs := run("snapshot", "save", name, "--server", p.URL); code != 0 {
			t.Fatal(errs)
		}
	}
	if code, _, errs := run("fork", "--server", p.URL); code != 0 {
		t.Fatal(errs)
	}
	t.Setenv("KUBARIUM_SERVER", p.URL)
	for _, c := range []struct{ args, want string }{
		{"snapshot restore b", "before"}, {"snapshot delete a", "after"}, {"reset be", "before"}, {"fork --snapshot af", "after"},
		{"snapshot restore before a", ""}, {"fork end 1", "1"}, {"fork end 2", ""},
	} {
		words, directive := offered(t, strings.Fields(c.args)...)
		if directive != noFiles || strings.Join(words, " ") != c.want {
			t.Errorf("%s: %q %s, want %s", c.args, words, directive, c.want)
		}
	}
	asked := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done() // the shell has gone
	}))
	defer silent.Close()
	t.Setenv("KUBARIUM_SERVER", silent.URL)
	if words, directive := offered(t, "snapshot", "restore", ""); len(words) > 0 || directive != noFiles {
		t.Errorf("%q %s", words, directive)
	}
	select {
	case <-asked:
	default:
		t.Error("it was not asked")
	}
}
