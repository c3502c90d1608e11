package planted

import "context"

// A write that changes nothing costs a transaction's checks and admission, and more on each resync: for each of thousands of objects.
var emptyWrites = exercise{
	wrong:  "writes the Deployment in each round, whether it differs or not",
	mended: "compares first, and writes what differs",
	plant: func(p *plan) {
		p.deployment = func(ctx context.Context, c *controller, s *Site) error {
			is, err := c.storedDeployment(s)
			switch {
			case err != nil:
				return err
			case is == nil:
				return c.createDeployment(ctx, s)
			}
			return c.updateDeployment(ctx, fitted(is, s))
		}
	},
	play: life,
}
