//go:build unix

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// readLayout reads an OCI layout, by the names of its files.
func readLayout(t *testing.T, file string) map[string][]byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	files := map[string][]byte{}
	for r := tar.NewReader(f); ; {
		header, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// follow reads the document that a descriptor names, after a check of its digest and size.
func follow(t *testing.T, files map[string][]byte, d descriptor, into any) []byte {
	t.Helper()
	blob := files["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")]
	if len(blob) != d.Size || "sha256:"+digest(blob) != d.Digest {
		t.Fatalf("%+v names a blob of %d bytes, %s", d, len(blob), digest(blob))
	}
	if into != nil {
		if err := json.Unmarshal(blob, into); err != nil {
			t.Fatal(err)
		}
	}
	return blob
}

// TestPackImage proves that the image has one entry, each platform below it, and right digests and sizes; and that what its
// layer unpacks to starts by its entry point, as its user.
func TestPackImage(t *testing.T) {
	b := binaries{"linux", runtime.GOARCH, t.TempDir()}
	const script = "#!/bin/sh\necho \"$KUBARIUM_AUTHORIZATION_MODE $*\"\n"
	if err := os.WriteFile(b.file("kubarium"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	r := release{version: "v1.2.3+x", written: time.Unix(1_700_000_000, 0).UTC(), out: t.TempDir()}
	name, err := r.packImage([]binaries{b, {"linux", "riscv64", b.dir}})
	if err != nil {
		t.Fatal(err)
	}
	files := readLayout(t, filepath.Join(r.out, name))
	if got := string(files["oci-layout"]); got != `{"imageLayoutVersion":"1.0.0"}` {
		t.Error(got)
	}
	type index struct{ Manifests []descriptor }
	var top, platforms index
	if err := json.Unmarshal(files["index.json"], &top); err != nil || len(top.Manifests) != 1 {
		t.Fatalf("%s %v", files["index.json"], err)
	}
	if got := top.Manifests[0].Annotations["org.opencontainers.image.ref.name"]; got != "kubarium:1.2.3_x" {
		t.Error(got)
	}
	follow(t, files, top.Manifests[0], &platforms)
	var arches []string
	for _, d := range platforms.Manifests {
		arches = append(arches, d.Platform["os"]+"/"+d.Platform["architecture"])
		var manifest struct {
			Config descriptor
			Layers []descriptor
		}
		follow(t, files, d, &manifest)
		var config struct {
			OS, Architecture string
			Config           struct {
				User                 string
				Entrypoint, Cmd, Env []string
			}
			RootFS struct {
				DiffIDs []string `json:"diff_ids"`
			}
		}
		follow(t, files, manifest.Config, &config)
		unpacked, err := gzip.NewReader(bytes.NewReader(follow(t, files, manifest.Layers[0], nil)))
		if err != nil {
			t.Fatal(err)
		}
		layer, err := io.ReadAll(unpacked)
		if err != nil || len(manifest.Layers) != 1 || !slices.Equal(config.RootFS.DiffIDs, []string{"sha256:" + digest(layer)}) {
			t.Errorf("%+v, not the digest of the layer %s; %v", config.RootFS, digest(layer), err)
		}
		if config.OS+"/"+config.Architecture != arches[len(arches)-1] || config.Config.User != "65532:65532" {
			t.Errorf("%+v", config)
		}
		dir := t.TempDir()
		unpack := exec.Command("tar", "-xf", "-", "-C", dir)
		unpack.Stdin = bytes.NewReader(layer)
		if out, err := unpack.CombinedOutput(); err != nil {
			t.Fatalf("%s %v", out, err)
		}
		cmd := exec.Command(filepath.Join(dir, config.Config.Entrypoint[0]), config.Config.Cmd...)
		cmd.Env = config.Config.Env
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "RBAC serve\n" {
			t.Errorf("%s %v", out, err)
		}
		list := ""
		for r := tar.NewReader(bytes.NewReader(layer)); ; {
			header, err := r.Next()
			if err != nil {
				break
			}
			list += fmt.Sprintf("%s %o %d, ", header.Name, header.Mode, header.Uid)
		}
		if want := "data/ 755 65532, kubarium 755 0, tmp/ 1777 0, "; list != want {
			t.Errorf("the layer has %s, want %s", list, want)
		}
	}
	if want := []string{"linux/" + runtime.GOARCH, "linux/riscv64"}; !slices.Equal(arches, want) {
		t.Errorf("the platforms are %q, want %q", arches, want)
	}
}
