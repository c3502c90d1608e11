package page

// InScope reports whether the pages of objects show an object of a namespace: all do while they are not narrowed to one.
func (u *Env) InScope(s Subject) bool {
	return u.Namespace == "" || s.Namespace == u.Namespace || s.Resource == "namespaces" && s.Name == u.Namespace
}
