package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"kubarium/app/cli"
	"kubarium/app/lang"
	"kubarium/app/program"
	"kubarium/app/remedy"
	"kubarium/app/remote"
	"kubarium/app/shown"
	"kubarium/scenarios"
	"kubarium/scenarios/play"
	"kubarium/scenarios/teller"
	"kubarium/scenarios/translation"
	"kubarium/server/authz"
	"kubarium/tui"
)

// newScenario is the command for lessons, with list, run and verify below it.
func newScenario() *cobra.Command {
	cmd := group(&cobra.Command{
		Use:        "scenario",
		Aliases:    []string{"scenarios", "lesson"},
		SuggestFor: []string{"lessons", "learn", "play", "verify"},
		Short:      "List lessons, play them in the terminal, or run them as checks",
		Long: `Lessons send real requests to a running API server and explain what happens. Each lesson is also a check: one
that is no longer true fails.`,
	})
	cmd.AddCommand(newScenarioList(), newScenarioRun(), newScenarioVerify(), newScenarioBook(), newScenarioNew(), newScenarioTranslate())
	return cmd
}

func newScenarioList() *cobra.Command {
	var in lang.Flag
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the lessons, one per line: those to be done first, then by course",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			lessons, err := scenarios.All()
			if err != nil {
				return err
			}
			lessons, err = in.Tell(lessons, false)
			if err != nil {
				return err
			}
			return printCourses(cmd.OutOrStdout(), lessons)
		},
	}
	in.Declare(cmd.Flags())
	return cmd
}

// printCourses writes the lessons, the road and each course below its name.
func printCourses(out io.Writer, lessons []*scenarios.Lesson) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	course := ""
	for i, l := range lessons {
		if heading := cmp.Or(l.Road, l.Course); heading != course || i == 0 {
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintln(w, heading)
			course = heading
		}
		fmt.Fprintf(w, "  %s\t%s\n", l.Name, l.Title)
	}
	return w.Flush()
}

// serverFlag declares the flags for the server to play against.
func serverFlag(cmd *cobra.Command) *remote.Server {
	var r remote.Server
	r.Flags(cmd.Flags(), "send requests to this API server (default: the running one on 127.0.0.1:8080, or one started for this)")
	return &r
}

func newScenarioRun() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run NAME|FILE.yaml",
		Short: "Play a lesson in the terminal",
		Long: `Play a lesson in the terminal. There it stops before each step, asks for predictions, and waits for your own kubectl
where a step is yours; enter goes on, q ends it. Without a terminal, or with --pace, it goes on by itself.`,
		Args: arguments(1, 1),

		ValidArgsFunction: completeLessons(1),
	}
	address := serverFlag(cmd)
	var words lang.Flag
	words.Declare(cmd.Flags())
	pace := cmd.Flags().Int("pace", 0, "go on by itself, at so many words a minute (160 leaves time to look)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *pace < 0 || cmd.Flags().Changed("pace") && *pace == 0 {
			return cli.Misuse(fmt.Errorf("--pace is a number of words a minute, from 1 on, not %d", *pace))
		}
		lessons, err := findLessons(args)
		if err != nil {
			return err
		}
		lessons, err = words.Tell(lessons, false)
		if err != nil {
			return err
		}
		in, out := cmd.InOrStdin(), cmd.OutOrStdout()
		return withServer(cmd, *address, func(server string, o play.Options) error {
			o.Pace, o.See = *pace, nil // its reader has a terminal, and no screen
			if *pace == 0 && onTerminal(in, out) {
				if o.Witness == nil {
					o.Witness = shown.RemoteWitness(cmd.Context(), o.Client, server)
				}
				return teller.Guide(cmd.Context(), in, out, lessons[0], server, o)
			}
			return teller.Tell(cmd.Context(), out, lessons[0], server, o)
		})
	}
	return cmd
}

func newScenarioVerify() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify [NAME|FILE.yaml…]",
		Short: "Run lessons as checks, without explanations; all by default",
		Long: `Run lessons as checks, without explanations. Prints a line per lesson, a line per language into which some of them are translated, then "N
passed, M failed, K skipped"; the exit code is 1 if a lesson failed or a translation cannot be read. What a translation lacks is printed with
-v, and is a failure with --translated.`,

		ValidArgsFunction: completeLessons(math.MaxInt),
	}
	address := serverFlag(cmd)
	var translations translations
	translations.flags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		lessons, err := findLessons(args)
		if err != nil {
			return err
		}
		covers, err := translations.cover(lessons)
		if err != nil {
			return err
		}
		return withServer(cmd, *address, func(server string, o play.Options) error {
			report := play.Verify(cmd.Context(), lessons, server, o)
			good := printReport(cmd.OutOrStdout(), report, covers, translations)
			if n := pointing(lessons); n > 0 && o.See == nil {
				cli.Printf(cmd.OutOrStdout(), "%d steps were not drawn: only a server that is started for this can be seen\n", n)
			}
			if !good {
				return cli.ExitCode(1)
			}
			return cmd.Context().Err()
		})
	}
	return cmd
}

