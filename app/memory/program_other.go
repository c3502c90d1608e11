//go:build !linux

package memory

// unmapProgram does nothing: other systems have no way to let go of a program's pages without losing those that it changed.
func unmapProgram() {}
