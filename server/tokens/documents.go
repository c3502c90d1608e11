package tokens

// A Key is a public key as a JSON Web Key (RFC 7517) tells it.
type Key struct {
	Use       string `json:"use"`
	Type      string `json:"kty"`
	ID        string `json:"kid"`
	Curve     string `json:"crv"`
	Algorithm string `json:"alg"`
	X         string `json:"x"`
	Y         string `json:"y"`
}

// A KeySet is the document by which others check our tokens.
type KeySet struct {
	Keys []Key `json:"keys"`
}

// KeySet returns the document of /openid/v1/jwks.
func (i *Issuer) KeySet() KeySet {
	point := i.public[1:]
	return KeySet{Keys: []Key{{
		Use: "sig", Type: "EC", ID: i.id, Curve: "P-256", Algorithm: algorithm,
		X: encode(point[:half]), Y: encode(point[half:]),
	}}}
}

// A Configuration tells where the keys are (OpenID Connect Discovery 1.0, section 3).
type Configuration struct {
	Issuer        string   `json:"issuer"`
	KeySetURI     string   `json:"jwks_uri"`
	ResponseTypes []string `json:"response_types_supported"`
	SubjectTypes  []string `json:"subject_types_supported"`
	Algorithms    []string `json:"id_token_signing_alg_values_supported"`
}

// ConfigurationAt returns the document of /.well-known/openid-configuration for a server that is reached at an address,
// "http://127.0.0.1:8080".
func ConfigurationAt(address string) Configuration {
	return Configuration{
		Issuer: URL, KeySetURI: address + "/openid/v1/jwks",
		ResponseTypes: []string{"id_token"}, SubjectTypes: []string{"public"}, Algorithms: []string{algorithm},
	}
}
