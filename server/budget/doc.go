// Package budget bounds what all requests together take of memory and work, so that a small request is answered at once
// whatever the others send. It knows bodies by their bytes, and not their meaning.
//
// Bodies over 32 KiB share a fixed number of bytes and half of the processors, in turns; pieces of long lists that make
// much garbage take turns with them. Other pieces of long lists, and initial events of watches, are made by half of the
// processors at a time (Budget.Piece). No turn is held while a client does not read or a webhook may hang: a request
// that is held or delayed, or waits for a webhook, gives its share back. Small requests do not wait.
package budget
