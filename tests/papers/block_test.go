package papers_test

import (
	"reflect"
	"strings"
	"testing"

	"kubarium/tests/papers"
)

func TestParse(t *testing.T) {
	page := "# Title\n```sh\na\nb\n```\n```yaml\nkind: X\n```\n" +
		"1. text\n   ```sh keeps-running needs=jq,curl\n   c \\\n     d\n   ```\n```sh skip=hours\ne\n```\n"
	want := []papers.Block{
		{Line: 2, Text: "a\nb\n"},
		{Line: 10, Text: "c \\\n  d\n", KeepsRunning: true, Needs: []string{"jq", "curl"}},
		{Line: 14, Text: "e\n", Skip: "hours"},
	}
	if got, err := papers.Parse(page); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"\n```sh\na", "\n```sh skip=later\n```", "\n```sh needs=\n```", "\n```sh quickly\n```"} {
		if _, err := papers.Parse(bad); err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
