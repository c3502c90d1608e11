package recording_test

import (
	"bytes"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"kubarium/flow"
	"kubarium/flow/recording"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 5, time.UTC)

// fill gives every exported field a different value, so that no field can be forgotten.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("<text %d>", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint64:
		v.SetUint(uint64(*n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(fmt.Appendf(nil, "{\"n\":%d}", *n))
			return
		}
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		of := reflect.New(v.Type().Elem()).Elem()
		fill(of, n)
		v.SetMapIndex(reflect.ValueOf("A-Name"), of)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		switch made := v.Interface().(type) {
		case *flow.Flow:
			fillCall(made, n)
		case *flow.Identity:
			fill(v.Elem(), n)
			made.Impersonator = &flow.Identity{} // which has none itself
			fill(reflect.ValueOf(made.Impersonator).Elem(), n)
		default:
			fill(v.Elem(), n)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(noon.Add(time.Duration(*n) * time.Second)))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type().Field(i).Type != reflect.TypeFor[*flow.Watch]() &&
				v.Type().Field(i).Name != "Impersonator" {
				fill(v.Field(i), n)
			}
		}
	}
}

// fillCall fills the fields of a call's flow.
func fillCall(f *flow.Flow, n *int) {
	for _, v := range []any{
		&f.Start, &f.Duration, &f.Client, &f.Method, &f.Path, &f.Query, &f.Proto, &f.RequestHeader, &f.RequestBody,
		&f.Status, &f.ResponseHeader,
		&f.ResponseBody, &f.Message,
	} {
		fill(reflect.ValueOf(v).Elem(), n)
	}
}

// full is a flow with a value in every field.
func full() *flow.Flow { return fullAt(noon) }

func fullAt(noon time.Time) *flow.Flow {
	f, n := &flow.Flow{}, 0
	fill(reflect.ValueOf(f).Elem(), &n)
	f.Phase = flow.WatchClosed
	for i := range f.Effects {
		f.Effects[i].Commit.Type = flow.Deleted
	}
	f.Conflict.Kind, f.Page.Source = flow.StaleRevision, "history"
	for i := range f.Plugins {
		f.Plugins[i].Station = flow.Admit
		for j := range f.Plugins[i].Opinions {
			f.Plugins[i].Opinions[j].Kind, f.Plugins[i].Opinions[j].Said = flow.PolicyPart, flow.SaidWarned
		}
	}
	for i := range f.Rights {
		f.Rights[i].Decision = flow.Denied
	}
	for i := range f.Calls {
		f.Calls[i].Kind = flow.ConversionCall
	}
	var info flow.WatchInfo
	fill(reflect.ValueOf(&info).Elem(), &n)
	info.Opened = noon
	f.Watch = flow.NewLog(flow.Limits{}).OpenWatch(info)
	for i := range 300 { // more than are kept
		f.Watch.Wrote(flow.Frame{Type: "MODIFIED", Revision: int64(i), Namespace: "shop", Name: "web", Size: i,
			Committed: noon, Written: noon.Add(time.Duration(i))})
	}
	f.Watch.Wrote(flow.Frame{Type: "BOOKMARK", Revision: 300, Written: noon})
	f.Watch.Reached(400, 3)
	f.Watch.Touched(flow.FaultMark{Rule: "cut after 3 before frame", Action: "cut", Station: "frame", At: time.Second,
		Seen: 7, Object: "shop/web"})
	f.Watch.Close(noon, "timeout")
	return f
}

func mustWrite(t *testing.T, f *flow.Flow) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := recording.NewWriter(&b).Flow(f); err != nil {
		t.Fatal(err)
	}
	if bytes.Count(b.Bytes(), []byte("\n")) != 1 || !bytes.HasSuffix(b.Bytes(), []byte("\n")) {
		t.Fatalf("not one line: %q", b.String())
	}
	return b.Bytes()
}

func mustRead(t *testing.T, line []byte) *flow.Flow {
	t.Helper()
	l, err := recording.Read(line)
	if err != nil || l.Flow == nil {
		t.Fatalf("%s: %v", line, err)
	}
	return l.Flow
}

