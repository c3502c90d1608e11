package sqlitestore_test

import (
	"net/url"
	"testing"

	"kubarium/sqlitestore"
)

// TestURIPath proves that no part of a path becomes the machine of a URI, which SQLite refuses.
func TestURIPath(t *testing.T) {
	for path, want := range map[string]string{
		"/home/k/kubarium.db":      "file:///home/k/kubarium.db",
		"C:/Users/k/a b#c%.db":     "file:///C:/Users/k/a%20b%23c%25.db",
		"//server/share/kube.db":   "file:////server/share/kube.db",
		"/home/k/who?mode=ro&x.db": "file:///home/k/who%3Fmode=ro&x.db",
	} {
		u := url.URL{Scheme: "file", Path: sqlitestore.URIPath(path)}
		if u.String() != want {
			t.Errorf("%s is %s, want %s", path, &u, want)
		}
		back, err := url.Parse(u.String())
		if err != nil || back.Host != "" || back.Path != sqlitestore.URIPath(path) {
			t.Errorf("%s is read as %v, %v", path, back, err)
		}
	}
}
