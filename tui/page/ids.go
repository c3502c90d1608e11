package page

// An ID is one of the numbered screens; the number is its key.
type ID int

// The pages, by their keys.
const (
	Traffic ID = 1 + iota
	Watches
	Lists
	Versions
	Conflicts
	Deletes
	Objects
	Learn
	Doctor
	Compare
)
