package har

import (
	"time"

	"kubarium/flow"
)

// The objects of HAR 1.2, with the members that Kubarium writes. Required members are never omitted.

type creator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type page struct {
	Started time.Time   `json:"-"`
	Start   string      `json:"startedDateTime"`
	ID      string      `json:"id"`
	Title   string      `json:"title"`
	Timings pageTimings `json:"pageTimings"`
}

// pageTimings belong to a browser, and are unknown here.
type pageTimings struct {
	OnContentLoad float64 `json:"onContentLoad"`
	OnLoad        float64 `json:"onLoad"`
}

type entry struct {
	Page          string   `json:"pageref"`
	Started       string   `json:"startedDateTime"`
	Time          float64  `json:"time"` // milliseconds
	Request       request  `json:"request"`
	Response      response `json:"response"`
	Cache         struct{} `json:"cache"`
	Timings       timings  `json:"timings"`
	ServerAddress string   `json:"serverIPAddress,omitempty"`
	Connection    string   `json:"connection,omitempty"` // the client's port
	Comment       string   `json:"comment,omitempty"`
	Kubarium      kubarium `json:"_kubarium"`
}

type request struct {
	Method      string    `json:"method"`
	URL         string    `json:"url"`
	Version     string    `json:"httpVersion"`
	Cookies     []cookie  `json:"cookies"`
	Headers     []pair    `json:"headers"`
	Query       []pair    `json:"queryString"`
	Post        *postData `json:"postData,omitempty"`
	HeadersSize int64     `json:"headersSize"`
	BodySize    int64     `json:"bodySize"`
}

type response struct {
	Status      int      `json:"status"`
	StatusText  string   `json:"statusText"`
	Version     string   `json:"httpVersion"`
	Cookies     []cookie `json:"cookies"`
	Headers     []pair   `json:"headers"`
	Content     content  `json:"content"`
	RedirectURL string   `json:"redirectURL"`
	HeadersSize int64    `json:"headersSize"`
	BodySize    int64    `json:"bodySize"`
}

type cookie struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	Path     string `json:"path,omitempty"`
	Domain   string `json:"domain,omitempty"`
	Expires  string `json:"expires,omitempty"`
	HTTPOnly bool   `json:"httpOnly,omitempty"`
	Secure   bool   `json:"secure,omitempty"`
}

type pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// postData is the body of a request. HAR allows only text there; for other bytes an additional member says that they
// are in base64.
type postData struct {
	MimeType string `json:"mimeType"`
	Text     string `json:"text"`
	Encoding string `json:"_encoding,omitempty"`
	Comment  string `json:"comment,omitempty"`
}

type content struct {
	Size        int64  `json:"size"`                  // without compression
	Compression int64  `json:"compression,omitempty"` // bytes saved by it
	MimeType    string `json:"mimeType"`
	Text        string `json:"text,omitempty"`
	Encoding    string `json:"encoding,omitempty"`
	Comment     string `json:"comment,omitempty"`
}

// timings are in milliseconds; -1 means not known, where HAR allows that.
type timings struct {
	Blocked float64 `json:"blocked"`
	DNS     float64 `json:"dns"`
	Connect float64 `json:"connect"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
	SSL     float64 `json:"ssl"`
}

// kubarium holds what HAR has no member for.
type kubarium struct {
	Seq       uint64           `json:"seq"` // the flow's
	Verb      string           `json:"verb"`
	Resource  string           `json:"resource,omitempty"`  // "deployments.apps/status"
	User      string           `json:"user,omitempty"`      // the acting user
	Revisions []int64          `json:"revisions,omitempty"` // the resourceVersions of the changes that the request made
	Faults    []flow.FaultMark `json:"faults,omitempty"`    // on it, or on the last events of its watch
	// Identity, rights and plugins: the client, what authorizers said, and what admission plugins did.
	Identity *flow.Identity    `json:"identity,omitempty"`
	Rights   []flow.Right      `json:"rights,omitempty"`
	Plugins  []flow.PluginMark `json:"plugins,omitempty"`
	Chain    *flow.Chain       `json:"chain,omitempty"` // what led to a write, where it is known
	Call     *called           `json:"call,omitempty"`  // for an entry that is a call of the server
}

// called describes a call of the server.
type called struct {
	Kind    flow.CallKind `json:"kind"`
	Name    string        `json:"name,omitempty"`
	By      string        `json:"by,omitempty"`
	Station string        `json:"station,omitempty"`
}
