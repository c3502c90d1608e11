package main

import (
	"fmt"
	"regexp"
)

// A rule says what a spec needs that neither server has. Its pattern is of "name | message", where the message is that of
// the real control plane.
type rule struct {
	reason  string
	pattern *regexp.Regexp
}

// The first rule that matches counts: a message that names what is missing says more than the name of a spec, and that
// more than a message about time.
var rules = []rule{
	{"A webhook or an API server in a Pod must answer",
		regexp.MustCompile(`(Webhook|FieldSelectors|Aggregator).* \| (waiting for webhook|context deadline|gave up waiting for apiservice)`)},
	{"A command must run in a container, by `exec`",
		regexp.MustCompile(`\| .*(10250/exec/|\bexec \S+ -- |/exec\?|unable to upgrade connection|write to subpath)|mount an API token.*exit status`)},
	{"A container must write a log",
		regexp.MustCompile(`\| .*(pod logs|client logs|\blogs\b|get output for container|prevented the request from succeeding \(get pods|<string>: to equal)|variables for services`)},
	{"Pods must answer on their addresses or those of a Service",
		regexp.MustCompile(`\| .*(not reachable|Get from replica|connections failed|exposed host ports|failed to find expected endpoints|through proxy|serving content|pods to reach valid state|pre-stop)|Proxy version v1|the type from .* to ExternalName`)},
	{"A container must end, with the code and the output of its command",
		regexp.MustCompile(`\| .*(Succeeded or Failed|pod to be completed|<v1.PodPhase>: Running to equal|<int32>: 0 to equal|state to be terminated|job completed while)|monotonically|Sysctls|successPolicy|RestartNever pod|OIDC discovery`)},
	{"Pods of a Job must keep running",
		regexp.MustCompile(`(Job|CronJob) .* \| .*(more than one job is running|active jobs|"Running" phase|expected 2 pods|pods to be ready|ready status|successful pods)`)},
	{"A failing probe, init container or volume must keep a Pod from being ready",
		regexp.MustCompile(`\| .*(number of restarts|not be ready|out of waiting|expected to be pending|PodPhase>: Pending|not to start running)|StatefulSet.* \| .*enter running`)},
	{"An image must be missing",
		regexp.MustCompile(`(proportional scaling|rollback without)`)},
	{"A kubelet must run what is added to a running Pod, or resize it",
		regexp.MustCompile(`(InPlace Resize|Ephemeral Containers)`)},
}

// reasonOf is the reason why a spec passes on neither server.
func reasonOf(r *row) (string, error) {
	for _, rule := range rules {
		if rule.pattern.MatchString(r.Spec + " | " + r.Real.Message) {
			return rule.reason, nil
		}
	}
	return "", fmt.Errorf("%s: no rule for the reason of %q", r.Spec, r.Real.Message)
}
