package planted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// hangs are the exercises at whose end the controller hangs, by the reason.
var hangs = map[string]exercise{
	"stuck-finalizer": stuckFinalizer,
	"conflict-loop":   conflictLoop,
	"refused-429":     refused429,
	"ended-watch":     endedWatch,
}

// Hangs are the names of the mistakes after which the controller hangs, sorted.
func Hangs() []string { return slices.Sorted(maps.Keys(hangs)) }

// An owner that waits for its dependents waits forever: the garbage collector removes them when the owner is gone.
var stuckFinalizer = exercise{
	wrong:  "keeps its finalizer until the Deployment of a deleted Site is gone, which goes only after the Site",
	mended: "deletes the Deployment of a deleted Site itself, then removes its finalizer",
	plant: func(p *plan) {
		p.release = func(ctx context.Context, c *controller, s *Site) error {
			if d, err := c.storedDeployment(s); err != nil || d != nil {
				c.count("waits")
				return err
			}
			return release(ctx, c, s)
		}
	},
	mend: func(p *plan) {
		p.release = func(ctx context.Context, c *controller, s *Site) error {
			if d, err := c.storedDeployment(s); err != nil || d != nil {
				return errors.Join(err, c.AppsV1().Deployments(s.Namespace).Delete(ctx, s.Name, metav1.DeleteOptions{}))
			}
			return release(ctx, c, s)
		}
	},
	play: func(ctx context.Context, st *stage) error {
		if err := st.create(ctx, "shop"); err != nil {
			return err
		}
		return st.remove(ctx, "shop", st.control.reached("waits", 1))
	},
}

// An object that the controller keeps for itself is outdated after the first write of another client. Each further
// attempt with it gets the same 409.
var conflictLoop = exercise{
	wrong:  "keeps the Site as it was after its own last write, and writes the status with that",
	mended: "takes the Site from its informer in each round",
	plant: func(p *plan) {
		kept := map[types.UID]*Site{}
		p.status = func(ctx context.Context, c *controller, s *Site) error {
			own := kept[s.UID]
			if own == nil {
				own = s
			}
			want := SiteStatus{ObservedGeneration: s.Generation, Image: s.Spec.Image}
			if equality.Semantic.DeepEqual(own.Status, want) {
				return nil
			}
			own = own.copy()
			own.Status = want
			now, err := c.putSite(c.sites.UpdateStatus(ctx, own, metav1.UpdateOptions{}))
			if err != nil {
				c.count("refused")
				return err
			}
			kept[s.UID] = now
			return nil
		}
	},
	play: func(ctx context.Context, st *stage) error {
		enough := st.control.reached("refused", 7)
		return errors.Join(st.create(ctx, "shop"), st.image(ctx, "shop", "nginx:1.28", enough))
	},
}

// client-go waits as a 429 asks, and sends the same again, ten times. Its caller does not learn of it until then.
var refused429 = exercise{
	wrong:  "writes the Deployment in each round, and waits for a server that refuses such writes for a while",
	mended: "compares first, and writes what differs",
	plant: func(p *plan) {
		p.deployment = func(ctx context.Context, c *controller, s *Site) error {
			is, err := c.storedDeployment(s)
			switch {
			case err != nil:
				return err
			case is == nil:
				return c.createDeployment(ctx, s)
			case s.Labels["team"] != "":
				c.count("writes")
			}
			return c.updateDeployment(ctx, fitted(is, s))
		}
	},
	play: func(ctx context.Context, st *stage) error {
		if err := st.create(ctx, "shop"); err != nil {
			return err
		}
		rule := fmt.Sprintf("refuse 429 retry-after 2s name %s on verb:update res:deployments ns:%[1]s",
			st.person.namespace)
		if err := st.addRule(ctx, rule); err != nil {
			return err
		}
		return st.label(ctx, "shop", "blue", st.control.reached("writes", 1))
	},
	after: func(ctx context.Context, st *stage) error {
		return st.removeRules(context.WithoutCancel(ctx)) // also when a person has interrupted it
	},
}

// addRule plants a fault.
func (st *stage) addRule(ctx context.Context, line string) error {
	err := st.person.CoreV1().RESTClient().Post().AbsPath("/debug/gate").Body([]byte(line)).Do(ctx).Error()
	if err != nil {
		return fmt.Errorf("add a fault rule, as only Kubarium has them: %w", err)
	}
	return nil
}

// removeRules removes the fault rules with the name of the namespace.
func (st *stage) removeRules(ctx context.Context) error {
	text, err := st.person.CoreV1().RESTClient().Get().AbsPath("/debug/gate").Do(ctx).Raw()
	if err != nil {
		return err
	}
	var is struct {
		Rules []struct {
			ID   int
			Name string
		}
	}
	if err := json.Unmarshal(text, &is); err != nil {
		return err
	}
	for _, r := range is.Rules {
		if r.Name != st.person.namespace {
			continue
		}
		del := st.person.CoreV1().RESTClient().Delete().AbsPath("/debug/gate").Param("id", fmt.Sprint(r.ID))
		if err := del.Do(ctx).Error(); err != nil {
			return err
		}
	}
	return nil
}

// Every watch ends after a while. A client without an informer has to open the next one itself, or it learns of nothing
// more.
var endedWatch = exercise{
	wrong:   "watches its settings by hand, and stops when the server ends the watch",
	mended:  "opens the next watch from where the last one ended",
	prepare: configure,
	plant: func(p *plan) {
		p.begin = func(ctx context.Context, c *controller) error {
			f := &follower{bookmarks: true}
			err := f.list(ctx, c)
			c.running.Go(func() {
				_ = f.watch(ctx, c) // an error ends it as well
				c.count("settings ended")
			})
			return err
		}
	},
	mend: func(p *plan) {
		p.begin = func(ctx context.Context, c *controller) error {
			f := &follower{bookmarks: true}
			err := f.list(ctx, c)
			c.running.Go(func() {
				_ = f.watch(ctx, c) // after an error the next one is opened as well
				f.seconds = 300
				c.count("settings ended")
				f.run(ctx, c)
			})
			return err
		}
	},
	play: func(ctx context.Context, st *stage) error {
		if err := st.create(ctx, "shop"); err != nil {
			return err
		}
		ended := st.control.reached("settings ended", 1)
		if err := st.control.until(ctx, ended); err != nil {
			return err
		}
		if st.mended {
			if err := st.control.until(ctx, st.control.reached("settings watched", 2)); err != nil {
				return err
			}
		}
		patch := []byte(`{"data":{"theme":"dark"}}`)
		_, err := st.person.CoreV1().ConfigMaps(st.person.namespace).Patch(
			ctx, "settings", types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	},
}
