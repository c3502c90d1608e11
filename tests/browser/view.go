package browser

import (
	"cmp"
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// A View is how a page is looked at.
type View struct {
	Width, Height int  // in CSS pixels; 0 means 1200 and 800
	Dark          bool // the reader prefers dark colours
	Print         bool // as on paper
}

// Set makes a tab be looked at like this; it is an action of chromedp.
func (v View) Set(ctx context.Context, tab *chromedp.Target) (none chromedp.Void, err error) {
	scheme, media := "light", "screen"
	if v.Dark {
		scheme = "dark"
	}
	if v.Print {
		media = "print"
	}
	size := emulation.SetDeviceMetricsOverrideParams{
		Width: int64(cmp.Or(v.Width, 1200)), Height: int64(cmp.Or(v.Height, 800)), DeviceScaleFactor: 1,
	}
	if _, err := cdp.Call(ctx, tab, emulation.SetDeviceMetricsOverride, size); err != nil {
		return none, err
	}
	_, err = cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: media,
		Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		},
	})
	return none, err
}
