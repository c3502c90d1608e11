package main

import "regexp"

// A knownDifference is one that docs/differences.md names.
type knownDifference struct {
	words string         // some of its line there
	asked *regexp.Regexp // the questions that it is about
	told  *regexp.Regexp // what an answer of either server has
}

// knownDifferences are all that a run may meet.
var knownDifferences = []knownDifference{
	{"have fewer checks than kube-apiserver's", regexp.MustCompile(`^GET /(healthz|livez|readyz)[/?]|^\w+ /index.html$`), regexp.MustCompile(`etcd|404 page not found`)},
	{"has 44 of the 300 or so names", regexp.MustCompile(`^\w+ /metrics `), regexp.MustCompile(`# HELP`)},
	{"compares the bytes of a ControllerRevision's `data`", regexp.MustCompile(`/controllerrevisions/made type=`), regexp.MustCompile(`field is immutable`)},
	{"a `scale` in a version that is no longer served", regexp.MustCompile(`/scale .*"(extensions|apps)/v1beta1"`), regexp.MustCompile(`does not match the expected API version`)},
	{"is refused in CBOR if the client accepts CBOR", regexp.MustCompile(`example.com/v1(/.*/nope)? accept=application/cbor`), regexp.MustCompile(`^40[46]\n`)},
	{"waits for the 14th byte", regexp.MustCompile(`^RAW / \x00\x01\x02\r\n`), regexp.MustCompile(`no answer`)},
}

// explained is the known difference that a question and its answers fit, or nil.
func explained(q question, texts [2]string) *knownDifference {
	for i, k := range knownDifferences {
		if k.asked.MatchString(q.String()) && (k.told.MatchString(texts[0]) || k.told.MatchString(texts[1])) {
			return &knownDifferences[i]
		}
	}
	return nil
}
