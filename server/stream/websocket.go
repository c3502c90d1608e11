package stream

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/websocket"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/server/answer"
)

// asksWebSocket reports whether the client wants to go on with a WebSocket (RFC 6455), which HTTP/1.1 alone can do.
func asksWebSocket(r *http.Request) bool {
	return r.ProtoMajor == 1 && strings.EqualFold(r.Header.Get("Upgrade"), "websocket") &&
		strings.Contains(strings.ToLower(r.Header.Get("Connection")), "upgrade")
}

// checkHandshake refuses what kube-apiserver refuses when it opens a WebSocket: a client of another version, and one
// that offers several subprotocols. A single one is accepted whatever it is called.
func checkHandshake(r *http.Request) error {
	switch {
	case r.Header.Get("Sec-Websocket-Key") == "":
		return apierrors.NewBadRequest("a WebSocket needs the header Sec-WebSocket-Key")
	case r.Header.Get("Sec-Websocket-Version") != "13":
		return apierrors.NewBadRequest("a WebSocket of version 13 is understood, and no other")
	case strings.Contains(r.Header.Get("Sec-Websocket-Protocol"), ","):
		return apierrors.NewBadRequest("a WebSocket takes one subprotocol; several were offered")
	}
	return nil
}

// saysOrigin reports whether the client says from where it comes. kube-apiserver answers others with an empty 403.
func saysOrigin(r *http.Request) bool {
	origin, err := url.ParseRequestURI(r.Header.Get("Origin"))
	return err == nil && origin != nil
}

// drop reads what a client sends until it closes, and answers its pings on the way.
func drop(ws *websocket.Conn, closed func()) {
	defer closed()
	var data []byte
	for websocket.Message.Receive(ws, &data) == nil {
	}
}

// A socketSink sends each frame as one message: of text in JSON, else of bytes.
type socketSink struct {
	ws    *websocket.Conn
	codec *codecs.Codec
	out   *answer.Response
}

func (s *socketSink) write(frame []byte) error {
	_ = s.ws.SetWriteDeadline(time.Now().Add(SlowWrite))
	message := s.codec.Message(frame)
	s.out.Size += int64(len(message))
	s.ws.PayloadType = websocket.BinaryFrame
	if s.codec.IsText() {
		s.ws.PayloadType = websocket.TextFrame
	}
	_, err := s.ws.Write(message)
	return err
}

func (s *socketSink) pack(frames []byte) ([]byte, error) { return frames, nil }

// send sends each frame as a message of its own.
func (s *socketSink) send(packed []byte, heads []flow.Frame) error {
	for _, h := range heads {
		if err := s.write(packed[:h.Size]); err != nil {
			return err
		}
		packed = packed[h.Size:]
	}
	return nil
}

func (s *socketSink) flush() error { return nil }
