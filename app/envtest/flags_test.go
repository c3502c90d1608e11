package envtest_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kubarium/app"
)

// run is one command line in this process.
func run(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = app.Main(args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// Every flag of either program is known, with a value of its type.
func TestFlags_known(t *testing.T) {
	values := map[string]string{
		"bool": "true", "int": "1", "int64": "1", "uint": "1", "level": "1", "float": "0.5", "duration": "1s", "ip": "127.0.0.1", "string": "x",
		"strings": "x", "stringArray": "x",
		"feature-gates": "WatchList=true", "runtime-config": "apps/v1=true", "authorization-mode": "RBAC", "listen-client-urls": "http://127.0.0.1:1",
		"service-cluster-ip-range": "10.0.0.0/24",
	}
	for _, program := range []string{"kube-apiserver", "etcd"} {
		args, n := []string{program}, 0
		for line := range strings.Lines(mustRead(t, program+".flags")) {
			words := strings.Fields(line)
			if len(words) < 2 || words[0] == "#" {
				continue
			}
			value := values[words[0]]
			if value == "" {
				value = values[words[1]]
			}
			if value == "" {
				t.Fatalf("no value for %q", line)
			}
			args, n = append(args, "--"+words[0]+"="+value), n+1
		}
		code, out, errs := run(t, append(args, "--help")...)
		if code != 0 || !strings.HasPrefix(out, "Usage: "+program) || n < 100 {
			t.Errorf("%s with %d flags: code %d, %q", program, n, code, errs)
		}
	}
}

// The help is what envtest looks into: --unsafe-no-fsync is there, and --insecure-port, which there is none of, is not.
func TestFlags_help(t *testing.T) {
	_, etcd, _ := run(t, "etcd", "--help")
	if !regexp.MustCompile(`(?m)^\s*--unsafe-no-fsync\b`).MatchString(etcd) {
		t.Error(etcd)
	}
	_, api, _ := run(t, "kube-apiserver", "--help")
	for flag, is := range map[string]bool{
		"secure-port": true, "bind-address": true, "client-ca-file": true, "audit-policy-file": true, "service-account-issuer": true,
		"insecure-port": false, "secure-listen": false, "max-requests-inflight": false, "listen": false, "db": false,
	} {
		if regexp.MustCompile(`(?m)^\s*--`+flag+`\b`).MatchString(api) != is {
			t.Errorf("--%s is listed: %t", flag, !is)
		}
	}
	for line, want := range map[string]string{"etcd": "etcd Version: 3.", "kube-apiserver": "Kubernetes v1.37"} {
		if code, out, errs := run(t, line, "--version"); code != 0 || !strings.HasPrefix(out, want) {
			t.Errorf("%s: code %d, %q, %q", line, code, out, errs)
		}
	}
}

// What makes no sense ends the start in one line.
func TestFlags_refused(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	text := filepath.Join(dir, "text")
	write(t, text, "text")
	const etcd = "--etcd-servers=http://127.0.0.1:1"
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"kube-apiserver", etcd, "--bogus"}, 2, "kubarium: unknown flag: --bogus"},
		{[]string{"kube-apiserver", etcd, "--bogus=1"}, 2, "kubarium: unknown flag: --bogus"},
		{[]string{"kube-apiserver", etcd, "--insecure-port=0"}, 2, "kubarium: unknown flag: --insecure-port"},
		{[]string{"kube-apiserver", etcd, "--secure-listen", "127.0.0.1:0"}, 2, "kubarium: unknown flag: --secure-listen"},
		{[]string{"kube-apiserver", etcd, "-x"}, 2, "unknown shorthand flag: 'x'"},
		{[]string{"kube-apiserver", etcd, "bogus"}, 2, `"kube-apiserver" does not take any arguments, got ["bogus"]`},
		{[]string{"kube-apiserver", etcd, "--secure-port"}, 2, "flag needs an argument: --secure-port"},
		{[]string{"kube-apiserver", etcd, "--secure-port=x"}, 2, `invalid argument "x" for "--secure-port" flag`},
		{[]string{"kube-apiserver", etcd, "--secure-port=0"}, 2, "--secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0"},
		{[]string{"kube-apiserver", etcd, "--secure-port=65536"}, 2, "--secure-port 65536 must be between"},
		{[]string{"kube-apiserver", etcd, "--bind-address=here"}, 2, `invalid argument "here" for "--bind-address" flag`},
		{[]string{"kube-apiserver", etcd, "--allow-privileged=perhaps"}, 2, `invalid argument "perhaps" for "--allow-privileged" flag`},
		{[]string{"kube-apiserver", etcd, "--max-requests-inflight=many"}, 2, `invalid argument "many" for "--max-requests-inflight" flag`},
		{[]string{"kube-apiserver", etcd, "--request-timeout=soon"}, 2, `invalid argument "soon" for "--request-timeout" flag`},
		{[]string{"kube-apiserver"}, 2, "--etcd-servers must be specified"},
		{[]string{"kube-apiserver", etcd, "--authorization-mode=rbac"}, 2, `authorization-mode "rbac" is not a valid mode`},
		{[]string{"kube-apiserver", etcd, "--feature-gates=WatchList"}, 2, "missing bool value for feature gate WatchList"},
		{[]string{"kube-apiserver", etcd, "--feature-gates=WatchList=perhaps"}, 2, `invalid value "perhaps"`},
		{[]string{"kube-apiserver", etcd, "--enable-admission-plugins=Nonsense"}, 2, `plugin "Nonsense" is unknown`},
		{[]string{"kube-apiserver", etcd, "--admission-control=Nonsense"}, 2, `plugin "Nonsense" is unknown`},
		{[]string{"kube-apiserver", etcd, "--admission-control=Priority", "--disable-admission-plugins=Priority"}, 2, "are mutually exclusive"},
		{[]string{"kube-apiserver", etcd, "--tls-cert-file=a"}, 2, "must be set together"},
		{[]string{"kube-apiserver", etcd, "--service-account-key-file=a"}, 2, "must be set together"},
		{[]string{"etcd", "--bogus"}, 2, "kubarium: unknown flag: --bogus"},
		{[]string{"etcd", "bogus"}, 2, `"bogus" is not a valid flag`},
		{[]string{"etcd", "--unsafe-no-fsync=perhaps"}, 2, `invalid boolean value "perhaps"`},
		{[]string{"etcd", "--data-dir"}, 2, "flag needs an argument: -data-dir"},
		{[]string{"etcd", "--listen-client-urls=https://127.0.0.1:1"}, 2, `--listen-client-urls must be http://HOST:PORT, not "https://127.0.0.1:1"`},
		{[]string{"etcd", "--listen-client-urls="}, 2, "--listen-client-urls must name a URL"},
		{[]string{"etcd", "--data-dir=" + dir, "--listen-client-urls=http://" + taken.Addr().String()}, 1, "port in use: something serves on " + taken.Addr().String()},
		{[]string{"etcd", "--data-dir=" + filepath.Join(text, "x"), "--listen-client-urls=http://127.0.0.1:0"}, 1, "say --data-dir FOLDER for one that can be written"},
		{[]string{"envtest"}, 2, "--dir must name a folder"},
		{[]string{"envtest", "--dir", filepath.Join(text, "x")}, 1, "text"},
	} {
		code, out, errs := run(t, c.args...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: code %d, stdout %q, stderr %q; want code %d and one line with %q", c.args, code, out, errs, c.code, c.want)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("something was touched: %v %v", entries, err)
	}
}

