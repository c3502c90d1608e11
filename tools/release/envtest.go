package main

import (
	"crypto/sha512"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// indexName is the file that setup-envtest and envtest's DownloadBinaryAssetsIndexURL take.
const indexName = "envtest-releases.yaml"

// packEnvtest writes the archive for setup-envtest, which has the names and the folder of the original ones. Regular files
// are all that is unpacked of it, without their folder.
func (r release) packEnvtest(b binaries) (name string, err error) {
	const folder = "controller-tools/envtest/"
	name = fmt.Sprintf("envtest-%s-%s-%s.tar.gz", r.kubernetes, b.system, b.arch)
	return name, r.write(name, func(w io.Writer) error {
		return writePackedTar(w, []entry{
			{name: folder, mode: 0o755},
			{name: folder + b.exe("etcd"), file: b.file("etcd"), mode: 0o755},
			{name: folder + b.exe("kube-apiserver"), file: b.file("kubarium"), mode: 0o755},
			{name: folder + b.exe("kubectl"), file: b.file("kubectl"), mode: 0o755},
		}, r.written)
	})
}

// writeIndex writes the index of the archives, which are found below r.url.
func (r release) writeIndex(archives []string) error {
	type archive struct {
		Hash     string `json:"hash"`
		SelfLink string `json:"selfLink"`
	}
	all := map[string]archive{}
	for _, name := range archives {
		sum, err := sumOf(filepath.Join(r.out, name), sha512.New())
		if err != nil {
			return err
		}
		all[name] = archive{sum, strings.TrimSuffix(r.url, "/") + "/" + name}
	}
	text, err := yaml.Marshal(map[string]any{"releases": map[string]any{r.kubernetes: all}})
	if err != nil {
		return err
	}
	return r.write(indexName, entry{text: text}.copyTo)
}
