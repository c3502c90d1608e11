package planted

import (
	"fmt"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/gentype"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// The senders of requests, by their User-Agents.
const (
	Controller = "site-controller/v1" // the one under test
	Person     = "planted-user/v1"    // sets the stage, and does what people do
	Autoscaler = "autoscaler/v1"      // another controller, which changes replicas
)

type sites = gentype.ClientWithList[*Site, *SiteList]

// A client has the clientsets of one sender, in one namespace.
type client struct {
	kubernetes.Interface
	sites       *sites
	definitions apiextensions.Interface
	namespace   string
}

// newClient returns a client that says who it is.
func newClient(config *rest.Config, agent, namespace string) (*client, error) {
	c := rest.CopyConfig(config)
	c.UserAgent = agent
	typed, err := kubernetes.NewForConfig(c)
	if err != nil {
		return nil, fmt.Errorf("client of %s: %w", agent, err)
	}
	definitions, err := apiextensions.NewForConfig(c)
	if err != nil {
		return nil, fmt.Errorf("client of %s: %w", agent, err)
	}
	scheme := siteScheme()
	c.GroupVersion, c.APIPath = &group, "/apis"
	c.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	custom, err := rest.RESTClientFor(c)
	if err != nil {
		return nil, fmt.Errorf("client of %s: %w", agent, err)
	}
	return &client{typed, newSites(custom, scheme, namespace), definitions, namespace}, nil
}

func newSites(c rest.Interface, scheme *runtime.Scheme, namespace string) *sites {
	return gentype.NewClientWithList("sites", c, runtime.NewParameterCodec(scheme), namespace,
		func() *Site { return &Site{} }, func() *SiteList { return &SiteList{} })
}
