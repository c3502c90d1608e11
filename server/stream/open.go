package stream

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/net/websocket"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"

	"kubarium/server/answer"
	"kubarium/server/compress"
	"kubarium/server/features"
	"kubarium/server/kinds"
	"kubarium/server/registry"
)

// Open makes an answer of a watch of a kind's objects, which the answer or the error stops. The client has negotiated
// its form; a WebSocket is opened for one that asks for it.
func (s *Streams) Open(c *answer.Client, k *kinds.Kind, w *registry.Watch, o metainternal.ListOptions) (*answer.Answer, error) {
	form := " " + c.Media.Codec.Name + " " + c.Media.As + c.Media.Version + " " + k.FormName()
	st := &stream{s: s, client: c, watch: w, options: o, frames: framer{client: c, kind: k, forms: newForms(form)}}
	if !asksWebSocket(c.Request) {
		return &answer.Answer{Stream: st.serve, Stop: w.Stop}, nil
	}
	if err := checkHandshake(c.Request); err != nil {
		w.Stop()
		return nil, err
	}
	if !saysOrigin(c.Request) {
		w.Stop()
		return &answer.Answer{Status: http.StatusForbidden, Raw: []byte{}}, nil
	}
	return &answer.Answer{Stream: st.serveSocket, Stop: w.Stop}, nil
}

// serve writes events until the watch ends: by its client, its timeout, the server's end, or because it lags too far.
func (st *stream) serve(out *answer.Response) {
	defer st.watch.Stop()
	c := st.client
	st.flow = out.Flow
	out.Streams = true
	out.Header().Set("Cache-Control", "no-cache, private")
	out.Header().Set("Content-Type", c.Media.ContentType(true))
	c.SetWarnings(out.Header())
	plain := &plainSink{out: out, http2: c.ProtoMajor == 2}
	st.out.sink = plain
	if st.compresses() {
		compress.SetHeader(out.Header())
		st.out.sink = &gzipSink{plain: plain}
	}
	out.WriteHeader(http.StatusOK)
	st.serveEvents(plain.flush)
}

// compresses reports whether a watch is compressed: only one that begins with what there is and marks its end.
func (st *stream) compresses() bool {
	o := st.options
	return o.SendInitialEvents != nil && *o.SendInitialEvents && o.AllowWatchBookmarks && st.client.TakesGzip(features.WatchListCompression)
}

// serveSocket writes the watch as messages, one an event. Messages of the client are read and dropped; when it
// closes, the watch ends.
func (st *stream) serveSocket(out *answer.Response) {
	defer st.watch.Stop()
	out.Streams = true
	websocket.Handler(func(ws *websocket.Conn) {
		out.Code = http.StatusSwitchingProtocols
		st.flow = out.Flow
		st.flow.Flow.Status = out.Code
		ctx, cancel := context.WithCancel(st.client.Context())
		defer cancel()
		go drop(ws, cancel)
		st.client.Request = st.client.WithContext(ctx)
		st.out.sink = &socketSink{ws: ws, codec: st.client.Media.Codec, out: out}
		st.serveEvents(func() error { return nil })
		_ = ws.SetWriteDeadline(time.Now().Add(time.Second)) // for the goodbye
		_ = ws.Close()
	}).ServeHTTP(out, st.client.Request)
}
