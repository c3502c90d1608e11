package action

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"kubarium/tui/client"
)

// A MetaMap is a map in metadata that the user changes by words: k=v sets, k- removes.
type MetaMap struct {
	Field   string // "labels"
	One     string // "label"
	command string
	checked bool // whether values are validated
}

// The maps of an object's metadata.
var (
	Labels      = MetaMap{"labels", "label", "label", true}
	Annotations = MetaMap{"annotations", "annotation", "annotate", false}
)

// Change returns the action that sets and removes entries as the words say.
func (m MetaMap) Change(of client.Resource, k client.Key, words string) (*Action, error) {
	changes, err := m.parse(words)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{m.Field: changes}})
	if err != nil {
		return nil, err
	}
	var further []string
	overwrites := false
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		if v := changes[key]; v != nil {
			further, overwrites = append(further, key+"="+*v), true
		} else {
			further = append(further, key+"-")
		}
	}
	if overwrites {
		further = append(further, "--overwrite") // without it kubectl refuses an existing key
	}
	return &Action{
		Of: of, Key: k, Verb: "patch", Method: http.MethodPatch, Media: mergePatch, Body: body,
		command: m.command, further: further,
	}, nil
}

// parse parses words into values by key; nil removes a key.
func (m MetaMap) parse(text string) (map[string]*string, error) {
	words, err := split(text)
	switch {
	case err != nil:
		return nil, err
	case len(words) == 0:
		return nil, fmt.Errorf("say key=value to set a %s, or key- to remove it", m.One)
	}
	out := map[string]*string{}
	for _, w := range words {
		key, value, sets := strings.Cut(w, "=")
		if !sets {
			var removes bool
			if key, removes = strings.CutSuffix(w, "-"); !removes {
				return nil, fmt.Errorf("%q neither sets (key=value) nor removes (key-)", w)
			}
		}
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("%q is named twice", key)
		}
		if problems := validation.IsQualifiedName(strings.ToLower(key)); len(problems) > 0 {
			return nil, fmt.Errorf("key %q: %s", key, problems[0])
		}
		if out[key] = nil; sets {
			out[key] = &value
		}
		if problems := validation.IsValidLabelValue(value); m.checked && len(problems) > 0 {
			return nil, fmt.Errorf("value %q: %s", value, problems[0])
		}
	}
	return out, nil
}

// split splits words at blanks outside of quotes.
func split(text string) ([]string, error) {
	var out []string
	var word strings.Builder
	quote, within := rune(0), false
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, within = r, true
		case r == ' ' || r == '\t':
			if within {
				out = append(out, word.String())
				word.Reset()
			}
			within = false
		default:
			word.WriteRune(r)
			within = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quotation mark is not closed")
	}
	if within {
		out = append(out, word.String())
	}
	return out, nil
}
