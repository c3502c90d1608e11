package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
)

// Media types of the OCI image specification.
const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// nonroot is the user of the image, and the owner of the folder with its data.
const nonroot = 65532

// A descriptor names a blob of an OCI layout.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    map[string]string `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// A layout is an OCI layout in the making.
type layout struct{ blobs []entry }

func digest(blob []byte) string { return fmt.Sprintf("%x", sha256.Sum256(blob)) }

// add adds a blob.
func (l *layout) add(mediaType string, blob []byte) descriptor {
	d := digest(blob)
	l.blobs = append(l.blobs, entry{name: "blobs/sha256/" + d, text: blob, mode: 0o644})
	return descriptor{MediaType: mediaType, Digest: "sha256:" + d, Size: len(blob)}
}

// addJSON adds a document. Those of an image are made of strings, numbers, lists and maps, which always have a form in JSON.
func (l *layout) addJSON(mediaType string, value any) descriptor {
	text, _ := json.Marshal(value)
	return l.add(mediaType, text)
}

// packImage writes an image for all Linux programs as an OCI layout in a tar: an index with one entry, which is the index of the
// platforms, so that tools that ask for one image find one.
func (r release) packImage(built []binaries) (name string, err error) {
	var l layout
	var manifests []descriptor
	for _, b := range built {
		d, err := r.addPlatform(&l, b)
		if err != nil {
			return "", err
		}
		manifests = append(manifests, d)
	}
	tag := strings.ReplaceAll(strings.TrimPrefix(r.version, "v"), "+", "_") // a tag cannot have +
	index := l.addJSON(typeIndex, map[string]any{"schemaVersion": 2, "mediaType": typeIndex, "manifests": manifests, "annotations": r.labels()})
	index.Annotations = map[string]string{"org.opencontainers.image.ref.name": "kubarium:" + tag}
	text, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": typeIndex, "manifests": []descriptor{index}})
	if err != nil {
		return "", err
	}
	entries := append([]entry{
		{name: "oci-layout", text: []byte(`{"imageLayoutVersion":"1.0.0"}`), mode: 0o644},
		{name: "index.json", text: text, mode: 0o644},
		{name: "blobs/", mode: 0o755}, {name: "blobs/sha256/", mode: 0o755},
	}, l.blobs...)
	name = "kubarium_" + strings.TrimPrefix(r.version, "v") + ".oci.tar"
	return name, r.write(name, func(w io.Writer) error { return writeTar(w, entries, r.written) })
}

// labels are the annotations of the image.
func (r release) labels() map[string]string {
	const prefix = "org.opencontainers.image."
	return map[string]string{prefix + "title": "kubarium", prefix + "description": "The Kubernetes API server under glass",
		prefix + "version": r.version, prefix + "licenses": "Apache-2.0", prefix + "created": r.written.Format(time.RFC3339)}
}

// addPlatform adds the image of one platform: the binary, a folder for temporary files and one for its data. A server in a
// container must be reached from outside of it: it listens with HTTPS, and asks RBAC what is allowed.
func (r release) addPlatform(l *layout, b binaries) (d descriptor, err error) {
	var packed bytes.Buffer
	unpacked := sha256.New()
	zipped := gzip.NewWriter(&packed)
	err = writeTar(io.MultiWriter(zipped, unpacked), []entry{
		{name: "data/", mode: 0o755, owner: nonroot},
		{name: "kubarium", file: b.file("kubarium"), mode: 0o755},
		{name: "tmp/", mode: 0o777 | fs.ModeSticky},
	}, r.written)
	if err := errors.Join(err, zipped.Close()); err != nil {
		return d, err
	}
	layer := l.add(typeLayer, packed.Bytes())
	config := l.addJSON(typeConfig, map[string]any{
		"created": r.written.Format(time.RFC3339), "architecture": b.arch, "os": b.system,
		"config": map[string]any{
			"User": fmt.Sprintf("%d:%d", nonroot, nonroot), "WorkingDir": "/data", "Entrypoint": []string{"/kubarium"}, "Cmd": []string{"serve"},
			"Env": []string{"PATH=/", "HOME=/data", "KUBARIUM_DB=/data/kubarium.db", "KUBARIUM_SECURE_LISTEN=0.0.0.0:6443",
				"KUBARIUM_AUTHORIZATION_MODE=RBAC"},
			"ExposedPorts": map[string]any{"6443/tcp": struct{}{}}, "Volumes": map[string]any{"/data": struct{}{}},
			"Labels": r.labels(), "StopSignal": "SIGTERM",
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{fmt.Sprintf("sha256:%x", unpacked.Sum(nil))}},
		"history": []any{map[string]any{"created": r.written.Format(time.RFC3339), "created_by": "tools/release"}},
	})
	d = l.addJSON(typeManifest, map[string]any{"schemaVersion": 2, "mediaType": typeManifest, "config": config, "layers": []descriptor{layer},
		"annotations": r.labels()})
	d.Platform = map[string]string{"os": b.system, "architecture": b.arch}
	return d, nil
}
