package compare

import "hash/maphash"

var seed = maphash.MakeSeed()

func hash(parts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, p := range parts {
		_, _ = h.WriteString(p)
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

// mix makes one number of two, whose order matters.
func mix(a, b uint64) uint64 {
	a ^= b + 0x9e3779b97f4a7c15 + a<<6 + a>>2
	a ^= a >> 33
	a *= 0xff51afd7ed558ccd
	return a ^ a>>33
}
