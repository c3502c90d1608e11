package answer_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"kubarium/server/answer"
)

// No error has a status that is not a refusal, or that HTTP cannot send.
func TestWriter_StatusOf(t *testing.T) {
	w := answer.Writer{Logger: slog.New(slog.DiscardHandler)}
	c := &answer.Client{Request: httptest.NewRequest(http.MethodGet, "/", nil)}
	for code, want := range map[int32]int32{
		-1: 500, 0: 500, 1: 500, 99: 500, 100: 500, 101: 500, 200: 500, 204: 500, 304: 500, 399: 500,
		400: 400, 404: 404, 599: 599, 600: 600, 999: 999, 1000: 500, 999_999: 500,
	} {
		status := w.StatusOf(c, answer.StatusError(code, "Reason", "a text"))
		if status.Code != want || status.Status != "Failure" || status.Message != "a text" {
			t.Errorf("%d: %+v", code, status)
		}
	}
}
