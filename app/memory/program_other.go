//go:build !linux

package memory

// unmapProgram does nothing on systems that do not say which pages of its file a program has changed.
func unmapProgram() {}
