package sqlitestore

import (
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// temporary begins the names of folders of temporary databases; a number follows.
const temporary = "kubarium-"

var isTemporary = regexp.MustCompile("^" + temporary + "[0-9]+$")

// settled is how old a folder is at least that sweep removes: one that a process has just made has no lock yet.
const settled = time.Minute

// sweep removes temporary databases whose processes have been killed: nothing holds their locks. Files that cannot be
// removed stay.
func sweep(folder string) {
	all, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range all {
		if e.IsDir() && isTemporary.MatchString(e.Name()) {
			sweepOne(filepath.Join(folder, e.Name()))
		}
	}
}

func sweepOne(dir string) {
	path := filepath.Join(dir, "kubarium.db.lock")
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || time.Since(info.ModTime()) < settled {
		return
	}
	f, err := os.OpenFile(path, os.O_RDWR|asIs, 0)
	if err != nil {
		return
	}
	held := tryLock(f, exclusive)
	f.Close() // some systems remove no file that is open
	if held == nil {
		_ = os.RemoveAll(dir)
	}
}
