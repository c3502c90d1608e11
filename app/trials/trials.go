package trials

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"kubarium/analysis/explore"
	"kubarium/app/cli"
)

// mostOthers is how many other faults are tried for a finding that does not come again each time.
const mostOthers = 2

// Run runs the command as often as needed, and reports.
func (x *Exploration) Run(ctx context.Context, out, errs io.Writer) error {
	end, err := x.prepare()
	if err != nil {
		return err
	}
	defer func() { end(ctx.Err() != nil) }()
	say := newExploreReport(x, out, errs)
	j, err := x.first(ctx, say)
	if err != nil {
		return x.stopped(ctx, err)
	}
	faults, possible := x.choose(j.bases[0])
	say.planned(faults, possible, x.clients(j.bases[0]), x.streaming(j.bases[0]))
	found, err := x.try(ctx, say, j, faults)
	if err == nil {
		found, err = x.doubt(ctx, say, j, found)
	}
	if err == nil {
		err = x.settle(ctx, say, j, found)
	}
	if err != nil {
		return x.stopped(ctx, err)
	}
	if err := say.end(found); err != nil {
		return err
	}
	return x.code(found)
}

// clients are those that are tried, on all servers of a run.
func (x *Exploration) clients(r *ran) (out []string) {
	for _, s := range r.servers {
		out = append(out, explore.Clients(s, x.options)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// streaming are the clients that cannot be tried with an old state.
func (x *Exploration) streaming(r *ran) (out []string) {
	for _, s := range r.servers {
		out = append(out, explore.Streaming(s, x.options)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// code is the exit code that findings have.
func (x *Exploration) code(found []*finding) error {
	for _, f := range found {
		if x.FailOn == "finding" || x.FailOn == "stable" && explore.Stable(f.times, f.of) {
			return cli.ExitCode(1)
		}
	}
	return nil
}

// first runs the command without a fault, which must succeed.
func (x *Exploration) first(ctx context.Context, say *exploreReport) (*judge, error) {
	j := &judge{x: x}
	for i := range x.Bases {
		r, err := x.run(ctx, fmt.Sprint("base-", i+1), nil)
		if err != nil {
			return nil, err
		}
		if r.Late {
			return nil, fmt.Errorf("without a fault the command does not end within %s (--timeout)%s", x.Timeout, lastOf(r))
		}
		if r.Exit != 0 {
			return nil, fmt.Errorf("without a fault the command ends with code %d%s", r.Exit, lastOf(r))
		}
		say.base(i+1, r)
		j.learn(r)
	}
	say.compared(explore.StateOf(j.bases[0].servers...), j.base)
	return j, nil
}

// doubt runs the command without a fault as often again as before. A difference that one of these runs shows is no
// finding.
func (x *Exploration) doubt(ctx context.Context, say *exploreReport, j *judge, found []*finding) (left []*finding, err error) {
	if len(found) == 0 {
		return nil, nil
	}
	for i := range x.Bases {
		r, err := x.run(ctx, fmt.Sprint("base-", x.Bases+i+1), nil)
		if err != nil {
			return nil, err
		}
		j.learn(r)
	}
	for _, f := range found {
		if f.outcome = j.outcome(f.run); !f.outcome.Same() {
			left = append(left, f)
		}
		for i := range f.others {
			f.others[i].outcome = j.outcome(f.others[i].run)
		}
	}
	say.doubted(x.Bases, len(found)-len(left), j.fails)
	return left, nil
}

// lastOf is the last line that the command of a run printed, for an error.
func lastOf(r *ran) string { return lastLine(filepath.Join(r.folder, commandOutput)) }

func lastLine(file string) string {
	text, _ := os.ReadFile(file)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return "; its last line is " + last
	}
	return ""
}

// choose plans faults for what the first run recorded, or takes that of a finding.
func (x *Exploration) choose(first *ran) (faults []explore.Fault, possible int) {
	if x.fault != nil {
		return []explore.Fault{*x.fault}, 1
	}
	o := x.options
	o.From = first.Begun
	for _, s := range first.servers { // a suite may have its clients on servers that it started itself
		some, n := explore.Plan(s, o)
		faults, possible = append(faults, some...), possible+n
	}
	if x.Most > 0 && len(faults) > x.Most {
		faults = faults[:x.Most]
	}
	return faults, possible
}

// try runs the command with each fault.
func (x *Exploration) try(ctx context.Context, say *exploreReport, j *judge, faults []explore.Fault) (found []*finding, err error) {
	byMark := map[string]*finding{}
	err = x.each(ctx, len(faults), func(ctx context.Context, i int) (*trial, error) {
		return j.try(ctx, fmt.Sprint("fault-", i+1), faults[i])
	}, func(i int, t *trial) {
		say.tried(i+1, len(faults), t)
		if t.outcome.Same() || !t.outcome.Came {
			t.run.forget()
			return
		}
		mark := t.fault.Client + "\n" + t.outcome.Mark()
		if known := byMark[mark]; known != nil {
			if t.fault.Plainer(&known.fault) {
				*t, known.trial = known.trial, *t
			}
			known.also = append(known.also, t.fault.What)
			if len(known.others) < mostOthers {
				known.others = append(known.others, *t)
				return
			}
			t.run.forget()
			return
		}
		f := &finding{trial: *t, times: 1, of: 1}
		byMark[mark], found = f, append(found, f)
	})
	return found, err
}

// settle runs the command again with each fault that made a difference, and writes the findings.
func (x *Exploration) settle(ctx context.Context, say *exploreReport, j *judge, found []*finding) error {
	for n, f := range found {
		name := fmt.Sprint("finding-", n+1)
		if err := x.bare(ctx, say, j, f, name); err != nil {
			return err
		}
		if err := x.surest(ctx, say, j, f, name); err != nil {
			return err
		}
		f.folder = filepath.Join(x.Out, name)
		f.story = j.paragraph(f)
		if err := x.write(f, j.bases[0]); err != nil {
			return err
		}
		say.found(n+1, f)
	}
	return nil
}

// surest chooses, of the faults that make the same difference, the one that makes it most often.
func (x *Exploration) surest(ctx context.Context, say *exploreReport, j *judge, f *finding, name string) (err error) {
	if f.times, f.of, err = x.again(ctx, j, &f.trial, name); err != nil {
		return err
	}
	say.json.Runs += f.of - 1
	for i, o := range f.others {
		if explore.Stable(f.times, f.of) {
			break
		}
		times, of, err := x.again(ctx, j, &o, fmt.Sprint(name, "-", i+1))
		if err != nil {
			return err
		}
		say.json.Runs += of - 1
		if times > f.times {
			f.also[slices.Index(f.also, o.fault.What)] = f.fault.What
			f.trial, f.times, f.of = o, times, of
		}
	}
	return nil
}

// bare tries what a client that starts again does without an old state. If that makes the same difference, the start alone
// is to blame.
func (x *Exploration) bare(ctx context.Context, say *exploreReport, j *judge, f *finding, name string) error {
	fault, ok := f.fault.Bare()
	if !ok {
		return nil
	}
	t, err := j.try(ctx, name+"-bare", fault)
	if err != nil {
		return err
	}
	say.json.Runs++
	if t.outcome.Repeats(&f.outcome) {
		f.also, f.trial = append(f.also, f.fault.What), *t
	}
	return nil
}

// again tries a fault again, and counts how often it makes the same difference.
func (x *Exploration) again(ctx context.Context, j *judge, first *trial, name string) (times, of int, err error) {
	times, of = 1, 1
	err = x.each(ctx, x.Repeat-1, func(ctx context.Context, i int) (*trial, error) {
		return j.try(ctx, fmt.Sprintf("%s-run-%d", name, i+2), first.fault)
	}, func(_ int, t *trial) {
		of++
		if t.outcome.Repeats(&first.outcome) {
			times++
		}
		t.run.forget()
	})
	return times, of, err
}

// each calls do n times, several at the same time, and then with each result, in the order of their numbers.
func (x *Exploration) each(ctx context.Context, n int, do func(context.Context, int) (*trial, error), then func(int, *trial)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		t   *trial
		err error
	}
	results := make([]chan result, n)
	for i := range results {
		results[i] = make(chan result, 1)
	}
	var workers sync.WaitGroup
	defer workers.Wait()
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	for range min(x.Parallel, n) {
		workers.Go(func() {
			for i := range next {
				t, err := (*trial)(nil), ctx.Err()
				if err == nil {
					t, err = do(ctx, i)
				}
				results[i] <- result{t, err}
			}
		})
	}
	for i := range results {
		r := <-results[i]
		if r.err != nil {
			cancel()
			return r.err
		}
		then(i, r.t)
	}
	return nil
}

// briefTime is a time for people.
func briefTime(d time.Duration) string { return d.Round(100 * time.Millisecond).String() }
