package app

import (
	"fmt"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion() *cobra.Command {
	return &cobra.Command{
		Use:       "completion bash|zsh|fish|powershell",
		Short:     "Print the completion script for a shell",
		Long:      "Print the completion script for a shell. That for bash needs the package bash-completion.",
		Example:   "  source <(kubarium completion bash)",
		Args:      arguments(1, 1),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.OneOf(args[0], shells); err != nil {
				return cli.Misuse(fmt.Errorf("shell %s: %w", args[0], err))
			}
			root, out := cmd.Root(), cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			}
			return root.GenPowerShellCompletionWithDesc(out)
		},
	}
}
