package flow

// An Identity is who a request comes from, and how they proved it.
type Identity struct {
	By     string              `json:"by,omitzero"`   // who said so, one of the constants below
	User   string              `json:"user,omitzero"` // "alice", "system:serviceaccount:shop:web"
	UID    string              `json:"uid,omitzero"`
	Groups []string            `json:"groups,omitzero"`
	Extra  map[string][]string `json:"extra,omitzero"`
	// Credential names the credential without giving it away: "X509SHA256=…", "JTI=…"; "" where it has no name.
	Credential string `json:"credential,omitzero"`
	// Impersonator is who has proved to be there and acts as User; nil for somebody who acts for themselves.
	Impersonator *Identity `json:"impersonator,omitzero"`
	// Failure is why nobody was believed, or why nobody may act as User, in the server's words; "" if somebody was.
	Failure string `json:"failure,omitzero"`
}

// Those who say who somebody is: the authenticators.
const (
	ByPlainPort      = "plain port"            // the port on the loopback interface, where whoever says nothing is the administrator
	ByOwnToken       = "own token"             // the token of Kubarium's own loops
	ByAdminToken     = "admin token"           // the token of this run that stands for the plain port
	ByCertificate    = "client certificate"    // x509
	ByFrontProxy     = "front proxy"           // the headers of a proxy that has proved itself
	ByStaticToken    = "static token"          // a line of --token-auth-file
	ByServiceAccount = "service account token" // a signed token of a ServiceAccount
	ByAnonymous      = "anonymous"             // nobody: no credentials were brought
	ByImpersonation  = "impersonation"         // whoever Impersonator is says so, and may
)

// Identify notes who the request comes from.
func (r *Recorder) Identify(i *Identity) {
	if r != nil {
		r.Flow.Identity = i
	}
}

const sizeIdentity = 192

func (i *Identity) size() (n int) {
	if i == nil {
		return 0
	}
	n = sizeIdentity + len(i.User) + len(i.UID) + len(i.Credential) + len(i.Failure) + textsSize(i.Groups) + i.Impersonator.size()
	if len(i.Extra) > 0 {
		for key, values := range i.Extra {
			n += 2*sizeValue + len(key) + textsSize(values)
		}
	}
	return n
}

func textsSize(all []string) (n int) {
	for _, s := range all {
		n += 16 + len(s)
	}
	return n
}
