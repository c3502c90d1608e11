package term

// A Mover is what keys and the mouse wheel move: a list, or text that scrolls.
type Mover interface {
	Move(lines int)
	End(bottom bool)
	Height() int // rows that are visible
}

// MoveBy moves m as a key says, and reports whether it was a key of movement.
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
