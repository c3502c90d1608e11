package flow

// Repeated reports whether a published flow was a read that repeats another.
func Repeated(f *Flow) bool { return f.class == repeated }
