package tui

import (
	"context"
	"io"
	"os/exec"
)

// runEditor runs an editor until it ends, or ctx does.
func runEditor(ctx context.Context, cmd *exec.Cmd, _ io.Reader) error {
	return runBeside(ctx, cmd)
}
