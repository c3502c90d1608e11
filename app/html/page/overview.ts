// What is in a run, at a glance, with the way to each part: shown while no request is selected.

import { Client } from "./data";
import { h, link, name, table } from "./dom";
import { View, conflicts, doctor } from "./pages";
import { write } from "./place";

const plural = (n: number, one: string, more = one + "s") => `${n} ${n === 1 ? one : more}`;

export function overview(v: View): HTMLElement {
  const run = v.run.number ? String(v.run.number) : undefined;
  const to = (filter: string) => write({ page: "requests", run, filter });
  const counts = new Map<Client, { all: number; refused: number; writes: number }>();
  for (const r of v.run.requests) {
    if (r.seq > v.until) break;
    const n = counts.get(r.client) ?? { all: 0, refused: 0, writes: 0 };
    n.all++;
    if (r.code >= 400 || r.code === 0) n.refused++;
    if (r.more.e) n.writes++;
    counts.set(r.client, n);
  }
  const clients = [...counts].sort((a, b) => b[1].all - a[1].all);
  const findings = doctor.rows(v), clashes = conflicts.rows(v);
  const page = (id: string) => (run ? `run=${run}&page=${id}` : id);
  return h("article", {}, h("h2", {}, "This run"),
    h("ul", {}, findings.length ? h("li", {}, link(page("doctor"), plural(findings.length, "finding")), " of the doctor, the first: ", findings[0].what) : h("li", {}, "The doctor found nothing."),
      clashes.length ? h("li", {}, link(page("conflicts"), plural(clashes.length, "conflict or refusal", "conflicts and refusals"))) : null,
      v.run.raw.deletes.length ? h("li", {}, link(page("deletions"), plural(v.run.raw.deletes.length, "deletion"))) : null,
      v.run.data.raw.compare ? h("li", {}, link("compare", "the other run"), " beside this one") : null),
    table("Clients", ["client", "program", "requests", "refused", "changes"], clients.map(([c, n]) => ({
      cells: [link(to(`who:${c.tag}`), c.tag || "–"), name(c.program), n.all, n.refused ? link(to(`who:${c.tag} !code:1xx,2xx,3xx`), String(n.refused)) : 0, n.writes] }))),
    h("p", { class: "dim" }, "Keys: 1 to 9 turn pages, / filters, the arrow keys select, and each place has an address of its own."));
}
