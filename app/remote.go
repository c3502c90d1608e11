package app

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/spf13/pflag"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// A remote is an API server that runs already: by its address, or by a kubeconfig, which tells for HTTPS who asks.
type remote struct{ address, kubeconfig string }

// runningServer says of --server what it is for.
const runningServer = "address of the running server (default " + plainServer + ")"

// flags declares the flags that name it; usage says of --server what it is for.
func (r *remote) flags(f *pflag.FlagSet, usage string) {
	f.StringVar(&r.address, "server", "", usage)
	f.StringVar(&r.kubeconfig, "kubeconfig", "", "kubeconfig file with the server's address and credentials")
}

// named tells whether the flags name one.
func (r remote) named() bool { return r.address != "" || r.kubeconfig != "" }

// dial returns a client of the server, and its address: that of --server, of the kubeconfig, or else this one.
func (r remote) dial(or string) (*http.Client, string, error) {
	if r.kubeconfig == "" {
		return &http.Client{}, strings.TrimSuffix(cmp.Or(r.address, or), "/"), nil
	}
	config, err := clientcmd.BuildConfigFromFlags(r.address, r.kubeconfig)
	if err != nil {
		return nil, "", usageError{err}
	}
	client, err := restclient.HTTPClientFor(config)
	if err != nil {
		return nil, "", usageError{err}
	}
	return client, strings.TrimSuffix(config.Host, "/"), nil
}
