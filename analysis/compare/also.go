package compare

import (
	"strings"

	"kubarium/flow"
)

// setAside makes soft the rows in which a passing run is already different from the left run as the right one is. Where
// that run went on with the object and the right one did not, the right one is different after all.
func (c *Comparison) setAside(left, right []*flow.Flow, o Options) {
	also := o.Also
	o.Also = nil
	for _, passed := range also {
		lacks, has, wentOn := map[*flow.Flow]bool{}, map[*flow.Flow]bool{}, map[string]bool{}
		for _, r := range Runs(left, passed, o).Rows {
			if r.Kind == OnlyLeft {
				lacks[r.Left] = true
			}
		}
		for _, r := range Runs(passed, right, o).Rows {
			switch {
			case r.Kind == OnlyLeft && (r.Hard() || len(r.Left.Effects) > 0 && r.Soft == Retried):
				wentOn[about(r.Left)] = true
			case r.Right != nil && !r.Hard():
				has[r.Right] = true
			}
		}
		for i := range c.Rows {
			r := &c.Rows[i]
			f, same := r.Right, has[r.Right]
			if f == nil {
				f, same = r.Left, lacks[r.Left]
			}
			if r.Hard() && same && !wentOn[about(f)] {
				r.Soft = Also
			}
		}
	}
}

// about is a program and an object, the same in every run.
func about(f *flow.Flow) string {
	t := &f.Target
	name := t.Name
	if name == "" {
		made := created(f)
		name = made[strings.LastIndexByte(made, '/')+1:]
	}
	return strings.Join([]string{agentOf(f.Client.UserAgent), t.Group, t.Resource, Shape(t.Namespace), Shape(name)}, " ")
}
