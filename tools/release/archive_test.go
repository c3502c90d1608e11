package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestWrite proves that archives have their files, with names, modes and times, and are the same bytes each time.
func TestWrite(t *testing.T) {
	dir, written := t.TempDir(), time.Unix(1_800_000_000, 0).UTC()
	entries := []entry{{name: "kubarium", file: filepath.Join(dir, "binary"), mode: 0o755}, {name: "LICENSE", file: filepath.Join(dir, "text"), mode: 0o644}}
	for i, text := range []string{"\x7fELF", "Apache"} {
		if err := os.WriteFile(entries[i].file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		write func(io.Writer, []entry, time.Time) error
		list  func(*testing.T, []byte) string
	}{"tar": {writePackedTar, listTar}, "zip": {writeZip, listZip}} {
		t.Run(name, func(t *testing.T) {
			var first, second bytes.Buffer
			for _, w := range []*bytes.Buffer{&first, &second} {
				if err := c.write(w, entries, written); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Error("two archives of one release differ")
			}
			want := "kubarium -rwxr-xr-x 1800000000 \x7fELF\nLICENSE -rw-r--r-- 1800000000 Apache\n"
			if got := c.list(t, first.Bytes()); got != want {
				t.Errorf("the archive has\n%s, want\n%s", got, want)
			}
		})
	}
}

func listTar(t *testing.T, archive []byte) (list string) {
	unpacked, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(unpacked)
	for {
		header, err := r.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		list += fmt.Sprintf("%s %v %d %s\n", header.Name, header.FileInfo().Mode(), header.ModTime.Unix(), text)
	}
}

func listZip(t *testing.T, archive []byte) (list string) {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range r.File {
		f, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		list += fmt.Sprintf("%s %v %d %s\n", file.Name, file.Mode(), file.Modified.Unix(), text)
	}
	return list
}

// TestWriteSums proves that the checksums are those of the archives, in the form of sha256sum.
func TestWriteSums(t *testing.T) {
	dir := t.TempDir()
	want := ""
	names := []string{"b.tar.gz", "a.zip"}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		want += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(name)), name)
	}
	if err := writeSums(dir, names); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS")); err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if err := writeSums(dir, []string{"none.zip"}); err == nil {
		t.Error("an archive that is not there has a checksum")
	}
}

// TestNamed proves that a version is taken as it is said, and that none becomes a path or another argument.
func TestNamed(t *testing.T) {
	for _, version := range []string{"v1.2.3", "1.2.3-rc.1+build", "0123456"} {
		if got, err := named(version); err != nil || got != version {
			t.Errorf("%s is %s, %v", version, got, err)
		}
	}
	for _, version := range []string{"../v1", "v1 -w", "-v", "v1/2", " "} {
		if got, err := named(version); err == nil {
			t.Errorf("%q is %s", version, got)
		}
	}
}
