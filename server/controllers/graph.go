package controllers

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// A node is an object as the garbage collector knows it, or an owner that was only ever named by its dependents.
type node struct {
	uid        types.UID
	in         collection
	namespace  string
	name       string
	owners     []metav1.OwnerReference
	finalizers []string
	deleting   bool
	present    bool // seen in a list or a watch; false for an owner that is only named
	round      int  // the list that it was last seen in
	dependents map[types.UID]*node
}

// holds tells whether a finalizer holds the node.
func (n *node) holds(finalizer string) bool { return slices.Contains(n.finalizers, finalizer) }

// path is that of the object.
func (n *node) path() string { return n.in.in(n.namespace) + "/" + n.name }

// A graph joins objects to their owners by uid. It is not safe for concurrent use.
type graph map[types.UID]*node

// node returns the node of a uid, made if it is missing.
func (g graph) node(uid types.UID) *node {
	n := g[uid]
	if n == nil {
		n = &node{uid: uid, dependents: map[types.UID]*node{}}
		g[uid] = n
	}
	return n
}

// put takes an object in as it is now, and returns its node.
func (g graph) put(in collection, m metav1.ObjectMeta, round int) *node {
	n := g.node(m.UID)
	g.disown(n)
	n.in, n.namespace, n.name, n.owners, n.finalizers = in, m.Namespace, m.Name, m.OwnerReferences, m.Finalizers
	n.deleting, n.present, n.round = m.DeletionTimestamp != nil, true, round
	for _, o := range n.owners {
		g.node(o.UID).dependents[n.uid] = n
	}
	return n
}

// disown takes a node out of its owners' dependents.
func (g graph) disown(n *node) {
	for _, o := range n.owners {
		if owner := g[o.UID]; owner != nil {
			delete(owner.dependents, n.uid)
			g.forget(owner)
		}
	}
}

// remove takes out an object that is gone, and returns those that may have to follow it: its dependents, and its
// owners, which may have waited for it.
func (g graph) remove(uid types.UID) []types.UID {
	n := g[uid]
	if n == nil {
		return nil
	}
	var next []types.UID
	for _, o := range n.owners {
		next = append(next, o.UID)
	}
	for d := range n.dependents {
		next = append(next, d)
	}
	g.disown(n)
	n.present, n.owners = false, nil
	g.forget(n)
	return next
}

// forget drops a node that is not there and that nobody names.
func (g graph) forget(n *node) {
	if !n.present && len(n.dependents) == 0 {
		delete(g, n.uid)
	}
}
