// Package features holds Kubernetes' feature gates: those that act in Kubarium's own code, by their names and with the
// stages that they have in 1.37, and those that act in the official rules of built-in kinds, which Kubernetes' packages
// keep for the whole process. Gates.Settle sets these once.
package features