// same compares two flows, except for fields that only the log sets.
func same(t *testing.T, got, want *flow.Flow) {
	t.Helper()
	if !reflect.DeepEqual(got.Watch != nil, want.Watch != nil) {
		t.Fatal("the watch is not the same")
	}
	if want.Watch != nil {
		if g, w := got.Watch, want.Watch; !reflect.DeepEqual(g.WatchInfo, w.WatchInfo) ||
			!reflect.DeepEqual(g.State(), w.State()) || !reflect.DeepEqual(g.Frames(), w.Frames()) {
			t.Errorf("the watch: %+v %+v, want %+v %+v", g.WatchInfo, g.State(), w.WatchInfo, w.State())
		}
	}
	g, w := reflect.ValueOf(*got), reflect.ValueOf(*want)
	for i := range g.NumField() {
		f := g.Type().Field(i)
		if f.IsExported() && f.Name != "Watch" && !reflect.DeepEqual(g.Field(i).Interface(), w.Field(i).Interface()) {
			t.Errorf("%s is %#v, want %#v", f.Name, g.Field(i).Interface(), w.Field(i).Interface())
		}
	}
}

// Every field of every byte value is read as it was written.
func TestWriter_Flow_Lossless(t *testing.T) {
	raw := full()
	raw.Path, raw.Target.Name, raw.Message = "/a\xff", "\xfe\xfe", "no \xff"
	raw.RequestHeader = http.Header{"X/~": {"fine", "\x80"}}
	raw.Annotations = map[string]string{"a/b": "\xff\ufffd"}
	raw.Statements[1].Args[1] = "\xc3"
	raw.Watch.Target.Name = "\xff"
	raw.RequestBody.Kept = []byte("k8s\x00\xff\xfe")
	raw.Effects[0].Before = flow.Bytes{}
	for name, f := range map[string]*flow.Flow{
		"full": full(), "raw": raw,
		"least": {Seq: 1, Start: noon},
		"replacement": {Seq: 1, Start: noon, Path: "\ufffd", Message: `\ufffd`,
			ResponseBody: flow.Keep([]byte("<\u2028>"))},
	} {
		t.Run(name, func(t *testing.T) { same(t, mustRead(t, mustWrite(t, f)), f) })
	}
}

func mustSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(recording.Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func check(t *testing.T, s *jsonschema.Schema, line []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

// The schema describes every possible member of a line, and no others.
func TestSchema(t *testing.T) {
	schema := mustSchema(t)
	raw := full()
	raw.Path, raw.RequestBody.Kept = "\xff", []byte{0xff}
	var missed bytes.Buffer
	if err := recording.NewWriter(&missed).Missed(3, 17); err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]byte{mustWrite(t, full()), mustWrite(t, raw),
		mustWrite(t, &flow.Flow{Seq: 1, Start: noon}), missed.Bytes()} {
		if err := check(t, schema, line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	good := string(mustWrite(t, full()))
	for _, bad := range []string{
		`{}`, `{"missed":0,"upto":1}`, `{"missed":1}`,
		strings.Replace(good, `"seq":`, `"sequence":`, 1),
		strings.Replace(good, `"phase":"watchClosed"`, `"phase":"over"`, 1),
		strings.Replace(good, `"type":"deleted"`, `"type":"D"`, 1),
		strings.Replace(good, `"station":"admit"`, `"station":"store"`, 1),
	} {
		if check(t, schema, []byte(bad)) == nil {
			t.Errorf("valid: %s", bad)
		}
	}
}

func TestRead_Errors(t *testing.T) {
	for _, text := range []string{
		``, `{`, `[]`, `{}`, `{"seq":1,"phase":"over"}`, `{"seq":"1"}`, `{"seq":1,"requestBody":{"kept":7}}`,
		`{"seq":1,"exact":{"/nowhere":"/w=="}}`,
		`{"seq":1,"watch":{"state":{},"frames":[{"number":7},{"number":9}]}}`,
		`{"seq":1,"watch":{"state":{},"frames":[{"number":1},{"number":3}]}}`,
		`{"seq":1,"effects":[{"commit":{"type":"D"}}]}`,
	} {
		if l, err := recording.Read([]byte(text)); err == nil {
			t.Errorf("%s: read as %+v", text, l)
		}
	}
	l, err := recording.Read([]byte(`{"missed":3,"upto":17}`))
	if err != nil || l.Missed != 3 || l.Upto != 17 || l.Flow != nil {
		t.Errorf("%+v %v", l, err)
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := recording.NewWriter(&b).Flow(full()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"missed":3,"upto":17}`))
	f.Add([]byte(`{"seq":1,"phase":"request","path":"\ufffd","exact":{"/path":"/w=="}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := recording.Read(text)
		if err != nil || l.Flow == nil {
			return
		}
		same(t, mustRead(t, mustWrite(t, l.Flow)), l.Flow)
	})
}
