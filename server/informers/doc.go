// Package informers feeds official shared informers from the cache, in this process: plugins and authorizers look
// objects up in them, also in the dynamic ones for parameters of policies. No request is made for it, so nothing of it
// is on the screen, and an object is there a moment after its write is acknowledged, as with the informers of
// kube-apiserver. Pods are not kept decoded; they are read when a plugin asks.
//
// Watches of informers do not end at a restore: they get its changes. Settle waits until all handlers have had their
// events.
package informers
