// Package running finds the servers of this user on this machine: each says so by a small file in a folder that only
// its user can read, and takes the file away when it ends. Readers of the folder remove the files of servers that
// were killed.
//
// It holds no locks, and never waits. The package knows files and processes, and nothing of what a server is.
package running

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Server is what the file of a running one says.
type Server struct {
	URL     string    `json:"url"`              // where it serves, by HTTP if it does that
	Secure  string    `json:"secure,omitempty"` // where it serves HTTPS; "" for nowhere
	DB      string    `json:"db"`               // path of the database, or ":memory:"
	Since   time.Time `json:"since"`            // when it began to serve
	What    string    `json:"what"`             // what it was started as: serve, ui, envtest, apitest, fork
	By      string    `json:"by,omitempty"`     // the command that started it, "go test"; "" if that is not known
	Version string    `json:"version"`          // its Kubarium's
	Process Process   `json:"process,omitzero"` // in which it runs; Announce fills it in
	// Kubeconfig is the file that leads clients to a glass; "" for other servers.
	Kubeconfig string `json:"kubeconfig,omitempty"`

	// Where HTTPS is all it serves: a token by which an administrator is known for as long as the server runs, the name
	// to ask for in the handshake, and the certificate by which the one that is shown then is checked, as text.
	Token string `json:"token,omitempty"`
	Name  string `json:"name,omitempty"`
	CA    string `json:"ca,omitempty"`
}

// Folders are where servers may say that they run, the best first: the folder of the user's session, one in the
// folder of the user's data, "" for none, and one for temporary files. A server takes the first that can be used, and
// a reader looks at all, since the two need not be of one session.
func Folders(data string) []string {
	var all []string
	if session := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(session) {
		all = append(all, filepath.Join(session, "kubarium"))
	}
	if data != "" {
		all = append(all, filepath.Join(data, "running"))
	}
	return append(all, filepath.Join(os.TempDir(), "kubarium-"+userName()))
}

// Announce says in the first of the folders that can be used that a server runs in this process. Withdraw takes that
// back; it may be called again. An error means that the server cannot be found.
func Announce(folders []string, s Server) (withdraw func(), err error) {
	s.Process = self()
	if s.By == "" {
		s.By = parent()
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	err = errors.New("there is no folder for it")
	for _, folder := range folders {
		var file string
		if file, err = write(folder, s.name(), text); err == nil {
			return func() { _ = os.Remove(file) }, nil
		}
	}
	return nil, err
}

// name is what the file is called: of those that run, no two serve at one address.
func (s *Server) name() string {
	port := s.URL[strings.LastIndexByte(s.URL, ':')+1:]
	return fmt.Sprintf("%d-%s%s", s.Process.PID, port, suffix)
}

const suffix = ".json"

// write makes a file in a folder that is the user's alone. It is there with all that is in it, or not at all.
func write(folder, name string, text []byte) (string, error) {
	if err := makeOwn(folder); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(folder, ".new-") // for its owner alone
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Close())
	path := filepath.Join(folder, name)
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return path, nil
}

// makeOwn makes the folder if it is missing, and refuses one that others can use.
func makeOwn(folder string) error {
	if err := own(folder); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return own(folder) // another process may have made it
}

// own reports whether a folder is there and is the user's alone.
func own(folder string) error {
	info, err := os.Lstat(folder)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", folder)
	case !private(info):
		return fmt.Errorf("%s can be used by others", folder)
	}
	return nil
}

// List returns the servers that run, the oldest first. Files of those that do not are removed.
func List(folders []string) []Server {
	var all []Server
	for _, folder := range folders {
		if own(folder) != nil {
			continue
		}
		entries, _ := os.ReadDir(folder) // one that cannot be read has none
		for _, e := range entries {
			if s, ok := read(filepath.Join(folder, e.Name())); ok {
				all = append(all, s)
			}
		}
	}
	slices.SortFunc(all, func(a, b Server) int {
		return cmp.Or(a.Since.Compare(b.Since), strings.Compare(a.URL, b.URL))
	})
	return slices.CompactFunc(all, func(a, b Server) bool { return a.URL == b.URL && a.Process == b.Process })
}

// leftBehind is the age at which a file is no longer needed. Whether the process runs cannot be known for another
// machine or container that has the same folder.
const leftBehind = 7 * 24 * time.Hour

// mostBytes is more than a file can have.
const mostBytes = 64 << 10

// read reads a file and says whether its server runs.
func read(path string) (s Server, runs bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostBytes {
		return s, false
	}
	old := time.Since(info.ModTime()) > leftBehind
	if filepath.Ext(path) != suffix || strings.HasPrefix(filepath.Base(path), ".") {
		if old {
			_ = os.Remove(path)
		}
		return s, false
	}
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &s) != nil || s.URL == "" {
		return s, false
	}
	switch elsewhere := s.Process.Place != place(); {
	case elsewhere && !old:
		return s, false
	case !elsewhere && s.Process.runs():
		return s, true
	}
	_ = os.Remove(path)
	return s, false
}
