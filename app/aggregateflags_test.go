package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubarium/app"
	"kubarium/app/pki"
	"kubarium/app/program/programtest"
)

// Where flags name both the certificate and the CAs, servers are told of these alone.
func TestAggregate_flags(t *testing.T) {
	ca, c := programtest.MustCA(t), programtest.SecureConfig(t)
	cert, key, err := ca.Client("proxy-of-mine", nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name string, text []byte) string {
		programtest.WriteFile(t, filepath.Join(dir, name), string(text))
		return filepath.Join(dir, name)
	}
	c.FrontProxy.CertFile, c.FrontProxy.KeyFile, c.FrontProxy.ClientCAFile = file("c.crt", cert), file("c.key", key), file("ca.crt", ca.PEM())
	p := programtest.MustStartConfig(t, c)
	f := programtest.MustFishServer(t, p)
	if f.Trust != string(ca.PEM()) {
		t.Errorf("the trust is %s", f.Trust)
	}
	programtest.MustCall(t, 201, "POST", p.URL+programtest.ApiServices, "application/json", `{"metadata":{"name":"v1.fish.example.com","annotations":{"kubarium.dev/url":"`+f.URL+`"}},
		"spec":{"group":"fish.example.com","version":"v1","groupPriorityMinimum":1000,"versionPriority":15,"insecureSkipTLSVerify":true,"service":{"namespace":"a","name":"b"}}}`)
	programtest.MustBe(t, p, "True Passed")
	programtest.Eventually(t, "the server", func() bool {
		_, text := programtest.Call(t, "GET", p.URL+"/apis/fish.example.com/v1", "", "")
		return text == "system:admin is told by proxy-of-mine"
	})
	if _, err := os.Stat(filepath.Join(pki.Folder(c.DB), "front-proxy-ca.crt")); err == nil {
		t.Error("a CA was made")
	}
	for flags, want := range map[string]string{
		"--proxy-client-cert-file=x":                           "must be set together",
		"--requestheader-username-headers= ":                   "empty value in",
		"--requestheader-client-ca-file=" + dir + "/none":      "--requestheader-client-ca-file",
		"--proxy-client-cert-file=x --proxy-client-key-file=y": "--proxy-client-cert-file",
		"--requestheader-uid-headers=X-Mine":                   "X-Remote-Uid",
	} {
		var said bytes.Buffer
		args := append([]string{"serve", "--listen", "127.0.0.1:0", "--db", ":memory:"}, strings.Split(flags, " --")...)
		for i := 6; i < len(args); i++ {
			args[i] = "--" + args[i]
		}
		if code := app.Main(args, nil, &said, &said); code == 0 || !strings.Contains(said.String(), want) {
			t.Errorf("%s: %d %s", flags, code, said.String())
		}
	}
}
