package clients

import (
	"slices"
	"strings"

	"kubarium/analysis/doctor"
	"kubarium/flow"
)

// Findings are those of a report that are about the client with this tag, in their order: of whose requests get has one
// with the tag. Where none of a finding's requests is kept any more, the name decides that the report has for the tag.
func Findings(p *doctor.Report, tag string, get func(seq uint64) *flow.Flow) (out []doctor.Finding) {
	name := ""
	for _, c := range p.Clients {
		if slices.Contains(c.Tags, tag) {
			name = c.Name
		}
	}
	for _, f := range p.Findings {
		known, own := false, false
		for _, seq := range f.Records {
			if r := get(seq); r != nil {
				known, own = true, own || r.Client.Tag == tag
			}
		}
		if own || !known && name != "" && named(f.Client, name) {
			out = append(out, f)
		}
	}
	return out
}

// named reports whether a finding's client is a name, alone, with its field manager or with another client.
func named(client, name string) bool {
	return slices.ContainsFunc(strings.Split(client, " and "), func(one string) bool {
		return one == name || strings.HasPrefix(one, name+" as ")
	})
}
