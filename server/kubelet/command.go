package kubelet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"
	"k8s.io/streaming/pkg/httpstream/wsstream"

	"kubarium/server/nodes/script"
)

// streams are those of a command.
type streams struct {
	out io.Writer // nil if the client does not want it
	err io.Writer // the result, as a Status
	end func()
}

// Command takes over the connection of a request, and answers with what a command has written and its exit code. If the
// upgrade fails, the client has the answer.
func Command(w http.ResponseWriter, r *http.Request, answer *script.Exec) error {
	open := openSPDY
	if wsstream.IsWebSocketRequest(r) {
		open = openWebSocket
	}
	s, err := open(w, r)
	if err != nil {
		return err
	}
	defer s.end()
	if text := answer.Text; s.out != nil && text != "" {
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if _, err := io.WriteString(s.out, text); err != nil {
			return err
		}
	}
	result, err := json.Marshal(resultOf(answer.Code))
	if err == nil {
		_, err = s.err.Write(result)
	}
	return err
}

// resultOf is a command's result, as a kubelet says it.
func resultOf(code int) metav1.Status {
	if code == 0 {
		return metav1.Status{Status: metav1.StatusSuccess}
	}
	return metav1.Status{
		Status: metav1.StatusFailure, Reason: remotecommand.NonZeroExitCodeReason,
		Message: fmt.Sprintf("command terminated with non-zero exit code: exit status %d", code),
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: remotecommand.ExitCodeCauseType, Message: strconv.Itoa(code)}}},
	}
}

// openWebSocket takes the channels of a WebSocket: stdin, stdout, stderr, the result, the terminal's size.
func openWebSocket(w http.ResponseWriter, r *http.Request) (streams, error) {
	channels := []wsstream.ChannelType{wsstream.ReadChannel, wsstream.WriteChannel, wsstream.WriteChannel, wsstream.WriteChannel, wsstream.ReadChannel}
	protocol := wsstream.ChannelProtocolConfig{Binary: true, Channels: channels}
	conn := wsstream.NewConn(map[string]wsstream.ChannelProtocolConfig{
		"": protocol, remotecommand.StreamProtocolV5Name: protocol, remotecommand.StreamProtocolV4Name: protocol,
	})
	_, all, err := conn.Open(w, r)
	if err != nil {
		return streams{}, err
	}
	s := streams{err: all[remotecommand.StreamErr], end: func() { _ = conn.Close() }}
	if wants(r, "stdout") {
		s.out = all[remotecommand.StreamStdOut]
	}
	return s, nil
}

// wants reports whether a request has an option, such as stdout.
func wants(r *http.Request, option string) bool {
	is, _ := strconv.ParseBool(r.URL.Query().Get(option))
	return is
}

// openSPDY takes the streams that the client opens: the result's, those that it wants, and with a terminal one for its size.
func openSPDY(w http.ResponseWriter, r *http.Request) (streams, error) {
	if _, err := httpstream.Handshake(r, w, []string{remotecommand.StreamProtocolV4Name}); err != nil {
		return streams{}, err
	}
	opened := make(chan httpstream.Stream)
	conn := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(s httpstream.Stream, replied <-chan struct{}) error {
		go func() {
			<-replied
			select {
			case opened <- s:
			case <-r.Context().Done():
			}
		}()
		return nil
	})
	if conn == nil {
		return streams{}, errors.New("the connection was not upgraded")
	}
	s := streams{end: func() { _ = conn.Close() }}
	late := time.NewTimer(remotecommand.DefaultStreamCreationTimeout)
	defer late.Stop()
	left := 1
	for _, option := range []string{"stdin", "stdout", "stderr", "tty"} {
		if wants(r, option) && (option != "stderr" || !wants(r, "tty")) {
			left++
		}
	}
	for ; left > 0; left-- {
		select {
		case o := <-opened:
			switch o.Headers().Get(corev1.StreamType) {
			case corev1.StreamTypeError:
				s.err = o
			case corev1.StreamTypeStdout:
				s.out = o
			}
		case <-conn.CloseChan():
			s.end()
			return streams{}, errors.New("the client went away")
		case <-late.C:
			s.end()
			return streams{}, errors.New("the client did not open its streams")
		}
	}
	return s, nil
}
