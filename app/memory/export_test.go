package memory

var (
	NextRoom  = nextRoom
	GCPercent = gcPercent
	GCDiffers = differs
)

// GCCost is what collections cost, of times in CPU seconds.
func GCCost(collecting, busy, had, all float64) float64 {
	return times{collecting, busy, had, all}.cost()
}
