package flow

import "time"

// A PluginMark is what an admission plugin had to say to a request: one that looked at the object, or refused.
type PluginMark struct {
	Plugin   string        `json:"plugin,omitzero"`  // "LimitRanger"
	Station  string        `json:"station,omitzero"` // Mutate or Admit
	Again    bool          `json:"again,omitzero"`   // it was asked a second time, since a webhook behind it changed the object
	Length   time.Duration `json:"length,omitzero"`
	Refusal  string        `json:"refusal,omitzero"`  // why it refused the request; "" if it did not
	Changed  []string      `json:"changed,omitzero"`  // the fields of the object that it changed: "spec.tolerations"
	Changes  []FieldChange `json:"changes,omitzero"`  // the same with their values, MaxChanges at most
	Warnings []string      `json:"warnings,omitzero"` // that it sent to the client
	// Annotations are what it told the audit log.
	Annotations map[string]string `json:"annotations,omitzero"`
	// Opinions are what its parts said, one for each policy or webhook that was asked or passed over; nil for a plugin without parts.
	Opinions []Opinion `json:"opinions,omitzero"`
}

// A FieldChange is one field of an object that a plugin changed, and its value before and after as JSON text. Values of more than
// MaxChangeValue bytes are cut.
type FieldChange struct {
	Path   string `json:"path,omitzero"`   // "spec.tolerations", "metadata.labels.app", "spec.containers[1]"
	Before Bytes  `json:"before,omitzero"` // nil if the field was not there
	After  Bytes  `json:"after,omitzero"`  // nil if it is gone
	Cut    bool   `json:"cut,omitzero"`    // whether one of the two is not all of it
}

// What a flow keeps of the changes of one plugin.
const (
	MaxChanges     = 64
	MaxChangeValue = 1 << 10
)

// An Opinion is what one policy or one webhook said to a request.
type Opinion struct {
	Kind string `json:"kind,omitzero"` // PolicyPart or WebhookPart
	Name string `json:"name,omitzero"` // of the policy: "replicas-max"; of the webhook: "sidecar.example.com"
	// By is what brought it here: the policy's binding, or the webhook's configuration.
	By     string `json:"by,omitzero"`
	Params string `json:"params,omitzero"` // the object of a policy's parameters, "shop/limits"; "" for none
	Said   Said   `json:"said,omitzero"`
	// Expression is the one that decided, as the policy has it; of a part that was passed over, the matchCondition that was false.
	Expression string        `json:"expression,omitzero"`
	Index      int           `json:"index,omitzero"`    // of the expression or the mutation among its policy's, from 1; 0 for none
	Message    string        `json:"message,omitzero"`  // why it denied, or what went wrong
	Length     time.Duration `json:"length,omitzero"`   // 0 where that is not known
	Changes    []FieldChange `json:"changes,omitzero"`  // the fields that it changed, MaxChanges at most
	Patch      Bytes         `json:"patch,omitzero"`    // the JSON Patch that a webhook answered with, MaxPatch bytes at most
	Warnings   []string      `json:"warnings,omitzero"` // that it sent to the client
	// Annotations are what it told the audit log, by its own keys.
	Annotations map[string]string `json:"annotations,omitzero"`
	// Call is which of the flow's Calls asked it, from 1; 0 for what is decided here.
	Call int `json:"call,omitzero"`
}

// MaxPatch is the most bytes that an Opinion keeps of a patch; all of it is in its call's answer.
const MaxPatch = 8 << 10

// The kinds of opinions.
const (
	PolicyPart  = "policy"
	WebhookPart = "webhook"
)

// Said is what an opinion comes to.
type Said string

const (
	SaidAllowed Said = "allowed" // it had nothing against it
	SaidChanged Said = "changed" // it changed the object
	SaidAsked   Said = "asked"   // it was asked among others, and what each of them changed is not known
	SaidDenied  Said = "denied"  // it refused the request
	SaidWarned  Said = "warned"  // it was against it, and may only warn
	SaidAudited Said = "audited" // it was against it, and may only tell the audit log
	SaidIgnored Said = "ignored" // it failed, and its failurePolicy says Ignore
	SaidFailed  Said = "failed"  // it failed, and its failurePolicy says Fail
	SaidSkipped Said = "skipped" // its rules fit, and its matchConditions say that it is not to be asked
)

// maxOpinions is how many parts of one plugin are told.
const maxOpinions = 128

// Plugin notes what an admission plugin said.
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
	n := len(m.Refusal) + textsSize(m.Changed) + changesSize(m.Changes) + textsSize(m.Warnings) + pairsSize(m.Annotations) + sizeOpinion*cap(m.Opinions)
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

// pairsSize is what a map of texts takes; most have none, and to begin a range over a map takes its time.
func pairsSize(all map[string]string) (n int) {
	if len(all) == 0 {
		return 0
	}
	for key, value := range all {
		n += 2*sizeValue + len(key) + len(value)
	}
	return n
}
