package kinds

import "k8s.io/kubernetes/pkg/registry/batch/job"

// jobRow is the row of Job, whose deletion leaves its pods alone by default, as in the first versions of the API.
func jobRow() *Kind {
	k := row{
		gvk: gvk("batch", "v1", "Job"), resource: "jobs", singular: "job", categories: []string{"all"},
		strategy: job.Strategy, status: job.StatusStrategy, attributes: job.GetAttrs,
	}.kind()
	k.OrphansWarning = "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"
	return k
}
