package app_test

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMain_misuse proves that a command line which makes no sense ends at once, in one line that names what may have been meant,
// before a port, a database or a folder is touched: the port is taken, and would be complained of.
func TestMain_misuse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	data := filepath.Join(t.TempDir(), "data")
	t.Setenv("XDG_DATA_HOME", data)
	t.Setenv("KUBARIUM_LISTEN", taken.Addr().String())
	for line, want := range map[string]string{
		"srve":                            `unknown command "srve" for "kubarium", did you mean serve?`,
		"start":                           `unknown command "start" for "kubarium", did you mean serve?`,
		"nosuch":                          `unknown command "nosuch" for "kubarium"`,
		"serve extra":                     `unexpected argument "extra"; usage: kubarium serve [flags]`,
		"version all":                     `unexpected argument "all"; usage: kubarium version [flags]`,
		"reset one two":                   `unexpected argument "two"; usage: kubarium reset [NAME] [flags]`,
		"scenario rnu":                    `unknown command "rnu" for "kubarium scenario", did you mean run?`,
		"snapshot sav":                    `unknown command "sav" for "kubarium snapshot", did you mean save?`,
		"snapshot save":                   "an argument is missing; usage: kubarium snapshot save NAME [flags]",
		"fork lst":                        `unknown command "lst" for "kubarium fork", did you mean list?`,
		"help srve":                       `unknown command "srve" for "kubarium", did you mean serve?`,
		"help serve extra":                `unknown command "extra" for "kubarium serve"`,
		"completion bsh":                  "shell bsh: must be bash, zsh, fish or powershell, did you mean bash?",
		"--them dark":                     "unknown flag --them, did you mean --theme?",
		"-theme dark":                     "unknown flag -theme, did you mean --theme?",
		"-x":                              "unknown flag -x",
		"--qqqq":                          "unknown flag --qqqq",
		"--theme":                         "flag needs an argument: --theme",
		"--theme foo":                     "--theme foo: must be auto, dark, light, mono or contrast",
		"--theme=drak":                    "--theme drak: must be auto, dark, light, mono or contrast, did you mean dark?",
		"--fps 0":                         "--fps must be 1 to 120, not 0",
		"--fps 121":                       "--fps must be 1 to 120, not 121",
		"--fps many":                      "--fps many: must be a whole number",
		"fork --revision x":               "--revision x: must be a whole number",
		"doctor --for soon":               "--for soon: must be a time such as 30s or 5m",
		"doctor --own=maybe":              "--own maybe: must be true or false",
		"serve --memory much":             `--memory much: a size is a number like 256Mi, not "much"`,
		"serve --memory 5":                "--memory must be 1Mi to 64Gi, not 5",
		"attach --memory 1Ti":             "--memory must be 1Mi to 64Gi, not 1Ti",
		"doctor nofile":                   "open nofile: no such file or directory",
		"export a.kubarium b.kubarium":    "two runs are written as a page only: say --format html",
		"export --format html . --out x":  ". is a folder, and not that of a finding of explore",
		"--scenario nosuch":               `--scenario: there is no lesson "nosuch"; "kubarium scenario list" names them`,
		"--scenario cli_test.yaml":        `--scenario: read lesson: open cli_test.yaml: no such file or directory`,
		"--scenario lostupdate":           `--scenario: there is no lesson "lostupdate", did you mean lost-update?`,
		"scenario run lost-updat":         `there is no lesson "lost-updat", did you mean lost-update?`,
		"serve --sync ful":                "--sync ful: must be full, normal or off, did you mean full?",
		"serve --authorization-mode rbac": `--authorization-mode rbac: authorization-mode "rbac" is not a valid mode; say AlwaysAllow, AlwaysDeny or RBAC, did you mean RBAC?`,
		"serve --enable-admission-plugins AlwaysPullImage":                               `enable-admission-plugins plugin "AlwaysPullImage" is unknown, did you mean AlwaysPullImages?`,
		"serve --enable-admission-plugins X --disable-admission-plugins AlwaysPullImage": `enable-admission-plugins plugin "X" is unknown`,
		"--scenario ../scenarios/lessons/19-lost-update.yaml":                            `--scenario: the UI shows the lessons that come with it; "kubarium scenario run ../scenarios/lessons/19-lost-update.yaml" plays a file`,
		"serve --runtime-config nosuch.group/v1=false":                                   "unknown api groups nosuch.group/v1",
	} {
		code, out, errs := run(strings.Fields(line)...)
		if code != 2 || out != "" || errs != "kubarium: "+want+"\n" {
			t.Errorf("%s: code %d, stdout %q, stderr %q; want code 2 and %q", line, code, out, errs, want)
		}
	}
	for line, want := range map[string]string{
		"serve --controllers namespace-controler,*": "did you mean namespace-controller?",
		"serve --feature-gates WatchLst=true":       "did you mean WatchList?",
	} {
		code, out, errs := run(strings.Fields(line)...)
		if code != 2 || out != "" || !strings.HasSuffix(errs, want+"\n") || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: code %d, stdout %q, stderr %q; want code 2 and %q", line, code, out, errs, want)
		}
	}
	if _, err := os.Stat(data); err == nil {
		t.Error("the data folder was made")
	}
}

