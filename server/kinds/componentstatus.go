package kinds

// ComponentStatus is the row of ComponentStatus. It is not among BuiltIn: its objects are read from the components, and
// are read-only.
func ComponentStatus() *Kind {
	k := Unstored(gvk("", "v1", "ComponentStatus"), "componentstatuses", "componentstatus", false)
	k.ShortNames = []string{"cs"}
	k.Printer = printed(k)
	return k
}
