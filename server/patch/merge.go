package patch

import (
	"context"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// merge applies a JSON Merge Patch (RFC 7386) to a document that is an object, exactly as the library does it that
// kube-apiserver uses, down to the order of members; but in one pass over each, where the library reads and writes a value
// again for each level above it. Both are valid JSON.
func merge(ctx context.Context, before, body []byte) ([]byte, error) {
	doc, err := readTree(ctx, before)
	if err != nil {
		return nil, err
	}
	p, err := readTree(ctx, body)
	if err != nil {
		return nil, err
	}
	switch {
	case p.list:
		prune(p)
		return p.marshal()
	case p.members == nil:
		return nil, jsonpatch.ErrBadJSONPatch
	}
	return mergeNode(doc, p).marshal()
}

// mergeNode merges a patch into a value and returns what becomes of it.
func mergeNode(doc, p *node) *node {
	if doc.members == nil {
		prune(p)
		return p
	}
	if p.members == nil {
		return p
	}
	doc.own = true
	for name, change := range p.members {
		if change.null() {
			delete(doc.members, name)
			continue
		}
		if now := doc.members[name]; now != nil && !now.null() {
			doc.members[name] = mergeNode(now, change)
			continue
		}
		prune(change)
		doc.members[name] = change
	}
	return doc
}

// prune takes out of a new value the members that are null: in a patch they say that something is to go. The items of a
// list stay.
func prune(n *node) {
	n.own = n.list || n.members != nil
	for name, member := range n.members {
		if member.null() {
			delete(n.members, name)
			continue
		}
		prune(member)
	}
	for _, item := range n.items {
		prune(item)
	}
}
