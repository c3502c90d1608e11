package tui

import (
	"fmt"
	"strings"
	"testing"

	"kubarium/flow"
	doctorpage "kubarium/tui/doctor"
	"kubarium/tui/page"
)

// mistakes publishes an update without a version that undoes another's change, writes that are refused, and reads at an interval.
func (d *demo) mistakes() {
	d.clashes()
	for range 45 {
		d.log.Publish(d.request("k8", "get", "deployments", "web", 200, 0.4))
	}
}

// healthy publishes a client that makes no mistake.
func (d *demo) healthy() {
	d.write("A", "create", flow.Created, "web", 1)
	for i := range 5 {
		d.log.Publish(d.request("A", "get", "deployments", "web", 200, 0.6))
		d.write("A", "update", flow.Updated, "web", 2+i)
	}
}

func (u *ui) doctor() *doctorpage.Page { return u.pages[page.Doctor].(*doctorpage.Page) }

func init() {
	ill := func(d *demo) { d.mistakes() }
	pageViews = append(pageViews,
		pageView{"doctor", ill, []string{"0"}},
		pageView{"doctor-empty", func(*demo) {}, []string{"0"}},
		pageView{"doctor-nothing", func(d *demo) { d.healthy() }, []string{"0"}},
		pageView{"doctor-polling", ill, []string{"0", "j", "tab", "G"}},
		pageView{"doctor-note", ill, []string{"0", "G"}},
		pageView{"doctor-whole", ill, []string{"0", "tab", "z"}},
	)
}

// A lost update is told as an error, with the request that enter shows; reading again and again is told as well, and the badge counts both.
func TestDoctor_Mistakes(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.mistakes()
	u, _ := testUI(d, "mono", 120, 36)
	if badge := u.doctor().Tab().Badge; badge != "!2" {
		t.Errorf("badge %q, want one error and one warning", badge)
	}
	u.keys("0")
	text := u.screenText()
	for _, want := range []string{"✗ Updates without a reso", "! Polling where a watch", "· Writes refused with 4", "read on", "#patch-and-apply", "what to do"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not on the screen:\n%s", want, text)
		}
	}
	u.keys("tab", "g")
	for u.UnderCursor() == u.doctor().Chosen() && u.At == 1 && !u.sheetLine("c2 ") {
		u.keys("j")
	}
	chosen := u.UnderCursor()
	u.keys("enter")
	if u.Front != page.Traffic || u.Sel == nil || u.Sel != chosen || u.Sel.Client.Tag != "c2" {
		t.Errorf("enter shows %v on page %d, want the request of c2", u.Sel, u.Front)
	}
}

// sheetLine reports whether the chosen line of the screen has a text.
func (u *ui) sheetLine(want string) bool {
	for _, l := range strings.Split(u.screenText(), "\n") {
		if _, right, ok := strings.Cut(l, "▸"); ok {
			if _, again, ok := strings.Cut(right, "▸"); ok {
				right = again
			}
			if strings.Contains(right, want) {
				return true
			}
		}
	}
	return false
}

// Of clients that do it right nothing is told, and the page says at what it has looked.
func TestDoctor_Silent(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.healthy()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("0")
	if badge := u.doctor().Tab().Badge; badge != "" || u.doctor().Count().All != 0 {
		t.Errorf("badge %q, count %+v", badge, u.doctor().Count())
	}
	if text := u.screenText(); !strings.Contains(text, "11 requests of 1 client were read, in 1s: none of") {
		t.Errorf("the page does not say at what it has looked:\n%s", text)
	}
}

// What the page does not know of a run, as it has aged out or is not in a recording, it says.
func TestDoctor_Missed(t *testing.T) {
	d := newDemo(flow.Limits{Flows: 4})
	d.healthy()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("0")
	if said := u.doctor().Nothing(); !strings.HasPrefix(said, "4 requests of 1 client were read") || !strings.HasSuffix(said, " 7 more of the run are not known.") {
		t.Error(said)
	}
}

// A finding is shown as long as the filter lets a request of it through, also when the log has let go of that request.
func TestDoctor_Filter(t *testing.T) {
	d := newDemo(flow.Limits{Flows: 60})
	d.mistakes()
	u, _ := testUI(d, "mono", 120, 36)
	all := u.doctor().Count().All
	for i := range 200 {
		d.log.Publish(d.request(fmt.Sprint("k", 20+i), "get", "pods", fmt.Sprint("p", i), 200, 0.1))
	}
	u.fold()
	u.settle()
	u.keys("/", "w", "h", "o", ":", "k", "8", "enter")
	if c := u.doctor().Count(); c.Shown != 1 || c.All != all || u.doctor().Tab().Badge != "!1" {
		t.Errorf("%+v with badge %q of who:k8, want 1 of %d", c, u.doctor().Tab().Badge, all)
	}
	u.keys("0")
	if text := u.screenText(); !strings.Contains(text, "Polling where") || strings.Contains(text, "without a reso") {
		t.Errorf("the filter does not hold:\n%s", text)
	}
	u.keys("*")
	if c := u.doctor().Count(); c.Shown != all {
		t.Errorf("%+v without a filter", c)
	}
}

// Kubarium's own requests are hidden with what is found in them, until they are shown.
func TestDoctor_Own(t *testing.T) {
	d := newDemo(flow.Limits{})
	for range 60 {
		f := d.request("ui", "get", "deployments", "web", 200, 0.4)
		f.Client.UserAgent = flow.UIAgent
		d.log.Publish(f)
	}
	u, _ := testUI(d, "mono", 120, 36)
	if c := u.doctor().Count(); c.Shown != 0 || c.Own != 1 {
		t.Errorf("%+v, want one that is hidden", c)
	}
	u.keys("0")
	if text := u.screenText(); !strings.Contains(text, "No request has been read yet") {
		t.Errorf("own requests are counted:\n%s", text)
	}
	u.ShowOwn(true)
	if c := u.doctor().Count(); c.Shown != 1 {
		t.Errorf("%+v, want it shown", c)
	}
}

// What comes at once in great number is read in slices, between which keys are answered; in the end all is read.
func TestDoctor_Slices(t *testing.T) {
	d := newDemo(flow.Limits{Flows: 5000})
	for i := range 4500 {
		d.log.Publish(d.request("k1", "get", "pods", fmt.Sprint("p", i), 200, 0.1))
	}
	d.mistakes()
	u, _ := testUI(d, "mono", 120, 36)
	if n := u.doctor().Count().All; n != 0 {
		t.Fatalf("%d findings after the first slice", n)
	}
	u.settle()
	if n := u.doctor().Count().All; n != 5 {
		t.Errorf("%d findings in the end, want 5", n)
	}
}
