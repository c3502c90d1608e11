package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"kubarium/app/cli"
	"kubarium/app/home"
	"kubarium/app/pki"
	"kubarium/app/program"
	"kubarium/app/remedy"
)

// The addresses that a kubeconfig leads to if nothing is said.
const (
	plainServer  = "http://127.0.0.1:8080"
	secureServer = "https://127.0.0.1:6443"
)

func newKubeconfig() *cobra.Command {
	var k kubeconfig
	var file string
	cmd := &cobra.Command{
		Use:   "kubeconfig",
		Short: "Print a kubeconfig for the running server",
		Long: `Print a kubeconfig for the running server, or with --out merge it into a file. kubectl finds the default address
without one. With --user it has a client certificate, signed by the CA beside the database, or in --store, and the address of HTTPS.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := k.complete(cmd.Context()); err != nil {
				return err
			}
			if file == "" {
				text, err := yaml.Marshal(k.merge(map[string]any{}))
				if err == nil {
					_, err = cmd.OutOrStdout().Write(text)
				}
				return err
			}
			return k.write(file)
		},
	}
	cmd.Flags().StringVar(&k.server, "server", "", "address of the server (default "+plainServer+", or with --user "+secureServer+")")
	cmd.Flags().StringVar(&k.user, "user", "", "name of a user, for whom a client certificate is created")
	cmd.Flags().StringArrayVar(&k.groups, "group", nil, "group of the user; may be given several times")
	cmd.Flags().StringVar(&k.db, "db", home.DB(), "database file; the CA is beside it")
	k.store.Flags(cmd.Flags())
	cmd.Flags().StringVar(&file, "out", "", "merge into this file instead of printing")
	return cmd
}

// A kubeconfig is what is to stand in one.
type kubeconfig struct {
	server, db, user string
	groups           []string
	store            program.Etcd

	ca        []byte // by which the server's certificate is checked, as text; nil for a plain port
	cert, key []byte // of the user, as text; nil for nobody
}

// complete finds what the server's certificate is checked by, and makes the user's.
func (k *kubeconfig) complete(ctx context.Context) error {
	if err := k.store.Check(); err != nil {
		return cli.Misuse(err)
	}
	k.server = cmp.Or(k.server, map[bool]string{true: secureServer, false: plainServer}[k.user != ""])
	u, err := url.Parse(k.server)
	if err != nil {
		return cli.Misuse(err)
	}
	switch {
	case len(k.groups) > 0 && k.user == "":
		return cli.Misuse(errors.New("--group needs --user NAME"))
	case u.Scheme != "https" && k.user != "":
		return cli.Misuse(fmt.Errorf("--user needs HTTPS, which %s is not", k.server))
	case u.Scheme != "https":
		return nil
	}
	if err := home.Named(k.db); err != nil {
		return cli.Misuse(err)
	}
	folder, where := pki.Folder(k.db), "beside "+k.db
	if k.store.URL != "" {
		if folder, err = k.fetch(ctx); err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		where = "in " + k.store.URL
	}
	if k.user != "" && folder == "" {
		return cli.Misuse(errors.New("the CA of a server with --db :memory: is only in its memory and cannot sign here"))
	}
	if k.ca, err = rootOf(u, folder, where); err != nil || k.user == "" {
		return err
	}
	ca, err := pki.ReadCA(folder)
	if err != nil {
		return fmt.Errorf("there is no CA %s that could sign; kubarium serve --secure-listen creates one: %w", where, err)
	}
	k.cert, k.key, err = ca.Client(k.user, k.groups)
	return err
}

// fetch writes the keys that are in etcd into a temporary folder.
func (k *kubeconfig) fetch(ctx context.Context) (folder string, err error) {
	client, prefix, err := k.store.Connect(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	return program.FetchKeys(ctx, client, prefix, nil)
}

// write merges Kubarium's entries into a kubeconfig file, and leaves everything else in it as it is.
func (k *kubeconfig) write(file string) error {
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
	text, err = yaml.Marshal(k.merge(config))
	if err != nil {
		return err
	}
	return remedy.Add(pki.WriteFile(file, text), "say --out FILE for one that can be written, or nothing to print it")
}

// merge puts a cluster, a user and a context into a kubeconfig and makes the context the current one. All are called "kubarium";
// those of a named user have names of their own, so that each can be chosen beside the others.
func (k *kubeconfig) merge(config map[string]any) map[string]any {
	cluster, name := "kubarium", "kubarium"
	if k.user != "" {
		cluster, name = "kubarium-https", "kubarium-"+k.user
	}
	server, user := map[string]any{"server": k.server}, map[string]any{}
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
