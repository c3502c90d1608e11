package tui_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The objects of a moment are those of a real server then, one step after the other, and :fork starts a server from there.
func TestScreen_Moments(t *testing.T) {
	s := mustServe(t)
	var revisions []int64
	for i := range 4 {
		var o struct {
			Metadata struct{ ResourceVersion string }
		}
		if err := json.Unmarshal([]byte(s.create(fmt.Sprint("cm-", i), "v")), &o); err != nil {
			t.Fatal(err)
		}
		rv, err := strconv.ParseInt(o.Metadata.ResourceVersion, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		revisions = append(revisions, rv)
	}
	s.patch("cm-0", "changed")
	s.send("DELETE", configMaps+"/cm-1", "", "")
	u := s.screen(160, 48)
	u.Keys("7", "enter", "enter")
	if text := u.Text(); !strings.Contains(text, "k: changed") || has(text, 1) {
		t.Fatalf("now:\n%s", text)
	}
	for i := 3; i >= 0; i-- {
		u.GoTo(revisions[i])
		text := u.Text()
		for n := range 4 {
			if have := has(text, n); have != (n <= i) {
				t.Errorf("rv %d: cm-%d is there: %v\n%s", revisions[i], n, have, text)
			}
		}
		if !strings.Contains(text, "k: v") || !strings.Contains(text, fmt.Sprintf("PAST rv %d", revisions[i])) {
			t.Errorf("rv %d:\n%s", revisions[i], text)
		}
	}
	u.GoTo(revisions[1])
	u.Keys(append([]string{":"}, strings.Split("fork", "")...)...)
	u.Keys("enter")
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(u.Text()[strings.Index(u.Text(), "A second server has the state of "):])
	resp, err := http.Get(address + configMaps)
	if err != nil {
		t.Fatal(err, u.Text())
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if text := string(body); err != nil || !strings.Contains(text, `"cm-1"`) || strings.Contains(text, `"cm-2"`) || strings.Contains(text, "changed") {
		t.Errorf("%v: the fork has %s", err, text)
	}
}

// has reports whether the table on a screen has the n-th object.
func has(text string, n int) bool {
	return regexp.MustCompile(fmt.Sprintf(`default +cm-%d `, n)).MatchString(text)
}