// TestMain_misuseByEnvironment proves the same of environment variables, and that none stands for --help and --version.
func TestMain_misuseByEnvironment(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	for name, c := range map[string]struct{ value, want string }{
		"KUBARIUM_THEME":              {"drak", "KUBARIUM_THEME=drak: must be auto, dark, light, mono or contrast, did you mean dark?"},
		"KUBARIUM_SYNC":               {"", "KUBARIUM_SYNC=: must be full, normal or off"},
		"KUBARIUM_FPS":                {"fast", "KUBARIUM_FPS=fast: must be a whole number"},
		"KUBARIUM_SCENARIO":           {"lost-updat", `--scenario: there is no lesson "lost-updat", did you mean lost-update?`},
		"KUBARIUM_AUTHORIZATION_MODE": {"RBAK", `KUBARIUM_AUTHORIZATION_MODE=RBAK: authorization-mode "RBAK" is not a valid mode; say AlwaysAllow, AlwaysDeny or RBAC, did you mean RBAC?`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, c.value)
			if code, out, errs := run(); code != 2 || out != "" || errs != "kubarium: "+c.want+"\n" {
				t.Errorf("code %d, stdout %q, stderr %q; want code 2 and %q", code, out, errs, c.want)
			}
		})
	}
	t.Setenv("KUBARIUM_VERSION", "v1.2.3")
	t.Setenv("KUBARIUM_HELP", "?")
	if code, _, errs := run("version"); code != 0 || errs != "" {
		t.Errorf("code %d, %q", code, errs)
	}
}

// gateLine is a line about feature gates, which are not broken.
var gateLine = regexp.MustCompile(`^ +(\w+=true\|false \(|AllAlpha )`)

// narrowHelp checks the width of the help of a command and of those below it.
func narrowHelp(t *testing.T, command []string) {
	_, out, _ := run(append(command[:len(command):len(command)], "--help")...)
	for line := range strings.Lines(out) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 100 && !gateLine.MatchString(line) {
			t.Errorf("%v: %d characters: %s", command, n, line)
		}
	}
	_, below, _ := strings.Cut(out, "\nCommands:\n")
	below, _, _ = strings.Cut(below, "\n\n")
	for line := range strings.Lines(below) {
		narrowHelp(t, append(command[:len(command):len(command)], strings.Fields(line)[0]))
	}
}

// TestMain_help proves that examples come before everything else that is told of a command's use, that every command has help, and
// that --version is the command version.
func TestMain_help(t *testing.T) {
	_, long, _ := run("--help")
	if _, short, _ := run("-h"); short != long {
		t.Error("-h and --help differ")
	}
	at := 0
	for _, part := range []string{"\nExamples:\n  kubarium  ", "\nUsage:\n", "\nCommands:\n", "\nFlags:\n", "\nFlags of the UI:\n", "\nFlags that kube-apiserver has, too:\n", "KUBARIUM_LISTEN"} {
		i := strings.Index(long[at:], part)
		if i < 0 {
			t.Fatalf("no %q behind the others in %s", part, long)
		}
		at += i
	}
	narrowHelp(t, nil)
	for _, command := range []string{"serve", "scenario", "scenario run", "snapshot", "snapshot save", "fork", "kubeconfig", "check", "help", "completion"} {
		asked := strings.Fields(command)
		code, out, errs := run(append(asked, "--help")...)
		if code != 0 || errs != "" || !strings.Contains(out, "\nUsage:\n  kubarium "+command) {
			t.Errorf("%s: code %d, %q %q", command, code, out, errs)
		}
		if code, told, _ := run(append([]string{"help"}, asked...)...); code != 0 || told != out {
			t.Errorf("help %s: code %d, %q", command, code, told)
		}
	}
	_, want, _ := run("version")
	if code, out, errs := run("--version"); code != 0 || errs != "" || out != want {
		t.Errorf("code %d, %q %q, want %q", code, out, errs, want)
	}
}
