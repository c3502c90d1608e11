package story

// Explain returns how to read a pane, one sentence an element: traffic, watches, versions, story, request, response,
// stations, sql, etcd, effects or raw; nil for a pane without a legend.
func Explain(pane string) []string { return legends[pane] }

// Parameter describes a query parameter of the Kubernetes API in a few words; "" for an unknown one.
func Parameter(name string) string { return parameters[name] }

var legends = map[string][]string{
	"traffic": {
		"Each line is one request, in the order in which the server began to read them; seq counts them in the " +
			"order in which they ended, and a line appears at its end.",
		"who is a short tag of the client, verb and target are the request in Kubernetes' words, code is the HTTP " +
			"status, ms the time to the last byte.",
		"rv is the resourceVersion of the answer: of the object, or of the list as a whole.",
		"A ! after the code means that the request was refused; ◉ counts the events of a watch; ↻ names the request " +
			"that this one tried again.",
		"⏸ is a request that a fault rule holds, with the station before which it waits: its row is the last " +
			"until it has ended. ϟ marks requests that rules touched; 9 opens the gate.",
		"A + before the number is a whole kubectl run in one line, with the worst of its codes, or a request with the " +
			"discovery (/version, /api, /openapi …) that kubectl sent before it: → unfolds it. Requests of Kubarium " +
			"itself are hidden, and counted above.",
	},
	"watches": {
		"Each lane is one open watch, drawn on the axis of resourceVersions, with ┃ at the newest.",
		"├ is where it began, ‹ that it began before the axis does; A, M and D are events written to the client, ◇ a " +
			"bookmark, ▶ how far it has come.",
		"✗ 410 ↻ list before a lane: the client's watch before this one began at a compacted version, so it listed " +
			"again and watches from there.",
		"ϟ on a lane is a version that a fault rule acted on: it was held, sent late, or never sent.",
		"behind counts changes that match and are not yet written, with the age of the oldest; up to date means that " +
			"nothing newer concerns the watch.",
		"events counts those that were written, ◇ the bookmarks.",
		"resumes at is the version that the client would send after a lost connection.",
	},
	"versions": {
		"Each mark is one change of the store, and each change has one resourceVersion of its own.",
		"C is a create, U an update, D a deletion; X came from outside, by SQL and without a request.",
		"▒ is compacted: those versions can no longer be read, and a watch cannot begin there.",
		"This server knows the order of its versions; a client must treat them as opaque.",
	},
	"story": {
		"What happened and why, made from what was recorded of this request, and nothing else.",
		"who decided: the rule that allowed it or what was looked for in vain, then each admission plugin, policy " +
			"and webhook (→) with the milliseconds it took; + field new, ~ changed, - gone.",
		"enter opens a call to a webhook, a converter or another server as a request of its own; enter goes on to " +
			"the next, esc back.",
		"The bars below are the stations that it passed, drawn on the time that it took.",
	},
	"request": {
		"The request as the client sent it: its line, its query parameters with what each asks for, headers and body.",
		"● marks the format that went over the wire, ○ another view of the same bytes.",
	},
	"response": {
		"The answer as it left the server: status, headers and body.",
		"The body of an answer that is an error is a Status object; its reason is meant for programs, its message " +
			"for people.",
		"The answer to a watch is a stream, so its frames are listed here.",
	},
	"stations": {
		"Each bar is a step of the request's way through the server, placed where it began and as long as it took; " +
			"steps inside another are indented.",
		"⏸ and ϟ are what fault rules did, in their places: a wait is as long as its bar.",
		"✗ is where a refused request ended; the steps after it were not reached.",
		"who decided: the same as in the story, with groups, rules, expressions, the values that were changed, and " +
			"the plugins that had nothing to say.",
	},
	"sql": {
		"Each line is a statement that ran for this request, with its bound values, the rows that it read or " +
			"changed, and its time.",
		"Writes of several requests share one transaction, so that one wait for the disk makes all of them durable.",
	},
	"etcd": {
		"Each question is a request to etcd for this request, in the form of etcdctl, with the keys that it read or " +
			"changed, and its time: a range as get, a transaction as the input of etcdctl txn. Long values are " +
			"below, by their numbers.",
		"A transaction compares the revisions on which the request was decided, and does one of two things at the " +
			"same moment. Each value that it writes begins with a line of Kubarium's own: time, run, number of the " +
			"write, and the revision that it replaces.",
		"The newest revision is read once for all requests that wait for it: count-only reads no keys, and the " +
			"answer's header contains the revision.",
		"y then s copies it all as etcdctl commands. Where etcd wants TLS, they find the files by ETCDCTL_CACERT, " +
			"ETCDCTL_CERT and ETCDCTL_KEY.",
	},
	"effects": {
		"What this request changed in the store: each change with its resourceVersion and the object before and " +
			"after it.",
		"A request that was refused, read only, was a dry run or changed nothing has no effects.",
	},
	"raw": {
		"The bytes of request and answer as they were on the wire, in hexadecimal and as text.",
		"Of a long body the first 256 KiB are kept, of a long list the first 64, and its full length is stated.",
	},
}

var parameters = map[string]string{
	"allowWatchBookmarks": "send bookmarks: events that only report how far the watch has come",
	"continue":            "the next page of a list, on the same snapshot",
	"dryRun":              "All: do everything but store it",
	"fieldManager":        "the name under which field ownership is recorded",
	"fieldSelector":       "only objects whose fields have these values",
	"fieldValidation":     "what to do about unknown and duplicate fields: Ignore, Warn or Strict",
	"force":               "an apply takes over fields that other managers own",
	"gracePeriodSeconds":  "how long an object may take to end before it is removed",
	"ignoreStoreReadErrorWithClusterBreakingPotential": "delete an object that can no longer be read, without its " +
		"finalizers",
	"includeObject":        "how much of each object goes into the rows of a table: None, Metadata or Object",
	"labelSelector":        "only objects with these labels",
	"limit":                "at most this many objects a page",
	"orphanDependents":     "deprecated; see propagationPolicy",
	"pretty":               "indent the answer for people",
	"propagationPolicy":    "what becomes of the objects that this one owns: Orphan, Background or Foreground",
	"resourceVersion":      "which version to read, or to watch from; 0 means any that is at hand",
	"resourceVersionMatch": "how to take resourceVersion: Exact, or NotOlderThan",
	"sendInitialEvents":    "a watch begins with all existing objects, then a bookmark",
	"shardSelector":        "only objects of one shard of the collection",
	"timeoutSeconds":       "end the watch, or the list, after so long",
	"watch":                "a stream of changes instead of a list",
}
