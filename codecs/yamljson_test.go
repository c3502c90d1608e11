package codecs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"kubarium/codecs"
)

// hardTexts are JSON texts in which YAML sees something that is not there, or is written in another way.
var hardTexts = []string{
	`null`, `true`, `"x"`, `0`, `-0`, `7`, `-12`, `01`, `1.5`, `1e3`, `1e400`, `9223372036854775807`, `18446744073709551615`, `123456789012345678`, `1234567890123456789012`,
	`{}`, `[]`, `[[]]`, `[{}]`, `{"a":{}}`, `{"a":[]}`, `{"a":[{"b":[1,2,[3]]},{}]}`, `{ "a" : 1 }`, "{\"a\":1}\n", "", `{`, `[1`, `[1,]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{1:2}`, `{"a":1}x`,
	`{"a":1,"a":2}`, `{"b":1,"a":2,"b":{"c":3}}`, `{"<<":{"a":1},"b":2}`, `{"a":"<<","b":"*x","c":"&x","d":"!x","e":"%x","f":"@x"}`, `{"":"","a":""}`,
	`{"yes":"no","1":"2","1.5":"1e3","null":"~","2006-01-02":"2006-01-02","1:20":"1:20","y":"n","0x10":"0b1","=":"="}`,
	`{"a10":1,"a9":2,"a09":3,"a1.b":5,"A":6,"a-b":7,"a_b":8,"f:a":9,"k:{\"x\":1}":10,".":11,"é":12,"10":13,"9":14,"a100":15,"a1000":16,"v1":17,"v2beta1":18,"v10":19}`,
	`{"a":"line\nline\n","b":"\nline","c":"line\n\n","d":" lead\nline","e":"trail \nline","f":"\n","g":"tab\tin","h":"cr\rin","i":"\u0000\u0001\u007f\u0085\u2028\u2029\ufeff\uffff"}`,
	`{"a":" lead","b":"trail ","c":"a: b","d":"a #b","e":"- a","f":"? a","g":"'a'","h":"\"a\"","i":"a\\b","j":"{a}","k":"[a]","l":"a,b","m":"|","n":">","o":"--- a","p":"..."}`,
	`{"a":"\u003ca\u003e\u0026\u2028","b":"naïve — 🦆 ünïcode","c":"\ud83e\udd86","d":"\ud83e","e":"a\/b","f":"\x","g":"\u12"}`, `{"e":"a\/b"}`, `{"c":"\ud83e\udd86"}`, `{"b":"naïve — 🦆 ünïcode"}`, `{"i":"\u0000\u0001\u007f\u0085\u2028\u2029\ufeff\uffff"}`,
	"{\"a\":\"\u0085\"}", "{\"a\":\"x\u2028 y\"}", "{\"a\":\"\ufeff\"}", "{\"a\":\"\uffff\"}", "{\"a\":\"\x7f\"}", "{\"a\":\"\xff\"}", "{\"a\":\"\t\"}", "{\"a\":\"\ufffd\"}", "{\"a\":\"\U0001fffe\"}",
	`{"a":"` + strings.Repeat("folded at eighty columns ", 20) + `","b":"` + strings.Repeat("x", 300) + `","c":"` + strings.Repeat("a  b ", 40) + `"}`,
	`{"` + strings.Repeat("k", 127) + `":1}`, `{"` + strings.Repeat("k", 129) + `":1}`, `{"` + strings.Repeat("k", 999) + `":1}`, `{"` + strings.Repeat("k", 1100) + `":1}`, `{"` + strings.Repeat("k ", 100) + `":{"a":1}}`,
	strings.Repeat("[", 600) + strings.Repeat("]", 600), strings.Repeat(`{"a":`, 600) + "1" + strings.Repeat("}", 600),
	`[{"metadata":{"name":"a","managedFields":[{"fieldsV1":{"f:data":{".":{},"f:k":{}}}}]}},{"metadata":{"name":"b"}}]`,
}

