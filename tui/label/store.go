package label

import "strings"

// A Store is what keeps the objects of a run, as the screens name it and what it does.
type Store struct {
	Tab     string // the inspector's, of what was asked for a request; also what lists are read from that no cache has
	Copy    string // of the same, as text that can be pasted
	CopyRow string // the command that reads an object
	RowTab  string // of an object's page, of what is stored of it
	Unit    string // of what is read and changed: "row"
	Idle    string // that nothing was asked for a request
	Plans   bool   // it tells how it would run a statement
	// X is a change without a request of the run.
	X, XLetter, XWhole, XOrigin, XLesson string
	Others                               string // who makes such changes
}

// The stores that there are.
var (
	SQLite = &Store{
		Tab: "SQL", Copy: "SQL", CopyRow: "SQL that reads its row", RowTab: "Rows", Unit: "row", Plans: true,
		Idle: "No SQL ran for this request: it was answered from memory, or refused before the store.",
		X:    "by SQL", XLetter: "by SQL from outside", XWhole: "changed by SQL from outside", XOrigin: "from outside, with SQL and without a request",
		XLesson: "without a request, by plain SQL", Others: "plain SQL",
	}
	Etcd = &Store{
		Tab: "etcd", Copy: "etcdctl", CopyRow: "etcdctl command that reads its key", RowTab: "Key", Unit: "key",
		Idle: "etcd was not asked for this request: it was answered from memory, or refused before the store.",
		X:    "from outside", XLetter: "from outside", XWhole: "changed from outside", XOrigin: "from outside, by another server or by etcdctl",
		XLesson: "without a request to this server, by another one or by etcdctl", Others: "another server or etcdctl",
	}
)

// etcdScheme begins the name of a store in etcd; that of another one is the path of a file.
const etcdScheme = "etcd://"

// StoreOf is the store by its name: "etcd://10.0.0.1:2379,10.0.0.2:2379/kubarium", or a path.
func StoreOf(db string) *Store {
	if strings.HasPrefix(db, etcdScheme) {
		return Etcd
	}
	return SQLite
}

// letterWords say what the letter of a version means, but for X.
var letterWords = map[string]string{
	"C": "created", "U": "updated", "A": "applied", "S": "status alone", "T": "deletion began", "D": "deleted", "?": "changed",
}

// Letter says what the letter of a version means.
func (s *Store) Letter(letter string) string {
	if letter == "X" {
		return s.XLetter
	}
	return letterWords[letter]
}

// Etcdctl begins a command to the members of an etcd cluster.
func Etcdctl(db string) string {
	members, _ := inEtcd(db)
	return "etcdctl --endpoints=" + members
}

// EtcdKey is the key of an object in etcd, as package etcdstore writes it; resource is as it is stored: "deployments.apps".
func EtcdKey(db, resource, namespace, name string) string {
	_, prefix := inEtcd(db)
	if namespace != "" {
		name = namespace + "/" + name
	}
	return prefix + "/objects/" + resource + "/" + name
}

// inEtcd says where the cluster is, and what its keys begin with.
func inEtcd(db string) (members, prefix string) {
	members, prefix, _ = strings.Cut(strings.TrimPrefix(db, etcdScheme), "/")
	return members, "/" + prefix
}
