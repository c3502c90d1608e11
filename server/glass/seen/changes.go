package seen

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"

	"kubarium/flow"
)

// mostChanges bounds how many changes an answer has.
const mostChanges = 10_000

// changes answers with the changes that went by, the newest first: those of writes and events; what was only read came
// about at a time that is not known. The parameters are those of a server of its own: ?revision=, ?before=, ?limit=,
// ?terminating, and an object by ?resource=&namespace=&name=.
func (s *Store) changes(q url.Values) any {
	revision, upto := number(q, "revision", 0), number(q, "before", 1<<62)
	limit := min(number(q, "limit", mostChanges), mostChanges)
	object := Key{q.Get("resource"), q.Get("namespace"), q.Get("name")}
	list := []flow.LoggedChange{}
	s.mu.Lock()
	for k, versions := range s.objects {
		if revision == 0 && q.Has("name") && k != object {
			continue
		}
		for i, v := range versions {
			newest := i == len(versions)-1
			switch {
			case v.Type == 0, revision != 0 && v.Revision != revision, v.Revision > upto, q.Has("terminating") && !(newest && v.Deleting && v.Type != flow.Deleted):
				continue
			}
			c := flow.LoggedChange{
				Revision: v.Revision, Type: string(rune(v.Type)), Resource: k.Resource, Namespace: k.Namespace, Name: k.Name, At: v.At.UTC(),
				Bytes: int64(len(v.Body)), Terminating: newest && v.Deleting && v.Type != flow.Deleted,
			}
			if i > 0 {
				c.BeforeRevision = versions[i-1].Revision
			}
			if revision != 0 {
				if c.BeforeRevision != 0 {
					c.Before = versions[i-1].JSON()
				}
				if v.Type != flow.Deleted {
					c.After = v.JSON()
				}
			}
			list = append(list, c)
		}
	}
	newest := s.newest
	s.mu.Unlock()
	slices.SortFunc(list, func(a, b flow.LoggedChange) int { return cmp.Compare(b.Revision, a.Revision) })
	if int64(len(list)) > limit {
		list = list[:limit]
	}
	return flow.ChangeLog{Revision: newest, Changes: list}
}

func number(q url.Values, name string, or int64) int64 {
	if n, err := strconv.ParseInt(q.Get(name), 10, 64); err == nil && n > 0 {
		return n
	}
	return or
}