// YAML is what sigs.k8s.io/yaml makes of the same text, whatever way it is read in.
func TestYAMLFromJSON(t *testing.T) {
	for _, text := range hardTexts {
		sameYAML(t, []byte(text))
	}
	for _, text := range hardScalars() {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{`{"a":%s}`, `{%s:1}`, `[%s]`, `{"a":{"b":[{"c":%s,"d":1},2]}}`, `[[%s,[]],{%[1]s:{}}]`} {
			sameYAML(t, fmt.Appendf(nil, form, quoted))
		}
	}
	names := map[string]int{}
	for i := range 300 {
		names[fmt.Sprintf("%c%s%d", []rune("ab.-0:é")[i%7], strings.Repeat("0", i%3), i*i%113)] = i
	}
	text, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	sameYAML(t, text)
}

// hardScalars are texts that must be quoted, folded or written line by line, and similar ones that must not.
func hardScalars() []string {
	texts := []string{
		"", " ", "~", "null", "nil", "yes", "Yes", "yEs", "on", "off", "n", "N", "true", "TRUE", "tRUE", ".", "..", "...", "....", "---", "--- a", "--", "-", "-a", "- a", "?", "?a", "? a", ":", ":a", ": a",
		"1", "-1", "+1", "01", "0x1f", "0xg", "0b101", "0b12", "0b-1", "-0b1", "-0b-1", "0o17", "1_000", "_1", "1.", ".5", "-.5", "+.5", "1.5", "1e3", "1e", "1e+3", "1E400", ".e1", ".inf", "-.Inf", ".nan", "+", "+a", "1-2", "0b6e1f0a-7a3c",
		"1:20", "1:60", "1:20.5", "-1:20", "1_0:20", "1:2:3", "1:a", "2026-01-01", "2026-1-1", "2026-13-01", "2026-01-01T00:00:00Z", "2026-01-01t00:00:00Z", "2026-01-01 00:00:00", "2026-01-01T00:00:00", "2026-", "20260-1-1", "9223372036854775808", "18446744073709551616",
		"a: b", "a :b", "a:b", "a:", "a #b", "a# b", "#a", ",a", "[a", "]a", "{a", "}a", "&a", "*a", "!a", "|a", ">a", "'a", "\"a", "%a", "@a", "`a", "a'b", "a\"b", "a\\b", "a'b: c", "{\"a\":'b'}", "<<", "=", "a ", " a", "a  b", "\u007f", "é", "a\tb", "🦆", "\u0085",
		"a\nb", "a\nb\n", "a\n\nb\n", "a\n\n", "\na", " a\nb", "a \nb", "a\n b", "a\n b\n", "a\nb ", "\n", "a\n", "a: b\n", "a\n---\nb", "# a\nb", "é\nb",
	}
	for _, n := range []int{1, 20, 38, 60, 77, 78, 79, 80, 81, 120, 128, 129} {
		x := strings.Repeat("x", n)
		texts = append(texts, x, x+" y", x+"  y", x+" y z", x+" y  z w", "'"+x+" y", "'"+x+" y'z w", x+": y z", "1 "+x+" y z", x+" y "+x+" z "+x, x+"\n"+x+" y "+x)
	}
	return texts
}

func FuzzYAMLFromJSON(f *testing.F) {
	for _, text := range hardTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if json.Valid(data) && ordered(data) {
			sameYAML(t, data)
		}
	})
}

// ordered reports whether sigs.k8s.io/yaml has one order for a text's members. It has none for "a1b", "a9" and "a10",
// where each comes before the next, and the last before the first: it writes them now so, now so.
func ordered(text []byte) bool {
	want, _ := yaml.JSONToYAML(text)
	for range 10 {
		if again, _ := yaml.JSONToYAML(text); !bytes.Equal(again, want) {
			return false
		}
	}
	return true
}

func sameYAML(t *testing.T, text []byte) {
	t.Helper()
	want, wantErr := yaml.JSONToYAML(text)
	got, err := codecs.YAMLFromJSON(text)
	if !bytes.Equal(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Errorf("%.200q: %v\n%.400s\nwant %v\n%.400s", text, err, got, wantErr, want)
	}
}
