package authn

import (
	"context"
	"net/http"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
)

// A proof is where the authenticator that knows a request's sender leaves its name.
type proof struct{ by string }

type proofKey struct{}

// proved notes who said it. Somebody who was asked on the side, such as for a TokenReview, has no place for it.
func proved(ctx context.Context, by string) {
	if p, _ := ctx.Value(proofKey{}).(*proof); p != nil {
		p.by = by
	}
}

// saidBy is an authenticator of requests that notes that it was the one.
type saidBy struct {
	authenticator.Request
	by func(user.Info) string
}

// AuthenticateRequest fulfils authenticator.Request.
func (s saidBy) AuthenticateRequest(r *http.Request) (*authenticator.Response, bool, error) {
	resp, ok, err := s.Request.AuthenticateRequest(r)
	if ok && err == nil {
		proved(r.Context(), s.by(resp.User))
	}
	return resp, ok, err
}

// signedToken is an authenticator of tokens that puts its name on its answers: these are remembered, and then given
// without it.
type signedToken struct {
	authenticator.Token
	by string
}

// signed is a user with the name of who knows them.
type signed struct {
	user.Info
	by string
}

// AuthenticateToken fulfils authenticator.Token.
func (s signedToken) AuthenticateToken(ctx context.Context, token string) (*authenticator.Response, bool, error) {
	resp, ok, err := s.Token.AuthenticateToken(ctx, token)
	if ok && err == nil {
		resp = &authenticator.Response{Audiences: resp.Audiences, User: signed{resp.User, s.by}}
	}
	return resp, ok, err
}

// unsigned is the answer as it was given, and notes who gave it.
func unsigned(ctx context.Context, resp *authenticator.Response) *authenticator.Response {
	if resp == nil {
		return nil
	}
	u, ok := resp.User.(signed)
	if !ok {
		return resp
	}
	proved(ctx, u.by)
	return &authenticator.Response{Audiences: resp.Audiences, User: u.Info}
}
