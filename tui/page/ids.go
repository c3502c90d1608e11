package page

// An ID is one of the screens, whose keys are 1 to 9, 0, = and i.
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
	Client
)

// names are those by which lessons call the pages that they show.
var names = map[string]ID{"traffic": Traffic, "watches": Watches, "lists": Lists, "versions": Versions,
	"conflicts": Conflicts, "deletes": Deletes, "objects": Objects, "gate": Gate}

// Named is the page that a lesson names, 0 for none.
func Named(name string) ID { return names[name] }
