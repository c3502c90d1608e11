package app

import (
	"log/slog"
	"sync"

	"k8s.io/klog/v2"
)

// quietLibraries takes the word from the Kubernetes libraries, which would else write to stderr, also in the middle of
// the screen. What they call an error is as a rule a client's, and has been told to it.
var quietLibraries = sync.OnceFunc(func() { klog.SetSlogLogger(slog.New(slog.DiscardHandler)) })
