package page

// InScope reports whether the pages of objects show an object of a namespace: all do while they are not narrowed to
// one.
func (c *Choice) InScope(s Subject) bool {
	return c.Namespace == "" || s.Namespace == c.Namespace || s.Resource == "namespaces" && s.Name == c.Namespace
}
