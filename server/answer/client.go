package answer

import (
	"net/http"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
	"kubarium/server/features"
)

// A Client is who gets an answer: its request, as far as that says which form of the answer it takes, and what it is
// warned of. Where the answer goes, and what is recorded of it, is a Response.
type Client struct {
	*http.Request
	Query    url.Values
	Features features.Gates // which turn forms of answers off
	Media    codecs.Media   // the form of the answer, once it is negotiated

	warnings []string
}

// Warn adds a warning for the client, sent as a Warning header.
func (c *Client) Warn(text string) { c.warnings = append(c.warnings, text) }

// ForgetWarnings drops the warnings so far, for a request that begins again.
func (c *Client) ForgetWarnings() { c.warnings = nil }

// SetWarnings puts the warnings so far into the header of an answer.
func (c *Client) SetWarnings(h http.Header) { setWarnings(h, c.warnings) }

// Negotiate picks the form of the answer from the headers.
func (c *Client) Negotiate(o codecs.Offer) (err error) {
	c.Media, err = codecs.Negotiate(c.Header.Get("Accept"), c.UserAgent(), c.Query, c.Offer(o))
	return err
}

// Offer is an offer without what a feature gate has turned off.
func (c *Client) Offer(o codecs.Offer) codecs.Offer {
	if !c.Features.Enabled(features.CBORServingAndStorage) {
		o.Without = codecs.CBOR
	}
	return o
}

// Parameters reads the query into an options object of meta/v1.
func (c *Client) Parameters(into runtime.Object) error {
	if len(c.Query) == 0 {
		return nil
	}
	if err := metainternalscheme.ParameterCodec.DecodeParameters(c.Query, metav1.SchemeGroupVersion, into); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	return nil
}
