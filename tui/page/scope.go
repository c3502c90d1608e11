package page

// InScope reports whether the pages of objects show an object of a namespace: all do while they are not narrowed to one.
func (e *Env) InScope(s Subject) bool {
	return e.Namespace == "" || s.Namespace == e.Namespace || s.Resource == "namespaces" && s.Name == e.Namespace
}
