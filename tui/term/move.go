package term

// A Mover can be moved by keys and the mouse wheel: a list, or scrolling text.
type Mover interface {
	Move(lines int)
	End(bottom bool)
	Height() int // visible rows
}

// MoveBy moves m for a movement key, and reports whether k is one.
func MoveBy(m Mover, k string) bool {
	switch k {
	case "j", "down":
		m.Move(1)
	case "k", "up":
		m.Move(-1)
	case "ctrl+d", "pgdown":
		m.Move(max(1, m.Height()/2))
	case "ctrl+u", "pgup":
		m.Move(-max(1, m.Height()/2))
	case "g", "home":
		m.End(false)
	case "G", "end":
		m.End(true)
	default:
		return false
	}
	return true
}
