package sqlitestore

import (
	"context"
	"time"

	"kubarium/server/storage"
)

// A statement is SQL that ran for a request. The writer notes it for the caller, whose goroutine alone may record it.
type statement struct {
	text   string
	args   []any
	rows   int
	begun  time.Time
	length time.Duration
}

// batchFacts say which transaction a write shared.
type batchFacts struct {
	id             uint64
	writes         int
	commit, waited time.Duration
}

func (r *request) trace(begun time.Time, text string, rows int, args ...any) {
	if r.traced {
		r.statements = append(r.statements, statement{text, args, rows, begun, time.Since(begun)})
	}
}

// A request is one write on its way through the writer.
type request struct {
	ctx    context.Context
	write  storage.Write
	traced bool // whether the flow wants its statements
	queued time.Time

	statements []statement
	batch      batchFacts
	change     *storage.Change // nil when it changed nothing
	record     storage.Record
	err        error
	done       chan struct{}
}
