package glass

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"kubarium/app/cli"
)

// A Target is where the glass leads: a context of a kubeconfig.
type Target struct {
	Context   string
	User      string // as the kubeconfig names it
	Namespace string // of the context; "" for default
	Config    *rest.Config
}

// ManyError says that a kubeconfig leads to many clusters, and none was chosen.
type ManyError struct {
	Contexts []string // sorted
	Current  string   // the one that kubectl would take; "" for none
}

// Error names them.
func (e *ManyError) Error() string {
	return fmt.Sprintf("the kubeconfig has %d contexts; say --context NAME: %s", len(e.Contexts), strings.Join(e.Contexts, ", "))
}

// Read reads a kubeconfig as kubectl does: of a file, or for "" those of KUBECONFIG or of the home folder. Without a
// context it must have one alone; else the error is a *ManyError.
func Read(file, contextName string) (Target, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = file
	raw, err := rules.Load()
	if err != nil {
		return Target{}, cli.Misuse(err)
	}
	if contextName == "" {
		switch len(raw.Contexts) {
		case 0:
			return Target{}, cli.Misuse(errors.New("there is no kubeconfig with a context; say --kubeconfig FILE"))
		case 1:
			for contextName = range raw.Contexts {
			}
		default:
			return Target{}, cli.Misuse(&ManyError{Current: raw.CurrentContext, Contexts: slices.Sorted(maps.Keys(raw.Contexts))})
		}
	}
	of := raw.Contexts[contextName]
	if of == nil {
		return Target{}, cli.Misuse(fmt.Errorf("the kubeconfig has no context %q", contextName))
	}
	config, err := clientcmd.NewNonInteractiveClientConfig(*raw, contextName, &clientcmd.ConfigOverrides{}, rules).ClientConfig()
	if err != nil {
		return Target{}, cli.Misuse(err)
	}
	return Target{Context: contextName, User: of.AuthInfo, Namespace: of.Namespace, Config: config}, nil
}

// Contexts are the names of a kubeconfig's contexts, sorted; none for one that cannot be read.
func Contexts(file string) []string {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = file
	raw, err := rules.Load()
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(raw.Contexts))
}

// write writes the kubeconfig that leads clients to the glass, with the context's own name and namespace. The file is
// for its owner alone.
func (t *Target) write(file, server string, ca []byte, key string) error {
	out := clientcmdapi.NewConfig()
	out.CurrentContext = t.Context
	out.Contexts[t.Context] = &clientcmdapi.Context{Cluster: "glass", AuthInfo: "glass", Namespace: t.Namespace}
	out.Clusters["glass"] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: ca}
	out.AuthInfos["glass"] = &clientcmdapi.AuthInfo{Token: key}
	text, err := clientcmd.Write(*out)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// handshakeTime is how long the server may take to show its certificate.
const handshakeTime = 10 * time.Second

// reach checks that the server is there and shows a good certificate. No request is sent.
func reach(ctx context.Context, server *url.URL, config *rest.Config) error {
	address := server.Host
	if server.Port() == "" {
		address = net.JoinHostPort(server.Hostname(), map[string]string{"https": "443", "http": "80"}[server.Scheme])
	}
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	if config.Proxy != nil || os.Getenv("HTTPS_PROXY") != "" || os.Getenv("https_proxy") != "" { // it is reached otherwise
		return nil
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("the server of the context does not answer: %w", err)
	}
	defer conn.Close()
	if server.Scheme != "https" {
		return nil
	}
	check, err := rest.TLSConfigFor(rest.AnonymousClientConfig(config))
	if err != nil {
		return cli.Misuse(err)
	}
	if check == nil {
		check = &tls.Config{}
	}
	check = check.Clone()
	if check.ServerName == "" {
		check.ServerName = server.Hostname()
	}
	if err := tls.Client(conn, check).HandshakeContext(ctx); err != nil {
		return fmt.Errorf("the certificate of %s: %w", server.Host, err)
	}
	return nil
}
