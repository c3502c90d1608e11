package flow

// An Identity is the authenticated sender of a request, and the proof.
type Identity struct {
	By     string              `json:"by,omitzero"`   // the authenticator, one of the constants below
	User   string              `json:"user,omitzero"` // "alice", "system:serviceaccount:shop:web"
	UID    string              `json:"uid,omitzero"`
	Groups []string            `json:"groups,omitzero"`
	Extra  map[string][]string `json:"extra,omitzero"`
	// Credential identifies the credential without revealing it: "X509SHA256=…", "JTI=…"; "" if it has no such name.
	Credential string `json:"credential,omitzero"`
	// Impersonator is the authenticated user that acts as User; nil without impersonation.
	Impersonator *Identity `json:"impersonator,omitzero"`
	// Failure says in the server's words why authentication or impersonation failed; "" if it did not.
	Failure string `json:"failure,omitzero"`
}

// The authenticators.
const (
	ByPlainPort      = "plain port"            // the loopback port: without credentials, an administrator
	ByOwnToken       = "own token"             // the token of Kubarium's own controllers
	ByAdminToken     = "admin token"           // the administrator token of this run, equal to the plain port
	ByCertificate    = "client certificate"    // x509
	ByFrontProxy     = "front proxy"           // the headers of a proxy that has proved itself
	ByStaticToken    = "static token"          // a line of --token-auth-file
	ByServiceAccount = "service account token" // a signed token of a ServiceAccount
	ByAnonymous      = "anonymous"             // the request had no credentials
	ByImpersonation  = "impersonation"         // Impersonator asked for it, and is allowed to
)

// Identify notes the sender of the request.
func (r *Recorder) Identify(i *Identity) {
	if r != nil {
		r.Flow.Identity = i
	}
}

// sizeIdentity is the memory of an Identity in bytes.
const sizeIdentity = 192

func (i *Identity) size() (n int) {
	if i == nil {
		return 0
	}
	n = sizeIdentity + len(i.User) + len(i.UID) + len(i.Credential) + len(i.Failure)
	n += textsSize(i.Groups) + i.Impersonator.size()
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
