package authn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	credentials "k8s.io/apiserver/pkg/authentication/serviceaccount"
	authenticationtokenjwt "k8s.io/apiserver/pkg/authentication/token/jwt"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/kubernetes/pkg/apis/authentication"
	conversions "k8s.io/kubernetes/pkg/apis/authentication/v1"
	"k8s.io/kubernetes/pkg/apis/authentication/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/serviceaccount"
)

// DefaultIssuer names the issuer in tokens where nothing else is said.
const DefaultIssuer = "https://kubernetes.default.svc"

// TokenOptions say how tokens of ServiceAccounts are signed and checked.
type TokenOptions struct {
	SigningKey any   // an *rsa.PrivateKey or *ecdsa.PrivateKey
	Keys       []any // those that are believed, private or public
	Issuers    []string
	Audiences  []string
	// Objects looks up what tokens depend on.
	Objects serviceaccount.ServiceAccountTokenGetter
	// Secrets notes in the Secret of a token of the old kind that it was used; nil means that such tokens are not believed.
	Secrets typedcorev1.SecretsGetter
	// Server is the address under which others find the keys, "https://192.0.2.1:6443".
	Server string
	// KeySetURI is where others find the keys if not there, "https://example.com/keys".
	KeySetURI string
	// MaxExpiration is how long a token may live at most; 0 means as long as is asked for.
	MaxExpiration time.Duration
	// Exact gives a pod's token the hour that its kubelet asks for; else, as in kube-apiserver, it lives for a year and has the hour
	// noted, for clients that read it only once.
	Exact bool
}

// Tokens signs, checks and publishes the tokens of ServiceAccounts, by Kubernetes' own rules.
type Tokens struct {
	o         TokenOptions
	audiences authenticator.Audiences
	generator serviceaccount.TokenGenerator
	keys      serviceaccount.PublicKeysGetter
	documents serviceaccount.OpenIDMetadataProvider // nil where the issuer is no URL that could be looked up
	plain     bool                                  // Server is plain HTTP
}

// NewTokens returns Tokens. No issuers are DefaultIssuer, and no audiences the issuers, as in kube-apiserver.
func NewTokens(o TokenOptions) (*Tokens, error) {
	if len(o.Issuers) == 0 {
		o.Issuers = []string{DefaultIssuer}
	}
	t := &Tokens{o: o, audiences: o.Audiences}
	if len(t.audiences) == 0 {
		t.audiences = o.Issuers
	}
	var err error
	if t.generator, err = serviceaccount.JWTTokenGenerator(o.Issuers[0], o.SigningKey); err != nil {
		return nil, err
	}
	if t.keys, err = serviceaccount.StaticPublicKeysGetter(o.Keys); err != nil {
		return nil, err
	}
	server, err := url.Parse(o.Server)
	if err != nil {
		return nil, err
	}
	t.plain = server.Scheme == "http" && o.KeySetURI == ""
	// It refuses issuers that are good for tokens; kube-apiserver goes on without the documents then.
	t.documents, _ = serviceaccount.NewOpenIDMetadataProvider(o.Issuers[0], o.KeySetURI, server.Host, t.keys)
	return t, nil
}

// authenticators know tokens of the old kind, which are kept in Secrets and never end, and those of the new.
func (t *Tokens) authenticators() ([]authenticator.Token, error) {
	bound := serviceaccount.JWTTokenAuthenticator(t.o.Issuers, t.keys, t.audiences, serviceaccount.NewValidator(t.o.Objects))
	if t.o.Secrets == nil {
		return []authenticator.Token{bound}, nil
	}
	validator, err := serviceaccount.NewLegacyValidator(true, t.o.Objects, t.o.Secrets)
	if err != nil {
		return nil, err
	}
	legacy := serviceaccount.JWTTokenAuthenticator([]string{serviceaccount.LegacyIssuer}, t.keys, t.audiences, validator)
	return []authenticator.Token{legacy, bound}, nil
}

// Check completes a request for a token, and refuses an invalid one.
func (t *Tokens) Check(request *authenticationv1.TokenRequest) error {
	if len(request.Spec.Audiences) == 0 {
		request.Spec.Audiences = slices.Clone(t.audiences)
	}
	request.Status = authenticationv1.TokenRequestStatus{}
	internal := &authentication.TokenRequest{}
	if err := conversions.Convert_v1_TokenRequest_To_authentication_TokenRequest(request.DeepCopy(), internal, nil); err != nil {
		return err
	}
	if errs := validation.ValidateTokenRequest(internal); len(errs) > 0 {
		return apierrors.NewInvalid(authenticationv1.SchemeGroupVersion.WithKind("TokenRequest").GroupKind(), "", errs)
	}
	return nil
}

