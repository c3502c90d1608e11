package app_test

import (
	"bytes"
	"strings"
	"testing"

	"kubarium/app"
	"kubarium/app/program/programtest"
)

// Two recordings are opened side by side: it is told where they part. A third is refused.
func TestOpen_Two(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	var files []string
	for _, name := range []string{"a", "b"} {
		c := programtest.RecordingConfig(t)
		p := programtest.MustStartConfig(t, c)
		maps := p.URL + "/api/v1/namespaces/default/configmaps"
		programtest.MustCall(t, 201, "POST", maps, "application/json", `{"metadata":{"name":"a"},"data":{"k":"1"}}`)
		code := 200
		if name == "b" {
			code = 404
		}
		programtest.MustCall(t, code, "GET", maps+"/"+map[string]string{"a": "a", "b": "b"}[name], "", "")
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		files = append(files, c.Record.File)
	}
	var out, errs bytes.Buffer
	code := app.Main(append([]string{"open", "--plain"}, files...), strings.NewReader("compare\ndoctor\nquit\n"), &out, &errs)
	text := out.String()
	if code != 0 || !strings.Contains(text, "The runs part at +") || !strings.Contains(text, "only in run B") {
		t.Errorf("exit %d: %s%s", code, text, errs.String())
	}
	if code, _, errs := run("open", files[0], files[1], files[0]); code != 2 || strings.Count(errs, "\n") != 1 {
		t.Errorf("three recordings: exit %d, %s", code, errs)
	}
	if code, _, errs := run("open", "--plain", files[0], files[0]+"x"); code == 0 || !strings.Contains(errs, "there is no file") {
		t.Errorf("a second one that is not there: exit %d, %s", code, errs)
	}
}
