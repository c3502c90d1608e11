package main

import (
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A question is one request.
type question struct {
	line   string // of requests.txt, before its words were chosen
	method string
	path   string // with the query, as it is sent
	accept string
	typ    string // the Content-Type
	body   string
}

func (q question) String() string {
	text := q.method + " " + q.path
	for _, part := range []struct{ name, value string }{{"accept=", q.accept}, {"type=", q.typ}, {"", q.body}} {
		if part.value != "" {
			text += " " + part.name + part.value
		}
	}
	return text
}

//go:embed requests.txt
var requestsText string

// questions are those of one line: every combination of its alternatives, with the words put in.
func questions(line string, words map[string]string) ([]question, error) {
	var all []question
	for _, text := range expand(line) {
		for name, value := range words {
			text = strings.ReplaceAll(text, "{"+name+"}", value)
		}
		q, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		q.line = line
		all = append(all, q)
	}
	return all, nil
}

// expand returns a text for each combination of its alternatives, as in "a<b|c>": "ab", "ac".
func expand(text string) []string {
	before, rest, found := strings.Cut(text, "<")
	if !found {
		return []string{text}
	}
	choices, after, _ := strings.Cut(rest, ">")
	var all []string
	for _, end := range expand(after) {
		for choice := range strings.SplitSeq(choices, "|") {
			all = append(all, before+choice+end)
		}
	}
	return all
}

// mediaTypes are short words of accept= and type= with the media types that they mean.
var mediaTypes = map[string]string{
	"json": "application/json", "yaml": "application/yaml", "cbor": "application/cbor", "protobuf": "application/vnd.kubernetes.protobuf",
	"merge": "application/merge-patch+json", "patch": "application/json-patch+json", "strategic": "application/strategic-merge-patch+json",
	"apply": "application/apply-patch+yaml", "applycbor": "application/apply-patch+cbor",
	"table":     "application/json;as=Table;g=meta.k8s.io;v=v1",
	"meta":      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
	"metalist":  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
	"groups":    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
	"lowgroups": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;q=0.1,application/json",
	"v2":        "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
	"v3":        "application/com.github.proto-openapi.spec.v3@v1.0+protobuf",
}

// escaped is a byte in a body.
var escaped = regexp.MustCompile(`\\x[0-9a-f]{2}`)

// parse reads METHOD PATH [accept=TYPE] [type=TYPE] [BODY].
func parse(text string) (question, error) {
	method, rest, _ := strings.Cut(text, " ")
	path, rest, _ := strings.Cut(rest, " ")
	q := question{method: method, path: path}
	if !strings.HasPrefix(path, "/") {
		return q, fmt.Errorf("no path in %q", text)
	}
	for {
		word, after, _ := strings.Cut(rest, " ")
		name, value, _ := strings.Cut(word, "=")
		if long, ok := mediaTypes[value]; ok {
			value = long
		}
		switch name {
		case "accept":
			q.accept = value
		case "type":
			q.typ = value
		default:
			q.body = escaped.ReplaceAllStringFunc(rest, func(e string) string {
				n, _ := strconv.ParseUint(e[2:], 16, 8)
				return string([]byte{byte(n)})
			})
			return q, nil
		}
		rest = after
	}
}
