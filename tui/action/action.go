// Package action is what a reader does to objects from the screen, without the screen: the request that each action is, the kubectl
// command that does the same, and the text that is edited. It sends nothing.
package action

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"kubarium/flow"
	"kubarium/tui/client"
	"kubarium/tui/story"
)

// An Action is one request of the reader's for one object, as it will be sent.
type Action struct {
	Of          client.Resource
	Key         client.Key
	Verb        string // as Traffic names it: "update"
	Subresource string // "" for the object itself
	Method      string
	Media       string
	Query       url.Values
	Body        []byte

	command string   // kubectl's own verb for it, "" where the request tells it
	further []string // what stands behind the object in that command
}

// Request is what is sent.
func (a *Action) Request() client.Request {
	return client.Request{Method: a.Method, Path: a.path(), Query: a.Query, Media: a.Media, Body: a.Body}
}

func (a *Action) path() string {
	name := a.Key.Name
	if a.Verb == "create" {
		name = ""
	}
	path := a.Of.Path(a.Key.Namespace, name)
	if a.Subresource != "" {
		path += "/" + a.Subresource
	}
	return path
}

// Kubectl is the command that does the same, to be pasted into a shell.
func (a *Action) Kubectl(options ...story.Option) string {
	f := a.flow()
	if a.command != "" {
		return story.ObjectCommand(f, a.command, a.further, options...)
	}
	return story.Kubectl(f, options...)
}

// flow is the request as it will be recorded, as far as commands are made of it.
func (a *Action) flow() *flow.Flow {
	name := a.Key.Name
	if a.Verb == "create" {
		name = ""
	}
	return &flow.Flow{
		Method: a.Method, Path: a.path(), Query: a.Query.Encode(), RequestHeader: http.Header{"Content-Type": {a.Media}},
		RequestBody: flow.Body{Kept: a.Body, Total: int64(len(a.Body))},
		Target:      flow.Target{Verb: a.Verb, Group: a.Of.Group, Version: a.Of.Version, Resource: a.Of.Name, Subresource: a.Subresource, Namespace: a.Key.Namespace, Name: name},
	}
}

// Line is the first line of a command, for a place where there is no room for more.
func Line(command string) string {
	for l := range strings.Lines(command) {
		if !strings.HasPrefix(l, "#") {
			first := strings.TrimRight(l, "\n")
			if strings.Contains(first, "<<") {
				return first + " …"
			}
			return first
		}
	}
	return command
}

// Name is how an action names its object: "deployments/web @team".
func (a *Action) Name() string { return Name(a.Of, a.Key) }

// Name names an object, with its namespace unless that is the usual one.
func Name(of client.Resource, k client.Key) string {
	s := of.Name + "/" + k.Name
	if k.Namespace != "" && k.Namespace != "default" {
		s += " @" + k.Namespace
	}
	return s
}

const mergePatch = "application/merge-patch+json"

// strict refuses fields that the server does not know, as kubectl does.
var strict = url.Values{"fieldValidation": {"Strict"}}

// Create makes an object of a manifest in JSON.
func Create(of client.Resource, k client.Key, manifest []byte) *Action {
	return &Action{Of: of, Key: k, Verb: "create", Method: http.MethodPost, Media: client.JSON, Query: strict, Body: manifest}
}

// Update replaces an object by a manifest in JSON, which names the resourceVersion that it was made of.
func Update(of client.Resource, k client.Key, manifest []byte) *Action {
	return &Action{Of: of, Key: k, Verb: "update", Method: http.MethodPut, Media: client.JSON, Query: strict, Body: manifest}
}

// Scale sets the replicas of an object that has the subresource scale.
func Scale(of client.Resource, k client.Key, replicas int32) *Action {
	return &Action{Of: of, Key: k, Verb: "patch", Subresource: "scale", Method: http.MethodPatch, Media: mergePatch,
		Body: fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas), command: "scale", further: []string{fmt.Sprintf("--replicas=%d", replicas)}}
}

// A Propagation says what becomes of what a deleted object owns.
type Propagation string

// The values that the API has for it.
const (
	Background Propagation = "Background" // the object goes at once, what it owns afterwards
	Foreground Propagation = "Foreground" // the object goes when what it owns is gone
	Orphan     Propagation = "Orphan"     // what it owns stays, without an owner
)

// Delete deletes an object.
func Delete(of client.Resource, k client.Key, p Propagation) *Action {
	body, _ := json.Marshal(map[string]string{"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": string(p)}) // strings always marshal
	return &Action{Of: of, Key: k, Verb: "delete", Method: http.MethodDelete, Media: client.JSON, Body: body}
}
