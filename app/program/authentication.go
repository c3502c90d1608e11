package program

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/util/keyutil"

	"kubarium/app/pki"
	"kubarium/server/authn"
	"kubarium/server/loopback"
	"kubarium/server/registry"
)

// An Authentication says who is believed, by flags of kube-apiserver's.
type Authentication struct {
	ClientCA   string        // file of those who may sign client certificates, in addition to the CA of the database; "" for that alone
	TokenFile  string        // file of tokens and users; "" for none
	Anonymous  bool          // whether HTTPS answers who does not say who they are
	KeyFiles   []string      // files of the keys that tokens of ServiceAccounts are checked by
	SigningKey string        // file of the key that signs them; with KeyFiles, "" for the one next to the database
	Issuers    []string      // none is authn.DefaultIssuer
	Audiences  []string      // none are the issuers
	KeySetURI  string        // where others find the keys of tokens; "" for this server
	MaxLife    time.Duration // of tokens; 0 for as long as is asked for
	Extend     bool          // whether the token of a pod lives for a year although its kubelet asks for an hour
}

// flags declares the flags.
func (a *Authentication) flags(f *pflag.FlagSet) {
	f.StringVar(&a.ClientCA, "client-ca-file", "", "file of CAs: a client certificate signed by one of them is the user CommonName in the groups Organization")
	f.StringVar(&a.TokenFile, "token-auth-file", "", `file of bearer tokens, a line each: token,user,uid[,"group1,group2"]`)
	f.BoolVar(&a.Anonymous, "anonymous-auth", true, "on HTTPS, treat requests without credentials as system:anonymous in the group system:unauthenticated")
	f.StringArrayVar(&a.KeyFiles, "service-account-key-file", nil, "file of private or public keys that verify tokens of ServiceAccounts; may be given several times (default: the key next to the database)")
	f.StringVar(&a.SigningKey, "service-account-signing-key-file", "", "file of the private key that signs tokens of ServiceAccounts (default: the key next to the database)")
	f.StringArrayVar(&a.Issuers, "service-account-issuer", nil, "issuer of tokens of ServiceAccounts; of several, the first is used for new tokens and all are accepted (default "+authn.DefaultIssuer+")")
	f.StringVar(&a.KeySetURI, "service-account-jwks-uri", "", "https address that /.well-known/openid-configuration names for the keys (default: this server's)")
	f.DurationVar(&a.MaxLife, "service-account-max-token-expiration", 0, "longest lifetime of a token of a ServiceAccount; 0 is no limit")
	f.BoolVar(&a.Extend, "service-account-extend-token-expiration", true, "let tokens of pods live for a year where the kubelet requests an hour, for clients that read them only once")
	f.StringSliceVar(&a.Audiences, "api-audiences", nil, "audiences that tokens of ServiceAccounts must be for (default: the issuers)")
}

// check refuses flags that make no sense together.
func (a *Authentication) check() error {
	if (a.SigningKey == "") != (len(a.KeyFiles) == 0) {
		return errors.New("--service-account-signing-key-file and --service-account-key-file must be set together")
	}
	for i, issuer := range a.Issuers {
		if strings.Contains(issuer, ":") {
			if _, err := url.Parse(issuer); err != nil {
				return fmt.Errorf("service-account-issuer %q contained a ':' but was not a valid URL: %w", issuer, err)
			}
		}
		if issuer == "" {
			return errors.New("service-account-issuer should not be an empty string")
		}
		if slices.Contains(a.Issuers[:i], issuer) {
			return fmt.Errorf("service-account-issuer %q is already specified", issuer)
		}
	}
	if a.MaxLife != 0 && (a.MaxLife < time.Hour || a.MaxLife > 1<<32*time.Second) {
		return errors.New("the service-account-max-token-expiration must be between 1 hour and 2^32 seconds")
	}
	if a.KeySetURI != "" {
		switch u, err := url.Parse(a.KeySetURI); {
		case err != nil:
			return fmt.Errorf("service-account-jwks-uri must be a valid URL: %w", err)
		case u.Scheme != "https":
			return fmt.Errorf("service-account-jwks-uri requires https scheme, parsed as: %s", u)
		}
	}
	return nil
}

// credentials are what the files of an Authentication and those next to the database say.
type credentials struct {
	folder     string                                // next to the database; "" for none
	clientCA   dynamiccertificates.CAContentProvider // nil if none is given
	tokens     authenticator.Token                   // nil if there is no file
	signingKey any                                   // nil until it is made
	keys       []any
	loopback   string // token of Kubarium's own loops
	admin      string // token in the announcement of a server that serves HTTPS alone; "" for none
}

// read reads all files that are there, and makes none.
func (a *Authentication) read(folder string) (*credentials, error) {
	c := &credentials{folder: folder, loopback: rand.Text()}
	var err error
	if a.ClientCA != "" {
		if c.clientCA, err = dynamiccertificates.NewDynamicCAContentFromFile("client-ca-bundle", a.ClientCA); err != nil {
			return nil, fmt.Errorf("--client-ca-file: %w", err)
		}
	}
	if a.TokenFile != "" {
		if c.tokens, err = authn.ReadTokenFile(a.TokenFile); err != nil {
			return nil, fmt.Errorf("--token-auth-file: %w", err)
		}
	}
	if a.SigningKey == "" {
		return c, c.readAccountKey()
	}
	if c.signingKey, err = keyutil.PrivateKeyFromFile(a.SigningKey); err != nil {
		return nil, fmt.Errorf("--service-account-signing-key-file: %w", err)
	}
	for _, file := range a.KeyFiles {
		keys, err := keyutil.PublicKeysFromFile(file)
		if err != nil {
			return nil, fmt.Errorf("--service-account-key-file: %w", err)
		}
		c.keys = append(c.keys, keys...)
	}
	_, err = a.newTokens(c, registry.TokenObjects{}, nil, "")
	return c, err
}

// readAccountKey reads the key next to the database, if it was made already.
func (c *credentials) readAccountKey() error {
	if c.folder == "" {
		return nil
	}
	key, err := pki.ReadAccountKey(c.folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	c.signingKey, c.keys = key, []any{key}
	return nil
}

// complete makes the key of tokens if there is none. The database must be open by now, so that no other process does
// the same.
func (c *credentials) complete() error {
	if c.signingKey != nil {
		return nil
	}
	key, err := pki.NewAccountKey(c.folder)
	c.signingKey, c.keys = key, []any{key}
	return err
}

// newTokens makes the tokens of ServiceAccounts. self is the client with which the use of an old token is noted, and
// server the address where others find the keys.
func (a *Authentication) newTokens(c *credentials, objects registry.TokenObjects, self *loopback.Client, server string) (*authn.Tokens, error) {
	o := authn.TokenOptions{
		SigningKey: c.signingKey, Keys: c.keys, Issuers: a.Issuers, Audiences: a.Audiences, Objects: objects, Server: server,
		KeySetURI: a.KeySetURI, MaxExpiration: a.MaxLife, Exact: !a.Extend,
	}
	if self != nil {
		secrets, err := corev1.NewForConfigAndClient(self.Config, self.HTTP)
		if err != nil {
			return nil, err
		}
		o.Secrets = secrets
	}
	return authn.NewTokens(o)
}
