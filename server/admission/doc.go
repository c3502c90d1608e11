// Package admission makes the chain of admission plugins between a request and the store: the official ones, by the
// official registration, order and initializers, and what they look objects up in. Only NamespaceLifecycle is ours,
// because it must read the newest state.
//
// It notes on the request's flow what each plugin did (flow.PluginMark): what it changed, with the values, its warnings
// and annotations, and the answers of its webhooks, whose dispatchers name them to a tracer that only listens
// (parts.go). Official code reports the policies that refused; which others matched is asked of the same matcher
// (policies.go). A plugin with nothing to decide is not asked (skip.go).
//
// Plugins look up objects through official informers, in this process. Other reads and writes of a plugin, such as a
// quota's status, go over HTTP to this server, so they are on the screen.
package admission
