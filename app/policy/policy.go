// Package policy says what a page that Kubarium writes may do in a browser.
package policy

import (
	"crypto/sha256"
	"encoding/base64"
)

// Of returns a Content-Security-Policy (W3C, level 3) by which a page loads nothing: only its one style and
// its one script hold, each as it is in its element; "" for a page without one.
func Of(style, script string) string {
	out := "default-src 'none'; "
	if script != "" {
		out += "script-src " + hash(script) + "; "
	}
	if style != "" {
		out += "style-src " + hash(style) + "; "
	}
	return out + "base-uri 'none'; form-action 'none'"
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
