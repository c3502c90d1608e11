// Package hartest parses HTTP Archives strictly by the specification of HAR 1.2: each object has all required members,
// no unknown ones, and the right types. It is for tests, and does not know the writer.
package hartest

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/url"
	"strings"
	"time"
)

// Read parses an archive and returns its log. The error is the first violation of the specification.
func Read(r io.Reader) (log map[string]any, err error) {
	d := json.NewDecoder(r)
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the archive")
	}
	if err := check("har", "", v); err != nil {
		return nil, err
	}
	log = v.(map[string]any)["log"].(map[string]any)
	return log, checkEntries(log)
}

// objects are the members of the specification's objects, with their types. "?" after a type means optional, "[]"
// before it a list; -1 is a number of at least -1.
var objects = map[string]map[string]string{
	"har": {"log": "log"},
	"log": {"version": "1.2", "creator": "creator", "browser": "creator?", "pages": "[]page?",
		"entries": "[]entry", "comment": "string?"},
	"creator": {"name": "string", "version": "string", "comment": "string?"},
	"page": {"startedDateTime": "time", "id": "string", "title": "string", "pageTimings": "pageTimings",
		"comment": "string?"},
	"pageTimings": {"onContentLoad": "-1?", "onLoad": "-1?", "comment": "string?"},
	"entry": {
		"pageref": "string?", "startedDateTime": "time", "time": "number", "request": "request", "response": "response",
		"cache":   "cache",
		"timings": "timings", "serverIPAddress": "string?", "connection": "string?", "comment": "string?",
	},
	"request": {
		"method": "string", "url": "url", "httpVersion": "string", "cookies": "[]cookie", "headers": "[]pair",
		"queryString": "[]pair",
		"postData":    "postData?", "headersSize": "-1", "bodySize": "-1", "comment": "string?",
	},
	"response": {
		"status": "number", "statusText": "string", "httpVersion": "string", "cookies": "[]cookie", "headers": "[]pair",
		"content":     "content",
		"redirectURL": "string", "headersSize": "-1", "bodySize": "-1", "comment": "string?",
	},
	"cookie": {
		"name": "string", "value": "string", "path": "string?", "domain": "string?", "expires": "time?",
		"httpOnly": "bool?", "secure": "bool?",
		"comment": "string?",
	},
	"pair":     {"name": "string", "value": "string", "comment": "string?"},
	"postData": {"mimeType": "string", "text": "string", "comment": "string?"}, // or params instead of text, for forms
	"content": {
		"size": "number", "compression": "signed?", "mimeType": "string", "text": "string?", "encoding": "string?",
		"comment": "string?",
	},
	"cache": {"comment": "string?"}, // beforeRequest and afterRequest are of caches, which a server has none of
	"timings": {
		"blocked": "-1?", "dns": "-1?", "connect": "-1?", "ssl": "-1?", "send": "number", "wait": "number",
		"receive": "number", "comment": "string?",
	},
}

// check checks a value of a type at a path.
func check(kind, at string, v any) error {
	if item, ok := strings.CutPrefix(kind, "[]"); ok {
		list, ok := v.([]any)
		if !ok {
			return fmt.Errorf("%s is not a list", at)
		}
		for i, v := range list {
			if err := check(item, fmt.Sprintf("%s[%d]", at, i), v); err != nil {
				return err
			}
		}
		return nil
	}
	members, ok := objects[kind]
	if !ok {
		return checkScalar(kind, at, v)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%s is not an object", at)
	}
	for name, kind := range members {
		kind, optional := strings.CutSuffix(kind, "?")
		inner, has := object[name]
		switch {
		case has:
			if err := check(kind, at+"."+name, inner); err != nil {
				return err
			}
		case !optional:
			return fmt.Errorf("%s has no %s", at, name)
		}
	}
	for name := range object {
		if _, known := members[name]; !known && !strings.HasPrefix(name, "_") {
			return fmt.Errorf("%s has a member %s, which the specification does not know", at, name)
		}
	}
	return nil
}

func checkScalar(kind, at string, v any) error {
	s, isText := v.(string)
	n, isNumber := v.(float64)
	_, isBool := v.(bool)
	ok := false
	switch kind {
	case "signed":
		ok = isNumber
	case "string":
		ok = isText
	case "1.2":
		ok = s == "1.2"
	case "bool":
		ok = isBool
	case "number":
		ok = isNumber && n >= 0
	case "-1":
		ok = isNumber && (n >= 0 || n == -1)
	case "time":
		_, err := time.Parse(time.RFC3339, s)
		ok = err == nil
	case "url":
		u, err := url.Parse(s)
		ok = err == nil && u.IsAbs() && u.Host != "" && u.Fragment == ""
	}
	if !ok {
		return fmt.Errorf("%s is %v, not a %s", at, v, kind)
	}
	return nil
}

// checkEntries checks rules beyond types: each page exists, and the time of an entry is the sum of its timings.
func checkEntries(log map[string]any) error {
	pages := map[any]bool{}
	list, _ := log["pages"].([]any)
	for _, p := range list {
		id := p.(map[string]any)["id"]
		if pages[id] {
			return fmt.Errorf("two pages are %v", id)
		}
		pages[id] = true
	}
	for i, e := range log["entries"].([]any) {
		entry := e.(map[string]any)
		if ref, has := entry["pageref"]; has && !pages[ref] {
			return fmt.Errorf(".entries[%d] is of page %v, which is not there", i, ref)
		}
		sum := 0.0
		for name, v := range entry["timings"].(map[string]any) {
			if n, ok := v.(float64); ok && n >= 0 && name != "ssl" { // ssl is a part of connect
				sum += n
			}
		}
		if math.Abs(sum-entry["time"].(float64)) > 1e-6 {
			return fmt.Errorf(".entries[%d] took %v, and its timings %v", i, entry["time"], sum)
		}
	}
	return nil
}
