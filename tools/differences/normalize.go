package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A side is one server in the story of one object: what it called the object, and what it chose by itself.
type side struct {
	client *client
	began  time.Time // of the run

	kind    string
	name    string            // of the object, once it is created
	object  map[string]any    // as it was last read
	chosen  map[string]string // texts that the server chose, and their replacements
	program string            // the manager of what the server itself writes
	user    map[string]any    // whom the server takes the client for, as a CertificateSigningRequest notes it
}

// learn notes what the server chose in an object that it answers: the UID, the end of a generated name, and the
// addresses and ports of a Service. Values of the client stay.
func (s *side) learn(sent, got map[string]any) {
	meta, _ := got["metadata"].(map[string]any)
	if uid, _ := meta["uid"].(string); uid != "" {
		s.chosen[uid] = "{uid}"
	}
	sentMeta, _ := sent["metadata"].(map[string]any)
	if name, _ := meta["name"].(string); name != "" && emptyText(sentMeta["name"]) {
		if base, _ := sentMeta["generateName"].(string); strings.HasPrefix(name, base) {
			s.chosen[name] = base + "{suffix}"
		}
	}
	if got["kind"] == "Service" {
		s.learnService(sent, got)
	}
}

func emptyText(v any) bool { return v == nil || v == "" }

func (s *side) learnService(sent, got map[string]any) {
	text, _ := json.Marshal(sent)
	choose := func(v any, name string) {
		value := fmt.Sprint(v)
		if v != nil && len(value) > 4 && !strings.Contains(string(text), value) {
			s.chosen[value] = name
		}
	}
	spec, _ := got["spec"].(map[string]any)
	for _, ip := range asList(spec["clusterIPs"]) {
		choose(ip, "{ip}")
	}
	choose(spec["healthCheckNodePort"], "{port}")
	for _, p := range asList(spec["ports"]) {
		port, _ := p.(map[string]any)
		choose(port["nodePort"], "{port}")
	}
}

// normalize returns the answer's body without what must differ between two servers:
//   - what the server chose (see learn), in any text or number that holds it;
//   - metadata.resourceVersion, since each server counts on its own;
//   - times of this run, which servers set: those that the client sends lie years back;
//   - the name of its program, as the manager of what the server writes by itself;
//   - the order of managedFields of kinds that controllers write to (see sortEntries);
//   - the numbers that CEL's compiler gives to types without a name, in its messages;
//   - seconds as cells of tables, the ages of what was made in this run;
//   - who asks, in a CertificateSigningRequest: each server has an administrator of its own;
//   - what kube-apiserver's controller notes in an APIService, whether the server behind it answers: see hideNoted;
//   - what both servers' controllers note in a FlowSchema, whether its level is there, a moment after each write;
//   - in refusals, a name that the server has made up, and the address or node port that it drew for a Service that it refused.
func (s *side) normalize(value any) any {
	value = s.walk(value, "")
	object, _ := value.(map[string]any)
	switch s.kind {
	case "CertificateSigningRequest":
		s.hideUser(object)
	case "APIService":
		hideNoted(object, "Available")
		for _, row := range asList(object["rows"]) {
			hideNotedRow(row.(map[string]any), "Available", 2)
		}
	case "FlowSchema":
		hideNoted(object, "Dangling")
		for _, row := range asList(object["rows"]) {
			hideNotedRow(row.(map[string]any), "Dangling", 5)
		}
	}
	return value
}

func (s *side) walk(value any, key string) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, below := range v {
			if text, ok := below.(string); ok && key == "metadata" && k == "resourceVersion" && text != "" {
				below = "{resourceVersion}"
			}
			out[s.replace(k)] = s.walk(below, k)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = s.walk(v[i], key)
		}
		return out
	case json.Number:
		if name, ok := s.chosen[v.String()]; ok {
			return name
		}
	case string:
		if key == "manager" && v == s.program {
			return "{program}"
		}
		if key == "cells" && age.MatchString(v) {
			return "{age}"
		}
		v = madeUp.ReplaceAllString(selfType.ReplaceAllString(s.replace(v), "selfType"), "{made up}")
		v = drawnPort.ReplaceAllString(drawn.ReplaceAllString(v, `IPAddress.networking.k8s.io "{ip}"`), "Duplicate value: {port}")
		return s.replaceTime(v)
	}
	return value
}

var selfType = regexp.MustCompile(`selfType\d+`)

// madeUp are a UUID as the name of an object that has none, and what is appended to a generateName "web-".
var madeUp = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|\bweb-[bcdfghjklmnpqrstvwxz2456789]{5}\b`)

var drawn = regexp.MustCompile(`IPAddress\.networking\.k8s\.io "10\.96\.\d+\.\d+"`)

var drawnPort = regexp.MustCompile(`Duplicate value: 3[0-2]\d{3}\b`)

var age = regexp.MustCompile(`^\d{1,3}s$`)

func (s *side) replace(text string) string {
	for value, name := range s.chosen {
		text = strings.ReplaceAll(text, value, name)
	}
	return text
}

// replaceTime keeps the form of the time: with or without parts of seconds.
func (s *side) replaceTime(text string) string {
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil && t.After(s.began.Add(-time.Minute)) && t.Before(s.began.Add(time.Hour)) {
		return fmt.Sprintf("{now, %d bytes}", len(text))
	}
	return text
}

func (s *side) hideUser(csr map[string]any) {
	spec, _ := csr["spec"].(map[string]any)
	for _, name := range []string{"uid", "groups", "extra"} {
		if v, ok := spec[name]; ok && fmt.Sprint(v) == fmt.Sprint(s.walk(s.user[name], name)) {
			delete(spec, name)
		}
	}
}

// hideNoted takes away a condition that a controller notes in an object, a moment after each write.
func hideNoted(object map[string]any, condition string) {
	if meta, ok := object["metadata"].(map[string]any); ok {
		hideEntries(meta)
	}
	status, _ := object["status"].(map[string]any)
	conditions := slices.DeleteFunc(asList(status["conditions"]), func(c any) bool { return c.(map[string]any)["type"] == condition })
	if status != nil && len(conditions) > 0 {
		status["conditions"] = conditions
	} else {
		delete(status, "conditions")
	}
}

// hideEntries takes away the managedFields of the status, which belong to that controller.
func hideEntries(meta map[string]any) {
	if entries, ok := meta["managedFields"].([]any); ok {
		meta["managedFields"] = slices.DeleteFunc(entries, func(e any) bool {
			return e.(map[string]any)["subresource"] == "status"
		})
		if len(asList(meta["managedFields"])) == 0 {
			delete(meta, "managedFields")
		}
	}
}

// hideNotedRow does the same in a row of a table, where the condition is one of the cells.
func hideNotedRow(row map[string]any, condition string, cell int) {
	if cells := asList(row["cells"]); len(cells) > cell {
		cells[cell] = "{" + condition + "}"
	}
	object, _ := row["object"].(map[string]any)
	hideNoted(object, condition)
}
