package tui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"kubarium/server/flow"
)

// effects shows each change that the request made: the revision, the object before and after, and who was told when.
func (in *inspector) effects(p *inspectorPage, f *flow.Flow) {
	if len(f.Effects) == 0 {
		in.noEffects(p, f)
		return
	}
	for i, e := range f.Effects {
		if i > 0 {
			p.blank()
		}
		c := e.Commit
		what := map[flow.ChangeType]string{flow.Created: "created", flow.Updated: "updated", flow.Deleted: "deleted"}[c.Type]
		p.add(span{sBold, fmt.Sprintf("rv %d ", c.Revision)}, span{sPlain, what + " "}, span{sAccent, objectName(c)})
		p.more(diffLines(pretty(e.Before), pretty(e.After), p.w)...)
		in.told(p, c)
	}
}

func (in *inspector) noEffects(p *inspectorPage, f *flow.Flow) {
	if f.Conflict != nil {
		p.say(sPlain, fmt.Sprintf("Nothing was stored: %s.", f.Conflict.Kind))
		if len(f.Conflict.Object) > 0 {
			p.blank()
			p.title("From what was sent to what is stored")
			p.more(diffLines(pretty(f.RequestBody.Kept), pretty(f.Conflict.Object), p.w)...)
		}
		return
	}
	if writes(f.Target.Verb) && f.Status < 400 {
		p.say(sPlain, "The request was accepted, but the object was the same afterwards: no new version.")
		return
	}
	p.say(sPlain, "This request changed nothing in the store.")
}

func objectName(c flow.Commit) string {
	s := c.Resource + "/" + c.Name
	if c.Namespace != "" && c.Namespace != "default" {
		s += " @" + c.Namespace
	}
	return s
}

// objectNameIn is objectName in w cells: where they are too few, the group is left out before the name is.
func objectNameIn(c flow.Commit, w int) string {
	s := objectName(c)
	if text(sPlain, s).width() <= w {
		return s
	}
	c.Resource = resourceOf(c)
	return fit(objectName(c), w)
}

// told lists the open watches that were sent the change, with the time from the commit to the socket.
func (in *inspector) told(p *inspectorPage, c flow.Commit) {
	for _, w := range in.u.streams.all {
		for _, fr := range w.Frames() {
			if fr.Revision != c.Revision || fr.Type == "BOOKMARK" {
				continue
			}
			late := "with the first objects"
			if !fr.Committed.IsZero() {
				late = ago(fr.Written.Sub(fr.Committed)) + " after the commit"
			}
			p.add(span{sOpen, "  ◉ "}, span{sAccent, pad(w.Client.Tag, 5)}, span{sPlain, fit(fmt.Sprintf("got %s %s", fr.Type, late), p.w-9)})
		}
	}
}

// pretty indents JSON; other text stays as it is.
func pretty(b []byte) []string {
	if len(b) == 0 {
		return nil
	}
	var out bytes.Buffer
	if json.Indent(&out, b, "", "  ") != nil {
		return strings.Split(string(clip(b)), "\n")
	}
	return strings.Split(out.String(), "\n")
}

// around is how many unchanged lines are shown beside a change.
const around = 2

// diffLines shows what changed from a to b: + added, - removed, and some lines around.
func diffLines(a, b []string, w int) []line {
	ops := diff(a, b)
	near := make([]bool, len(ops))
	changed := false
	for i, o := range ops {
		if o.sign == ' ' {
			continue
		}
		changed = true
		for k := max(0, i-around); k <= min(len(ops)-1, i+around); k++ {
			near[k] = true
		}
	}
	if !changed {
		return []line{text(sDim, "  no difference")}
	}
	var out []line
	for i, o := range ops {
		if !near[i] {
			if i > 0 && near[i-1] {
				out = append(out, text(sDim, "  ⋮"))
			}
			continue
		}
		st := map[byte]style{' ': sDim, '+': sAdd, '-': sDel}[o.sign]
		l := line{{st, string(o.sign) + " " + o.text}}
		if o.sign == '-' { // the line under what is gone is not drawn under what was blank
			words := strings.TrimLeft(o.text, " ")
			l = line{{sWarn, "-"}, {sPlain, o.text[:len(o.text)-len(words)] + " "}, {st, words}}
		}
		out = append(out, fitLine(l, w))
	}
	return out
}

type diffOp struct {
	sign byte // ' ', '+' or '-'
	text string
}

// mostDiffed is how many lines a side is compared up to; the table of the comparison grows with their product.
const mostDiffed = 1500

// diff compares lines by their longest common subsequence, after setting off what is equal at both ends.
func diff(a, b []string) []diffOp {
	a, b = a[:min(len(a), mostDiffed)], b[:min(len(b), mostDiffed)]
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var ops []diffOp
	for _, s := range a[:head] {
		ops = append(ops, diffOp{' ', s})
	}
	ops = append(ops, diffMiddle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, s := range a[len(a)-tail:] {
		ops = append(ops, diffOp{' ', s})
	}
	return ops
}

func diffMiddle(a, b []string) []diffOp {
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var ops []diffOp
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			ops = append(ops, diffOp{' ', a[i]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			ops = append(ops, diffOp{'-', a[i]})
			i++
		default:
			ops = append(ops, diffOp{'+', b[j]})
			j++
		}
	}
	return ops
}
