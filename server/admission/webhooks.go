package admission

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/webhook"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/generic"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	webhookrequest "k8s.io/apiserver/pkg/admission/plugin/webhook/request"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	webhooks "k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/informers"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/server/calls"
)

// recorded notes the calls to webhooks on the flow of their request, and bounds their answers.
func recorded(way calls.Way) webhooks.AuthenticationInfoResolverWrapper {
	return func(next webhooks.AuthenticationInfoResolver) webhooks.AuthenticationInfoResolver {
		return way.Through(next, func(next http.RoundTripper) http.RoundTripper {
			return flow.WebhookTransport(calls.Whole{Next: next, Check: boundPatch})
		})
	}
}

// boundPatch refuses a patch that has more parts than a client's may have. It is in the answer in base64.
func boundPatch(answer []byte) error {
	if len(answer) < codecs.MaxContainers {
		return nil
	}
	var review struct {
		Response struct {
			Patch []byte `json:"patch"`
		} `json:"response"`
	}
	if json.Unmarshal(answer, &review) != nil {
		return nil // the client reports the error
	}
	if err := codecs.JSON.Bound(review.Response.Patch, nil); err != nil {
		return fmt.Errorf("the patch in the answer: %w", err)
	}
	return nil
}

// hooks are the webhooks that are configured, of one of the two plugins.
type hooks func() []webhook.WebhookAccessor

func hooksOf(plugin string, f informers.SharedInformerFactory) hooks {
	all := f.Admissionregistration().V1()
	switch plugin {
	case mutating.PluginName:
		lister := all.MutatingWebhookConfigurations().Lister()
		return func() (found []webhook.WebhookAccessor) {
			configurations, _ := lister.List(labels.Everything())
			for _, c := range configurations {
				for i := range c.Webhooks {
					found = append(found, webhook.NewMutatingWebhookAccessor(c.Name+"/"+c.Webhooks[i].Name, c.Name, &c.Webhooks[i]))
				}
			}
			return found
		}
	case validating.PluginName:
		lister := all.ValidatingWebhookConfigurations().Lister()
		return func() (found []webhook.WebhookAccessor) {
			configurations, _ := lister.List(labels.Everything())
			for _, c := range configurations {
				for i := range c.Webhooks {
					found = append(found, webhook.NewValidatingWebhookAccessor(c.Name+"/"+c.Webhooks[i].Name, c.Name, &c.Webhooks[i]))
				}
			}
			return found
		}
	}
	return nil
}

// ignores reports whether the failure of a webhook is ignored.
func (h hooks) ignores(name, by string) bool {
	all := h()
	i := slices.IndexFunc(all, func(w webhook.WebhookAccessor) bool { return w.GetName() == name && w.GetConfigurationName() == by })
	if i < 0 {
		return false
	}
	policy := (*admissionregistrationv1.FailurePolicyType)(nil)
	if m, ok := all[i].GetMutatingWebhook(); ok {
		policy = m.FailurePolicy
	} else if v, ok := all[i].GetValidatingWebhook(); ok {
		policy = v.FailurePolicy
	}
	return policy != nil && *policy == admissionregistrationv1.Ignore
}

// answers are the answers of the webhooks that were asked.
func (p *parts) answers() (all []flow.Opinion) {
	calls := p.flow.Calls()
	for _, q := range p.webhooks {
		o := flow.Opinion{Kind: flow.WebhookPart, Name: q.name, By: q.by, Length: q.length}
		for i := p.calls; i < len(calls); i++ { // the last one, as a call may be made again
			if calls[i].Kind == flow.WebhookCall && calls[i].Name == q.name && calls[i].By == q.by {
				o.Call = i + 1
			}
		}
		err := errors.New("it could not be called")
		if o.Call > 0 {
			err = p.read(&o, q, calls[o.Call-1].Flow)
		}
		if err != nil {
			o.Said, o.Message = flow.SaidFailed, err.Error()
			if p.of.hooks.ignores(q.name, q.by) {
				o.Said = flow.SaidIgnored
			}
		}
		all = append(all, o)
	}
	return all
}

