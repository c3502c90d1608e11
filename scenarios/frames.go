package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"kubarium/scenarios/expr"
)

// A stream is an open watch.
type stream struct {
	frames chan frame // closed at the end of the stream
}

// A frame is an event as it came.
type frame struct {
	Type   string         `json:"type"`
	Object map[string]any `json:"object"`
}

// watch opens a watch and reads its frames until the stage ends.
func (p *Player) watch(actor string, w *Watch) (*stream, *answer, error) {
	st := p.stage
	r := &Request{Method: http.MethodGet, Path: w.Path, Headers: w.Headers}
	headers := time.AfterFunc(p.options.Patience, st.cancel) // the server has that long to begin its answer
	response, err := p.do(st.ctx, actor, r)
	if !headers.Stop() {
		err = errors.Join(err, fmt.Errorf("no answer within %s", p.options.Patience))
	}
	if err != nil {
		return nil, nil, err
	}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		a, err := readAnswer(response)
		return nil, a, err
	}
	s := &stream{frames: make(chan frame, 64)}
	go func() {
		defer response.Body.Close()
		defer close(s.frames)
		d := json.NewDecoder(response.Body)
		d.UseNumber()
		for {
			var f frame
			if d.Decode(&f) != nil {
				return
			}
			select {
			case s.frames <- f:
			case <-st.ctx.Done():
				return
			}
		}
	}()
	return s, &answer{Status: response.StatusCode}, nil
}

// An Event is a frame of a watch in short.
type Event struct {
	Type, Kind, Name, ResourceVersion string
}

func (p *Player) playFrames(ctx context.Context, f *Frames, c *check) error {
	for i, want := range f.Expect {
		what := fmt.Sprintf("frame %d", i+1)
		got, err := p.next(ctx, p.stage.watches[f.From], want.Type)
		if err != nil {
			return c.mismatch(what, want.Type, err.Error())
		}
		c.result.Frames = append(c.result.Frames, event(got))
		if got.Type != want.Type {
			return c.mismatch(what+" type", want.Type, got.Type+" "+expr.JSON(got.Object))
		}
		if err := c.fields(what, got.Object, want.Object); err != nil {
			return err
		}
		if err := c.keep(what, got.Object, want.Keep); err != nil {
			return err
		}
	}
	if f.Ends {
		return p.playEnd(ctx, f.From, c)
	}
	return nil
}

var errStreamEnd = errors.New("the end of the stream")

// playEnd waits for the end of a stream, before which there may be bookmarks alone.
func (p *Player) playEnd(ctx context.Context, from string, c *check) error {
	got, err := p.next(ctx, p.stage.watches[from], "")
	switch {
	case errors.Is(err, errStreamEnd):
		c.result.Ended = true
		return nil
	case err != nil:
		return c.mismatch("stream", errStreamEnd.Error(), err.Error())
	}
	return c.mismatch("stream", errStreamEnd.Error(), got.Type+" "+expr.JSON(got.Object))
}

// next waits for the next frame of a stream; bookmarks are passed over unless one is wanted.
func (p *Player) next(ctx context.Context, s *stream, want string) (frame, error) {
	t := time.NewTimer(p.options.Patience)
	defer t.Stop()
	for {
		select {
		case f, open := <-s.frames:
			if !open {
				return frame{}, errStreamEnd
			}
			if f.Type != "BOOKMARK" || want == "BOOKMARK" {
				return f, nil
			}
		case <-t.C:
			return frame{}, fmt.Errorf("nothing within %s", p.options.Patience)
		case <-ctx.Done():
			return frame{}, ctx.Err()
		}
	}
}

func event(f frame) Event {
	text := func(path string) string {
		v, ok := expr.Lookup(f.Object, path)
		if !ok {
			return ""
		}
		return expr.Text(v)
	}
	return Event{Type: f.Type, Kind: text("kind"), Name: text("metadata.name"), ResourceVersion: text("metadata.resourceVersion")}
}
