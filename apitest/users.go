package apitest

import (
	"net/http"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// A user has a client certificate.
type user struct {
	Name              string
	ClientCertificate string
	ClientKey         string
}

// User returns a Config for a user with these groups. Roles and bindings determine what the user may do.
func (s *Server) User(name string, groups ...string) *rest.Config {
	s.t.Helper()
	var u user
	err := s.child.call(s.t.Context(), http.MethodPost, s.child.url+"/servers/"+s.id+"/users",
		map[string]any{"name": name, "groups": groups}, &u)
	if err != nil {
		s.t.Fatalf("apitest: user %s: %v", name, err)
	}
	return s.config(s.Config.Host, u)
}

// config returns a Config for a user, without a limit of queries per second, which would only make tests slow.
func (s *Server) config(address string, u user) *rest.Config {
	return &rest.Config{
		Host: address, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAData: s.ca, CertData: []byte(u.ClientCertificate),
			KeyData: []byte(u.ClientKey)},
	}
}

// Kubeconfig returns the path of a temporary kubeconfig for kubectl and others, equal to a Config.
func (s *Server) Kubeconfig(c *rest.Config) string {
	s.t.Helper()
	k := clientcmdapi.NewConfig()
	k.Clusters["apitest"] = &clientcmdapi.Cluster{Server: c.Host, CertificateAuthorityData: c.CAData}
	k.AuthInfos["apitest"] = &clientcmdapi.AuthInfo{ClientCertificateData: c.CertData, ClientKeyData: c.KeyData,
		Token: c.BearerToken}
	k.Contexts["apitest"] = &clientcmdapi.Context{Cluster: "apitest", AuthInfo: "apitest"}
	k.CurrentContext = "apitest"
	text, err := clientcmd.Write(*k)
	file := filepath.Join(s.t.TempDir(), "kubeconfig")
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		s.t.Fatalf("apitest: kubeconfig: %v", err)
	}
	return file
}
