package flow

import "time"

// A PluginMark is what an admission plugin did with a request: it looked at the object, or refused.
type PluginMark struct {
	Plugin   string        `json:"plugin,omitzero"`  // "LimitRanger"
	Station  string        `json:"station,omitzero"` // Mutate or Admit
	Again    bool          `json:"again,omitzero"`   // called a second time, as a webhook after it changed the object
	Length   time.Duration `json:"length,omitzero"`
	Refusal  string        `json:"refusal,omitzero"`  // why it refused the request; "" if it did not
	Changed  []string      `json:"changed,omitzero"`  // the fields of the object that it changed: "spec.tolerations"
	Changes  []FieldChange `json:"changes,omitzero"`  // the same with their values, MaxChanges at most
	Warnings []string      `json:"warnings,omitzero"` // that it sent to the client
	// Annotations are those that it added to the audit event.
	Annotations map[string]string `json:"annotations,omitzero"`
	// Opinions are those of its policies or webhooks, called or skipped; nil for a plugin without such parts.
	Opinions []Opinion `json:"opinions,omitzero"`
}

// A FieldChange is one field that a plugin changed, with its value before and after as JSON. Values of more than
// MaxChangeValue bytes are cut.
type FieldChange struct {
	Path   string `json:"path,omitzero"`   // "spec.tolerations", "metadata.labels.app", "spec.containers[1]"
	Before Bytes  `json:"before,omitzero"` // nil if the field was not there
	After  Bytes  `json:"after,omitzero"`  // nil if it is gone
	Cut    bool   `json:"cut,omitzero"`    // whether one of the two is incomplete
}

// Limits of what a flow keeps of the changes of one plugin.
const (
	MaxChanges     = 64
	MaxChangeValue = 1 << 10
)

// An Opinion is what one policy or one webhook said to a request.
type Opinion struct {
	Kind string `json:"kind,omitzero"` // PolicyPart or WebhookPart
	Name string `json:"name,omitzero"` // of the policy: "replicas-max"; of the webhook: "sidecar.example.com"
	// By is the policy's binding or the webhook's configuration.
	By     string `json:"by,omitzero"`
	Params string `json:"params,omitzero"` // the policy's parameter object, "shop/limits"; "" for none
	Said   Said   `json:"said,omitzero"`
	// Expression is the one that decided; for a skipped part, the matchCondition that was false.
	Expression string        `json:"expression,omitzero"`
	Index      int           `json:"index,omitzero"`    // of the expression or mutation, from 1; 0 for none
	Message    string        `json:"message,omitzero"`  // why it denied, or what went wrong
	Length     time.Duration `json:"length,omitzero"`   // 0 if it is not known
	Changes    []FieldChange `json:"changes,omitzero"`  // the fields that it changed, MaxChanges at most
	Patch      Bytes         `json:"patch,omitzero"`    // the JSON Patch from a webhook, MaxPatch bytes at most
	Warnings   []string      `json:"warnings,omitzero"` // that it sent to the client
	// Annotations are those that it added to the audit event, by its own keys.
	Annotations map[string]string `json:"annotations,omitzero"`
	// Call is the flow's call that asked it, from 1; 0 for a part that runs in the server.
	Call int `json:"call,omitzero"`
}

// MaxPatch is the most bytes that an Opinion keeps of a patch; the whole patch is in the answer to its call.
const MaxPatch = 8 << 10

// The kinds of opinions.
const (
	PolicyPart  = "policy"
	WebhookPart = "webhook"
)

// Said is the result of an opinion.
type Said string

// The results of opinions.
const (
	SaidAllowed Said = "allowed" // it had no objection
	SaidChanged Said = "changed" // it changed the object
	SaidAsked   Said = "asked"   // called with others; the changes of each are not known
	SaidDenied  Said = "denied"  // it refused the request
	SaidWarned  Said = "warned"  // it objected, and may only warn
	SaidAudited Said = "audited" // it objected, and may only write to the audit log
	SaidIgnored Said = "ignored" // it failed, and its failurePolicy is Ignore
	SaidFailed  Said = "failed"  // it failed, and its failurePolicy is Fail
	SaidSkipped Said = "skipped" // its rules matched, and its matchConditions did not
)

// maxOpinions is how many parts of one plugin a flow keeps.
const maxOpinions = 128

// Plugin notes the mark of an admission plugin.
func (r *Recorder) Plugin(m PluginMark) {
	if r == nil {
		return
	}
	if len(m.Opinions) > maxOpinions {
		m.Opinions = m.Opinions[:maxOpinions:maxOpinions]
	}
	r.Flow.Plugins = append(r.Flow.Plugins, m)
}

const (
	sizePlugin  = 192
	sizeOpinion = 256
	sizeChange  = 72
)

func (m *PluginMark) size() int {
	n := len(m.Refusal) + textsSize(m.Changed) + changesSize(m.Changes) + textsSize(m.Warnings)
	n += pairsSize(m.Annotations) + sizeOpinion*cap(m.Opinions)
	for i := range m.Opinions {
		o := &m.Opinions[i]
		n += len(o.Message) + changesSize(o.Changes) + cap(o.Patch) + textsSize(o.Warnings) + pairsSize(o.Annotations)
	}
	return n
}

func changesSize(all []FieldChange) (n int) {
	n = sizeChange * cap(all)
	for _, c := range all {
		n += len(c.Path) + cap(c.Before) + cap(c.After)
	}
	return n
}

// pairsSize is the memory of a map. Most are empty; returning early avoids the cost of starting a range over a map.
func pairsSize(all map[string]string) (n int) {
	if len(all) == 0 {
		return 0
	}
	for key, value := range all {
		n += 2*sizeValue + len(key) + len(value)
	}
	return n
}
