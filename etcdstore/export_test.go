package etcdstore

import "context"

const WatchAgain = watchAgain

// Look has the store do what it does every two seconds.
func Look(ctx context.Context, s *Store) { s.look(ctx) }

// ForgetOld has the store compact what is older than its history, unless that was done just now.
func ForgetOld(ctx context.Context, s *Store) error { return s.forgetOld(ctx, 1) }

// Report has the store log why it was not compacted.
func Report(ctx context.Context, s *Store, err error) { s.report(ctx, err) }
