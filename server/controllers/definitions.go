package controllers

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// definitionsPath is the collection of CustomResourceDefinitions.
const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// A definition is a CustomResourceDefinition without a look into its schemas, which may be large.
type definition struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              json.RawMessage                                `json:"spec"`
	Status            apiextensionsv1.CustomResourceDefinitionStatus `json:"status"`

	spec definitionSpec
}

type definitionSpec struct {
	Group    string                                        `json:"group"`
	Names    apiextensionsv1.CustomResourceDefinitionNames `json:"names"`
	Scope    apiextensionsv1.ResourceScope                 `json:"scope"`
	Versions []struct {
		Name    string `json:"name"`
		Served  bool   `json:"served"`
		Storage bool   `json:"storage"`
	} `json:"versions"`
}

func readDefinition(object json.RawMessage) (*definition, error) {
	var d definition
	if err := json.Unmarshal(object, &d); err != nil {
		return nil, err
	}
	return &d, d.read()
}

// read reads what there is in the spec beside the schemas.
func (d *definition) read() error { return json.Unmarshal(d.Spec, &d.spec) }

// RunDefinitions runs the controllers of CustomResourceDefinitions against a server until ctx ends: names are accepted,
// kinds established, and when a definition is deleted its objects go first. Without them no definition has an effect.
func RunDefinitions(ctx context.Context, server string, log *slog.Logger) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	defer client.CloseIdleConnections()
	c := &definer{
		Client: Client{Server: server, Name: "definitions", HTTP: client}, log: log,
		known: map[string]*definition{}, busy: map[string]bool{},
	}
	c.follow(ctx, log, definitionsPath, c.act)
	c.wg.Wait()
}

// A definer looks after CustomResourceDefinitions. Its events come one by one.
type definer struct {
	Client
	log   *slog.Logger
	known map[string]*definition // by name, as they were last seen

	mu   sync.Mutex // guards busy
	busy map[string]bool
	wg   sync.WaitGroup
}

// act takes one event of the definitions.
func (c *definer) act(ctx context.Context, e event) {
	if e.Type == listed {
		return
	}
	d, err := readDefinition(e.Object)
	if err != nil {
		c.log.Error("read a definition", "error", err)
		return
	}
	if e.Type == "DELETED" {
		delete(c.known, d.Name)
		c.reconsider(ctx, d)
		return
	}
	c.known[d.Name] = d
	if d.DeletionTimestamp != nil {
		c.remove(ctx, d)
		return
	}
	c.name(ctx, d)
}

// name accepts the names of a definition as far as they are free, and establishes its kind.
func (c *definer) name(ctx context.Context, d *definition) {
	status := *d.Status.DeepCopy()
	if !settle(d, &status, c.taken(d.spec.Group)) {
		return
	}
	next := *d
	next.Status = status
	if !c.write(ctx, &next) {
		return // somebody has changed it; the watch brings it again
	}
	c.known[d.Name] = &next
	c.reconsider(ctx, d)
}

// reconsider looks again at the definitions of a group whose names were not free until now.
func (c *definer) reconsider(ctx context.Context, changed *definition) {
	for _, d := range c.known {
		if d.Name != changed.Name && d.spec.Group == changed.spec.Group && d.DeletionTimestamp == nil && !conditionTrue(d, apiextensionsv1.NamesAccepted) {
			c.name(ctx, d)
		}
	}
}

// write stores the status of a definition, and tells whether it could.
func (c *definer) write(ctx context.Context, d *definition) bool {
	var stored metav1.PartialObjectMetadata
	brief := c.Client
	brief.Accept = metadataOnly
	err := brief.do(ctx, http.MethodPut, definitionsPath+"/"+d.Name+"/status?fieldManager=kube-apiserver", d, &stored)
	if err != nil {
		c.log.Debug("write a definition's status", "name", d.Name, "error", err)
		return false
	}
	d.ResourceVersion = stored.ResourceVersion
	return true
}

func conditionTrue(d *definition, t apiextensionsv1.CustomResourceDefinitionConditionType) bool {
	return apihelpers.IsCRDConditionTrue(&apiextensionsv1.CustomResourceDefinition{Status: d.Status}, t)
}
