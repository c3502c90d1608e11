package app

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/pflag"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"kubarium/app/cli"
	"kubarium/app/home"
	"kubarium/app/running"
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

// dial returns a client of the server, and its address: that of --server, of the kubeconfig, or else this one. A running server of this
// user that serves HTTPS alone needs no kubeconfig.
func (r remote) dial(or string) (*http.Client, string, error) {
	config, err := r.config(or)
	if err != nil {
		return nil, "", err
	}
	client, err := clientFor(config)
	return client, strings.TrimSuffix(config.Host, "/"), err
}

// bare returns a client of the same server that brings no credentials.
func (r remote) bare() (*http.Client, error) {
	config, err := r.config("")
	if err != nil {
		return nil, err
	}
	return clientFor(restclient.AnonymousClientConfig(config))
}

func clientFor(config *restclient.Config) (*http.Client, error) {
	client, err := restclient.HTTPClientFor(config)
	if err != nil {
		return nil, cli.Misuse(err)
	}
	return client, nil
}

// config says how the server is asked.
func (r remote) config(or string) (*restclient.Config, error) {
	config := &restclient.Config{Host: strings.TrimSuffix(cmp.Or(r.address, or), "/")}
	if r.kubeconfig != "" {
		config, err := clientcmd.BuildConfigFromFlags(r.address, r.kubeconfig)
		if err != nil {
			return nil, cli.Misuse(err)
		}
		return config, nil
	}
	if s := announced(config.Host); s != nil {
		config.BearerToken = s.Token
		config.CAData, config.ServerName = []byte(s.CA), s.Name
	}
	return config, nil
}

// announced is the running server of this user that says how it is asked at an address of HTTPS, nil if there is none.
func announced(address string) *running.Server {
	if !strings.HasPrefix(address, "https://") {
		return nil
	}
	for _, s := range running.List(home.Running()) {
		if s.URL == address && s.Token != "" {
			return &s
		}
	}
	return nil
}

// noServer says that none answers. Where the address was nobody's choice, it names those that run.
func (r remote) noServer(address string, err error) error {
	err = fmt.Errorf("no server answers at %s: %w", address, err)
	if r.named() {
		return err
	}
	switch all := running.List(home.Running()); len(all) {
	case 0:
		return err
	case 1:
		return fmt.Errorf("%w; did you mean --server %s?", err, all[0].URL)
	default:
		return fmt.Errorf("%w; %d run at other addresses: \"kubarium servers\" lists them for --server", err, len(all))
	}
}
