package label

import "strings"

// A Store describes the store of a run, for the screens.
type Store struct {
	Tab     string // name of the inspector's tab with the statements; also the source of lists that no cache serves
	Copy    string // the same as text to paste
	CopyRow string // the command that reads an object
	RowTab  string // name of the tab with the stored object
	Unit    string // of reads and changes: "row"
	Idle    string // text for a request without statements
	Plans   bool   // it can explain how it runs a statement
	// X is a change without a request of the run.
	X, XLetter, XWhole, XOrigin, XLesson string
	Others                               string // the author of such changes
}

// The stores.
var (
	SQLite = &Store{
		Tab: "SQL", Copy: "SQL", CopyRow: "SQL that reads its row", RowTab: "Rows", Unit: "row", Plans: true,
		Idle: "No SQL ran for this request: it was answered from memory, or refused before the store.",
		X:    "by SQL", XLetter: "by SQL from outside", XWhole: "changed by SQL from outside",
		XOrigin: "from outside, with SQL and without a request",
		XLesson: "without a request, by plain SQL", Others: "plain SQL",
	}
	Etcd = &Store{
		Tab: "etcd", Copy: "etcdctl", CopyRow: "etcdctl command that reads its key", RowTab: "Key", Unit: "key",
		Idle: "etcd was not asked for this request: it was answered from memory, or refused before the store.",
		X:    "from outside", XLetter: "from outside", XWhole: "changed from outside",
		XOrigin: "from outside, by another server or by etcdctl",
		XLesson: "without a request to this server, by another one or by etcdctl", Others: "another server or etcdctl",
	}
)

// Cluster is the store of a server that is seen through the glass.
var Cluster = &Store{
	Tab: "Store", Copy: "SQL", CopyRow: "command that reads it", RowTab: "Stored", Unit: "row",
	Idle: "The store is inside the server: the glass sees what goes in and what comes out.",
	X:    "by others", XLetter: "by a client that does not use the glass", XWhole: "changed by a client that does not use the glass",
	XOrigin: "by a client that does not use the glass", XLesson: "by a client that does not use the glass", Others: "another client",
}

// GlassScheme is the prefix of the name of a store seen through the glass; the name of a context follows.
const GlassScheme = "glass://"

// etcdScheme is the prefix of the name of a store in etcd; other names are paths of files.
const etcdScheme = "etcd://"

// StoreOf returns the store for a name: "etcd://10.0.0.1:2379,10.0.0.2:2379/kubarium", or a path.
func StoreOf(db string) *Store {
	switch {
	case strings.HasPrefix(db, etcdScheme):
		return Etcd
	case strings.HasPrefix(db, GlassScheme):
		return Cluster
	}
	return SQLite
}

// letterWords explain the letters of versions, except X.
var letterWords = map[string]string{
	"C": "created", "U": "updated", "A": "applied", "S": "only the status", "T": "deletion began", "D": "deleted",
	"?": "changed",
}

// Letter explains the letter of a version.
func (s *Store) Letter(letter string) string {
	if letter == "X" {
		return s.XLetter
	}
	return letterWords[letter]
}

// Etcdctl returns the beginning of a command to the members of an etcd cluster.
func Etcdctl(db string) string {
	members, _ := inEtcd(db)
	return "etcdctl --endpoints=" + members
}

// EtcdKey returns the key of an object in etcd, as package etcdstore writes it; resource is like "deployments.apps".
func EtcdKey(db, resource, namespace, name string) string {
	_, prefix := inEtcd(db)
	if namespace != "" {
		name = namespace + "/" + name
	}
	return prefix + "/objects/" + resource + "/" + name
}

// inEtcd splits a name into the addresses of the cluster and the prefix of the keys.
func inEtcd(db string) (members, prefix string) {
	members, prefix, _ = strings.Cut(strings.TrimPrefix(db, etcdScheme), "/")
	return members, "/" + prefix
}
