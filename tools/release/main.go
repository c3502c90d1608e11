// Release builds Kubarium for all systems and writes archives of it and their checksums:
//
//	dist/kubarium_1.2.3_linux_amd64.tar.gz      the binary, README.md and LICENSE
//	dist/kubarium_1.2.3_linux_amd64.tar.gz.cdx.json    its parts, as CycloneDX
//	dist/kubarium_1.2.3_windows_amd64.zip
//	dist/kubarium_1.2.3.oci.tar                 an image for Linux, as an OCI layout
//	dist/envtest-v1.37.2-linux-amd64.tar.gz     for setup-envtest: kube-apiserver and etcd, which are Kubarium, and kubectl
//	dist/envtest-releases.yaml                  the index of those, with -url
//	dist/install.sh
//	dist/SHA256SUMS
//	dist/SHA256SUMS.sig                         with -key
//
// It needs Go and, without -version, git. The same commit gives the same bytes, with the same version of Go.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const all = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	var r release
	flag.StringVar(&r.version, "version", "", "version of the release; the tag, or else the commit, if nothing is said")
	targets := flag.String("targets", all, "systems and architectures to build for")
	flag.StringVar(&r.out, "out", "dist", "folder of the archives; files of the same names are replaced")
	flag.StringVar(&r.url, "url", "", "URL of the folder that the files will be downloaded from; the index for setup-envtest needs it")
	flag.StringVar(&r.key, "key", "", "SSH key to sign the checksums with; ssh-keygen does it")
	r.root = "."
	flag.Parse()
	if err := r.make(strings.Split(*targets, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// A release is what all of its files have in common.
type release struct {
	version    string    // of Kubarium
	kubernetes string    // version of Kubernetes, such as v1.37.2
	written    time.Time // time of all files in archives
	root       string    // folder of the repository
	out        string    // folder of the files
	key        string    // file; "" signs nothing
	url        string    // of that folder once it is published; "" if that is not known
}

// make builds and writes everything.
func (r release) make(targets []string) (err error) {
	if r.version, err = named(r.version); err != nil {
		return err
	}
	if r.kubernetes, err = kubernetes(); err != nil {
		return err
	}
	if r.written, err = stamp(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "kubarium-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var built []binaries
	for _, target := range targets {
		b, err := r.build(target, filepath.Join(dir, target))
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		built = append(built, b)
	}
	return r.pack(built)
}

// pack writes the files of a release from its programs.
func (r release) pack(built []binaries) error {
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	var names, forEnvtest []string
	for _, b := range built {
		name, err := r.packArchive(b)
		if err != nil {
			return err
		}
		bill, err := r.packSBOM(b, name)
		if err != nil {
			return err
		}
		names = append(names, name, bill)
		if name, err = r.packEnvtest(b); err != nil {
			return err
		}
		forEnvtest = append(forEnvtest, name)
	}
	names = append(names, forEnvtest...)
	if linux := slices.DeleteFunc(slices.Clone(built), func(b binaries) bool { return b.system != "linux" }); len(linux) > 0 {
		name, err := r.packImage(linux)
		if err != nil {
			return err
		}
		names = append(names, name)
	}
	if r.url != "" {
		if err := r.writeIndex(forEnvtest); err != nil {
			return err
		}
		names = append(names, indexName)
	}
	install := entry{file: filepath.Join(r.root, "install.sh")}
	if err := r.write("install.sh", install.copyTo); err != nil {
		return err
	}
	if err := writeSums(r.out, append(names, "install.sh")); err != nil {
		return err
	}
	return sign(r.out, r.key)
}

// write writes a file of the release.
func (r release) write(name string, write func(w io.Writer) error) error {
	return writeFile(filepath.Join(r.out, name), write)
}

// packArchive writes the archive of one binary and returns its name.
func (r release) packArchive(b binaries) (name string, err error) {
	name = fmt.Sprintf("kubarium_%s_%s_%s", strings.TrimPrefix(r.version, "v"), b.system, b.arch)
	pack := writePackedTar
	if b.system == "windows" {
		name, pack = name+".zip", writeZip
	} else {
		name += ".tar.gz"
	}
	return name, r.write(name, func(w io.Writer) error {
		return pack(w, []entry{{name: b.exe("kubarium"), file: b.file("kubarium"), mode: 0o755},
			{name: "README.md", file: filepath.Join(r.root, "README.md"), mode: 0o644}, {name: "LICENSE", file: filepath.Join(r.root, "LICENSE"), mode: 0o644}}, r.written)
	})
}

// A version becomes part of file names.
var versionForm = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+-]*$`)

// named is the version that was asked for, or git's name of what is checked out.
func named(version string) (string, error) {
	if version == "" {
		text, err := exec.Command("git", "describe", "--tags", "--always", "--dirty").Output()
		if err != nil {
			return "", fmt.Errorf("git does not know the version, use -version: %w", err)
		}
		version = strings.TrimSpace(string(text))
	}
	if !versionForm.MatchString(version) {
		return "", fmt.Errorf("the version is %q, but can have letters, digits, dots, + and - alone", version)
	}
	return version, nil
}

// kubernetes is the version of Kubernetes whose modules are used: v1.37.2 for v0.37.2 of k8s.io/kubectl.
func kubernetes() (string, error) {
	text, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "k8s.io/kubectl").Output()
	if err != nil {
		return "", fmt.Errorf("version of k8s.io/kubectl: %w", err)
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "v0.")
	if !ok {
		return "", fmt.Errorf("k8s.io/kubectl has version %q, not v0.…", text)
	}
	return "v1." + rest, nil
}

// stamp is the time that files in archives have: $SOURCE_DATE_EPOCH, or that of the commit, or now.
func stamp() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		committed, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Now().UTC().Truncate(time.Second), nil
		}
		text = strings.TrimSpace(string(committed))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
