package recording

import "kubarium/flow"

// Fill brings a log up to an entry: it adopts what the entry tells of the run. The objects of the state and of changes are not the log's.
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
