package kinds

// ComponentStatus is the row of ComponentStatus. It is not among BuiltIn: its objects are asked of the components, and
// can be read alone.
func ComponentStatus() *Kind {
	k := Unstored(gvk("", "v1", "ComponentStatus"), "componentstatuses", "componentstatus", false)
	k.ShortNames = []string{"cs"}
	k.Printer = printed(k)
	return k
}
