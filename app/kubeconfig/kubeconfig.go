// Package kubeconfig makes Kubarium's entries in a kubeconfig, with the certificate that a server is checked by and
// one of a user.
package kubeconfig

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"sigs.k8s.io/yaml"

	"kubarium/app/cli"
	"kubarium/app/home"
	"kubarium/app/pki"
	"kubarium/app/program"
	"kubarium/app/remedy"
	"kubarium/app/remote"
)

// An Entry is what Kubarium writes into a kubeconfig.
type Entry struct {
	Server, DB, User string
	Groups           []string
	Store            program.Etcd

	ca        []byte // by which the server's certificate is checked, as text; nil for a plain port
	cert, key []byte // of the user, as text; nil for none
}

// Complete finds what the server's certificate is checked by, and makes the user's.
func (k *Entry) Complete(ctx context.Context) error {
	if err := k.Store.Check(); err != nil {
		return cli.Misuse(err)
	}
	k.Server = cmp.Or(k.Server, map[bool]string{true: remote.Secure, false: remote.Plain}[k.User != ""])
	u, err := url.Parse(k.Server)
	if err != nil {
		return cli.Misuse(err)
	}
	switch {
	case len(k.Groups) > 0 && k.User == "":
		return cli.Misuse(errors.New("--group needs --user NAME"))
	case u.Scheme != "https" && k.User != "":
		return cli.Misuse(fmt.Errorf("--user needs HTTPS, which %s is not", k.Server))
	case u.Scheme != "https":
		return nil
	}
	if err := home.Named(k.DB); err != nil {
		return cli.Misuse(err)
	}
	folder, where := pki.Folder(k.DB), "next to "+k.DB
	if k.Store.URL != "" {
		if folder, err = k.fetch(ctx); err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		where = "in " + k.Store.URL
	}
	if k.User != "" && folder == "" {
		return cli.Misuse(errors.New("the CA of a server with --db :memory: is only in its memory and cannot sign here"))
	}
	if k.ca, err = rootOf(u, folder, where); err != nil || k.User == "" {
		return err
	}
	ca, err := pki.ReadCA(folder)
	if err != nil {
		return fmt.Errorf("there is no CA %s that could sign; kubarium serve --secure-listen creates one: %w", where, err)
	}
	k.cert, k.key, err = ca.Client(k.User, k.Groups)
	return err
}

// fetch writes the keys that are in etcd into a temporary folder.
func (k *Entry) fetch(ctx context.Context) (folder string, err error) {
	client, prefix, err := k.Store.Connect(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	return program.FetchKeys(ctx, client, prefix, nil)
}

// Write merges Kubarium's entries into a kubeconfig file, and leaves everything else in it as it is.
func (k *Entry) Write(file string) error {
	config := map[string]any{}
	text, err := os.ReadFile(file)
	switch {
	case os.IsNotExist(err):
	case err != nil:
		return remedy.Add(err, "say --out FILE for one that can be read and written, or nothing to print it")
	default:
		if err := yaml.Unmarshal(text, &config); err != nil {
			return fmt.Errorf("%s is not a kubeconfig: %w", file, err)
		}
	}
	text, err = yaml.Marshal(k.Merge(config))
	if err != nil {
		return err
	}
	return remedy.Add(pki.WriteFile(file, text), "say --out FILE for one that can be written, or nothing to print it")
}

// Merge puts a cluster, a user and a context into a kubeconfig and makes the context the current one. All are called
// "kubarium"; those of a named user have names of their own, so that each can be chosen.
func (k *Entry) Merge(config map[string]any) map[string]any {
	cluster, name := "kubarium", "kubarium"
	if k.User != "" {
		cluster, name = "kubarium-https", "kubarium-"+k.User
	}
	server, user := map[string]any{"server": k.Server}, map[string]any{}
	if k.ca != nil {
		server["certificate-authority-data"] = k.ca
	}
	if k.cert != nil {
		user["client-certificate-data"], user["client-key-data"] = k.cert, k.key
	}
	config["apiVersion"], config["kind"] = "v1", "Config"
	config["clusters"] = mergeNamed(config["clusters"], map[string]any{"name": cluster, "cluster": server})
	config["users"] = mergeNamed(config["users"], map[string]any{"name": name, "user": user})
	config["contexts"] = mergeNamed(config["contexts"], map[string]any{"name": name, "context": map[string]any{"cluster": cluster, "user": name}})
	config["current-context"] = name
	return config
}

// mergeNamed replaces the entry of the same name, or appends.
func mergeNamed(list any, entry map[string]any) []any {
	entries, _ := list.([]any)
	for i, e := range entries {
		if m, ok := e.(map[string]any); ok && m["name"] == entry["name"] {
			entries[i] = entry
			return entries
		}
	}
	return append(entries, entry)
}
