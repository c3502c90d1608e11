package codecs

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/munnerz/goautoneg"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// An Offer is what an endpoint can answer with, and take.
type Offer struct {
	Codecs []*Codec // nil means All
	// Without is an encoding that is turned off: the offer is as if there were no such row in the table. nil means none.
	Without *Codec
	// Direct says that no router looks at the media types before the endpoint does. Where there are Views, refusals then
	// name All of them, and Views can be had in All of them, as it is with custom resources.
	Direct bool
	// Streams says that the endpoint can also watch, so that a refusal names the media types of streams.
	Streams bool
	// Watch says that this request is a watch: the codec must have a stream.
	Watch bool
	// Views are the other forms of an object that "as", "g" and "v" may ask for; nil means none. See Views.
	Views []schema.GroupVersionKind
	// ViewsAlone says that clauses of Accept without a view are passed over, however high their quality.
	ViewsAlone bool
	// Consumes are the media types of bodies, for an endpoint that takes others than those of Codecs: the patch types.
	// nil means any; ContentType then decides.
	Consumes []string
	// Raw is the media type of an answer that is not an object, such as a log: the router lets it through, but it cannot
	// be negotiated. "" means none.
	Raw string
}

// Views are the forms in which every stored resource can be had: as a table, or as metadata alone.
var Views = slices.Concat(MetadataViews, []schema.GroupVersionKind{
	metav1.SchemeGroupVersion.WithKind("Table"),
	metav1beta1.SchemeGroupVersion.WithKind("Table"),
})

// MetadataViews are those of resources that have no columns, such as reviews.
var MetadataViews = []schema.GroupVersionKind{
	metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata"),
	metav1.SchemeGroupVersion.WithKind("PartialObjectMetadataList"),
	metav1beta1.SchemeGroupVersion.WithKind("PartialObjectMetadata"),
	metav1beta1.SchemeGroupVersion.WithKind("PartialObjectMetadataList"),
}

// A Media is the negotiated form of an answer.
type Media struct {
	Codec   *Codec
	As      string // kind of the view asked for: "Table", "PartialObjectMetadata", "PartialObjectMetadataList"; "" for the object itself
	Group   string // group and version of the view, "meta.k8s.io" and "v1"
	Version string
	Pretty  bool   // indented, for people
	Stream  string // the parameter "stream" of Accept: "watch" or ""
}

// ContentType is the answer's Content-Type header: for a watch that of its stream.
func (m Media) ContentType(watch bool) string {
	if watch {
		return m.Codec.StreamType
	}
	return m.Codec.MediaType
}

// Negotiate picks the form of an answer from the request's headers Accept and User-Agent and its query. An empty accept
// is the first codec of the offer. The error is a Status error 406 that lists what there is.
func Negotiate(accept, userAgent string, q url.Values, o Offer) (Media, error) {
	if err := o.Route(accept); err != nil {
		return Media{}, err
	}
	m, ok := choose(accept, o)
	if !ok {
		return Media{}, notAcceptable("only the following media types are accepted: " + strings.Join(mediaTypes(o.known()), ", "))
	}
	if o.Watch && m.Codec.StreamOffer == "" {
		return Media{}, notAcceptable("only the following media types are accepted: " + strings.Join(streamTypes(o.known()), ", "))
	}
	m.Pretty = m.Codec.pretty != nil && (m.Pretty || wantsPretty(userAgent, q))
	return m, nil
}

// ForError picks the form of an answer that is a Status error. There always is one: when nothing acceptable can be had,
// it is pretty JSON.
func ForError(accept, userAgent string, q url.Values, o Offer) Media {
	o.Views = nil
	m, ok := choose(accept, o)
	if !ok {
		return Media{Codec: JSON, Pretty: true}
	}
	m.Pretty = m.Codec.pretty != nil && (m.Pretty || wantsPretty(userAgent, q))
	return m
}

func (o Offer) codecs() []*Codec {
	if o.Codecs == nil {
		return o.on(All)
	}
	return o.on(o.Codecs)
}

// on is codecs without the one that is turned off.
func (o Offer) on(codecs []*Codec) []*Codec {
	if !slices.Contains(codecs, o.Without) {
		return codecs
	}
	return slices.DeleteFunc(slices.Clone(codecs), func(c *Codec) bool { return c == o.Without })
}

// known are the codecs that a clause of Accept may name, and that a refusal lists: a view can be had in some that the
// object itself can not.
func (o Offer) known() []*Codec {
	if o.Direct && len(o.Views) > 0 {
		return o.on(All)
	}
	return o.codecs()
}

// routes are the media types by which a request finds its endpoint at all.
func (o Offer) routes() []string {
	types := mediaTypes(o.codecs())
	if o.Raw != "" {
		types = append([]string{o.Raw}, types...)
	}
	if o.Streams {
		types = append(types, streamTypes(o.codecs())...)
	}
	return types
}

// Route is the router's part of Negotiate, which is all for an endpoint that has one form.
func (o Offer) Route(accept string) error {
	if accept == "" || o.Direct || routable(accept, o.routes()) {
		return nil
	}
	return unroutable(notAcceptable("406: Not Acceptable\n\nAvailable representations: " + strings.Join(o.routes(), ", ")))
}

// routable says whether one of the clauses of accept is "*/*" or names one of types. This first, coarse look, which
// knows neither parameters nor "application/*", is what kube-apiserver's router does before the real negotiation.
func routable(accept string, types []string) bool {
	return names(accept, "*/*") || names(accept, types...)
}

