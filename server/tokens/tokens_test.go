package tokens_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"kubarium/server/tokens"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func claims() tokens.Claims {
	return tokens.Claims{
		Audience: []string{tokens.URL}, Expiry: noon.Add(time.Hour).Unix(), IssuedAt: noon.Unix(), NotBefore: noon.Unix(),
		ID: "1", Subject: "system:serviceaccount:shop:till",
		Kubernetes: tokens.Kubernetes{Namespace: "shop", ServiceAccount: tokens.Reference{Name: "till", UID: "u"}},
	}
}

// What was signed is read again; what is late, early, changed or another's is not.
func TestIssuer_Read(t *testing.T) {
	i := tokens.New()
	token, err := i.Sign(claims())
	if err != nil {
		t.Fatal(err)
	}
	got, err := i.Read(token, noon)
	if err != nil || got.Subject != "system:serviceaccount:shop:till" || got.Issuer != tokens.URL {
		t.Fatalf("%+v, %v", got, err)
	}
	parts := strings.Split(token, ".")
	other := strings.Split(mustSign(t, i, func(c *tokens.Claims) { c.Subject = "root" }), ".")
	foreign := base64.RawURLEncoding.EncodeToString([]byte(`{"iss":"https://example.com"}`))
	for _, c := range []struct {
		name, token string
		now         time.Time
		want        error
	}{
		{"a little late", token, noon.Add(time.Hour + 30*time.Second), nil},
		{"late", token, noon.Add(time.Hour + 2*time.Minute), tokens.ErrExpired},
		{"early", token, noon.Add(-2 * time.Minute), tokens.ErrNotYet},
		{"no token", "abc", noon, tokens.ErrForeign},
		{"no base64", "a.?.b", noon, tokens.ErrForeign},
		{"another issuer", parts[0] + "." + foreign + "." + parts[2], noon, tokens.ErrForeign},
		{"other claims", parts[0] + "." + other[1] + "." + parts[2], noon, tokens.ErrSignature},
		{"a short signature", parts[0] + "." + parts[1] + ".AAAA", noon, tokens.ErrSignature},
		{"another process", mustSign(t, tokens.New(), func(*tokens.Claims) {}), noon, tokens.ErrSignature},
	} {
		if _, err := i.Read(c.token, c.now); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// The published key checks a token without us.
func TestIssuer_KeySet(t *testing.T) {
	i := tokens.New()
	key := i.KeySet().Keys[0]
	parts := strings.Split(mustSign(t, i, func(*tokens.Claims) {}), ".")
	public := ecdsa.PublicKey{Curve: elliptic.P256(), X: number(t, key.X), Y: number(t, key.Y)}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if !ecdsa.Verify(&public, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		t.Error("the signature does not fit the published key")
	}
	header, err := base64.RawURLEncoding.DecodeString(parts[0])
	if err != nil || !strings.Contains(string(header), key.ID) {
		t.Errorf("the token %s does not name the key %s: %v", header, key.ID, err)
	}
}

func mustSign(t *testing.T, i *tokens.Issuer, change func(*tokens.Claims)) string {
	t.Helper()
	c := claims()
	change(&c)
	token, err := i.Sign(c)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func number(t *testing.T, text string) *big.Int {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return new(big.Int).SetBytes(raw)
}