// Shorten limits a request to MaxExpiration, and returns the warning for the client; "" for none.
func (t *Tokens) Shorten(request *authenticationv1.TokenRequest) (warning string) {
	most, asked := int64(t.o.MaxExpiration.Seconds()), *request.Spec.ExpirationSeconds
	if most <= 0 || asked <= most {
		return ""
	}
	request.Spec.ExpirationSeconds = &most
	return fmt.Sprintf("requested expiration of %d seconds shortened to %d seconds", asked, most)
}

// Bound are the objects that a token is bound to. Only Account is always there; a Pod may have a Node, which may lack a
// UID.
type Bound struct {
	Account, Pod, Secret, Node metav1.Object
}

// Sign writes the token into the status of a request that was checked.
func (t *Tokens) Sign(ctx context.Context, request *authenticationv1.TokenRequest, b Bound, now time.Time) error {
	asked := *request.Spec.ExpirationSeconds
	lifetime, warnAfter := asked, int64(0)
	if !t.o.Exact && b.Pod != nil && asked == serviceaccount.WarnOnlyBoundTokenExpirationSeconds && t.isMine(request.Spec.Audiences) {
		lifetime, warnAfter = serviceaccount.ExpirationExtensionSeconds, asked
	}
	public, private, err := serviceaccount.Claims(core.ServiceAccount{ObjectMeta: reference(b.Account)}, b.pod(), b.secret(), b.node(), nil, nil,
		lifetime, warnAfter, request.Spec.Audiences, nil)
	if err != nil {
		return err
	}
	token, err := t.generator.GenerateToken(ctx, public, private)
	if err != nil {
		return apierrors.NewInternalError(fmt.Errorf("failed to generate token: %w", err))
	}
	audit.AddAuditAnnotation(ctx, credentials.IssuedCredentialIDAuditAnnotationKey, authenticationtokenjwt.CredentialIDForJTI(public.ID))
	request.Status.Token = token
	request.Status.ExpirationTimestamp = metav1.NewTime(now.Add(time.Duration(asked) * time.Second))
	return nil
}

// isMine reports whether all audiences are this server's.
func (t *Tokens) isMine(audiences []string) bool {
	return !slices.ContainsFunc(audiences, func(a string) bool { return !t.audiences.Has(a) })
}

// reference is what a token says of an object.
func reference(m metav1.Object) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: m.GetNamespace(), Name: m.GetName(), UID: m.GetUID()}
}

func (b Bound) pod() *core.Pod {
	if b.Pod == nil {
		return nil
	}
	return &core.Pod{ObjectMeta: reference(b.Pod)}
}

func (b Bound) secret() *core.Secret {
	if b.Secret == nil {
		return nil
	}
	return &core.Secret{ObjectMeta: reference(b.Secret)}
}

func (b Bound) node() *core.Node {
	if b.Node == nil {
		return nil
	}
	return &core.Node{ObjectMeta: reference(b.Node)}
}

// A Document is one of those by which others check tokens (OpenID Connect Discovery 1.0).
type Document struct {
	JSON   []byte
	MaxAge int // seconds that clients may keep it
}

// errNoDocuments says that the issuer cannot be looked up.
var errNoDocuments = errors.New("the issuer of tokens is no https URL")

// Configuration is the document of /.well-known/openid-configuration, which says where the keys are. It is an error
// where kube-apiserver has no such document.
func (t *Tokens) Configuration() (Document, error) {
	if t.documents == nil {
		return Document{}, errNoDocuments
	}
	text, age := t.documents.GetConfigJSON()
	if t.plain { // the official text knows https alone, which does not answer here
		text = bytes.Replace(text, []byte(`"jwks_uri":"https://`), []byte(`"jwks_uri":"http://`), 1)
	}
	return Document{text, age}, nil
}

// KeySet is the document of /openid/v1/jwks: the keys themselves. It is an error where Configuration is one.
func (t *Tokens) KeySet() (Document, error) {
	if t.documents == nil {
		return Document{}, errNoDocuments
	}
	text, age := t.documents.GetKeysetJSON()
	return Document{text, age}, nil
}
