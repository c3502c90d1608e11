package server

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"

	"kubarium/server/answer"
	"kubarium/server/audit"
	"kubarium/server/authn"
	"kubarium/server/authz"
	"kubarium/server/registry"
)

// authenticate finds who asks, and goes on with the request without its credentials; the flow has it as it was sent.
func (s *Server) authenticate(q *Request, out *answer.Response) error {
	q.Flow.Enter("authenticate")
	who, err := s.identify(q, out)
	q.who = who
	q.Flow.Identify(identity(who, q.Flow.Flow.RequestHeader, err))
	q.Flow.Leave(asker(who, err), err)
	if who.Requestor != nil {
		q.Flow.Flow.Client.User = who.Requestor.GetName()
	}
	// An anonymous client gets one request of a connection that could carry hundreds.
	if q.ProtoMajor == 2 && (who.Requestor == nil || authn.IsAnonymous(who.Requestor)) {
		out.Header().Set("Connection", "close")
	}
	if err == nil && who.Impersonated() {
		q.Flow.Flow.Client.User, q.Flow.Flow.Client.Impersonator = who.User.GetName(), who.Requestor.GetName()
	}
	return err
}

// identify finds whose credentials the request has, opens the audit event, and finds as whom the request goes on.
func (s *Server) identify(q *Request, out *answer.Response) (authn.Identity, error) {
	who, r, err := s.o.Authn.Authenticate(q.Request)
	q.Request = r
	before := q.who.Requestor // of a request that begins again
	switch {
	case err != nil && before != nil:
		return authn.Identity{}, cmp.Or(s.auditAgain(q, out, before), err)
	case err != nil:
		return authn.Identity{}, cmp.Or(s.auditRefused(q, out, audit.Attempted(r)), err)
	case before != nil:
		err = s.auditAgain(q, out, who.Requestor)
	default:
		err = s.audit(q, out, who.Requestor)
	}
	if err != nil {
		return who, err
	}
	who, r, err = s.o.Authn.Impersonate(r, &q.Route, who)
	q.Request = r
	if err != nil {
		noSniff(out)
	}
	return who, err
}

// noSniff keeps browsers from guessing the type of a refusal, as kube-apiserver does for those of its guards.
func noSniff(out *answer.Response) { out.Header().Set("X-Content-Type-Options", "nosniff") }

// authorizer says who may do what.
func (s *Server) authorizer() *authz.Authorizer { return s.o.Registry.Authorizer.OrAlwaysAllow() }

// ownAuthn is the authentication of a server that is given none.
func ownAuthn(r *registry.Registry) *authn.Station {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(fmt.Sprintf("the system has no random numbers: %v", err))
	}
	tokens, err := authn.NewTokens(authn.TokenOptions{
		SigningKey: key, Keys: []any{key}, Objects: registry.TokenObjects{Registry: r}, Server: "http://localhost",
	})
	if err != nil {
		panic(fmt.Sprintf("a new key does not sign: %v", err))
	}
	o := authn.Options{Tokens: tokens, Anonymous: true}
	if r.Cache != nil {
		o.Restored = func() int64 { return int64(r.Cache.Restored()) }
	}
	station, err := authn.New(o)
	if err != nil {
		panic(fmt.Sprintf("authenticate by a new key: %v", err))
	}
	return station
}
