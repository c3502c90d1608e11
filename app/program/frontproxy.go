package program

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/apiserver/pkg/server/options"

	"kubarium/app/pki"
	"kubarium/server/authn"
)

// A FrontProxy says by which certificate servers behind APIServices recognize this server, and which front proxies
// may name the user of a request, by flags of kube-apiserver's. Where nothing is said, a CA and a certificate are
// made next to the database.
type FrontProxy struct {
	CertFile, KeyFile string
	Routing           bool // find servers by their endpoints alone, as with kube-apiserver's --enable-aggregator-routing
	RejectRedirects   bool
	options.RequestHeaderAuthenticationOptions
}

// shownRequestHeader is what the help says of the flags that the official options declare.
var shownRequestHeader = map[string]string{
	"requestheader-client-ca-file":       "file of CAs: a front proxy with a client certificate signed by one of them names the user in headers (default: the CA next to the database)",
	"requestheader-allowed-names":        "CommonNames of such certificates; none allows all of --requestheader-client-ca-file",
	"requestheader-username-headers":     "headers with the user's name",
	"requestheader-uid-headers":          "headers with the user's UID",
	"requestheader-group-headers":        "headers with the user's groups",
	"requestheader-extra-headers-prefix": "prefixes of headers with other attributes of the user",
}

// flags declares the flags.
func (p *FrontProxy) flags(f *pflag.FlagSet) {
	p.orDefault()
	f.StringVar(&p.CertFile, "proxy-client-cert-file", "", "client certificate by which servers behind APIServices know this one (default: one signed by the front proxy's CA next to the database)")
	f.StringVar(&p.KeyFile, "proxy-client-key-file", "", "private key of --proxy-client-cert-file")
	f.BoolVar(&p.Routing, "enable-aggregator-routing", false, "find servers behind APIServices and webhooks by the endpoints of their Services, and no other way")
	f.BoolVar(&p.RejectRedirects, "aggregator-reject-forwarding-redirect", p.RejectRedirects, "answer 502 where a server behind an APIService redirects a client")
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	p.AddFlags(own)
	own.VisitAll(func(flag *pflag.Flag) { flag.Usage = shownRequestHeader[flag.Name] })
	f.AddFlagSet(own)
}

// orDefault completes what nothing was said of, as in kube-apiserver, with the headers that all servers understand.
func (p *FrontProxy) orDefault() {
	if p.UsernameHeaders == nil {
		p.RejectRedirects = true
		p.UsernameHeaders, p.UIDHeaders = []string{"X-Remote-User"}, []string{"X-Remote-Uid"}
		p.GroupHeaders, p.ExtraHeaderPrefixes = []string{"X-Remote-Group"}, []string{"X-Remote-Extra-"}
	}
}

// check refuses flags that make no sense.
func (p *FrontProxy) check() error {
	if (p.CertFile == "") != (p.KeyFile == "") {
		return errors.New("--proxy-client-cert-file and --proxy-client-key-file must be set together")
	}
	return utilerrors.NewAggregate(p.Validate())
}

// A frontProxy is what the files say.
type frontProxy struct {
	options FrontProxy
	given   dynamiccertificates.CAContentProvider      // nil if none is given
	client  dynamiccertificates.CertKeyContentProvider // nil until it is made
	believe *authn.RequestHeaders                      // nil until it is complete
}

// read reads the files that flags name.
func (p FrontProxy) read() (*frontProxy, error) {
	p.orDefault()
	f := &frontProxy{options: p}
	var err error
	if p.CertFile != "" {
		if f.client, err = dynamiccertificates.NewDynamicServingContentFromFiles("aggregator-proxy-cert", p.CertFile, p.KeyFile); err != nil {
			return nil, fmt.Errorf("--proxy-client-cert-file: %w", err)
		}
	}
	if p.ClientCAFile != "" {
		if f.given, err = dynamiccertificates.NewDynamicCAContentFromFile("request-header", p.ClientCAFile); err != nil {
			return nil, fmt.Errorf("--requestheader-client-ca-file: %w", err)
		}
	}
	return f, nil
}

// complete makes what is missing. Where both the certificate and the CAs are given, that is nothing.
func (f *frontProxy) complete(folder string) error {
	o := f.options
	names := o.AllowedNames
	ca := f.given
	if ca == nil || f.client == nil {
		made, err := pki.NewFrontProxy(folder)
		if err != nil {
			return err
		}
		own, err := dynamiccertificates.NewStaticCAContent("front-proxy-ca", made.CA)
		if err != nil {
			return err
		}
		if ca == nil && len(names) == 0 || len(names) > 0 && f.client == nil {
			names = append(slices.Clone(names), pki.FrontProxyName)
		}
		ca = own
		if f.given != nil {
			ca = dynamiccertificates.NewUnionCAContentProvider(own, f.given)
		}
		if f.client == nil {
			if f.client, err = dynamiccertificates.NewStaticCertKeyContent("aggregator-proxy-cert", made.Cert, made.Key); err != nil {
				return err
			}
		}
	}
	f.believe = &authn.RequestHeaders{CA: ca, AllowedNames: names, Username: o.UsernameHeaders, UID: o.UIDHeaders, Group: o.GroupHeaders, ExtraPrefixes: o.ExtraHeaderPrefixes}
	return nil
}

// follow follows changes of the files until ctx ends. changed is called when the certificate is another one.
func (f *frontProxy) follow(ctx context.Context, changed func()) {
	if n, ok := f.client.(dynamiccertificates.Notifier); ok {
		n.AddListener(listener(changed))
	}
	for _, files := range []any{f.client, f.believe.CA} {
		if runner, ok := files.(dynamiccertificates.ControllerRunner); ok {
			go runner.Run(ctx, 1)
		}
	}
}

// A listener is called when a file has changed.
type listener func()

// Enqueue fulfils dynamiccertificates.Listener.
func (l listener) Enqueue() { l() }