// read reads what a webhook answered.
func (p *parts) read(o *flow.Opinion, q *asked, call *flow.Flow) error {
	switch {
	case call.Message != "":
		return errors.New(call.Message)
	case call.Status/100 != 2:
		return fmt.Errorf("it answered %d", call.Status)
	case call.ResponseBody.Cut:
		o.Said = flow.SaidAllowed
		o.Message = "the answer is too long to show here"
		return nil
	}
	review, err := review(call.ResponseBody.Kept)
	if err != nil {
		return err
	}
	said, err := webhookrequest.VerifyAdmissionResponse(types.UID(q.uid), p.of.name == mutating.PluginName, review)
	if err != nil {
		return err
	}
	o.Warnings, o.Annotations, o.Said = said.Warnings, said.AuditAnnotations, flow.SaidAllowed
	switch {
	case !said.Allowed:
		o.Said = flow.SaidDenied
		if said.Result != nil {
			o.Message = cmp.Or(said.Result.Message, string(said.Result.Reason))
		}
	case len(said.Patch) > 0:
		o.Patch = flow.Bytes(said.Patch[:min(len(said.Patch), flow.MaxPatch)])
		if o.Changes = patched(call.RequestBody, said.Patch); len(o.Changes) > 0 {
			o.Said = flow.SaidChanged
		}
	}
	return nil
}

// review decodes an AdmissionReview in the version that it names.
func review(text []byte) (runtime.Object, error) {
	var kind struct {
		APIVersion string `json:"apiVersion"`
	}
	if err := json.Unmarshal(text, &kind); err != nil {
		return nil, fmt.Errorf("the answer is not an AdmissionReview: %w", err)
	}
	var r runtime.Object = &admissionv1.AdmissionReview{}
	if kind.APIVersion == admissionv1beta1.SchemeGroupVersion.String() {
		r = &admissionv1beta1.AdmissionReview{}
	}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("the answer is not an AdmissionReview: %w", err)
	}
	return r, nil
}

// patched are the fields that a patch changes of the object that was sent with the question.
func patched(sent flow.Body, patch []byte) []flow.FieldChange {
	var asked struct {
		Request struct {
			Object json.RawMessage `json:"object"`
		} `json:"request"`
	}
	if sent.Cut || json.Unmarshal(sent.Kept, &asked) != nil {
		return nil
	}
	if object := asked.Request.Object; len(object) == 0 || object[0] != '{' {
		return nil // a review of a DELETE has none
	}
	p, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil
	}
	after, err := p.Apply(asked.Request.Object)
	if err != nil {
		return nil
	}
	var was, is map[string]any
	if json.Unmarshal(asked.Request.Object, &was) != nil || json.Unmarshal(after, &is) != nil {
		return nil
	}
	var d diff
	d.objects("", was, is)
	return d
}

// skipped are the webhooks that were not asked although their rules and selectors match: their matchConditions exclude
// the request. A refused request may not have come to them, and a second round asks only those that want to be asked
// again.
func (p *parts) skipped(a admission.Attributes, o admission.ObjectInterfaces, refusal error) (all []flow.Opinion) {
	plugin, ok := p.of.Interface.(interface {
		ShouldCallHook(context.Context, webhook.WebhookAccessor, admission.Attributes, admission.ObjectInterfaces, generic.VersionedAttributeAccessor) (*generic.WebhookInvocation, *apierrors.StatusError)
	})
	if !ok || refusal != nil || a.GetReinvocationContext().IsReinvoke() {
		return nil
	}
	for _, h := range p.of.hooks() {
		conditions := h.GetMatchConditions()
		if len(conditions) == 0 || slices.ContainsFunc(p.webhooks, func(q *asked) bool { return q.name == h.GetName() && q.by == h.GetConfigurationName() }) {
			continue
		}
		fits, err := plugin.ShouldCallHook(context.Background(), unconditional{h}, a, o, nil)
		if err != nil || fits == nil {
			continue
		}
		said := flow.Opinion{Kind: flow.WebhookPart, Name: h.GetName(), By: h.GetConfigurationName(), Said: flow.SaidSkipped}
		if len(conditions) == 1 {
			said.Expression, said.Index, said.Message = conditions[0].Expression, 1, conditions[0].Name
		} else {
			said.Message = fmt.Sprintf("one of its %d matchConditions", len(conditions))
		}
		all = append(all, said)
	}
	return all
}

// unconditional is a webhook without its conditions.
type unconditional struct{ webhook.WebhookAccessor }

// GetMatchConditions fulfils webhook.WebhookAccessor.
func (unconditional) GetMatchConditions() []admissionregistrationv1.MatchCondition { return nil }
