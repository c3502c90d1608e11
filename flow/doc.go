// Package flow records the way of each request through Kubarium, and keeps a bounded log of such records.
//
// A Flow is the immutable record of one request: who sent it, what it asked for in Kubernetes' words, the bytes on the
// wire, the stations that it passed with their times, the SQL that ran for it, and the answer. While the request is
// under way its one Recorder collects these facts; Publish turns them into a Flow and adds it to the Log. A watch
// publishes two flows, an opening and a closing one; between them its counters and last frames are in a Watch.
//
// What guards decide is noted while it is decided, because roles and policies may change: Flow.Identity is the user and
// the authenticator that found it, Flow.Rights are the questions to the authorizers, a PluginMark is what an admission
// plugin did. Flow.Calls are requests to other servers, recorded by a Transport.
//
// The Log is bounded in number and bytes. Kubarium's own flows age out first (age.go), except for the newest, which may
// take a sixteenth, so the numbers of the flows that are kept have gaps; Stats.Holds and Log.Since know them. Nothing
// is kept for a reader: one that lags learns how many it missed. Adopt keeps the numbers of another run's flows,
// watches and moments; Until cuts the log at a revision, for a view of the past.
//
// The package imports nothing of Kubarium and does not know its readers: the terminal UI, lessons, export and tests
// read the Log; the server only writes to it, and never waits for a reader.
package flow
