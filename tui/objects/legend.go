package objects

import (
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// Legend says how to read the chosen tab.
func (p *Object) Legend() []string {
	switch p.Tab {
	case TabFields:
		return []string{
			"Each line is a field that somebody owns, with its value, and a mark under the number of each manager that owns it: ■ alone, ▣ with others.",
			"A manager owns what it set: by an apply, or by any other write that changed the field. An apply of a field of another one is a conflict, unless it is forced or wants the same value.",
			"It all comes from metadata.managedFields of the object itself.",
		}
	case TabHistory:
		return []string{
			"Each line is a version of the object: its resourceVersion, what made it (C created, U updated, A applied, S status alone, T deletion began, D deleted, X " + p.o.env.Store().X + "), when, and whose request it was.",
			"What the recorded requests do not tell was read back: a list of this object alone at an exact resourceVersion, version by version, as far as nothing is compacted.",
			"Below is what differs from the version before, or from the one marked with m. managedFields and resourceVersion are left out of it.",
		}
	case TabOwners:
		return []string{
			"Above the object are its owners, from metadata.ownerReferences; below it is what names its uid there, as lists of metadata tell that were read when the tab was opened.",
			"An owner is named by its uid: another object of the same name is another owner. Owners are in the same namespace, or in none.",
			"The owner that is the controller looks after the object. One that it blocks is gone, when deleted in the foreground, only after the object.",
		}
	case TabWatched:
		return []string{
			"Each line is an open watch that is told of this object's changes: of its resource, in its namespace or in all, or of it alone.",
			"behind is what the watch is still to be sent, of all that it watches; the end of the line is what it was last sent of this object: A ADDED, M MODIFIED, D DELETED.",
		}
	case TabRows:
		if p.o.env.Store() == label.Etcd {
			return etcdLegend
		}
		return []string{
			"What SQLite has of the object: its row of the table objects, and its rows of the table changes, the log that triggers write.",
			"metadata.resourceVersion is not stored: it is the revision of the row, stamped on the way out. before_revision is the version that a change met.",
			"y then s copies a command that reads the row from the database file. You may write there too: the change gets its revision and reaches every watcher.",
		}
	}
	return []string{
		"The object as kubectl get -o yaml prints it, read with one GET and again after each commit of it. managedFields are left out until o.",
		"The values of Secrets are hidden, until :unmask.",
		"] goes on to who owns each field, its history, its owners, who watches it, and its " + term.Pick(p.o.env.Store() == label.Etcd, "key", "rows") + ".",
	}
}

func (l *resources) Legend() []string {
	return []string{
		"Each line is a resource: a name in a path of the API, under the group and version that serve it, as discovery tells it. kubectl api-resources asks the same.",
		"short is what kubectl takes for it, and objects how many there are; – is a resource that keeps none. A custom one was defined by a CustomResourceDefinition; for an aggregated one another server answers, as an APIService says.",
		"Below the list: its kind, whether its objects live in namespaces, the verbs it knows, and the subresources behind its objects' paths.",
		"What this screen asks the server is a client's ordinary requests; Traffic shows them after v and o, or with the filter who:ui.",
	}
}

func (t *objectTable) Legend() []string {
	return []string{
		"The objects of a resource as a Table: the server makes columns and cells, and kubectl get prints the same ones. w shows those of -o wide as well.",
		"Ages are computed locally. A row follows its object: after each commit the changed rows are asked for again.",
		"◌ is an object that was deleted but is held: its deletionTimestamp is set, and it goes when the last of its finalizers is removed.",
	}
}
