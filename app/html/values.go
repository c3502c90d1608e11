package html

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"strconv"

	"kubarium/flow/object"
)

// Values are JSON values, each kept once however often it occurs: versions of an object share what did not change, and
// two values are the same where their numbers are. So a page of many bodies stays small.
//
// A value's number is even for a scalar, whose place is half of it, and odd for a node. A node is a list that begins
// with 0 for an object, then a scalar's place and a value for each field, or with 1 for a list and its values. Within a
// node a value that is a node is written as its distance to it, so that nodes of one shape look alike to a compressor.
type Values struct {
	Scalars []json.RawMessage
	Nodes   []json.RawMessage

	scalars map[string]int
	nodes   map[string]int
	seed    maphash.Seed
	bodies  map[uint64]int // by a hash of their bytes
}

// NewValues returns Values without any.
func NewValues() *Values {
	return &Values{scalars: map[string]int{}, nodes: map[string]int{}, seed: maphash.MakeSeed(), bodies: map[uint64]int{}}
}

// Word is the place of a text among the scalars.
func (v *Values) Word(text string) int { return v.scalar(quoted(text)) }

// Add adds a JSON text, which must be valid, and returns its number.
func (v *Values) Add(text []byte) int {
	if len(text) < 64 {
		return v.add(text)
	}
	key := maphash.Bytes(v.seed, text)
	n, known := v.bodies[key]
	if !known {
		n = v.add(text)
		v.bodies[key] = n
	}
	return n
}

// Any adds a plain value.
func (v *Values) Any(value any) int {
	text, err := json.Marshal(value)
	if err != nil { // a value that came from JSON has a text
		text = []byte(quoted(err.Error()))
	}
	return v.Add(text)
}

func (v *Values) add(text []byte) int {
	text = bytes.TrimLeft(text, " \t\r\n")
	node := []int{0}
	switch text[0] {
	case '{':
		object.Members(text, func(name, raw []byte) bool {
			node = append(node, v.scalar(`"`+string(name)+`"`), v.Add(raw))
			return true
		})
	case '[':
		node[0] = 1
		object.Items(text, func(raw []byte) { node = append(node, v.Add(raw)) })
	default:
		return 2 * v.scalar(literal(text))
	}
	return v.node(node)
}

// node returns the number of a node.
func (v *Values) node(node []int) int {
	key := numbers(node)
	at, known := v.nodes[key]
	if !known {
		at = len(v.Nodes)
		v.nodes[key] = at
		step := 2 - node[0] // of an object every second one is a value
		for i := step; i < len(node); i += step {
			if node[i]%2 == 1 {
				node[i] = 2*(at-node[i]/2) + 1
			}
		}
		v.Nodes = append(v.Nodes, json.RawMessage("["+numbers(node)+"]"))
	}
	return 2*at + 1
}

func (v *Values) scalar(text string) int {
	at, known := v.scalars[text]
	if !known {
		at = len(v.Scalars)
		v.scalars[text] = at
		v.Scalars = append(v.Scalars, json.RawMessage(text))
	}
	return at
}

// literal is a scalar as it is written on the page: a number that a browser would round is an object with its text.
func literal(text []byte) string {
	s := string(bytes.TrimRight(text, " \t\r\n"))
	if c := s[0]; c == '-' || c >= '0' && c <= '9' {
		if f, err := strconv.ParseFloat(s, 64); err != nil || strconv.FormatFloat(f, 'f', -1, 64) != s {
			return `{"n":` + quoted(s) + `}`
		}
	}
	return s
}

func numbers(all []int) string {
	out := make([]byte, 0, 4*len(all))
	for i, n := range all {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(out, int64(n), 10)
	}
	return string(out)
}

// quoted is a text as JSON; what is not UTF-8 is replaced.
func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		return `""`
	}
	return string(b)
}
