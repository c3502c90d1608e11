package authn

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/apiserver/pkg/authentication/request/union"
	"k8s.io/apiserver/pkg/authentication/request/websocket"
	"k8s.io/apiserver/pkg/authentication/request/x509"
	tokencache "k8s.io/apiserver/pkg/authentication/token/cache"
	"k8s.io/apiserver/pkg/authentication/token/tokenfile"
	tokenunion "k8s.io/apiserver/pkg/authentication/token/union"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"

	"kubarium/flow"
)

// Options say which credentials are valid.
type Options struct {
	// Tokens are those of ServiceAccounts. It must not be nil.
	Tokens *Tokens
	// ClientCA verifies client certificates; nil means that client certificates are ignored.
	ClientCA dynamiccertificates.CAContentProvider
	// RequestHeaders say which front proxies are believed; nil believes none.
	RequestHeaders *RequestHeaders
	// StaticTokens is what ReadTokenFile returned; nil means that there is no such file.
	StaticTokens authenticator.Token
	// Loopback is a token with which Kubarium's own loops ask where there is no plain port; "" means that there is
	// none.
	Loopback string
	// Admin is a token that replaces the plain port where there is none: a request with it is Admin's. "" means that
	// there is none.
	Admin string
	// Anonymous lets requests without credentials in on HTTPS, as system:anonymous.
	Anonymous bool
	// Authorizer says who may impersonate whom; nil means that all users may.
	Authorizer authorizer.Authorizer
	// Remember is how long a valid token is not checked again. 0 means 10 s, as in kube-apiserver.
	Remember time.Duration
	// Restored, if set, returns the revision of the last restore of all objects: decisions from before it are
	// forgotten.
	Restored func() int64
}

// remembered is kube-apiserver's own time for valid tokens; invalid ones are checked each time.
const remembered = 10 * time.Second

// A Station says who sends each request. It is safe for concurrent use.
type Station struct {
	credentials authenticator.Request // everything but anonymous
	anonymous   authenticator.Request // nil if there is none
	audiences   authenticator.Audiences
	impersonate *impersonator
	reviews     reviews
	tokens      *Tokens
	headers     []*RequestHeaders // removed from every request
}

// Tokens are those of ServiceAccounts.
func (s *Station) Tokens() *Tokens { return s.tokens }

// New returns a Station.
func New(o Options) (*Station, error) {
	if o.Remember == 0 {
		o.Remember = remembered
	}
	if o.Authorizer == nil {
		o.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	}
	tokens, err := o.tokens()
	if err != nil {
		return nil, err
	}
	s := &Station{tokens: o.Tokens, audiences: o.Tokens.audiences, impersonate: newImpersonator(o.Authorizer, o.Restored)}
	var requests []authenticator.Request
	s.headers = []*RequestHeaders{standardHeaders}
	if o.RequestHeaders != nil {
		requests = append(requests, saidBy{o.RequestHeaders.authenticator(), func(user.Info) string { return flow.ByFrontProxy }})
		s.headers = append(s.headers, o.RequestHeaders)
	}
	if o.ClientCA != nil {
		certificates := x509.NewDynamic(o.ClientCA.VerifyOptions, x509.CommonNameUserConversion)
		requests = append(requests, saidBy{certificates, func(user.Info) string { return flow.ByCertificate }})
	}
	requests = append(requests, bearertoken.New(tokens), websocket.NewProtocolAuthenticator(tokens))
	proved := group.NewAuthenticatedGroupAdder(union.New(requests...))
	everybody := proved
	if o.Anonymous {
		s.anonymous = anonymous.NewAuthenticator(nil)
		everybody = union.NewFailOnError(proved, s.anonymous)
	}
	own := o.own()
	s.credentials = union.New(own, proved)
	s.reviews = newReviews(union.New(own, everybody), s.audiences)
	return s, nil
}

// tokens are the authenticators of tokens, in kube-apiserver's order.
func (o Options) tokens() (authenticator.Token, error) {
	var all []authenticator.Token
	if o.StaticTokens != nil {
		all = append(all, signedToken{authenticator.WrapAudienceAgnosticToken(o.Tokens.audiences, o.StaticTokens), flow.ByStaticToken})
	}
	accounts, err := o.Tokens.authenticators()
	if err != nil {
		return nil, err
	}
	for _, a := range accounts {
		all = append(all, signedToken{a, flow.ByServiceAccount})
	}
	proved := tokenunion.New(all...)
	remember := func() authenticator.Token { return tokencache.New(proved, true, o.Remember, 0) }
	return &remembering{afresh[authenticator.Token]{build: remember, restored: o.Restored}}, nil
}

// remembering is an authenticator that remembers valid tokens for a while.
type remembering struct{ afresh[authenticator.Token] }

// AuthenticateToken fulfils authenticator.Token.
func (r *remembering) AuthenticateToken(ctx context.Context, token string) (*authenticator.Response, bool, error) {
	resp, ok, err := r.get().AuthenticateToken(ctx, token)
	return unsigned(ctx, resp), ok, err
}

// own is the authenticator of the token with which Kubarium asks itself, with the identity that kube-apiserver has with
// itself, and of Admin's. It comes before all others, as there; the errors show that.
func (o Options) own() authenticator.Request {
	known := map[string]*user.DefaultInfo{
		cmp.Or(o.Loopback, rand.Text()): {Name: user.APIServerUser, Groups: []string{user.AllAuthenticated, user.SystemPrivilegedGroup}},
	}
	if o.Admin != "" {
		known[o.Admin] = admin
	}
	return saidBy{bearertoken.New(authenticator.WrapAudienceAgnosticToken(o.Tokens.audiences, tokenfile.New(known))), func(u user.Info) string {
		if u.GetName() == user.APIServerUser {
			return flow.ByOwnToken
		}
		return flow.ByAdminToken
	}}
}

