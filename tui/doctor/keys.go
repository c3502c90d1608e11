package doctor

import "kubarium/tui/page"

func (x *Page) Keys() []page.Binding { return x.env.RowKeys() }

func (x *Page) Legend() []string {
	return []string{
		"Each line is a finding: what a client did that its author should know of, as its requests prove it. ✗ is an error, ! a warning, · a note that is often meant so. × counts how often it happened.",
		"Beside or below it: what happened in one sentence, the requests (enter shows one in Traffic), why it matters with the passage of the page Kubernetes API Concepts, and what to do.",
		"The gravest and dearest findings come first. Findings are shown as long as the filter lets one of their requests through. The badge counts errors and warnings.",
		"Only what the requests prove is told. Where requests are not known, as they have aged out, less is told.",
	}
}