// What is known and not acted on is named in one line, if it asks for anything. The port in use ends each start.
func TestFlags_unheeded(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	etcd := serveEtcd(t, context.Background())
	for _, c := range []struct {
		args []string
		want string // "" for no line
	}{
		{[]string{"--allow-privileged=true", "--storage-backend=etcd3", "--v=4", "--enable-priority-and-fairness=false", "--watch-cache=false", ""}, ""},
		{[]string{"--allow-privileged", "-v", "4", "--vmodule", "x=1", "--external-hostname", "localhost"}, ""},
		{[]string{"--egress-selector-config-file=", "--oidc-issuer-url=", "--encryption-provider-config", ""}, ""},
		{[]string{"--max_requests_inflight=800"}, "--max-requests-inflight=800"},
		{[]string{"--profiling", "--max-requests-inflight", "800", "--max-mutating-requests-inflight=400", "--enable-priority-and-fairness=true"},
			"--enable-priority-and-fairness=true --max-requests-inflight=800 --profiling=true"},
		{[]string{"--tls-cipher-suites=a", "--tls-cipher-suites=b,c"}, "--tls-cipher-suites=a,b,c"},
		{[]string{"--authorization-mode=Node,RBAC,Webhook", "--authorization-webhook-config-file=f"}, "--authorization-mode=Node,Webhook --authorization-webhook-config-file=f"},
		{[]string{"--authorization-mode=Webhook"}, "--authorization-mode=Webhook"},
		{[]string{"--feature-gates=Nonsense=true,WatchList=false", "--feature-gates=kube:Other=false"}, "--feature-gates=Nonsense=true --feature-gates=Other=false"},
		{[]string{"--feature-gates=kube:WatchList=false"}, ""},
		{[]string{"--runtime-config=api/all=true,apps/v1=true,foo/v9=true,apps/v9=true,bar/v1=false,policy/v1beta1=true,batch/v1/cronjobs=false"},
			"--runtime-config=api/all=true,apps/v9=true,foo/v9=true,policy/v1beta1=true"},
		{[]string{"--audit-log-path=-"}, "--audit-… without --audit-policy-file"},
	} {
		args := append([]string{"kube-apiserver", "--etcd-servers=" + etcd, "--bind-address=127.0.0.1", "--secure-port=" + port}, c.args...)
		code, _, errs := run(t, args...)
		want := "kubarium: port in use: something serves on " + taken.Addr().String() + " already\n"
		if c.want != "" {
			want = "kubarium: kube-apiserver: not acted on: " + c.want + "\n" + want
		}
		if code != 1 || errs != want {
			t.Errorf("%q: code %d\n%s\nwant\n%s", c.args, code, errs, want)
		}
	}
}
