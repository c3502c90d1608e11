package app

var (
	TuneMemory = tuneMemory
	GCShare    = gcShare
)
