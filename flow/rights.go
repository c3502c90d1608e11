package flow

// A Right is one question of a request to the authorizers, and its answer: may the user do this?
type Right struct {
	// For is the reason, one of the constants below; "" for the question of every request at authorize.
	For string `json:"for,omitzero"`
	// User is the user in question if it is not the acting user: the impersonator, or the user that a policy asks
	// about.
	User string `json:"user,omitzero"`

	// Verb is get, list, watch, create, update, patch, delete, deletecollection, impersonate, bind, …
	Verb        string `json:"verb,omitzero"`
	Group       string `json:"group,omitzero"`
	Resource    string `json:"resource,omitzero"` // "" for a path
	Subresource string `json:"subresource,omitzero"`
	Namespace   string `json:"namespace,omitzero"`
	Name        string `json:"name,omitzero"`
	Path        string `json:"path,omitzero"` // "/version", for a non-resource request

	Decision Decision `json:"decision,omitzero"`
	// By is the authorizer that decided: "RBAC", "Node", "Webhook", "system:masters", "AlwaysAllow"; "" if none did.
	By     string `json:"by,omitzero"`
	Reason string `json:"reason,omitzero"` // in its words
	Error  string `json:"error,omitzero"`  // an error on the way to the decision, which may still be to allow

	// Grant is the role that allowed it; nil if none did.
	Grant *Grant `json:"grant,omitzero"`
	// Looked are, if it was not allowed, the bindings that apply to the user and whose roles do not allow it, in RBAC's
	// order, MaxLooked at most.
	Looked []Grant `json:"looked,omitzero"`
	More   int     `json:"more,omitzero"` // number of further ones that are not in Looked
}

// Reasons of questions after the first one.
const (
	ForImpersonation = "impersonate"   // may the user act as another one?
	ForCreate        = "create"        // may an update or a patch create the missing object?
	ForConnect       = "connect"       // may the user open a connection, with any method?
	ForUnsafeDelete  = "unsafe delete" // may the user delete an object that cannot be read?
	ForEscalation    = "escalate"      // may the user grant rights that the user does not have?
	ForAdmission     = "admission"     // a plugin, or an expression of a policy, asks
	ForReview        = "review"        // the request is a review with this question
)

// A Decision is an authorizer's answer.
type Decision string

// The answers.
const (
	Allowed   Decision = "allowed"
	Denied    Decision = "denied"     // the authorizers after it are not asked
	NoOpinion Decision = "no opinion" // means no, unless an authorizer after it allows
)

// A Grant is a role that a binding grants to a subject, and one of its rules.
type Grant struct {
	Binding Reference `json:"binding,omitzero"` // RoleBinding or ClusterRoleBinding
	Role    Reference `json:"role,omitzero"`    // Role or ClusterRole
	Subject Reference `json:"subject,omitzero"` // the binding's subject that matches: User, Group or ServiceAccount
	// Index is the matching rule's number in the role, from 1, and Rule the rule itself; 0 and nil if none matches.
	Index int   `json:"index,omitzero"`
	Rule  *Rule `json:"rule,omitzero"`
	Rules int   `json:"rules,omitzero"` // how many the role has
	// Missing says that the role does not exist, or could not be read.
	Missing bool `json:"missing,omitzero"`
}

// A Reference names an object, a user or a group.
type Reference struct {
	Kind      string `json:"kind,omitzero"`
	Namespace string `json:"namespace,omitzero"`
	Name      string `json:"name,omitzero"`
}

// String returns "RoleBinding shop/devs" or "ClusterRole view".
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

// MaxLooked is how many bindings of a denial a Right keeps.
const MaxLooked = 32

// maxRights is how many questions a flow keeps: an expression of a policy may ask for each object of a collection.
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

// size omits names and rules, which the flow shares with the server's roles.
func (q *Right) size() int {
	n := len(q.Reason) + len(q.Error) + sizeGrant*len(q.Looked)
	if q.Grant != nil {
		n += sizeGrant + sizeRule
	}
	return n
}
