package codecs_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"kubarium/codecs"
)

func TestZZ(t *testing.T) {
	n := codecs.MaxBody
	var distinct strings.Builder
	for i := 0; distinct.Len() < n-20; i++ {
		fmt.Fprintf(&distinct, "k%d: 1\n", i)
	}
	merge := "a0: &a0 {x: 1}\n"
	for i := 1; i < 40; i++ {
		merge += fmt.Sprintf("a%d: &a%d\n  <<: [*a%d, *a%d, *a%d, *a%d]\n", i, i, i-1, i-1, i-1, i-1)
	}
	for name, text := range map[string]string{
		"dup": strings.Repeat("a: 1\n", n/5), "distinct": distinct.String(), "flow": "{" + strings.Repeat("a,", n/2) + "}", "merge": merge,
		"anchors": strings.Repeat("- &a x\n", n/7), "unclosed quotes": strings.Repeat("\"", n), "hash": strings.Repeat("#", n), "lines": "a: |\n" + strings.Repeat(" \n", n/2), "question": strings.Repeat("? ", n/2), "tags": strings.Repeat("!", n), "bang": strings.Repeat("!a ", n/3), "nums": "a: " + strings.Repeat("1", n), "colon": strings.Repeat("a: ", n/3), "colon2": strings.Repeat(":", n), "brace": strings.Repeat("{a: ", 9999), "spaces": strings.Repeat(" ", n) + "a", "flowseq": "[" + strings.Repeat("a: b,", n/5) + "]", "longkey": "? " + strings.Repeat("a\n  ", n/4), "plain": strings.Repeat("a\n", n/2), "dash": strings.Repeat("-\n", n/2), "pct": strings.Repeat("%a b\n", n/5), "esc": "\"" + strings.Repeat("\\x41", n/4) + "\"",
	} {
		for _, v := range []codecs.Validation{codecs.Warn} {
			start := time.Now()
			_, _, w, err := codecs.YAML.Decode([]byte(text), configMap, &corev1.ConfigMap{}, v)
			t.Logf("%-16s %8s %d warnings %.80v", name, time.Since(start).Round(time.Millisecond), len(w), err)
		}
	}
}
