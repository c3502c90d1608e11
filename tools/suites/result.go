package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A result is one run of a suite.
type result struct {
	passed int
	failed []string // names
	time   time.Duration
	memory int64 // bytes
}

var (
	verdict = regexp.MustCompile(`^\s*--- (PASS|FAIL): (\S+)`)
	specs   = regexp.MustCompile(`-- (\d+) Passed \| \d+ Failed`)
	spec    = regexp.MustCompile(`^\s*\[(?:FAIL|PANICKED!|TIMEDOUT|INTERRUPTED)\] (.*)`)
	colours = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// count reads the output of a test binary with -test.v. Tests and subtests count, and specs of Ginkgo in place of the
// test that runs them.
func count(text string) (r result) {
	var summary, ginkgo bool // in Ginkgo's list of failures; the next verdict is of the test that ran specs
	for line := range strings.Lines(colours.ReplaceAllString(text, "")) {
		line = strings.TrimRight(line, " \n")
		if strings.HasPrefix(line, "Summarizing ") {
			summary = true
		} else if m := spec.FindStringSubmatch(line); m != nil && summary {
			r.failed = append(r.failed, m[1])
		} else if m := specs.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[1])
			r.passed += n
			summary, ginkgo = false, true
		} else if m := verdict.FindStringSubmatch(line); m != nil && ginkgo {
			ginkgo = false
		} else if m != nil && m[1] == "PASS" {
			r.passed++
		} else if m != nil {
			r.failed = append(r.failed, m[2])
		}
	}
	return r
}

// add adds the run of another package: what passed, and the time; of the memory the larger is kept.
func (r *result) add(o result) {
	r.passed += o.passed
	r.failed = append(r.failed, o.failed...)
	r.time += o.time
	r.memory = max(r.memory, o.memory)
}

func (r result) String() string {
	text := fmt.Sprintf("%d passed, %d failed, %.1f s, %d MiB", r.passed, len(r.failed), r.time.Seconds(), r.memory>>20)
	for _, name := range r.failed {
		text += "\n    failed: " + name
	}
	return text
}
