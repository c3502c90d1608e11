package objects

import (
	"cmp"
	"net/url"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation"

	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// lists reports whether the page lists the objects of a resource in a namespace.
func (o *Page) lists(r *client.Resource, namespace string) bool {
	return !r.Namespaced || o.env.Namespace == "" || namespace == o.env.Namespace
}

// scoped returns the key of a thing, for a collection in the page's namespace.
func (o *Page) scoped(r *client.Resource, k client.Key) client.Key {
	if k.Name == "" && r.Namespaced {
		k.Namespace = o.env.Namespace
	}
	return k
}

// namespaceFor returns the namespace of an object for which none was named.
func (o *Page) namespaceFor(r *client.Resource) string {
	return term.Pick(r.Namespaced, o.namespace(), "")
}

// namespace returns the page's namespace, or default.
func (o *Page) namespace() string { return cmp.Or(o.env.Namespace, "default") }

// setScope narrows the pages of objects to a namespace; "" means all.
func (o *Page) setScope(namespace string) {
	if problems := validation.IsDNS1123Label(namespace); namespace != "" && len(problems) > 0 {
		o.env.Say("%q is not the name of a namespace", namespace)
		return
	}
	if namespace == o.env.Namespace {
		o.env.Say("%s", term.Pick(namespace == "", "the objects of all namespaces are shown already",
			o.env.F("only objects in %s are shown already", namespace)))
		return
	}
	o.env.Namespace = namespace
	of := o.table.of
	o.table.show(nil)
	o.resources.forgetCounts()
	o.resources.tally()
	if of != nil {
		o.table.show(of)
	}
	o.env.Refiltered()
	o.env.Say("%s", term.Pick(namespace == "", "objects of all namespaces",
		o.env.F("only objects in namespace %s; :ns shows all again", namespace)))
}

// askScope offers the existing namespaces.
func (o *Page) askScope() {
	a := o.env.API
	o.env.Do(page.Work{Run: func() func() {
		var list struct {
			Items []struct{ Metadata struct{ Name string } }
		}
		err := a.Read("/api/v1/namespaces", url.Values{"limit": {strconv.Itoa(client.MostRows)}},
			client.NamesForm, &list)
		return func() {
			if err != nil {
				o.env.Say("namespaces: %s", err)
				return
			}
			all := []term.Command{{Keys: "all", Name: "all", Help: "objects of all namespaces", Do: func() { o.setScope("") }}}
			for _, x := range list.Items {
				all = append(all, term.Command{Keys: x.Metadata.Name, Name: x.Metadata.Name, Help: "only objects in this namespace",
					Do: func() { o.setScope(x.Metadata.Name) }})
			}
			o.env.Over = &term.Picker{Title: "Namespace", What: "namespace", All: all}
		}
	}})
}
