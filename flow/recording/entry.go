package recording

import (
	"time"

	"kubarium/flow"
)

// Format is the version of the format that this release writes. It reads all up to it.
const Format = 1

// Type is the media type of a recording.
const Type = "application/vnd.kubarium.recording"

// An Entry is one record of a recording. One of its fields is set.
type Entry struct {
	Begin  *Begin     // a segment begins: what comes before is not needed to read what follows
	State  *Change    // an object as it was at the begin of the segment: the change that made it so
	Change *Change    // a change that was committed
	Flow   *flow.Flow // a request, or the opening or the end of a watch
	Frames *Frames    // what a watch has written
	Missed *Missed    // something that happened and is not in the recording
	Moment *Moment
	Head   *Head
	End    *End

	word   Word // the next word of the table
	forget bool // the table of words begins anew
}

// A Word is a text that comes again and again; see words.
type Word struct{ Text string }

// A Begin says what a segment is.
type Begin struct {
	Format    int
	MadeBy    string    // the release of Kubarium that wrote it
	Run       string    // the same for all segments of one run of a server, and for no other
	Segment   int       // counts the segments of the run from 1
	At        time.Time // when the segment began
	URL       string    // where the API listened
	DB        string    // the file of its database
	Revision  int64     // the newest one at the begin; the state is of it
	Compacted int64     // what was compacted then
	Published uint64    // the newest flow then
	Objects   bool      // whether the state and the objects of changes are in it
	Secrets   bool      // whether what is secret is in it; otherwise it is masked
	Selection string    // what was chosen of a run in words, "" for all of it from At on
	magic     string
}

// magic is what the first record of a recording says.
const magic = "kubarium recording"

// A Change is one change of the store with the object after it.
type Change struct {
	flow.Commit
	Before int64  // revision of the version that the change met, 0 for none
	Value  []byte // JSON text after the change; nil if it deleted the object
}

// Frames are frames that a watch has written since the last ones that were told, and how far it is.
type Frames struct {
	Info   flow.WatchInfo
	State  flow.WatchState
	Frames []flow.Frame // in their order; a gap in their numbers is what is missing
	Watch  *flow.Watch  // of a reader: the record of the watch, brought up to here
}

// Missed says what is not in the recording although it happened.
type Missed struct {
	Others, Own            uint64 // flows, of clients and of Kubarium itself
	Upto                   uint64 // the last of them at most
	ChangesFrom, ChangesTo int64  // changes, by their revisions; 0 for none
}

// A Moment is a name for a place among the flows: behind the flow with the number Before.
type Moment struct {
	Name   string
	Before uint64
}

// A Head is the newest revision of the store and the newest compacted one, as of At.
type Head struct {
	Newest, Compacted int64
	At                time.Time
}

// An End says that the recording was closed in good order.
type End struct{ At time.Time }
