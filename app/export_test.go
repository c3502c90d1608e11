package app

var (
	TuneMemory = tuneMemory
	NextRoom   = nextRoom
	GCPercent  = gcPercent
	GCDiffers  = differs
)
