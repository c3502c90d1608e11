// Package queues keeps work queues of client-go from counting. One that counts wakes twice a second to say how long its
// workers have been busy, for metrics that Kubarium does not serve: seventy times a second with a simulated node.
//
// client-go takes the first provider of metrics that it is given, and official packages that Kubarium imports give it one
// in their initialization. There is no other way to keep its own one, which counts nothing, than to use up the sync.Once
// of workqueue.SetProvider before. This package is initialized before all of Kubernetes, since it imports only sync,
// and the others import more that comes later. It must never import anything else; its test shows that it works.
package queues

import (
	"sync"
	_ "unsafe" // for go:linkname
)

//go:linkname once k8s.io/client-go/util/workqueue.setGlobalMetricsProviderOnce
var once sync.Once

func init() { once.Do(func() {}) }
