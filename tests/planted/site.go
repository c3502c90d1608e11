package planted

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// group is that of Sites.
var group = schema.GroupVersion{Group: "planted.example.com", Version: "v1"}

// A Site is a web site: the controller keeps a Deployment and a Service of its name.
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Spec              SiteSpec   `json:"spec"`
	Status            SiteStatus `json:"status,omitzero"`
}

// A SiteSpec is the wanted state of a Site.
type SiteSpec struct {
	Image    string `json:"image"`
	Replicas *int32 `json:"replicas,omitempty"` // nil: those of the Deployment are left as they are
}

// A SiteStatus is what the controller has made of it.
type SiteStatus struct {
	ObservedGeneration int64             `json:"observedGeneration,omitempty"`
	Image              string            `json:"image,omitempty"` // of the Deployment
	CheckedAt          *metav1.MicroTime `json:"checkedAt,omitempty"`
}

// A SiteList is a list of Sites.
type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Site `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (s *Site) DeepCopyObject() runtime.Object { return s.copy() }

func (s *Site) copy() *Site {
	c := *s
	c.ObjectMeta = *s.ObjectMeta.DeepCopy()
	if s.Spec.Replicas != nil {
		c.Spec.Replicas = new(*s.Spec.Replicas)
	}
	c.Status.CheckedAt = s.Status.CheckedAt.DeepCopy()
	return &c
}

// DeepCopyObject implements runtime.Object.
func (l *SiteList) DeepCopyObject() runtime.Object {
	c := *l
	c.ListMeta = *l.ListMeta.DeepCopy()
	c.Items = slices.Clone(l.Items)
	for i := range c.Items {
		c.Items[i] = *l.Items[i].copy()
	}
	return &c
}

// siteScheme knows Sites and their lists.
func siteScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	s.AddKnownTypes(group, &Site{}, &SiteList{})
	metav1.AddToGroupVersion(s, group)
	return s
}

// definition is that of Sites, with a status subresource.
func definition() *apiextensionsv1.CustomResourceDefinition {
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	number := apiextensionsv1.JSONSchemaProps{Type: "integer", Format: "int64"}
	object := func(properties map[string]apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
		return apiextensionsv1.JSONSchemaProps{Type: "object", Properties: properties}
	}
	site := object(map[string]apiextensionsv1.JSONSchemaProps{
		"spec": object(map[string]apiextensionsv1.JSONSchemaProps{"image": text, "replicas": number}),
		"status": object(map[string]apiextensionsv1.JSONSchemaProps{
			"observedGeneration": number, "image": text, "checkedAt": text,
		}),
	})
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "sites." + group.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: group.Group,
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Plural: "sites", Singular: "site", Kind: "Site", ListKind: "SiteList",
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: group.Version, Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &site},
				Subresources: &apiextensionsv1.CustomResourceSubresources{
					Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
				},
			}},
		},
	}
}
