package main

import (
	"strings"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// A resource is one that a server serves, or a subresource.
type resource struct {
	root       string // of its group version: "/api/v1"
	name, sub  string // sub is "" for a resource itself
	kind       string
	namespaced bool
	verbs      string
}

// discover lists what a server serves, in the order of its documents.
func discover(base string) ([]resource, error) {
	d, err := discovery.NewDiscoveryClientForConfig(&rest.Config{Host: base, UserAgent: agent})
	if err != nil {
		return nil, err
	}
	_, lists, err := d.ServerGroupsAndResources()
	if err != nil {
		return nil, err
	}
	var all []resource
	for _, l := range lists {
		root := "/apis/" + l.GroupVersion
		if l.GroupVersion == "v1" {
			root = "/api/v1"
		}
		for _, r := range l.APIResources {
			name, sub, _ := strings.Cut(r.Name, "/")
			all = append(all, resource{root, name, sub, r.Kind, r.Namespaced, strings.Join(r.Verbs, ",")})
		}
	}
	return all, nil
}

// wordsOf are what a section's lines are about, each as the words that replace those in braces. Sections "resources"
// (which can be read), "created" (which cannot) and "subresources" are about each of them; all others are asked once.
func wordsOf(section string, all []resource, run string) []map[string]string {
	if section != "resources" && section != "created" && section != "subresources" {
		return []map[string]string{{"run": run, "ns": "/api/v1/namespaces/" + run}}
	}
	var words []map[string]string
	for _, r := range all {
		of := "created"
		switch {
		case r.sub != "":
			of = "subresources"
		case strings.Contains(r.verbs, "get"):
			of = "resources"
		}
		if of != section {
			continue
		}
		in := r.root
		if r.namespaced {
			in += "/namespaces/" + run
		}
		words = append(words, map[string]string{"of": in + "/" + r.name, "all": r.root + "/" + r.name, "sub": r.sub, "kind": r.kind, "run": run})
	}
	return words
}
