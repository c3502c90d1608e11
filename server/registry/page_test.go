package registry

import (
	"testing"

	"kubarium/server/storage"
)

func TestContinueToken(t *testing.T) {
	token := encodeContinue("ns/a", "ns/", 42)
	after, at, err := decodeContinue(token, "ns/")
	if err != nil || after != "ns/a" || at != 42 {
		t.Fatalf("got %q %d %v", after, at, err)
	}
	for _, bad := range []string{"", "%%%", "e30", encodeContinue("ns/a", "ns/", 0), encodeContinue("../b", "", 1)} {
		if after, at, err := decodeContinue(bad, "ns/"); err == nil {
			t.Errorf("%q was taken as %q %d", bad, after, at)
		}
	}
}

// FuzzContinueToken: no token leads out of the list's own keys.
func FuzzContinueToken(f *testing.F) {
	f.Add(encodeContinue("ns/a", "ns/", 42))
	f.Add("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi94In0")
	f.Fuzz(func(t *testing.T, token string) {
		after, at, err := decodeContinue(token, "ns/")
		if err == nil && (len(after) < 3 || after[:3] != "ns/" || at == storage.Revision(0)) {
			t.Fatalf("%q was taken as %q %d", token, after, at)
		}
	})
}
