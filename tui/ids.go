package tui

// A screenID is one of the numbered screens; the number is its key.
type screenID int

const (
	pageTraffic screenID = 1 + iota
	pageWatches
	pageLists
	pageVersions
	pageConflicts
	pageDeletes
	pageObjects
	pageLearn
)
