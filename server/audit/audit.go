package audit

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/google/uuid"
	"k8s.io/apimachinery/pkg/types"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	official "k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
)

// A Log is where events go, and the policy that says which. A nil Log takes none.
type Log struct {
	backend official.Backend
	policy  official.PolicyRuleEvaluator
	running bool
}

// Open reads the policy and opens the file. It returns nil where the options ask for no Log. The error is one line
// that names the file.
func Open(o *options.AuditOptions) (*Log, error) {
	var c genericserver.Config
	if err := o.ApplyTo(&c); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	if c.AuditBackend == nil || c.AuditPolicyRuleEvaluator == nil {
		return nil, nil
	}
	return &Log{backend: c.AuditBackend, policy: c.AuditPolicyRuleEvaluator}, nil
}

// Run begins the Log's own work, such as sending events in batches. It ends with stop; Close then waits for it.
func (l *Log) Run(stop <-chan struct{}) error {
	if l == nil {
		return nil
	}
	l.running = true
	return l.backend.Run(stop)
}

// Close waits until all events are written. A Log that runs must have been stopped.
func (l *Log) Close() (err error) {
	if l == nil {
		return nil
	}
	if !l.running { // Shutdown waits for the end of Run
		stopped := make(chan struct{})
		close(stopped)
		err = l.backend.Run(stopped)
	}
	l.backend.Shutdown()
	return err
}

// auditID is the header in which a client gets the id of its event.
var auditID = http.CanonicalHeaderKey(auditinternal.HeaderAuditID)

// Begin gives a request the id that its client chose or a new one, which goes into the answer's header Audit-Id, and
// returns a context in which annotations are collected from now on, whether or not there is a Log. Without one those
// of a read are not: only the guards of a write say more of a request than its flow has anyway.
func (l *Log) Begin(ctx context.Context, r *http.Request, answered http.Header) context.Context {
	id := r.Header.Get(auditID)
	if id == "" {
		id = newID()
	}
	answered[auditID] = []string{id}
	if l == nil && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		return ctx
	}
	ctx = official.WithAuditContext(ctx)
	official.WithAuditID(ctx, types.UID(id))
	return ctx
}

// newID is a UUID of version 4 (RFC 9562, section 5.4), which is no secret: every request gets one, so it asks no
// system for random numbers.
func newID() string {
	var id uuid.UUID
	binary.LittleEndian.PutUint64(id[:8], rand.Uint64())
	binary.LittleEndian.PutUint64(id[8:], rand.Uint64())
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// Annotations are what was said of a request that Begin has given its context.
func Annotations(ctx context.Context) map[string]string {
	if ac := official.AuditContextFrom(ctx); ac != nil {
		return ac.GetEventAnnotations()
	}
	return nil
}

// A Subject is a request as the Log sees it. Attributes are those of the authenticated user.
type Subject struct {
	*http.Request
	Attributes  authorizer.Attributes
	Received    time.Time
	LongRunning bool // its answer takes as long as the client wants: a watch
}

// errNotStored is the answer to a request that must not go on without an event of it.
var errNotStored = errors.New("failed to store audit event")

// Receive opens the event of a request of which it is known who asks, and what for. It is nil where the policy does
// not want it, and for a nil Log. The error says that the request must not go on.
func (l *Log) Receive(s Subject) (*Event, error) {
	e, err := l.open(s)
	if e == nil || err != nil {
		return nil, err
	}
	if !e.official.ProcessEventStage(s.Context(), auditinternal.StageRequestReceived) {
		return nil, errNotStored
	}
	return e, nil
}

// Again returns a context for a request that begins again, in which no annotations are collected yet.
func Again(ctx context.Context) context.Context {
	before := official.AuditContextFrom(ctx)
	if before == nil {
		return ctx
	}
	ctx = official.WithAuditContext(unaudited{ctx})
	official.WithAuditID(ctx, before.AuditID())
	return ctx
}

// unaudited is a context without the event of before, which official code would go on with.
type unaudited struct{ context.Context }

// Value fulfils context.Context.
func (u unaudited) Value(key any) any {
	value := u.Context.Value(key)
	if _, is := value.(*official.AuditContext); is {
		return nil
	}
	return value
}

// Resume is Receive for a request that begins again, in a context of Again: it has been received before.
func (l *Log) Resume(s Subject) (*Event, error) { return l.open(s) }

// open evaluates the policy.
func (l *Log) open(s Subject) (*Event, error) {
	if l == nil {
		return nil, nil
	}
	ctx := s.Context()
	e := &Event{ctx: ctx, official: official.AuditContextFrom(ctx), longRunning: s.LongRunning}
	rule := l.policy.EvaluatePolicyRule(s.Attributes)
	if err := e.official.Init(rule, l.backend); err != nil {
		return nil, err
	}
	if rule.Level == auditinternal.LevelNone {
		return nil, nil
	}
	official.LogRequestMetadata(ctx, s.Request, s.Received, s.Attributes)
	return e, nil
}
