package app_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/util/keyutil"

	"kubarium/app/pki"
	"kubarium/app/program/programtest"
)

// Broken files end the start in one line, before anything is made.
func TestMain_brokenFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	file := func(name, text string) string {
		programtest.WriteFile(t, filepath.Join(dir, name), text)
		return filepath.Join(dir, name)
	}
	nonsense, missing := file("nonsense", "nonsense\n"), filepath.Join(dir, "missing")
	empty := file("empty", "")
	certFile, keyFile := programtest.ForeignCertificate(t)
	_, otherKey := programtest.ForeignCertificate(t)
	private := mustKeyFile(t, dir)
	short := file("short", "token,user\n")
	quote := file("quote", "token,\"user,uid\n")
	broken := filepath.Join(dir, "broken.db")
	for name, text := range map[string]string{"sa.key": "nonsense"} {
		if err := os.MkdirAll(pki.Folder(broken), 0o700); err != nil {
			t.Fatal(err)
		}
		programtest.WriteFile(t, filepath.Join(pki.Folder(broken), name), text)
	}
	half := filepath.Join(dir, "half.db")
	if err := programtest.MustCA(t).Write(pki.Folder(half)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(pki.Folder(half), "ca.key")); err != nil {
		t.Fatal(err)
	}
	halfDir := filepath.Join(dir, "halfdir")
	if err := os.MkdirAll(halfDir, 0o700); err != nil {
		t.Fatal(err)
	}
	programtest.WriteFile(t, filepath.Join(halfDir, "apiserver.crt"), "x")
	secure := []string{"--secure-listen", "127.0.0.1:0"}
	kindless, audited := file("kindless", "rules: []\n"), file("policy", "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--client-ca-file", missing}, 1, "--client-ca-file: open " + missing},
		{[]string{"--client-ca-file", nonsense}, 1, "--client-ca-file: error loading CA bundle"},
		{[]string{"--client-ca-file", empty}, 1, "--client-ca-file: missing content"},
		{[]string{"--token-auth-file", missing}, 1, "--token-auth-file: open " + missing},
		{[]string{"--token-auth-file", short}, 1, "must have at least 3 columns"},
		{[]string{"--token-auth-file", quote}, 1, "--token-auth-file: parse error on line 1"},
		{[]string{"--service-account-signing-key-file", nonsense, "--service-account-key-file", private}, 1, "--service-account-signing-key-file: error reading private key file"},
		{[]string{"--service-account-signing-key-file", private, "--service-account-key-file", nonsense}, 1, "--service-account-key-file: error reading public key file"},
		{[]string{"--service-account-signing-key-file", private, "--service-account-key-file", missing}, 1, "--service-account-key-file: open " + missing},
		{[]string{"--db", broken}, 1, "error reading private key file"},
		{append(secure, "--tls-cert-file", missing, "--tls-private-key-file", keyFile), 1, "--tls-cert-file: open " + missing},
		{append(secure, "--tls-cert-file", nonsense, "--tls-private-key-file", keyFile), 1, "--tls-cert-file: "},
		{append(secure, "--tls-cert-file", certFile, "--tls-private-key-file", otherKey), 1, "private key does not match public key"},
		{append(secure, "--cert-dir", halfDir), 1, "must be supplied as a pair"},
		{append(secure, "--db", half), 1, "the key of "},
		{[]string{"--admission-control-config-file", missing}, 1, missing},
		{[]string{"--admission-control-config-file", nonsense}, 1, "--admission-control-config-file: "},
		{[]string{"--audit-policy-file", missing}, 1, "audit: loading audit policy file: failed to read file path \"" + missing},
		{[]string{"--audit-policy-file", nonsense}, 1, "audit: loading audit policy file: "},
		{[]string{"--audit-policy-file", kindless}, 1, "audit: loading audit policy file: "},
		{[]string{"--audit-policy-file", audited, "--audit-log-path", filepath.Join(nonsense, "log")}, 1, "not a directory"},
		{[]string{"--audit-policy-file", audited, "--audit-webhook-config-file", missing}, 1, missing},
		{[]string{"--audit-log-path", filepath.Join(dir, "log")}, 2, "--audit-log-path and --audit-webhook-config-file need --audit-policy-file"},
		{[]string{"--audit-policy-file", audited, "--audit-log-path", filepath.Join(dir, "log"), "--audit-log-format", "x"}, 2, "invalid audit log format x"},
		{[]string{"--audit-policy-file", audited, "--audit-log-path", filepath.Join(dir, "log"), "--audit-log-mode", "x"}, 2, "invalid audit log mode x"},
		{[]string{"--service-account-signing-key-file", private}, 2, "must be set together"},
		{[]string{"--service-account-key-file", private}, 2, "must be set together"},
		{[]string{"--service-account-issuer", "a", "--service-account-issuer", "a"}, 2, `service-account-issuer "a" is already specified`},
		{[]string{"--service-account-issuer", ""}, 2, "service-account-issuer should not be an empty string"},
		{[]string{"--service-account-issuer", "http://a b:c"}, 2, "was not a valid URL"},
		{[]string{"--service-account-max-token-expiration", "5m"}, 2, "must be between 1 hour and 2^32 seconds"},
		{[]string{"--service-account-jwks-uri", "http://x"}, 2, "service-account-jwks-uri requires https scheme"},
		{append(secure, "--tls-cert-file", certFile), 2, "must be set together"},
		{[]string{"--cert-dir", dir}, 2, "need --secure-listen"},
		{[]string{"--secure-listen", "6443"}, 2, "--secure-listen must be HOST:PORT"},
		{[]string{"--secure-listen", "0.0.0.0:0"}, 2, "--authorization-mode AlwaysAllow would let everybody do everything there"},
		{[]string{"--listen", ""}, 2, "--listen must be HOST:PORT"},
	} {
		args := append([]string{"serve", "--listen", "127.0.0.1:0", "--db", filepath.Join(dir, "untouched", "k.db")}, c.args...)
		code, out, errs := run(args...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: code %d, stdout %q, stderr %q; want code %d and one line with %q", c.args, code, out, errs, c.code, c.want)
		}
		for _, db := range []string{filepath.Join(dir, "untouched"), broken, half} {
			if _, err := os.Stat(db); !os.IsNotExist(err) {
				t.Fatalf("%q: %s was made", c.args, db)
			}
		}
	}
	if code, _, errs := run("--plain", "--listen", "", "--secure-listen", "127.0.0.1:0"); code != 2 || !strings.Contains(errs, "the UI needs the plain port") {
		t.Errorf("%d %s", code, errs)
	}
}

func mustKeyFile(t testing.TB, dir string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "private.key")
	programtest.WriteFile(t, file, string(text))
	return file
}
