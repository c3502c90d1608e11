package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
)

// Ask sends a request to a path below /debug/ of the server, with a body in JSON unless it is nil, and reads the
// answer into out. The error of a refusal is the server's own line.
func (r Server) Ask(cmd *cobra.Command, method, path string, body, out any) error {
	client, address, err := r.Dial(Plain)
	if err != nil {
		return err
	}
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(cmd.Context(), method, address+path, sent)
	if err != nil {
		return cli.Misuse(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return r.noServer(address, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return err
	}
	if resp.StatusCode == http.StatusOK && json.Unmarshal(text, out) == nil {
		return nil
	}
	return Refused(address, resp, text)
}

// Refused is why the server at an address has not answered as Kubarium does: in its own line if it is one.
func Refused(address string, resp *http.Response, text []byte) error {
	plain := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain")
	switch line := strings.TrimSpace(string(text)); {
	case resp.StatusCode == http.StatusBadRequest && plain:
		return cli.Misuse(errors.New(line))
	case resp.StatusCode != http.StatusOK && plain && line != "404 page not found":
		return errors.New(line)
	}
	return fmt.Errorf("%s answered %s: it may not be Kubarium", address, resp.Status)
}
