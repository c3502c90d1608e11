package program

import (
	"log/slog"
	"sync"

	"k8s.io/klog/v2"

	_ "kubarium/server/queues" // no metrics of work queues
)

// QuietLibraries takes the word from the Kubernetes libraries, which would else write to stderr, also in the middle of
// the screen. What they call an error is as a rule a client's, which got it as an answer.
var QuietLibraries = sync.OnceFunc(func() { klog.SetSlogLogger(slog.New(slog.DiscardHandler)) })
