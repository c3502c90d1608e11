package tui

import (
	"kubarium/server/flow"
	"kubarium/server/flow/object"
)

// commitOf names the object as commits do.
func commitOf(r object.Ref) flow.Commit {
	return flow.Commit{Resource: r.Resource, Namespace: r.Namespace, Name: r.Name}
}

// refText is the object as commits are named: "pods/db-0 @shop".
func refText(r object.Ref) string { return objectName(commitOf(r)) }
