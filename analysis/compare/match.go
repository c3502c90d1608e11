package compare

// A match finds the requests of a client of one run in the other run.
type match struct {
	clientPair
	toRight []int // by the index of a left item that of the right one; -1 for none
	toLeft  []int
	moved   map[int]bool // left items that were found elsewhere than in their order
	softL   []Soft       // of items that only one run has
	softR   []Soft
}

func newMatch(p clientPair) *match {
	m := &match{clientPair: p, toRight: make([]int, len(p.left)), toLeft: make([]int, len(p.right)), moved: map[int]bool{}}
	m.softL, m.softR = make([]Soft, len(p.left)), make([]Soft, len(p.right))
	for i := range m.toRight {
		m.toRight[i] = -1
	}
	for i := range m.toLeft {
		m.toLeft[i] = -1
	}
	return m
}

// run matches in four steps, each for what the steps before have left over: the same requests in order, requests that
// differ in order, the same requests elsewhere, and, after those that timing explains, requests that differ elsewhere.
func (m *match) run() {
	whole := func(it *item) uint64 { return mix(it.token, it.outcome) }
	key := func(it *item) uint64 { return it.key }
	m.pairAll(align(numbers(m.left, whole), numbers(m.right, whole)))
	m.pullForward()
	m.betweenPairs(key)
	m.elsewhere(whole)
	m.explain()
	m.elsewhere(key)
}

func numbers(items []*item, of func(*item) uint64) []uint64 {
	out := make([]uint64, len(items))
	for i, it := range items {
		out[i] = of(it)
	}
	return out
}

func (m *match) pair(left, right int) { m.toRight[left], m.toLeft[right] = right, left }

func (m *match) pairAll(pairs []pair) {
	for _, p := range pairs {
		m.pair(p.left, p.right)
	}
}

// pullForward gives a request that was sent several times in one run its first place there: of an update that met a
// conflict and was sent again, the attempt that failed is the one that the other run has too, unless that run has
// attempts that failed like it.
func (m *match) pullForward() {
	lastLeft, lastRight := -1, -1
	for l := range m.left {
		r := m.toRight[l]
		if r < 0 {
			continue
		}
		token := m.left[l].token
		if at := firstFree(m.right, m.toLeft, lastRight+1, r, token, m.lefts); at >= 0 {
			m.toLeft[r] = -1
			m.pair(l, at)
			lastLeft, lastRight = l, at
		} else if at := firstFree(m.left, m.toRight, lastLeft+1, l, token, m.rights); at >= 0 {
			m.toRight[l] = -1
			m.pair(at, r)
			lastLeft, lastRight = at, r
		} else {
			lastLeft, lastRight = l, r
		}
	}
}

// firstFree is the first item from a place up to another that has a token and no partner, and did not fail as in the
// other run; -1 if there is none.
func firstFree(items []*item, partner []int, from, to int, token uint64, theirs asked) int {
	for i := from; i < to; i++ {
		if it := items[i]; partner[i] < 0 && it.token == token && !(failed(it.flow) && theirs.has(it)) {
			return i
		}
	}
	return -1
}

// betweenPairs matches what is left over between two pairs by other numbers.
func (m *match) betweenPairs(of func(*item) uint64) {
	l, r := 0, 0
	for at := 0; at <= len(m.left); at++ {
		end := len(m.right)
		if at < len(m.left) {
			if end = m.toRight[at]; end < 0 {
				continue
			}
		}
		for _, p := range align(numbers(m.left[l:at], of), numbers(m.right[r:end], of)) {
			m.pair(l+p.left, r+p.right)
		}
		l, r = at+1, end+1
	}
}

// elsewhere matches what is left over anywhere, the first with the first.
func (m *match) elsewhere(of func(*item) uint64) {
	free := map[uint64][]int{}
	for i, it := range m.right {
		if m.toLeft[i] < 0 && m.softR[i] == "" {
			free[of(it)] = append(free[of(it)], i)
		}
	}
	for i, it := range m.left {
		if m.toRight[i] >= 0 || m.softL[i] != "" {
			continue
		}
		if found := free[of(it)]; len(found) > 0 {
			m.pair(i, found[0])
			m.moved[i] = true
			free[of(it)] = found[1:]
		}
	}
}

// explain finds what only one run has for a reason of timing.
func (m *match) explain() {
	m.softL = explained(m.left, m.toRight, m.rights)
	m.softR = explained(m.right, m.toLeft, m.lefts)
}
