package controllers

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
	"kubarium/server/loopback"
)

// definitionsPath is the collection of CustomResourceDefinitions.
const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// A definition is a CustomResourceDefinition without a look into its schemas, which may be large.
type definition struct {
	metav1.ObjectMeta
	Status apiextensionsv1.CustomResourceDefinitionStatus

	group string
	names apiextensionsv1.CustomResourceDefinitionNames
	spec  json.RawMessage // as it came from the server

	conversion apiextensionsv1.CustomResourceConversion

	served []schema.GroupVersion // nil until they are asked for
}

// readDefinition reads a definition as far as its controllers need it.
func readDefinition(object json.RawMessage) (*definition, error) {
	d := &definition{spec: codecs.Member(object, "spec")}
	for _, part := range []struct {
		of   json.RawMessage
		name string
		into any
	}{
		{object, "metadata", &d.ObjectMeta}, {object, "status", &d.Status}, {d.spec, "group", &d.group}, {d.spec, "names", &d.names},
		{d.spec, "conversion", &d.conversion},
	} {
		member := codecs.Member(part.of, part.name)
		if member == nil {
			continue
		}
		if err := json.Unmarshal(member, part.into); err != nil {
			return nil, fmt.Errorf("read %s of a definition: %w", part.name, err)
		}
	}
	return d, nil
}

// MarshalJSON writes the object with the spec as it came from the server.
func (d *definition) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		metav1.TypeMeta
		metav1.ObjectMeta `json:"metadata"`
		Spec              json.RawMessage                                `json:"spec"`
		Status            apiextensionsv1.CustomResourceDefinitionStatus `json:"status"`
	}{
		metav1.TypeMeta{Kind: "CustomResourceDefinition", APIVersion: apiextensionsv1.SchemeGroupVersion.String()},
		d.ObjectMeta, d.spec, d.Status,
	})
}

// RunDefinitions runs the controllers of CustomResourceDefinitions against a server until ctx ends: names are accepted,
// kinds established, and when a definition is deleted its objects go first. Without them no definition has an effect. It
// calls served with the group versions that definitions serve, when it knows them and after changes.
func RunDefinitions(ctx context.Context, server loopback.Server, served func([]schema.GroupVersion), log *slog.Logger) {
	dialer := loopback.To(server)
	defer dialer.Close()
	c := &definer{
		Client: Client{Server: server.URL, Name: "definitions", HTTP: dialer.As("definitions", manager).HTTP}, log: log,
		served: served, known: map[string]*definition{}, listed: map[string]bool{},
	}
	watcher := c.Client
	watcher.Accept = metadataList
	watcher.follow(ctx, log, definitionsPath, c.act)
	c.wg.Wait()
}

// A definer looks after CustomResourceDefinitions. Its events come one by one.
type definer struct {
	Client
	log    *slog.Logger
	served func([]schema.GroupVersion)
	known  map[string]*definition // by name, as they were last seen
	listed map[string]bool        // what came in the list that is being read

	busy busy // definitions whose objects are being deleted
	wg   sync.WaitGroup
}

// act takes one event of the definitions, which has their metadata alone.
func (c *definer) act(ctx context.Context, e event) {
	if e.Type == listed {
		c.sweep(ctx)
		c.reportServed()
		return
	}
	var told metav1.PartialObjectMetadata
	if err := json.Unmarshal(e.Object, &told); err != nil {
		c.log.Error("read a definition", "error", err)
		return
	}
	known := c.known[told.Name]
	c.listed[told.Name] = e.Listed
	switch {
	case e.Type == "DELETED":
		c.forget(ctx, told.Name)
		c.reportServed()
		return
	case known != nil && known.ResourceVersion == told.ResourceVersion:
		return // our own write
	}
	d, err := c.get(ctx, told.Name)
	if err != nil {
		if !isNotFound(err) {
			c.log.Error("get a definition", "name", told.Name, "error", err)
		}
		return
	}
	c.known[d.Name] = d
	if d.DeletionTimestamp != nil {
		c.remove(ctx, d)
	} else {
		c.name(ctx, d)
	}
	if !e.Listed {
		c.reportServed()
	}
}

// sweep forgets the definitions that did not come in the list that has just ended.
func (c *definer) sweep(ctx context.Context) {
	for name := range c.known {
		if !c.listed[name] {
			c.forget(ctx, name)
		}
	}
	clear(c.listed)
}

// forget takes out a definition that is gone, whose names are free now.
func (c *definer) forget(ctx context.Context, name string) {
	known := c.known[name]
	delete(c.known, name)
	if known != nil {
		c.reconsider(ctx, known)
	}
}

// reportServed calls served with the group versions of all definitions.
func (c *definer) reportServed() {
	var all []schema.GroupVersion
	for _, d := range c.known {
		all = append(all, d.servedVersions()...)
	}
	c.served(all)
}

// get reads a definition.
func (c *definer) get(ctx context.Context, name string) (*definition, error) {
	var object json.RawMessage
	if err := c.insist(ctx, http.MethodGet, definitionsPath+"/"+name, nil, &object); err != nil {
		return nil, err
	}
	return readDefinition(object)
}

// name accepts the names of a definition as far as they are free, and establishes its kind.
func (c *definer) name(ctx context.Context, d *definition) {
	status := *d.Status.DeepCopy()
	if !settle(d, &status, c.taken(d.group)) {
		return
	}
	next := *d
	next.Status = status
	if !c.write(ctx, &next) {
		return // it has changed; the watch brings it again
	}
	c.known[d.Name] = &next
	c.reconsider(ctx, d)
}

// reconsider looks again at the definitions of a group whose names were not free until now.
func (c *definer) reconsider(ctx context.Context, changed *definition) {
	for _, d := range c.known {
		if d.Name != changed.Name && d.group == changed.group && d.DeletionTimestamp == nil && !conditionTrue(d, apiextensionsv1.NamesAccepted) {
			c.name(ctx, d)
		}
	}
}

// write stores the status of a definition, and reports whether it could.
func (c *definer) write(ctx context.Context, d *definition) bool {
	var stored metav1.PartialObjectMetadata
	brief := c.Client
	brief.Accept = metadataOnly
	err := brief.insist(ctx, http.MethodPut, definitionsPath+"/"+d.Name+"/status?fieldManager=kube-apiserver&fieldValidation=Ignore", d, &stored)
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
