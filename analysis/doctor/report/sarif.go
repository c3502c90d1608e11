package report

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"kubarium/analysis/doctor"
)

// The parts of SARIF 2.1.0 (OASIS Static Analysis Results Interchange Format) that a report needs.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		ColumnKind  string            `json:"columnKind"`
	}
	sarifInvocation struct {
		Start      string `json:"startTimeUtc,omitempty"`
		End        string `json:"endTimeUtc,omitempty"`
		Successful bool   `json:"executionSuccessful"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifRule struct {
		ID      string      `json:"id"`
		Short   sarifText   `json:"shortDescription"`
		Full    sarifText   `json:"fullDescription"`
		HelpURI string      `json:"helpUri"`
		Help    sarifText   `json:"help"`
		Default sarifConfig `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Count        int               `json:"occurrenceCount"`
		Properties   sarifProperties   `json:"properties"`
	}
	sarifLocation struct {
		Logical []sarifLogical `json:"logicalLocations"`
	}
	sarifLogical struct {
		Name      string `json:"name"`
		Qualified string `json:"fullyQualifiedName"`
		Kind      string `json:"kind"`
	}
	sarifProperties struct {
		Client  string   `json:"client"`
		Cost    string   `json:"cost,omitempty"`
		Records []uint64 `json:"records"`
	}
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// SARIF writes a report as a SARIF 2.1.0 log. A result's places are logical: each object, with its client.
func SARIF(w io.Writer, p *doctor.Report, rules []doctor.Rule) error {
	tool := sarifTool{sarifDriver{Name: "kubarium doctor", Rules: []sarifRule{}}}
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}, Tool: tool}
	invocation := sarifInvocation{Successful: true}
	if !p.From.IsZero() {
		const form = "2006-01-02T15:04:05.000Z"
		invocation.Start, invocation.End = p.From.UTC().Format(form), p.To.UTC().Format(form)
	}
	run.Invocations = []sarifInvocation{invocation}
	index := map[string]int{}
	for i, r := range rules {
		index[r.Name] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: r.Name, Short: sarifText{r.Title}, Full: sarifText{r.Why}, HelpURI: r.URL,
			Help: sarifText{r.Advice}, Default: sarifConfig{string(r.Severity)},
		})
	}
	for _, f := range p.Findings {
		run.Results = append(run.Results, resultOf(&f, index[f.Rule]))
	}
	return writeJSON(w, sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

// resultOf is a finding as a result. Its fingerprint is the same in every run that finds it.
func resultOf(f *doctor.Finding, index int) sarifResult {
	sum := sha256.Sum256([]byte(f.Rule + "\x00" + f.Client + "\x00" + f.Object))
	records := f.Records
	if records == nil {
		records = []uint64{}
	}
	locations := []sarifLocation{}
	for _, object := range append([]string{f.Object}, f.Objects...) {
		locations = append(locations, sarifLocation{[]sarifLogical{{object, f.Client + ": " + object, "resource"}}})
	}
	return sarifResult{
		RuleID: f.Rule, RuleIndex: index, Level: string(f.Severity), Message: sarifText{f.What}, Count: max(1, f.Count),
		Locations:    locations,
		Fingerprints: map[string]string{"clientAndObject/v1": hex.EncodeToString(sum[:16])},
		Properties:   sarifProperties{f.Client, f.Cost, records},
	}
}
