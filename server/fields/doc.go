// Package fields keeps metadata.managedFields: which manager owns which field of an object. It joins apimachinery's
// field manager to the published schemas, of which it reads only what a kind refers to, when the kind is first written.
// It works on plain objects and knows neither requests nor the store.
//
// Which fields a writer owns follows from the object's shape (outline.go): for a shape that was met before nothing is
// compared. Updates whose owners all wrote one version take a shorter way to the same entries (Updater); a test of
// random steps compares it with the official manager.
package fields
