package flow

// ownShare is the part of a Log, one sixteenth, that the newest of Kubarium's own requests may always keep. Without it
// a reader of a full Log would never see what controllers do.
const ownShare = 16

// age drops flows until the Log is within its limits. The newest flow always stays.
func (l *Log) age() {
	for held := l.own.n + l.others.n; (held > l.limits.Flows || l.bytes > l.limits.Bytes) && held > 1; held-- {
		if l.own.n > 0 && l.ownFirst() {
			gone := l.own.drop()
			l.bytes -= gone.held
			l.ownBytes -= gone.held
			l.evictedOwn++
		} else {
			l.bytes -= l.others.drop().held
		}
	}
}

// ownFirst reports whether the next flow to age out is one of Kubarium's own (there is at least one): because it is the
// oldest of all, or because they hold more than their share.
func (l *Log) ownFirst() bool {
	switch {
	case l.others.n == 0:
		return true
	case l.own.n > max(1, l.limits.Flows/ownShare), l.ownBytes > l.limits.Bytes/ownShare:
		return l.own.n > 1 || l.own.at(0).Seq < l.next-1 // which is the newest of all
	}
	return l.own.at(0).Seq < l.others.at(0).Seq
}
