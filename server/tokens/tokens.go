// Package tokens signs and reads the JSON Web Tokens of ServiceAccounts (RFC 7519; "Managing Service Accounts", bound
// service account tokens). It knows signatures and claims; whether the objects that a token names still exist is for its
// caller to look up.
package tokens

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// URL names the issuer in every token, and is the audience of one that asks for none.
const URL = "https://kubernetes.default.svc"

// algorithm is ES256 of RFC 7518: it costs a tenth of a millisecond to make such a key, and a hundred for RSA.
const algorithm = "ES256"

// half is the length in bytes of each of the two numbers of a signature.
const half = 32

// An Issuer signs tokens with a key of its own, which lives as long as the process: no token outlives it.
// It is safe for concurrent use.
type Issuer struct {
	key    *ecdsa.PrivateKey
	public []byte // the uncompressed point: a byte, then both coordinates
	id     string
}

// New returns an Issuer with a new key.
func New() *Issuer {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(fmt.Sprintf("the system has no random numbers: %v", err))
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		panic(fmt.Sprintf("a new key has no public form: %v", err))
	}
	public, err := key.PublicKey.Bytes()
	if err != nil {
		panic(fmt.Sprintf("a new key has no public point: %v", err))
	}
	sum := sha256.Sum256(der)
	return &Issuer{key: key, public: public, id: base64.RawURLEncoding.EncodeToString(sum[:])}
}

// Claims are what a token says. Times are seconds since 1970. The order of the fields is that of their names, in which
// kube-apiserver writes them.
type Claims struct {
	Audience   []string   `json:"aud"`
	Expiry     int64      `json:"exp"`
	IssuedAt   int64      `json:"iat"`
	Issuer     string     `json:"iss"`
	ID         string     `json:"jti"`
	Kubernetes Kubernetes `json:"kubernetes.io"`
	NotBefore  int64      `json:"nbf"`
	Subject    string     `json:"sub"`
}

// Kubernetes names the objects that a token depends on. Only Namespace and ServiceAccount are always there.
type Kubernetes struct {
	Namespace      string     `json:"namespace"`
	Node           *Reference `json:"node,omitempty"`
	Pod            *Reference `json:"pod,omitempty"`
	Secret         *Reference `json:"secret,omitempty"`
	ServiceAccount Reference  `json:"serviceaccount"`
}

// A Reference names one object, and no later one of the same name. UID may be empty for a Node that does not exist.
type Reference struct {
	Name string `json:"name"`
	UID  string `json:"uid,omitempty"`
}

// Sign returns a token with these claims, of which it sets Issuer.
func (i *Issuer) Sign(c Claims) (string, error) {
	c.Issuer = URL
	payload, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("write the claims: %w", err)
	}
	header := fmt.Sprintf(`{"alg":%q,"kid":%q}`, algorithm, i.id)
	signed := encode([]byte(header)) + "." + encode(payload)
	sum := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, i.key, sum[:])
	if err != nil {
		return "", fmt.Errorf("sign the token: %w", err)
	}
	signature := make([]byte, 2*half)
	r.FillBytes(signature[:half])
	s.FillBytes(signature[half:])
	return signed + "." + encode(signature), nil
}

// Errors of Read.
var (
	// ErrForeign says that a text is no token of ours: no token at all, or another issuer's.
	ErrForeign = errors.New("not a token of this issuer")
	// ErrSignature says that a token names our issuer and was not signed by it, or by one that has ended since.
	ErrSignature = errors.New("go-jose/go-jose: error in cryptographic primitive") //nolint:staticcheck // the official text
	// ErrExpired and ErrNotYet say that the time of a token is over, or to come.
	ErrExpired = errors.New("service account token has expired")
	ErrNotYet  = errors.New("service account token is not valid yet")
)

// leeway is how far the clocks of two machines may differ.
const leeway = time.Minute

// Read returns the claims of a token that we have signed and that is valid at a time.
func (i *Issuer) Read(token string, now time.Time) (Claims, error) {
	var c Claims
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return c, ErrForeign
	}
	payload, err := decode(parts[1])
	if err != nil || json.Unmarshal(payload, &c) != nil || c.Issuer != URL {
		return Claims{}, ErrForeign
	}
	if !i.signed(parts[0]+"."+parts[1], parts[2]) {
		return Claims{}, ErrSignature
	}
	switch {
	case now.Add(-leeway).After(time.Unix(c.Expiry, 0)):
		return Claims{}, ErrExpired
	case now.Add(leeway).Before(time.Unix(c.NotBefore, 0)):
		return Claims{}, ErrNotYet
	}
	return c, nil
}

// signed tells whether a signature is ours. The header of the token is part of what was signed; that it may name
// another algorithm plays no role, because there is only this one.
func (i *Issuer) signed(text, signature string) bool {
	raw, err := decode(signature)
	if err != nil || len(raw) != 2*half {
		return false
	}
	sum := sha256.Sum256([]byte(text))
	r, s := new(big.Int).SetBytes(raw[:half]), new(big.Int).SetBytes(raw[half:])
	return ecdsa.Verify(&i.key.PublicKey, sum[:], r, s)
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func decode(text string) ([]byte, error) { return base64.RawURLEncoding.DecodeString(text) }
