package page

// An ID is one of the screens, whose keys are 1 to 9, 0 and =.
type ID int

// The pages, in the order of their keys.
const (
	Traffic ID = 1 + iota
	Watches
	Lists
	Versions
	Conflicts
	Deletes
	Objects
	Learn
	Gate
	Doctor
	Compare
)
