package app

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kubarium/app/cli"
	"kubarium/app/envtest"
)

// helpWidth is how wide help is at most, in characters.
const helpWidth = 100

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND…]",
		Short: "Print the help of a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil {
				return cli.Misuse(err)
			}
			if len(rest) > 0 {
				return unknownCommand(about, rest[0])
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
		ValidArgsFunction: completeCommands,
	}
}

// help prints what a command is for, examples, and then all that can be said.
func help(cmd *cobra.Command, _ []string) {
	out := cmd.OutOrStdout()
	about := cmd.Long
	if about == "" {
		about = cmd.Short + "."
	}
	fmt.Fprintf(out, "%s\n", filled(about))
	if cmd.Example != "" {
		fmt.Fprintf(out, "\nExamples:\n%s\n", cmd.Example)
	}
	fmt.Fprintf(out, "\nUsage:\n  %s\n", cmd.UseLine())
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(out, "\nAliases:\n  %s\n", cmd.NameAndAliases())
	}
	helpCommands(out, cmd)
	helpFlags(out, cmd)
}

// filled breaks the lines of paragraphs at helpWidth. A paragraph with an indented line stays as it is.
func filled(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if strings.HasPrefix(p, " ") || strings.Contains(p, "\n ") {
			continue
		}
		var lines []string
		line := ""
		for _, word := range strings.Fields(p) {
			if line != "" && utf8.RuneCountInString(line+" "+word) > helpWidth {
				lines, line = append(lines, line), ""
			}
			line = strings.TrimPrefix(line+" "+word, " ")
		}
		paragraphs[i] = strings.Join(append(lines, line), "\n")
	}
	return strings.Join(paragraphs, "\n\n")
}

// helpCommands lists the commands below one.
func helpCommands(out io.Writer, cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	fmt.Fprint(out, "\nCommands:\n")
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			fmt.Fprintf(out, "  %-*s %s\n", c.NamePadding(), c.Name(), c.Short)
		}
	}
	fmt.Fprintf(out, "\n\"%s COMMAND --help\" says more about a command.\n", cmd.CommandPath())
}

// helpFlags lists the flags of a command: its own, those of the UI, and those that kube-apiserver has, too.
func helpFlags(out io.Writer, cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	screen := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(uiFlags).flags(screen)
	var own, ui, official pflag.FlagSet
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch {
		case screen.Lookup(f.Name) != nil:
			ui.AddFlag(f)
		case envtest.Acts(f.Name):
			official.AddFlag(f)
		default:
			own.AddFlag(f)
		}
	})
	for _, s := range []struct {
		title string
		flags *pflag.FlagSet
	}{{"Flags", &own}, {"Flags of the UI", &ui}, {"Flags that kube-apiserver has, too", &official}} {
		if s.flags.HasAvailableFlags() {
			fmt.Fprintf(out, "\n%s:\n%s", s.title, s.flags.FlagUsagesWrapped(helpWidth))
		}
	}
	if own.Lookup("listen") != nil {
		fmt.Fprint(out, "\nEach flag can also be given as an environment variable: --listen as KUBARIUM_LISTEN.\n")
	}
}
