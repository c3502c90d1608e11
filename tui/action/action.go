// Package action has the user's actions on objects, without the screen: the request of each action, the equivalent
// kubectl command, and the text for the editor. It sends nothing.
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

// An Action is one request of the user for one object.
type Action struct {
	Of          client.Resource
	Key         client.Key
	Verb        string // as Traffic names it: "update"
	Subresource string // "" for the object itself
	Method      string
	Media       string
	Query       url.Values
	Body        []byte

	command string   // kubectl's own verb for it, "" if the request determines the command
	further []string // the words after the object in that command
}

// Request returns the request to send.
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

// Kubectl returns the equivalent command, to paste into a shell.
func (a *Action) Kubectl(options ...story.Option) string {
	f := a.flow()
	if a.command != "" {
		return story.ObjectCommand(f, a.command, a.further, options...)
	}
	return story.Kubectl(f, options...)
}

// flow returns the request as it will be recorded, as far as commands need it.
func (a *Action) flow() *flow.Flow {
	name := a.Key.Name
	if a.Verb == "create" {
		name = ""
	}
	return &flow.Flow{
		Method: a.Method, Path: a.path(), Query: a.Query.Encode(),
		RequestHeader: http.Header{"Content-Type": {a.Media}},
		RequestBody:   flow.Body{Kept: a.Body, Total: int64(len(a.Body))},
		Target: flow.Target{
			Verb: a.Verb, Group: a.Of.Group, Version: a.Of.Version, Resource: a.Of.Name, Subresource: a.Subresource,
			Namespace: a.Key.Namespace, Name: name,
		},
	}
}

// Line returns the first line of a command, for places without room for more.
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

// Name returns the name of the action's object: "deployments/web @team".
func (a *Action) Name() string { return Name(a.Of, a.Key) }

// Name returns the name of an object, with its namespace unless that is default.
func Name(of client.Resource, k client.Key) string {
	s := of.Name + "/" + k.Name
	if k.Namespace != "" && k.Namespace != "default" {
		s += " @" + k.Namespace
	}
	return s
}

const mergePatch = "application/merge-patch+json"

// strict refuses unknown fields, as kubectl does.
var strict = url.Values{"fieldValidation": {"Strict"}}

// Create creates an object from a manifest in JSON.
func Create(of client.Resource, k client.Key, manifest []byte) *Action {
	return &Action{Of: of, Key: k, Verb: "create", Method: http.MethodPost, Media: client.JSON, Query: strict,
		Body: manifest}
}

// Update replaces an object by a manifest in JSON, which names the resourceVersion that it is based on.
func Update(of client.Resource, k client.Key, manifest []byte) *Action {
	return &Action{Of: of, Key: k, Verb: "update", Method: http.MethodPut, Media: client.JSON, Query: strict,
		Body: manifest}
}

// Scale sets the replicas of an object that has the subresource scale.
func Scale(of client.Resource, k client.Key, replicas int32) *Action {
	n := fmt.Sprintf("--replicas=%d", replicas)
	return &Action{
		Of: of, Key: k, Verb: "patch", Subresource: "scale", Method: http.MethodPatch, Media: mergePatch,
		Body: fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas), command: "scale", further: []string{n},
	}
}

// A Propagation says what happens to the dependents of a deleted object.
type Propagation string

// The API's values.
const (
	Background Propagation = "Background" // the object goes at once, its dependents afterwards
	Foreground Propagation = "Foreground" // the object goes after its dependents
	Orphan     Propagation = "Orphan"     // the dependents stay, without an owner
)

// Delete deletes an object.
func Delete(of client.Resource, k client.Key, p Propagation) *Action {
	options := map[string]string{"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": string(p)}
	body, _ := json.Marshal(options) // strings always marshal
	return &Action{Of: of, Key: k, Verb: "delete", Method: http.MethodDelete, Media: client.JSON, Body: body}
}