// ReadTokenFile reads a file for --token-auth-file: lines of token, user name, uid and, if there are any, groups.
func ReadTokenFile(path string) (authenticator.Token, error) { return tokenfile.NewCSV(path) }

// An Identity is the user of a request.
type Identity struct {
	// User is the user who acts, and whose rights decide.
	User user.Info
	// Requestor is the authenticated user: User itself, or the one who impersonates it.
	Requestor user.Info
	// By is the authenticator of Requestor, by one of flow's names.
	By string
}

// Impersonated reports whether User is not the authenticated user.
func (i Identity) Impersonated() bool { return i.User != i.Requestor }

// Info is User in the form of API objects.
func (i Identity) Info() authenticationv1.UserInfo { return info(i.User) }

func info(u user.Info) authenticationv1.UserInfo {
	told := authenticationv1.UserInfo{Username: u.GetName(), UID: u.GetUID(), Groups: u.GetGroups()}
	for key, values := range u.GetExtra() {
		if told.Extra == nil {
			told.Extra = map[string]authenticationv1.ExtraValue{}
		}
		told.Extra[key] = values
	}
	return told
}

// Admin is the user of requests without credentials on the plain port of the loopback interface.
var Admin user.Info = admin

var admin = &user.DefaultInfo{Name: "system:admin", Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}}

// Authenticate returns the authenticated user. The line calls it once for each request, after refusing what must not
// reach the API at all, and goes on with the request that it returns, which lacks the headers with credentials. The
// given request is not changed, so that a flow can keep its headers.
//
// A request without credentials is Admin's on the plain port, which only listens on the loopback interface, and anonymous
// on HTTPS. The Identity has its Requestor and By. The error is an *Unauthorized (401).
func (s *Station) Authenticate(r *http.Request) (Identity, *http.Request, error) {
	if r.TLS == nil && !hasCredentials(r.Header) {
		if s.named(r.Header) {
			r = r.Clone(r.Context())
			s.clear(r.Header)
		}
		return Identity{Requestor: Admin, By: flow.ByPlainPort}, r, nil
	}
	var p proof
	asked := r.Clone(context.WithValue(authenticator.WithAudiences(r.Context(), s.audiences), proofKey{}, &p))
	requestor, err := s.authenticate(asked)
	if err != nil {
		return Identity{}, r, err
	}
	return Identity{Requestor: requestor, By: p.by}, asked.WithContext(r.Context()), nil
}

// A Target is what a request asks for.
type Target interface{ Info() *request.RequestInfo }

// Impersonate returns the user as whom a request for a target goes on: its requestor, or the user that its headers
// name. The line goes on with the request that it returns, which lacks those headers. The error is an
// apierrors.APIStatus of official impersonation (400, 403, 500), and then Identity.User is nil.
func (s *Station) Impersonate(r *http.Request, target Target, who Identity) (Identity, *http.Request, error) {
	if !impersonates(r.Header) {
		who.User = who.Requestor
		return who, r, nil
	}
	asked := r.Clone(r.Context())
	acting, err := s.impersonate.ask(asked, target.Info(), who.Requestor)
	if err != nil {
		return who, r, err
	}
	who.User = acting
	return who, asked, nil
}

// authenticate finds the user of a request's credentials, and removes these from the request.
func (s *Station) authenticate(r *http.Request) (user.Info, error) {
	resp, ok, err := s.credentials.AuthenticateRequest(r)
	if !ok && err == nil {
		switch {
		case r.TLS == nil:
			s.clear(r.Header)
			proved(r.Context(), flow.ByPlainPort)
			return Admin, nil
		case s.anonymous == nil:
			return nil, &Unauthorized{errNone}
		}
		resp, ok, err = s.anonymous.AuthenticateRequest(r)
		proved(r.Context(), flow.ByAnonymous)
	}
	if err == nil && (!ok || !acceptable(s.audiences, resp.Audiences)) {
		err = errAudience
	}
	if err != nil {
		return nil, &Unauthorized{err}
	}
	r.Header.Del("Authorization")
	s.clear(r.Header)
	return resp.User, nil
}

// named reports whether a header has what a front proxy would say.
func (s *Station) named(in http.Header) bool {
	return slices.ContainsFunc(s.headers, func(h *RequestHeaders) bool { return h.named(in) })
}

// clear removes these from it.
func (s *Station) clear(in http.Header) {
	for _, h := range s.headers {
		h.clear(in)
	}
}

// acceptable reports whether the credentials are meant for this server. Authenticators without audiences name none.
func acceptable(mine, proved authenticator.Audiences) bool {
	return len(mine) == 0 || len(proved) == 0 || len(mine.Intersect(proved)) > 0
}

// hasCredentials reports whether a header may say who asks.
func hasCredentials(h http.Header) bool {
	return h["Authorization"] != nil || h["Sec-Websocket-Protocol"] != nil
}

// IsAnonymous reports whether a user is anonymous. kube-apiserver lets such a client make one request on an HTTP/2
// connection.
func IsAnonymous(u user.Info) bool {
	if u.GetName() == user.Anonymous {
		return true
	}
	for _, g := range u.GetGroups() {
		if g == user.AllUnauthenticated {
			return true
		}
	}
	return false
}
