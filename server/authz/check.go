package authz

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/apiserver/pkg/endpoints/request"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"

	"kubarium/flow"
	"kubarium/server/audit"
)

// CheckRequest is the station "authorize" of the line: it returns nil if u may send the request, else the 403 in
// kube-apiserver's words. It looks at the request line alone, reads no body, and comes before the path is looked up: a
// user who may not ask for a path does not learn whether it exists. The flow in the request's context notes the reason;
// RBAC's names the binding, the role and the subject that allowed.
//
// With AlwaysAllow alone it costs nothing. A dry run is authorized as the real thing.
func (a *Authorizer) CheckRequest(ctx context.Context, asked Target, u user.Info) error {
	if a.always {
		return a.check(ctx, nil)
	}
	if who := (someone{who: u}); a.mayAll(ctx, who) {
		return a.check(ctx, who)
	}
	attrs, err := Attributes(ctx, asked, u)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	return a.check(ctx, attrs)
}

// Attributes are what an authorizer is asked about a request: verb, group, version, resource, subresource, namespace and name,
// or the path of one that is for no resource; and the selectors of list, watch and deletecollection.
func Attributes(ctx context.Context, asked Target, u user.Info) (authorizer.Attributes, error) {
	return filters.GetAuthorizerAttributes(request.WithUser(request.WithRequestInfo(ctx, asked.Info()), u))
}

// A Target is what a request asks for.
type Target interface{ Info() *request.RequestInfo }

// mayAll reports whether a user may do everything: the first authorizer says so, which looks at the user alone.
func (a *Authorizer) mayAll(ctx context.Context, who someone) bool {
	decision, _, err := a.masters.Authorize(ctx, who)
	return decision == authorizer.DecisionAllow && err == nil
}

// someone are attributes of a request that name the user alone, which only the first authorizer may be asked about.
type someone struct {
	authorizer.Attributes
	who user.Info
}

func (s someone) GetUser() user.Info { return s.who }

// check is the station: the first question of a request, or a further one.
func (a *Authorizer) check(ctx context.Context, attrs authorizer.Attributes) error {
	return a.station(ctx, attrs, func(reason string, err error) error {
		if err != nil {
			return apierrors.NewInternalError(err)
		}
		return responsewriters.ForbiddenStatusError(attrs, reason)
	})
}

// station asks, and notes the answer on the flow. refuse makes the error of a no, or of an authorizer's failure; an authorizer
// may also fail and allow.
func (a *Authorizer) station(ctx context.Context, attrs authorizer.Attributes, refuse func(reason string, err error) error) error {
	f := flow.From(ctx)
	f.Enter("authorize")
	_, again := attrs.(further)
	if a.always {
		if !again {
			audit.Decided(ctx, true, "")
		}
		f.Leave(asked(ModeAlwaysAllow, attrs), nil)
		return nil
	}
	decision, reason, err := a.Authorize(ctx, attrs)
	if !again {
		note(ctx, decision, reason, err)
	}
	if decision == authorizer.DecisionAllow {
		f.Leave(asked(allowed(attrs, reason), attrs), nil)
		return nil
	}
	err = refuse(reason, err)
	f.Leave(reason, err)
	return err
}

// note writes the decision about a request into the audit log.
func note(ctx context.Context, d authorizer.Decision, reason string, err error) {
	if d != authorizer.DecisionAllow && err != nil {
		audit.Undecided(ctx)
		return
	}
	audit.Decided(ctx, d == authorizer.DecisionAllow, reason)
}

// asked adds to a note which verb a further question was about.
func asked(note string, attrs authorizer.Attributes) string {
	if q, ok := attrs.(further); ok {
		return note + ", verb " + q.verb
	}
	return note
}

// allowed is what the flow notes of a yes. An authorizer that says yes to everybody, or to everybody of a group, gives no
// reason.
func allowed(attrs authorizer.Attributes, reason string) string {
	switch {
	case reason != "":
		return reason
	case attrs.GetUser() != nil && slices.Contains(attrs.GetUser().GetGroups(), user.SystemPrivilegedGroup):
		return "group " + user.SystemPrivilegedGroup
	}
	return ModeAlwaysAllow
}

// CheckCreate asks whether an update or a patch of what is not there may create it: who updates needs the verb create, too.
// kube-apiserver asks between validation and validating admission. first are the attributes of the update; its verb is not
// looked at.
func (a *Authorizer) CheckCreate(ctx context.Context, first authorizer.Attributes) error {
	return a.check(ctx, further{first, "create", flow.ForCreate})
}

// UnsafeDelete is the verb that a deletion with ignoreStoreReadErrorWithClusterBreakingPotential needs besides delete.
const UnsafeDelete = "unsafe-delete-ignore-read-errors"

// CheckUnsafeDelete asks for that verb, once the options have been found valid. first are the attributes of the deletion.
func (a *Authorizer) CheckUnsafeDelete(ctx context.Context, first authorizer.Attributes) error {
	forbidden := func(err error) error {
		return apierrors.NewForbidden(resource(first), first.GetName(), err)
	}
	if !first.IsResourceRequest() || first.GetSubresource() != "" {
		return forbidden(errors.New("ignoreStoreReadErrorWithClusterBreakingPotential delete option is not allowed on a subresource or non-resource request"))
	}
	return a.station(ctx, further{first, UnsafeDelete, flow.ForUnsafeDelete}, func(reason string, err error) error {
		if err != nil {
			return forbidden(fmt.Errorf("error while checking permission for %q, %w", UnsafeDelete, err))
		}
		return forbidden(fmt.Errorf("not permitted to do %q, reason: %s", UnsafeDelete, reason))
	})
}

// CheckConnect asks whether exec, attach or portforward may be opened on a pod: whatever method opens it, and a WebSocket comes
// with GET, needs the verb create, unless a feature gate says otherwise. kube-apiserver asks before it looks for the pod.
func (a *Authorizer) CheckConnect(ctx context.Context, first authorizer.Attributes) error {
	if first.GetVerb() == "create" || !utilfeature.DefaultFeatureGate.Enabled(features.AuthorizePodWebsocketUpgradeCreatePermission) {
		return nil // the first question was that, or is enough
	}
	return a.station(ctx, further{first, "create", flow.ForConnect}, func(reason string, err error) error {
		if err != nil {
			return err
		}
		return apierrors.NewForbidden(resource(first), first.GetName(), errors.New(reason))
	})
}

// A further question of a request is its first with another verb.
type further struct {
	authorizer.Attributes
	verb    string
	purpose string // why it is asked
}

func (q further) GetVerb() string { return q.verb }

func (q further) IsReadOnly() bool { return false }

func resource(a authorizer.Attributes) schema.GroupResource {
	return schema.GroupResource{Group: a.GetAPIGroup(), Resource: a.GetResource()}
}
