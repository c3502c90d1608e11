// Package remote finds an API server that runs already, by an address, a kubeconfig, or what running servers
// announce, and asks it.
package remote

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

// A Server is an API server that runs already: by its address, or by a kubeconfig with the credentials for HTTPS.
type Server struct{ Address, Kubeconfig string }

// Usage says of --server what it is for.
const Usage = "address of the running server (default " + Plain + ")"

// Flags declares the flags that name it; usage says of --server what it is for.
func (r *Server) Flags(f *pflag.FlagSet, usage string) {
	f.StringVar(&r.Address, "server", "", usage)
	f.StringVar(&r.Kubeconfig, "kubeconfig", "", "kubeconfig file with the server's address and credentials")
}

// Named reports whether the flags name one.
func (r Server) Named() bool { return r.Address != "" || r.Kubeconfig != "" }

// Dial returns a client of the server, and its address: that of --server, of the kubeconfig, or else this one. A
// running server of this user that serves HTTPS alone needs no kubeconfig.
func (r Server) Dial(or string) (*http.Client, string, error) {
	config, err := r.config(or)
	if err != nil {
		return nil, "", err
	}
	client, err := clientFor(config)
	return client, strings.TrimSuffix(config.Host, "/"), err
}

// Bare returns a client of the same server that brings no credentials.
func (r Server) Bare() (*http.Client, error) {
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

// URL is an address as a URL: of HOST:PORT, with the scheme http.
func URL(address string) string {
	if address == "" || strings.Contains(address, "://") {
		return address
	}
	return "http://" + address
}

// config says how the server is asked.
func (r Server) config(or string) (*restclient.Config, error) {
	r.Address = URL(r.Address)
	config := &restclient.Config{Host: strings.TrimSuffix(cmp.Or(r.Address, or), "/")}
	if r.Kubeconfig != "" {
		config, err := clientcmd.BuildConfigFromFlags(r.Address, r.Kubeconfig)
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

// Kubeconfig is the file that leads clients to a glass at an address, as it has announced; "" for none.
func Kubeconfig(address string) string {
	if s := announced(address); s != nil {
		return s.Kubeconfig
	}
	return ""
}

// noServer says that none answers. If no flag named the address, it names the servers that run.
func (r Server) noServer(address string, err error) error {
	err = fmt.Errorf("no server answers at %s: %w", address, err)
	if r.Named() {
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

// The addresses that a kubeconfig leads to if nothing is said.
const (
	Plain  = "http://127.0.0.1:8080"
	Secure = "https://127.0.0.1:6443"
)
