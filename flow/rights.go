package flow

// A Right is one question of a request to the authorizers, and its answer: may somebody do this?
type Right struct {
	// For says why it was asked, one of the constants below; "" for the question that every request asks at authorize.
	For string `json:"for,omitzero"`
	// User is about whom it was asked, where that is not whoever acts: who impersonates, or whom a policy asks about.
	User string `json:"user,omitzero"`

	Verb        string `json:"verb,omitzero"` // get list watch create update patch delete deletecollection, impersonate, bind, …
	Group       string `json:"group,omitzero"`
	Resource    string `json:"resource,omitzero"` // "" for a path
	Subresource string `json:"subresource,omitzero"`
	Namespace   string `json:"namespace,omitzero"`
	Name        string `json:"name,omitzero"`
	Path        string `json:"path,omitzero"` // "/version", where it is no resource

	Decision Decision `json:"decision,omitzero"`
	By       string   `json:"by,omitzero"`     // the authorizer that decided: "RBAC", "Node", "Webhook", "system:masters", "AlwaysAllow"; "" if none had an opinion
	Reason   string   `json:"reason,omitzero"` // in its words
	Error    string   `json:"error,omitzero"`  // what went wrong meanwhile; it may have allowed all the same

	// Grant is what allowed it; nil where no role did.
	Grant *Grant `json:"grant,omitzero"`
	// Looked are the bindings that apply to the user and whose roles were looked at in vain, in RBAC's order, MaxLooked at most. It is
	// told where nobody allowed it.
	Looked []Grant `json:"looked,omitzero"`
	More   int     `json:"more,omitzero"` // of those, how many are not in Looked
}

// Why a question was asked beside the first.
const (
	ForImpersonation = "impersonate"   // may they act as somebody else?
	ForCreate        = "create"        // may an update or a patch create what is not there?
	ForConnect       = "connect"       // may they open a connection, whatever the method?
	ForUnsafeDelete  = "unsafe delete" // may they delete what cannot be read?
	ForEscalation    = "escalate"      // may they give away rights that they do not have?
	ForAdmission     = "admission"     // a plugin, or an expression of a policy, asks
	ForReview        = "review"        // the request is a review, and this is what it asks
)

// A Decision is an authorizer's answer.
type Decision string

const (
	Allowed   Decision = "allowed"
	Denied    Decision = "denied"     // and nobody behind it is asked
	NoOpinion Decision = "no opinion" // which means no, where nobody behind it says yes
)

// A Grant is a role that a binding gives to a subject, and a rule of it.
type Grant struct {
	Binding Reference `json:"binding,omitzero"` // RoleBinding or ClusterRoleBinding
	Role    Reference `json:"role,omitzero"`    // Role or ClusterRole
	Subject Reference `json:"subject,omitzero"` // User, Group or ServiceAccount: by which of its subjects the binding applies
	// Index is which rule of the role it was, from 1, and Rule the rule itself; 0 and nil where none fits.
	Index int   `json:"index,omitzero"`
	Rule  *Rule `json:"rule,omitzero"`
	Rules int   `json:"rules,omitzero"` // how many the role has
	// Missing tells that there is no such role, or that it could not be read.
	Missing bool `json:"missing,omitzero"`
}

// A Reference names an object, or somebody.
type Reference struct {
	Kind      string `json:"kind,omitzero"`
	Namespace string `json:"namespace,omitzero"`
	Name      string `json:"name,omitzero"`
}

// String is "RoleBinding shop/devs", or "ClusterRole view".
func (r Reference) String() string {
	if r.Namespace == "" {
		return r.Kind + " " + r.Name
	}
	return r.Kind + " " + r.Namespace + "/" + r.Name
}

// A Rule is one rule of a role.
type Rule struct {
	Verbs           []string `json:"verbs,omitzero"`
	APIGroups       []string `json:"apiGroups,omitzero"`
	Resources       []string `json:"resources,omitzero"`
	ResourceNames   []string `json:"resourceNames,omitzero"`
	NonResourceURLs []string `json:"nonResourceURLs,omitzero"`
}

// MaxLooked is how many bindings of a denial are told.
const MaxLooked = 32

// maxRights is how many questions of one request are kept: an expression of a policy may ask for each object of a collection.
const maxRights = 64

// Asked notes a question to the authorizers.
func (r *Recorder) Asked(q Right) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.Flow.Rights) < maxRights {
		r.Flow.Rights = append(r.Flow.Rights, q)
	}
}

const (
	sizeRight = 256
	sizeGrant = 192
	sizeRule  = 128
)

// size leaves out names and rules, which the flow shares with the roles that the server holds anyway.
func (q *Right) size() int {
	n := len(q.Reason) + len(q.Error) + sizeGrant*len(q.Looked)
	if q.Grant != nil {
		n += sizeGrant + sizeRule
	}
	return n
}