// names says whether a clause of a header is one of types, whatever its parameters.
func names(header string, types ...string) bool {
	for clause := range strings.SplitSeq(header, ",") {
		name, _, _ := strings.Cut(clause, ";")
		if slices.Contains(types, strings.Trim(name, " ")) {
			return true
		}
	}
	return false
}

// choose finds the first codec that fits the best clause of accept.
func choose(accept string, o Offer) (Media, bool) {
	if accept == "" {
		return Media{Codec: o.codecs()[0]}, true
	}
	for _, clause := range goautoneg.ParseAccept(accept) {
		for _, c := range o.known() {
			if !fits(clause, c) {
				continue
			}
			if m, ok := o.withParameters(clause.Params, c); ok {
				return m, true
			}
		}
	}
	return Media{}, false
}

func fits(clause goautoneg.Accept, c *Codec) bool {
	switch {
	case clause.Type == "*":
		return clause.SubType == "*"
	case clause.Type != "application":
		return false
	}
	return clause.SubType == "*" || clause.SubType == subtype(c.MediaType)
}

// serverVersion is the one value of the parameter "sv", the version of the options of a request, that endpoints of objects
// take; others take none.
const serverVersion = "v1"

// withParameters reads the parameters of a clause of Accept; it reports false if this codec or endpoint cannot serve
// them. Unknown ones have no meaning.
func (o Offer) withParameters(params map[string]string, c *Codec) (Media, bool) {
	m := Media{Codec: c, As: params["as"], Group: params["g"], Version: params["v"], Stream: params["stream"], Pretty: params["pretty"] == "1"}
	if m.Stream != "" && (m.Stream != "watch" || c.StreamOffer == "") {
		return Media{}, false
	}
	if sv := params["sv"]; sv != "" && (sv != serverVersion || !slices.Contains(o.Views, MetadataViews[0])) {
		return Media{}, false
	}
	if !asksView(params) {
		return m, !o.ViewsAlone && slices.Contains(o.codecs(), c)
	}
	view := schema.GroupVersionKind{Group: m.Group, Version: m.Version, Kind: m.As}
	if !slices.Contains(o.Views, view) || view.Kind == "Table" && !c.tables {
		return Media{}, false
	}
	return m, true
}

func asksView(params map[string]string) bool {
	for _, key := range []string{"as", "g", "v"} {
		if _, ok := params[key]; ok {
			return true
		}
	}
	return false
}

// wantsPretty says whether the query asks for indented answers, or is silent and a person's tool is asking.
func wantsPretty(userAgent string, q url.Values) bool {
	if text := q.Get("pretty"); text != "" {
		pretty, err := strconv.ParseBool(text)
		return err == nil && pretty
	}
	for _, tool := range []string{"curl", "Wget", "Mozilla/5.0"} {
		if strings.HasPrefix(userAgent, tool) {
			return true
		}
	}
	return false
}

// ContentType picks the codec of a body from the Content-Type header; an empty header is the first codec of the offer.
// The error is a Status error 415 that lists what there is.
func ContentType(header string, o Offer) (*Codec, error) {
	codecs := o.codecs()
	if header == "" {
		return codecs[0], nil
	}
	if name, _, err := mime.ParseMediaType(header); err == nil {
		for _, c := range codecs {
			if c.MediaType == name {
				return c, nil
			}
		}
	}
	return nil, unsupported("the body of the request was in an unknown format - accepted media types include: " + strings.Join(mediaTypes(codecs), ", "))
}

// Consumed checks the Content-Type header of an endpoint that takes the offer's Consumes, and returns the one that was
// sent, without parameters. The error is a Status error 415.
//
// The router finds the endpoint by any of several types, as it does with Accept; the endpoint then takes the header for one.
func Consumed(header string, o Offer) (string, error) {
	name, _, _ := strings.Cut(header, ";")
	switch {
	case slices.Contains(o.Consumes, name):
		return name, nil
	case o.Direct || names(header, o.Consumes...):
		return "", unsupported("the body of the request was in an unknown format - accepted media types include: " + strings.Join(o.Consumes, ", "))
	}
	return "", unroutable(unsupported("415: Unsupported Media Type"))
}

// unroutable is a refusal of the router, which has details, if empty ones.
func unroutable(err *apierrors.StatusError) error {
	err.ErrStatus.Details = &metav1.StatusDetails{}
	return err
}

// Unroutable reports whether an error is a refusal of the router, which no endpoint gets to see.
func Unroutable(err error) bool {
	var refused *apierrors.StatusError
	if !errors.As(err, &refused) || refused.ErrStatus.Details == nil {
		return false
	}
	return refused.ErrStatus.Code == http.StatusNotAcceptable || refused.ErrStatus.Code == http.StatusUnsupportedMediaType
}

func notAcceptable(message string) *apierrors.StatusError {
	return statusError(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable, message)
}

func unsupported(message string) *apierrors.StatusError {
	return statusError(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType, message)
}

func statusError(code int32, reason metav1.StatusReason, message string) *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message}}
}

// String names the form for people: "JSON", "JSON as Table v1".
func (m Media) String() string {
	if m.As == "" {
		return m.Codec.Name
	}
	return fmt.Sprintf("%s as %s %s", m.Codec.Name, m.As, m.Version)
}
