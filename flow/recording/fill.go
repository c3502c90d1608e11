package recording

import "kubarium/flow"

// Fill adds an entry to a log. The log does not hold the objects of the state and of changes.
func Fill(log *flow.Log, e *Entry) {
	switch {
	case e.Begin != nil:
		log.SetHead(e.Begin.Revision, e.Begin.Compacted)
	case e.Change != nil:
		log.AdoptCommits(e.Change.Commit)
	case e.Flow != nil:
		log.Adopt(e.Flow)
	case e.Frames != nil:
		e.Frames.Watch = log.AdoptWatch(e.Frames.Watch)
	case e.Missed != nil:
		log.AdoptMissed(flow.Missed{Others: e.Missed.Others, Own: e.Missed.Own}, e.Missed.Upto)
	case e.Moment != nil:
		log.AdoptMoment(e.Moment.Name, e.Moment.Before)
	case e.Head != nil:
		log.SetHead(e.Head.Newest, e.Head.Compacted)
	}
}
