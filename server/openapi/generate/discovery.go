package main

import (
	"net/http"

	restful "github.com/emicklei/go-restful/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/endpoints/discovery"
)

// discoveryParts lists the documents beside those of group versions: /api, /apis, one a group, /version, and those of
// service account keys.
func discoveryParts() []part {
	parts := []part{
		{"api", services(discovery.NewLegacyRootAPIHandler(nowhere, codecs, "/api").WebService())},
		{"apis", services(discovery.NewRootAPIsHandler(nowhere, codecs).WebService())},
		{"version", services(versionService())},
		{".well-known/openid-configuration", services(openIDService("/.well-known/openid-configuration", restful.MIME_JSON,
			"get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'", "getServiceAccountIssuerOpenIDConfiguration"))},
		{"openid/v1/jwks", services(openIDService("/openid/v1/jwks", "application/jwk-set+json",
			"get service account issuer OpenID JSON Web Key Set (contains public token verification keys)", "getServiceAccountIssuerOpenIDKeyset"))},
	}
	described := map[string]bool{}
	for _, g := range groups {
		if g.Group == "" || described[g.Group] {
			continue
		}
		described[g.Group] = true
		group := metav1.APIGroup{Name: g.Group}
		parts = append(parts, part{"apis/" + g.Group, services(discovery.NewAPIGroupHandler(codecs, group).WebService())})
	}
	return parts
}

func services(s ...*restful.WebService) []*restful.WebService { return s }

// versionService describes /version. The official one is part of a whole server.
func versionService() *restful.WebService {
	const what = "get the version information for this server"
	s := new(restful.WebService)
	s.Path("/version").Doc(what)
	return s.Route(s.GET("/").To(func(*restful.Request, *restful.Response) {}).
		Doc(what).Operation("getCodeVersion").
		Produces(restful.MIME_JSON).Consumes(restful.MIME_JSON).Writes(version.Info{}).
		Returns(http.StatusOK, "OK", version.Info{}))
}

// openIDService describes a document about the keys of service accounts. The official ones are in k8s.io/kubernetes.
func openIDService(path, produces, what, operation string) *restful.WebService {
	s := new(restful.WebService)
	s.Path(path).Doc(what)
	return s.Route(s.GET("").To(func(*restful.Request, *restful.Response) {}).
		Doc(what).Operation(operation).Produces(produces).Returns(http.StatusOK, "OK", ""))
}

// nowhere stands for the addresses that only a server that runs would tell.
var nowhere = discovery.DefaultAddresses{}
