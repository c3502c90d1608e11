package answer

import (
	"net/http"
	"strings"

	"github.com/munnerz/goautoneg"
)

// A DocumentForm is one form of a document: the media type by which it is asked for, the Content-Type of the answer,
// and the text, which is made when it is sent.
type DocumentForm struct {
	Asked, Answered string
	Text            func() []byte
}

// Document answers with the first form that the best clause of Accept names, or with an empty 406 if there is none.
func (c *Client) Document(p Page, forms []DocumentForm) (*Answer, error) {
	accept := c.Header.Get("Accept")
	if accept == "" {
		accept = "*/*"
	}
	for _, clause := range goautoneg.ParseAccept(accept) {
		for _, f := range forms {
			kind, subtype, _ := strings.Cut(f.Asked, "/")
			if clause.Type != "*" && clause.Type != kind || clause.SubType != "*" && clause.SubType != subtype {
				continue
			}
			p.Header.Set("Content-Type", f.Answered)
			if p.Status == 0 {
				p.Text = f.Text()
			}
			return c.Page(p), nil
		}
	}
	none := http.Header{"Vary": p.Header["Vary"]}
	return c.Page(Page{Status: http.StatusNotAcceptable, Header: none}), nil
}
