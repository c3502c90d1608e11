// Package recording is the form of flows outside the process: JSON Lines, a record a line, by a documented JSON Schema,
// and recordings with objects, changes, requests and frames of watches. It loses nothing of a flow. It knows neither
// files nor HTTP.
//
//	log of flows, change log, open watches ─► Encoder ─► a file, or /debug/recording
//	Decoder ─► Fill ─► a flow.Log that adopts ─► the UI, doctor, diff, export
//
// The server does not know that it is recorded: flows are read from the log as by any reader. What comes too fast is
// missed, never waited for, and a record says so; a segment with a new state follows. The messages of the format are
// written, read and described by the same lines (messages.go); recording.proto is their output. They use the wire
// format of Protocol Buffers without its runtime: an update of 1 KB costs a few microseconds.
package recording
