package recording

import (
	"time"

	"kubarium/flow"
)

// Format is the version of the format that this release writes. It reads this one and earlier ones.
const Format = 1

// Type is the media type of a recording.
const Type = "application/vnd.kubarium.recording"

// An Entry is one record of a recording. Exactly one of its fields is set.
type Entry struct {
	Begin  *Begin     // a segment begins: the entries before it are not needed to read it
	State  *Change    // an object at the beginning of the segment, as the change that made it so
	Change *Change    // a committed change
	Flow   *flow.Flow // a request, or the opening or the end of a watch
	Frames *Frames    // frames that a watch has written
	Missed *Missed    // something that happened and is not in the recording
	Moment *Moment
	Head   *Head
	End    *End

	word   Word // the next word of the table
	forget bool // a new table of words begins
}

// A Word is a text that often repeats; see words.
type Word struct{ Text string }

// A Begin describes a segment.
type Begin struct {
	Format    int
	MadeBy    string    // the release of Kubarium that wrote it
	Run       string    // the same for all segments of one run of a server, and for no other
	Segment   int       // counts the segments of the run from 1
	At        time.Time // when the segment began
	URL       string    // the address of the API
	DB        string    // the file of its database
	Revision  int64     // the newest revision at the beginning; the state is as of it
	Compacted int64     // the compacted revision at the beginning
	Published uint64    // the newest flow at the beginning
	Objects   bool      // whether it contains the state and the objects of changes
	Secrets   bool      // whether it contains secrets; otherwise they are masked
	Selection string    // the selected part of the run in words, "" for all of it from At on
	magic     string
}

// magic is the text in the first record of a recording.
const magic = "kubarium recording"

// A Change is one change of the store with the object after it.
type Change struct {
	flow.Commit
	Before int64  // revision of the version before, 0 for none
	Value  []byte // JSON text after the change; nil if it deleted the object
}

// Frames are the frames that a watch has written since the last ones, and its state.
type Frames struct {
	Info   flow.WatchInfo
	State  flow.WatchState
	Frames []flow.Frame // in their order; a gap in their numbers means that frames are missing
	Watch  *flow.Watch  // when reading: the record of the watch up to here
}

// Missed says what happened and is not in the recording.
type Missed struct {
	Others, Own            uint64 // number of flows, of clients and of Kubarium itself
	Upto                   uint64 // their numbers are at most this
	ChangesFrom, ChangesTo int64  // changes, by their revisions; 0 for none
}

// A Moment names a place among the flows: after the flow with the number Before.
type Moment struct {
	Name   string
	Before uint64
}

// A Head is the newest revision of the store and its compacted one, as of At.
type Head struct {
	Newest, Compacted int64
	At                time.Time
}

// An End says that the recording was closed properly.
type End struct{ At time.Time }