// pointing counts the steps that point at a place on the screen.
func pointing(lessons []*scenarios.Lesson) (n int) {
	for _, l := range lessons {
		for _, s := range l.Steps {
			if s.At != nil {
				n++
			}
		}
	}
	return n
}

func newScenarioNew() *cobra.Command {
	return &cobra.Command{
		Use:   "new [FILE.yaml]",
		Short: "Write a template of a lesson to a new file or to stdout",
		Args:  arguments(0, 1),

		ValidArgsFunction: completeYAML,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := io.WriteString(cmd.OutOrStdout(), scenarios.Template)
				return err
			}
			f, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%w; name a new one", err)
			}
			if err != nil {
				return remedy.Add(err, "name a file that can be written")
			}
			_, err = f.WriteString(scenarios.Template)
			return errors.Join(err, f.Close())
		},
	}
}

// printReport writes a line a lesson, a line a language, and the counts, and reports whether all is good.
func printReport(w io.Writer, r play.Report, covers []translation.Coverage, t translations) (good bool) {
	for _, o := range r.Outcomes {
		switch {
		case o.Err != nil:
			fmt.Fprintf(w, "FAIL  %s: %v\n", o.Lesson.Name, o.Err)
		case o.Skipped != "":
			fmt.Fprintf(w, "skip  %s: %s\n", o.Lesson.Name, o.Skipped)
		default:
			fmt.Fprintf(w, "ok    %s  %d ms\n", o.Lesson.Name, o.Took.Milliseconds())
		}
	}
	good = t.print(w, covers)
	fmt.Fprintln(w, r)
	return good && r.Failed == 0
}

// lessonModes are who decides where lessons are played: roles, so that those about roles can be. A client without
// credentials may still do everything on the plain port.
var lessonModes = authz.Modes{authz.ModeRBAC}

// uiModesUsage is the help of the flag where the UI starts the server.
var uiModesUsage = strings.Replace(authz.Usage, "default AlwaysAllow", "default RBAC with the UI, AlwaysAllow without", 1)

// withServer hands run the address of an API server: the one that was named, the running one, or else one that is
// started for it on a temporary database.
func withServer(cmd *cobra.Command, named remote.Server, run func(server string, o play.Options) error) error {
	if named.Named() {
		client, address, err := named.Dial("")
		if err != nil {
			return err
		}
		bare, err := named.Bare()
		if err != nil {
			return err
		}
		o := play.Options{Client: client, Bare: bare, Kubectl: remote.KubectlFlags(address, named.Kubeconfig)}
		return run(address, o)
	}
	if answers(remote.Plain) {
		o := play.Options{Kubectl: remote.KubectlFlags(remote.Plain, "")}
		return run(remote.Plain, o)
	}
	return withOwnServer(cmd, run)
}

// withOwnServer hands run the address of a server that is started for it on a temporary database.
func withOwnServer(cmd *cobra.Command, run func(server string, o play.Options) error) (err error) {
	var c program.Config
	c.Flags(cmd.Flags())                                                               // for the defaults
	c.Listen, c.DB, c.Modes, c.Nodes = "127.0.0.1:0", ":memory:", lessonModes, uiNodes // as with the UI
	p, err := program.Start(cmd.Context(), c, cli.NewLogger(cmd.ErrOrStderr()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if err := awaitNode(cmd.Context(), p.URL); err != nil {
		return err
	}
	sight := shown.NewSight(cmd.Context(), tui.Options{Log: p.Log, Why: p.Why(), URL: p.URL, DB: p.DB, Source: shown.Own(p)})
	return run(p.URL, play.Options{Kubectl: remote.KubectlFlags(p.URL, ""), Witness: shown.Witness(p.Log), See: sight.See})
}

// awaitNode waits until a node is ready: a server that has just been started has none yet.
func awaitNode(ctx context.Context, address string) error {
	nodes, err := kubernetes.NewForConfig(&rest.Config{Host: address})
	if err != nil {
		return err
	}
	err = wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 10*time.Second, true, func(ctx context.Context) (bool, error) {
		list, err := nodes.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		return err == nil && slices.ContainsFunc(list.Items, func(n corev1.Node) bool {
			return slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
				return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
			})
		}), err
	})
	if err != nil {
		return fmt.Errorf("wait for the node of the server: %w", err)
	}
	return nil
}

// answers reports whether a ready API server is at an address.
func answers(address string) bool {
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		return false
	}
	conn.Close()
	resp, err := http.Get(address + "/readyz")
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
