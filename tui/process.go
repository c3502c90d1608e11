package tui

import (
	"context"
	"os/exec"
)

// runBeside runs a command until it ends, or ctx does.
func runBeside(ctx context.Context, cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })()
	return cmd.Wait()
}
