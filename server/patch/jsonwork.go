package patch

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// maxJSONWork is the most bytes that applying a JSON Patch may read: the library reads a value again for each level above it
// that an operation passes, and cannot be stopped. A patch of ten levels of an object of 1.5 MB is below it; what is at it
// takes some 0.2 s.
const maxJSONWork = 16 << 20

// maxMissing is how many places a JSON Patch may name that the document does not have.
const maxMissing = 1 << 14

func init() {
	// "copy" can double a document with each operation. The bound and its place are those of kube-apiserver.
	jsonpatch.AccumulatedCopySizeLimit = 3 << 20
}

// jsonWork counts what a JSON Patch will make the library read.
type jsonWork struct {
	doc     *node
	bytes   int
	missing int
	unknown int // the most bytes that a value may have which is not in doc: what the patch brings or copies
	longest int // the most items that a list may have, there too
	ops     int
}

// boundJSON refuses a JSON Patch that would read too much of a document.
func boundJSON(ctx context.Context, before []byte, p jsonpatch.Patch) error {
	doc, err := readTree(ctx, before)
	if err != nil {
		return err
	}
	w := &jsonWork{doc: doc, ops: len(p)}
	for _, op := range p {
		if v := op["value"]; v != nil {
			w.unknown = max(w.unknown, len(*v))
			w.longest = max(w.longest, bytes.Count(*v, []byte(",")))
		}
		if op["from"] != nil {
			w.unknown = max(w.unknown, len(before))
			w.longest = max(w.longest, bytes.Count(before, []byte(",")))
		}
	}
	for _, op := range p {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := w.operation(ctx, op); err != nil {
			return err
		}
		if w.bytes > maxJSONWork || w.missing > maxMissing {
			return apierrors.NewRequestEntityTooLargeError("the JSON patch reaches too deep or changes lists too long too often")
		}
	}
	return nil
}

// operation counts one operation. The library reports its faults.
func (w *jsonWork) operation(ctx context.Context, op jsonpatch.Operation) error {
	if from, err := op.From(); err == nil {
		w.reach(from)
	}
	path, err := op.Path()
	if err != nil {
		return nil
	}
	n := w.reach(path)
	if op.Kind() != "test" || op["value"] == nil {
		return nil
	}
	value, err := readTree(ctx, *op["value"]) // it is compared with what is there, level by level
	if err != nil {
		return err
	}
	w.compare(n, value)
	return nil
}

// reach counts the values on the way of a pointer (RFC 6901), each once since the library keeps what it has read, and
// returns the one at its end.
func (w *jsonWork) reach(pointer string) *node {
	n := w.doc
	steps := strings.Split(pointer, "/")
	for i, step := range steps[1:] {
		if w.bytes > maxJSONWork || w.missing > maxMissing {
			return n
		}
		w.look(n)
		if i == len(steps)-2 {
			w.move(n, step)
		}
		n = w.child(n, step)
	}
	return n
}

// move counts the items of a list that are moved when one comes in or goes out.
func (w *jsonWork) move(n *node, step string) {
	const cheaper = 2 // than to read a byte
	switch _, err := strconv.Atoi(step); {
	case n.list:
		w.bytes += (len(n.items) + w.ops/2) / cheaper
	case n.text == nil && (step == "-" || err == nil):
		w.bytes += (w.longest + w.ops/2) / cheaper
	}
}

func (w *jsonWork) look(n *node) {
	if !n.own {
		n.own = true
		w.bytes += len(n.text)
	}
}

// child is the value at one step of a pointer. One that is not there may come to be by another operation.
func (w *jsonWork) child(n *node, step string) *node {
	name := pointerEscapes.Replace(step)
	if c := n.members[name]; c != nil {
		return c
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.items) {
		return n.items[i]
	}
	if n.members == nil {
		n.members = map[string]*node{}
	}
	w.missing++
	w.bytes += w.unknown
	c := &node{own: true}
	n.members[name] = c
	return c
}

var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// compare counts what a test reads of both sides: each level of what the sides have in common, and the next.
func (w *jsonWork) compare(a, b *node) {
	if w.bytes > maxJSONWork {
		return
	}
	w.look(a)
	w.bytes += len(b.text)
	for name, member := range b.members {
		if other := a.members[name]; other != nil {
			w.compare(other, member)
		}
	}
	for i, item := range b.items {
		if i < len(a.items) {
			w.compare(a.items[i], item)
		}
	}
}
