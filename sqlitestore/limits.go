package sqlitestore

import "time"

const (
	busyAfter   = 5 * time.Second        // a write that waited so long for a foreign lock is ErrBusy
	openWait    = 2 * time.Second        // for a foreign lock while opening
	beginWait   = 100 * time.Millisecond // one try to begin; between tries the writer looks at its queue
	outcomeWait = time.Second            // for the outcome of a write whose caller has gone away
	pollEvery   = 150 * time.Millisecond // how often the writer looks for outside changes
	maxBatch    = 512                    // most writes in one transaction
	maxReaders  = 8                      // connections that read
)
