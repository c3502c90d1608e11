package objects

import (
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// Legend explains the present tab.
func (p *Object) Legend() []string {
	switch p.Tab {
	case TabFields:
		return []string{
			"Each line is a field with a manager, its value, and a mark under the number of each manager that owns " +
				"it: ■ alone, ▣ with others.",
			"A manager owns what it set: by an apply, or by any other write that changed the field. An apply of a " +
				"field of another one is a conflict, unless it is forced or wants the same value.",
			"It all comes from metadata.managedFields of the object itself.",
		}
	case TabHistory:
		return []string{
			"Each line is a version of the object: its resourceVersion, what made it (C created, U updated, A " +
				"applied, S only the status, T deletion began, D deleted, X " + p.o.env.Store().X +
				"), when, and which client.",
			"Versions that are not in the recorded requests were read from the server: as lists of only this object " +
				"at exact resourceVersions, as far as they are not compacted.",
			"Below is the difference from the version before, or from the one marked with m, without " +
				"resourceVersion, and until o without managedFields, generation, and the times of creation and of " +
				"conditions.",
		}
	case TabOwners:
		return []string{
			"Above the object are its owners, from metadata.ownerReferences; below it are the objects that name its " +
				"uid there, from lists of metadata that were read when the tab was opened.",
			"An owner is named by its uid: another object of the same name is another owner. Owners are in the same " +
				"namespace, or in none.",
			"The owner that is the controller looks after the object. One whose deletion it blocks, when deleted in " +
				"the foreground, goes only after the object.",
		}
	case TabWatched:
		return []string{
			"Each line is an open watch that receives this object's changes: of its resource, in its namespace or in " +
				"all, or only of it.",
			"behind is what the watch has not been sent yet, of everything that it watches; the end of the line is " +
				"its last event of this object: A ADDED, M MODIFIED, D DELETED.",
		}
	case TabRows:
		if p.o.env.Store() == label.Etcd {
			return etcdLegend
		}
		return []string{
			"The object in SQLite: its row of the table objects, and its rows of the table changes, the log that " +
				"triggers write.",
			"metadata.resourceVersion is not stored: it is the revision of the row, set when the object is read. " +
				"before_revision is the version that a change replaced.",
			"y then s copies a command that reads the row from the database file. You may also write there: the " +
				"change gets its revision and reaches every watcher.",
		}
	}
	return []string{
		"The object as kubectl get -o yaml prints it, read with one GET and again after each commit of it. " +
			"managedFields are left out until o.",
		"The values of Secrets are hidden, until :unmask.",
		"] shows the managers of its fields, its history, its owners, its watchers, and its " +
			term.Pick(p.o.env.Store() == label.Etcd, "key", "rows") + ".",
	}
}

// Legend implements page.Pane.
func (l *resources) Legend() []string {
	return []string{
		"Each line is a resource: a name in a path of the API, below the group and version that serve it, from " +
			"discovery. kubectl api-resources reads the same.",
		"short is kubectl's short name, and objects how many there are; – is a resource that keeps none. A custom " +
			"one was defined by a CustomResourceDefinition; an aggregated one is answered by another server, as an " +
			"APIService says.",
		"Below the list: its kind, whether its objects live in namespaces, the verbs it knows, and the subresources " +
			"behind its objects' paths.",
		"This page sends ordinary requests of a client to the server; Traffic shows them after v and o, or with the " +
			"filter who:ui.",
	}
}

// Legend implements page.Pane.
func (t *objectTable) Legend() []string {
	return []string{
		"The objects of a resource as a Table: the server makes columns and cells, and kubectl get prints the same " +
			"ones. w shows those of -o wide as well.",
		"Ages are computed locally. A row follows its object: after each commit the changed rows are asked for again.",
		"◌ is an object that was deleted but is held: its deletionTimestamp is set, and it goes when the last of its " +
			"finalizers is removed.",
	}
}
