package program

// enoughFiles returns nil: Windows has no such limit.
func enoughFiles() error { return nil }
