package compare

import (
	"slices"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// A pair is the positions of two equal things in two lists.
type pair struct{ left, right int }

// align finds a common subsequence of two lists of numbers, a long one, in their order. It first matches what both
// lists have once, then the parts between such pairs (the "patience" way of comparing files), so that neither time nor
// memory grow with the square of the lists.
func align(left, right []uint64) []pair {
	return alignFrom(left, right, 0, 0, deepest, nil)
}

// deepest is how often the part between two anchors is divided again. Each time costs a pass over all of it, and few
// are needed except for lists that are made for it.
const deepest = 40

func alignFrom(left, right []uint64, atLeft, atRight, depth int, out []pair) []pair {
	for len(left) > 0 && len(right) > 0 && left[0] == right[0] {
		out = append(out, pair{atLeft, atRight})
		left, right, atLeft, atRight = left[1:], right[1:], atLeft+1, atRight+1
	}
	tail := 0
	for tail < len(left) && tail < len(right) && left[len(left)-1-tail] == right[len(right)-1-tail] {
		tail++
	}
	if l, r := left[:len(left)-tail], right[:len(right)-tail]; len(l) > 0 && len(r) > 0 {
		anchors := increasing(once(l, r))
		if len(anchors) == 0 || depth == 0 {
			out = alignAll(l, r, atLeft, atRight, out)
		} else {
			from := pair{}
			for _, a := range append(anchors, pair{len(l), len(r)}) {
				out = alignFrom(l[from.left:a.left], r[from.right:a.right], atLeft+from.left, atRight+from.right, depth-1, out)
				if a.left < len(l) {
					out = append(out, pair{atLeft + a.left, atRight + a.right})
				}
				from = pair{a.left + 1, a.right + 1}
			}
		}
	}
	for i := tail; i > 0; i-- {
		out = append(out, pair{atLeft + len(left) - i, atRight + len(right) - i})
	}
	return out
}

// once are the things that each of two lists has once, in the order of the left one.
func once(left, right []uint64) []pair {
	type found struct{ left, right, lefts, rights int }
	seen := make(map[uint64]*found, len(left))
	for i, v := range left {
		f := seen[v]
		if f == nil {
			f = &found{left: i}
			seen[v] = f
		}
		f.lefts++
	}
	for i, v := range right {
		if f := seen[v]; f != nil {
			f.right = i
			f.rights++
		}
	}
	var out []pair
	for _, v := range left {
		if f := seen[v]; f.lefts == 1 && f.rights == 1 {
			out = append(out, pair{f.left, f.right})
		}
	}
	return out
}

// increasing is a longest part of pairs in which the right positions grow as the left ones do.
func increasing(pairs []pair) []pair {
	if len(pairs) == 0 {
		return nil
	}
	before := make([]int, len(pairs)) // the pair before each one in the best part that ends with it; -1 for none
	var ends []int                    // by its length less 1 the pair with which the best part so long ends
	for i, p := range pairs {
		n, _ := slices.BinarySearchFunc(ends, p.right, func(e, right int) int { return pairs[e].right - right })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	out := make([]pair, len(ends))
	for i, n := ends[len(ends)-1], len(ends)-1; i >= 0; i, n = before[i], n-1 {
		out[n] = pairs[i]
	}
	return out
}

// alignAll compares lists without a value that both have once, in two ways, and takes the longer result. The library is
// exact for a hundred differences, and then takes what it has found.
func alignAll(left, right []uint64, atLeft, atRight int, out []pair) []pair {
	found := edited(left, right)
	if most := min(len(left), len(right)); len(found) < most-most/8 {
		if other := increasing(once(numbered(left), numbered(right))); len(other) > len(found) {
			found = other
		}
	}
	for _, p := range found {
		out = append(out, pair{atLeft + p.left, atRight + p.right})
	}
	return out
}

// numbered makes one number of each and of how many like it came before, so that no value occurs twice.
func numbered(list []uint64) []uint64 {
	count := map[uint64]uint64{}
	out := make([]uint64, len(list))
	for i, v := range list {
		count[v]++
		out[i] = mix(v, count[v])
	}
	return out
}

// edited are the pairs that a shortest script of edits leaves.
func edited(left, right []uint64) (out []pair) {
	runes := map[uint64]rune{}
	letters := func(list []uint64) []rune {
		text := make([]rune, len(list))
		for i, v := range list {
			r, ok := runes[v]
			if !ok {
				r = rune(len(runes))
				runes[v] = r
			}
			text[i] = r
		}
		return text
	}
	l, r := letters(left), letters(right)
	x, y := 0, 0
	end := lcs.Diff{Start: len(l), End: len(l), ReplStart: len(r), ReplEnd: len(r)}
	for _, d := range append(lcs.DiffRunes(l, r), end) {
		for ; x < d.Start && y < d.ReplStart; x, y = x+1, y+1 {
			out = append(out, pair{x, y})
		}
		x, y = d.End, d.ReplEnd
	}
	return out
}
