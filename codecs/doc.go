// Package codecs turns bytes into Kubernetes objects and objects into bytes, and picks the media types of a request and
// of its answer from their headers (Kubernetes API Concepts, "Resource encoding").
//
// One table, All, holds the encodings; another encoding is another row. The package knows nothing of paths, verbs or
// storage, and imports nothing of Kubarium. All of it is safe for concurrent use.
//
// Sizes are bounded: Read takes at most MaxBody bytes, Bound counts the parts of a body in one pass before it is
// decoded and refuses too many, nothing may nest more than 1,000 deep, and a YAML document whose aliases unfold to far
// more than was sent is refused. Libraries that are quadratic in members, depth or list items, and cannot be stopped,
// get no more than they do in some tenths of a second. DecodeError words errors of a body exactly as kube-apiserver
// does, Go types included, because clients and tests match those texts.
package codecs
