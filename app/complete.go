package app

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kubarium/analysis/explore"
	"kubarium/app/cli"
	"kubarium/app/lang"
	"kubarium/scenarios"
	"kubarium/scenarios/words"
	"kubarium/server/admission"
	"kubarium/server/authz"
	"kubarium/server/controllers"
	"kubarium/server/features"
)

// Completions for shells; see cobra's "Active Help" and "Shell Completions". They change nothing, and a
// server that does not answer at once is as good as none.

// Flags that name a file or a folder, in addition to those that end with "-file".
var (
	fileFlags   = []string{"db", "out", "record", "kubeconfig", "audit-log-path", "from", "to", "etcd-cafile", "etcd-certfile", "etcd-keyfile"}
	folderFlags = []string{"cert-dir", "dir", "replay"}
)

// completeFlags says of all flags below root what is offered for their values: files only where files are meant.
func completeFlags(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	words := map[string]func() []string{
		"controllers":               controllerWords,
		"authorization-mode":        authz.Names,
		"enable-admission-plugins":  admission.Names,
		"disable-admission-plugins": admission.Names,
		"kinds":                     explore.Words,
	}
	eachCommand(root, func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			var complete cobra.CompletionFunc
			switch value := f.Value.(type) {
			case *cli.Choice:
				complete = completeWords(value.Words)
			case *features.Gates:
				complete = completeGates
			default:
				if all := words[f.Name]; all != nil {
					complete = completeList(all)
				}
			}
			switch {
			case complete != nil:
			case slices.Contains(fileFlags, f.Name), strings.HasSuffix(f.Name, "-file"):
				complete = completeFiles
			case slices.Contains(folderFlags, f.Name):
				complete = completeFolders
			case f.Name == "server":
				complete = completeServerFlag
			case f.Name == "lang", f.Name == "translated":
				complete = completeLang
			case f.Name == "scenario":
				complete = completeLessonNames
			default:
				return
			}
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // it has none yet
		})
	})
}

func eachCommand(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, c := range cmd.Commands() {
		eachCommand(c, do)
	}
}

func completeFiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

func completeFolders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeWords offers words.
func completeWords(words []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return begun(words, typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// begun are those that begin with what is typed.
func begun(all []cobra.Completion, typed string) []cobra.Completion {
	return slices.DeleteFunc(slices.Clone(all), func(word string) bool { return !strings.HasPrefix(word, typed) })
}

// completeCommands offers the names of commands for "help".
func completeCommands(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	about, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var all []cobra.Completion
	for _, c := range about.Commands() {
		if c.IsAvailableCommand() {
			all = append(all, cobra.CompletionWithDesc(c.Name(), c.Short))
		}
	}
	return begun(all, typed), cobra.ShellCompDirectiveNoFileComp
}

// completeList offers words for the last entry of a list with commas, those that are not in it yet.
func completeList(words func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]
		said := strings.Split(before, ",")
		var all []cobra.Completion
		for _, word := range words() {
			if !slices.Contains(said, word) {
				all = append(all, before+word)
			}
		}
		return begun(all, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// controllerWords are what --controllers takes: all of them, none, each, and all but each.
func controllerWords() []string {
	all := []string{"*", "false"}
	for _, name := range controllers.Names() {
		all = append(all, name, "-"+name)
	}
	return all
}

// completeGates offers the names of feature gates, and after "=" their values.
func completeGates(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before, last := typed[:strings.LastIndex(typed, ",")+1], typed[strings.LastIndex(typed, ",")+1:]
	if name, _, ok := strings.Cut(last, "="); ok {
		return begun([]cobra.Completion{before + name + "=true", before + name + "=false"}, typed), cobra.ShellCompDirectiveNoFileComp
	}
	var all []cobra.Completion
	for _, name := range features.Names() {
		all = append(all, before+name+"=")
	}
	return begun(all, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeLessonNames offers the lessons that come with Kubarium, those that are not among args.
func completeLessonNames(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	lessons, err := scenarios.All()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var all []cobra.Completion
	for _, l := range lessons {
		if !slices.Contains(args, l.Name) {
			all = append(all, cobra.CompletionWithDesc(l.Name, l.Title))
		}
	}
	return begun(all, typed), cobra.ShellCompDirectiveNoFileComp
}

// completeLang offers the languages of the lessons, and says what terminals do to their letters.
func completeLang(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	all := lang.Words()
	for i, name := range all {
		if words.RightToLeft(name) {
			all[i] = cobra.CompletionWithDesc(name, "few terminals join its letters or set it right to left")
		}
	}
	return begun(all, typed), cobra.ShellCompDirectiveNoFileComp
}

// completeLessons offers lessons by name, and files of lessons as soon as what is typed is the beginning of no name.
// At most so many are taken.
func completeLessons(most int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names, directive := completeLessonNames(cmd, args, typed)
		if len(names) > 0 || directive == cobra.ShellCompDirectiveError {
			return names, directive
		}
		return completeYAML(cmd, nil, typed)
	}
}

// completeYAML offers one file of YAML.
func completeYAML(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}
