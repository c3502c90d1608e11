package authz

import (
	"context"
	"strings"

	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"kubarium/flow"
)

// Authorize fulfils authorizer.Authorizer. The flow in ctx notes the question and who decided it, whether the line
// asks, an impersonation, a plugin or an expression of a policy.
func (a *Authorizer) Authorize(ctx context.Context, attrs authorizer.Attributes) (authorizer.Decision, string, error) {
	f := flow.From(ctx)
	if f == nil || a.always {
		return a.Authorizer.Authorize(ctx, attrs)
	}
	w := &witness{}
	d, reason, err := a.Authorizer.Authorize(context.WithValue(ctx, witnessKey{}, w), attrs)
	q := question(f, attrs)
	q.By, q.Reason, q.Grant = w.by, reason, w.grant
	switch d {
	case authorizer.DecisionAllow:
		q.Decision = flow.Allowed
	case authorizer.DecisionDeny:
		q.Decision = flow.Denied
	default:
		q.Decision = flow.NoOpinion
	}
	if q.Decision != flow.Allowed {
		q.Looked, q.More = w.looked(ctx, attrs)
	}
	if err != nil {
		q.Error = err.Error()
	}
	f.Asked(q)
	return d, reason, err
}

// A witness sees which authorizer decides a question, and what RBAC looks at.
type witness struct {
	by    string
	roles *lookup
	grant *flow.Grant
}

type witnessKey struct{}

func witnessOf(ctx context.Context) *witness {
	w, _ := ctx.Value(witnessKey{}).(*witness)
	return w
}

// named is an authorizer of the chain that leaves its name where it decides.
type named struct {
	authorizer.Authorizer
	name string
}

// Authorize fulfils authorizer.Authorizer.
func (n named) Authorize(ctx context.Context, attrs authorizer.Attributes) (authorizer.Decision, string, error) {
	d, reason, err := n.Authorizer.Authorize(ctx, attrs)
	if d != authorizer.DecisionNoOpinion {
		if w := witnessOf(ctx); w != nil {
			w.by = n.name
		}
	}
	return d, reason, err
}

// question is the question in the flow's form.
func question(f *flow.Recorder, attrs authorizer.Attributes) flow.Right {
	if _, ok := attrs.(someone); ok { // who may do everything was not asked what
		t := &f.Flow.Target
		q := flow.Right{Verb: t.Verb, Group: t.Group, Resource: t.Resource, Subresource: t.Subresource, Namespace: t.Namespace, Name: t.Name}
		if t.Resource == "" {
			q.Path = f.Flow.Path
		}
		return q
	}
	q := flow.Right{For: purpose(f, attrs), Verb: attrs.GetVerb()}
	if u := attrs.GetUser(); u != nil && (f.Flow.Identity == nil || u.GetName() != f.Flow.Identity.User) {
		q.User = u.GetName()
	}
	if !attrs.IsResourceRequest() {
		q.Path = attrs.GetPath()
		return q
	}
	q.Group, q.Resource, q.Subresource = attrs.GetAPIGroup(), attrs.GetResource(), attrs.GetSubresource()
	q.Namespace, q.Name = attrs.GetNamespace(), attrs.GetName()
	return q
}

// purpose is why a question was asked; the station that asks it shows that.
func purpose(f *flow.Recorder, attrs authorizer.Attributes) string {
	verb := attrs.GetVerb()
	if q, ok := attrs.(further); ok {
		return q.purpose
	}
	switch station := f.Station(); {
	case strings.HasPrefix(verb, "impersonate"), station == "authenticate":
		return flow.ForImpersonation
	case station == "authorize":
		return ""
	case verb == "escalate", verb == "bind":
		return flow.ForEscalation
	case station == flow.Mutate, station == flow.Admit:
		return flow.ForAdmission
	}
	return flow.ForReview
}

// mastersName is the name of the first authorizer in flows.
const mastersName = user.SystemPrivilegedGroup
