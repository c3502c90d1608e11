package server

import (
	"cmp"
	"errors"
	"net/http"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apiserver/pkg/authentication/user"

	"kubarium/flow"
	"kubarium/server/authn"
)

// identity is who asks, as the flow has it; err is why the request is refused. asked are the headers of the request
// as it came.
func identity(who authn.Identity, asked http.Header, err error) *flow.Identity {
	switch {
	case who.Requestor == nil:
		return &flow.Identity{Failure: failure(err)}
	case who.Requestor == authn.Admin && who.User == authn.Admin && who.By == flow.ByPlainPort:
		return administrator
	}
	requestor := described(who.Requestor, who.By)
	switch {
	case err == nil && who.Impersonated():
		acting := described(who.User, flow.ByImpersonation)
		acting.Impersonator = requestor
		return acting
	case err != nil && asked.Get(authenticationv1.ImpersonateUserHeader) != "":
		return &flow.Identity{By: flow.ByImpersonation, User: asked.Get(authenticationv1.ImpersonateUserHeader), Impersonator: requestor, Failure: failure(err)}
	}
	requestor.Failure = failure(err)
	return requestor
}

// administrator is the user of requests without credentials on the plain port: of nearly all, so that they share one
// record.
var administrator = described(authn.Admin, flow.ByPlainPort)

func described(u user.Info, by string) *flow.Identity {
	i := &flow.Identity{By: by, User: u.GetName(), UID: u.GetUID(), Groups: u.GetGroups(), Extra: u.GetExtra()}
	if ids := i.Extra[user.CredentialIDKey]; len(ids) > 0 {
		i.Credential = ids[0]
	}
	return i
}

// failure is why credentials were refused. Clients do not get the reason of a 401.
func failure(err error) string {
	if err == nil {
		return ""
	}
	return cmp.Or(reason(err), err.Error())
}

// asker is who asks, for the station's note: "" for the administrator of the plain port; the reason of a 401, which
// clients do not get.
func asker(who authn.Identity, err error) string {
	if err != nil {
		return reason(err)
	}
	switch {
	case who.User == authn.Admin:
		return ""
	case who.Impersonated():
		return who.User.GetName() + ", impersonated by " + who.Requestor.GetName()
	}
	return who.User.GetName()
}

// reason is that of a 401, "" for any other error.
func reason(err error) string {
	if u := (*authn.Unauthorized)(nil); errors.As(err, &u) {
		return u.Reason.Error()
	}
	return ""
}
