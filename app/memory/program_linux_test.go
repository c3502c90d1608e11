package memory_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"kubarium/app/memory"
)

// Of a program's mappings those are let go that only show its file.
func TestUnchanged(t *testing.T) {
	const smaps = `00400000-00600000 r-xp 00000000 fe:00 1029298                            /opt/k program
Size:               2048 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me
00600000-00700000 r--p 00200000 fe:00 1029298                            /opt/k program
Anonymous:             4 kB
00700000-00800000 rw-p 00300000 fe:00 1029298                            /opt/k program
Anonymous:             0 kB
00800000-00900000 r--p 00000000 fe:00 1029299                            /lib/libc.so
Anonymous:             0 kB
c000000000-c000400000 rw-p 00000000 00:00 0 
Anonymous:          4096 kB
00900000-00a00000 r--p 00000000 fe:00 1029298                            /opt/k program
Anonymous:             0 kB
nonsense r--p 00000000 fe:00 1029298                                     /opt/k program
Anonymous:             0 kB
`
	got := memory.Unchanged(strings.NewReader(smaps), "/opt/k program")
	if want := []memory.Mapping{memory.MappingOf("400000-600000"), memory.MappingOf("900000-a00000")}; len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%x, want %x", got, want)
	}
}

// Pages of the program's file that have been read take no memory afterwards, and can be read again.
func TestUnmapProgram(t *testing.T) {
	program, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	before := residentFile(t)
	memory.UnmapProgram()
	after := residentFile(t)
	if after >= before {
		t.Errorf("%d KiB of files are resident after it, %d before", after, before)
	}
	if again, err := os.ReadFile("/proc/self/maps"); err != nil || len(again) < len(program)/2 {
		t.Errorf("the mappings were %d bytes and are %d: %v", len(program), len(again), err)
	}
}

// residentFile is how much of files this process has in memory, in KiB.
func residentFile(t *testing.T) int {
	t.Helper()
	all, err := os.ReadFile("/proc/self/smaps_rollup") // status counts less exactly the more cores there are
	if err != nil {
		t.Skip(err)
	}
	var kib [2]int
	for i, what := range []string{"Rss", "Anonymous"} {
		m := regexp.MustCompile(`(?m)^` + what + `:\s+(\d+) kB`).FindSubmatch(all)
		if m == nil {
			t.Skip("this system does not say " + what)
		}
		kib[i], _ = strconv.Atoi(string(m[1]))
	}
	return kib[0] - kib[1]
}
