// Package answer writes answers in every form: it negotiates the form with the client, makes JSON, YAML, Protobuf,
// CBOR, Tables and metadata of what is stored, compresses, adds warnings, and turns errors into a Status. It knows
// bytes, media types and objects; it does not know verbs, how a request found its way, or how an object is written to
// the store.
//
// The resourceVersion is stamped on the way out. JSON is spliced from the stored bytes, and YAML is written from it;
// Protobuf and CBOR are made of typed objects. Long lists (list*.go) are written piece by piece. Protobuf has the
// length of a list before its first item, so the size of each object is kept with it (see codecs/outline).
package answer
