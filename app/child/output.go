package child

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxOutputs is how many files of output a folder keeps.
const maxOutputs = 10

// outputExtension is how their names end.
const outputExtension = ".log"

// CreateOutput makes a file for what a command prints, named by the time and the command, and removes from the folder
// the files that nothing was written to for longest, with the recordings next to them.
func CreateOutput(folder string, command []string, now time.Time) (*os.File, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s-%s-%d", now.Format("20060102-150405"), plainName(command[0]), os.Getpid())
	path := filepath.Join(folder, name+outputExtension)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return f, removeOutputs(folder)
}

// RecordingsOf is the folder for recordings next to a file of output.
func RecordingsOf(output string) string { return strings.TrimSuffix(output, outputExtension) }

// plainName is the name of a program with nothing that is special in a file name.
func plainName(program string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return '-'
	}, filepath.Base(program))
}

// removeOutputs leaves the newest files.
func removeOutputs(folder string) error {
	files, err := Files(folder, "*"+outputExtension)
	if err != nil {
		return err
	}
	written := map[string]time.Time{}
	for _, f := range files {
		if s, err := os.Stat(f); err == nil {
			written[f] = s.ModTime()
		}
	}
	slices.SortStableFunc(files, func(a, b string) int { return written[b].Compare(written[a]) })
	for _, f := range files[min(len(files), maxOutputs):] {
		_ = os.RemoveAll(RecordingsOf(f)) // what stays is removed the next time
		_ = os.Remove(f)
	}
	return nil
}

// maxTail bounds what Tail reads, in bytes.
const maxTail = 64 << 10

// Tail is the last lines of a file, at most so many.
func Tail(file string, lines int) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(max(0, size-maxTail), io.SeekStart); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	end := bytes.TrimRight(text, "\n")
	from := len(end)
	for ; lines > 0 && from >= 0; lines-- {
		from = bytes.LastIndexByte(end[:from], '\n')
	}
	return end[from+1:], err
}
