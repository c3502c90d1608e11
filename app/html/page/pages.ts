// The pages of a run. Each is a list, and what is selected in it beside or below.

import { Clash, Comparison, CompareRow, Deletion, Finding, Moment, Request, Run, StoredObject, Watch, Version, millis, seconds, target } from "./data";
import { h, link, name, table } from "./dom";
import { lane } from "./lane";
import { path, request, told } from "./request";
import { short, tree } from "./tree";

// A View is what pages are drawn from: a run up to a request, and what the filter lets through.
export interface View { run: Run; until: number; time: number; match: (r: Request) => boolean; whole: boolean }

// A Page lists rows of type T.
export interface Page<T> {
  title: string;
  label: string; // of the list
  empty: string;
  rows(v: View): T[];
  key(row: T): Record<string, string>; // what its address has
  draw(row: T, v: View): HTMLElement;
  detail(row: T, v: View, place: Record<string, string | undefined>): HTMLElement;
  tall?: boolean;
  head?(v: View): HTMLElement | null;
}

const seen = (v: View, seq: number | undefined) => seq === undefined || seq <= v.until;
const listed = (v: View, seq: number) => { const r = v.run.request(seq); return seen(v, seq) && (!r || v.match(r)); };
const at = (v: View, seq: number | undefined) => (seq ? link(v.run.to + "seq=" + seq, "#" + seq) : null);

export const requests: Page<Request> = {
  title: "Requests", label: "Requests, in the order in which they were answered", empty: "No request matches.",
  rows: (v) => v.run.requests.filter((r) => seen(v, r.seq) && v.match(r)),
  key: (r) => ({ seq: String(r.seq) }),
  draw: (r) => h("div", { class: "request" + (r.code >= 400 || !r.code ? " refused" : "") }, h("span", { class: "n" }, r.seq), h("span", { class: "n when" }, (r.at / 1e6).toFixed(3)),
    h("span", { class: "who" }, r.client.tag), h("span", { class: "verb" }, r.verb), h("span", { class: "what" }, name(target(r)), r.ns && r.ns !== "default" ? h("span", { class: "dim" }, " " + r.ns) : null),
    h("span", { class: "code" }, r.code || "–"), h("span", { class: "n took" }, r.phase ? ["", "opens", "ends"][r.phase] : millis(r.took))),
  detail: (r, v) => request(v.run, r),
};

export const watches: Page<Watch> = {
  title: "Watches", label: "Watches, a lane each", empty: "No client watched.", tall: true,
  rows: (v) => v.run.raw.watches.filter((w) => w.s.some((s) => listed(v, s)) || (w.s.length === 0 && w.at <= v.time)),
  key: (w) => ({ watch: String(w.id) }),
  draw: (w, v) => h("div", { class: "watch" }, h("span", { class: "who" }, v.run.raw.clients[w.who].tag), h("span", { class: "what" }, name(w.of)), h("span", { class: "n" }, w.sent), lane(v, w)),
  detail: (w, v) => {
    const rows = [];
    for (let i = 0; i < w.f.length; i += 5) {
      const [when, type, rv, object, bytes] = w.f.slice(i, i + 5);
      if (when <= v.time) rows.push({ cells: [seconds(when), v.run.data.word(type), name(v.run.data.word(object)), rv, bytes] });
    }
    return h("article", {}, h("h2", {}, name(v.run.raw.clients[w.who].tag), " watches ", name(w.of)),
      h("p", {}, `Opened ${seconds(w.at)}`, w.rv ? ` after resourceVersion ${w.rv}` : " with all objects", w.end >= 0 && w.end <= v.time ? `, ended ${seconds(w.end)}: ${w.why}` : ", open", ". ", ...w.s.filter((s) => seen(v, s)).flatMap((s) => [at(v, s), " "])),
      rows.length < w.sent ? h("p", { class: "note" }, `The last ${rows.length} of its frames are kept.`) : null,
      table("Frames", ["written", "type", "object", "resourceVersion", "bytes"], rows));
  },
};

const versions = (o: StoredObject, v: View) => o.v.filter((x) => seen(v, x.s));

export const objects: Page<StoredObject> = {
  title: "Objects", label: "Objects that the run changed", empty: "Nothing was changed.",
  rows: (v) => v.run.raw.objects.filter((o) => versions(o, v).some((x) => x.s && (v.whole || listed(v, x.s)))),
  key: (o) => ({ object: path(o) }),
  draw: (o, v) => { const all = versions(o, v), last = all[all.length - 1]; return h("div", { class: "object" }, h("span", { class: "what" }, name(path(o))), h("span", { class: "dim" }, last.t), h("span", { class: "n" }, all.length)); },
  detail: (o, v, place) => {
    const all = versions(o, v), chosen = all.find((x) => String(x.rv) === place.rv) ?? all[all.length - 1];
    return h("article", {}, h("h2", {}, name(path(o))),
      h("nav", { "aria-label": "Versions" }, h("ul", { class: "versions" }, ...all.map((x) => h("li", {}, h("a", { href: `#${v.run.to}object=${path(o)}&rv=${x.rv}`, "aria-current": x === chosen ? "true" : undefined },
        x.t ? `rv ${x.rv}` : "before the run"))))),
      version(v, chosen));
  },
};

function version(v: View, x: Version): HTMLElement {
  const who = x.s ? v.run.request(x.s) : undefined;
  const value = (n: number) => short(v.run.data.value(n));
  return h("section", {}, h("h3", {}, x.t ? `rv ${x.rv}` : "Before the run"),
    who ? h("p", {}, `${x.t} ${seconds(x.at)} by `, name(who.client.tag), `, ${who.verb} `, at(v, x.s)) : null,
    x.f ? table("Changed", ["field", "before", "after"], x.f.map(([p, was, is]) => ({ cells: [name(v.run.data.word(p)), value(was), value(is)] }))) : null,
    x.t === "updated" && !x.f ? h("p", { class: "note" }, "Only what the server sets with every write has changed.") : null,
    x.v >= 0 ? tree(v.run.data.value(x.v)) : h("p", {}, "It is gone."));
}

const marks: Record<string, string> = { both: "changed on both sides", lost: "would be undone", asked: "asked for", moved: "changed meanwhile" };

export const conflicts: Page<Clash> = {
  title: "Conflicts", label: "Writes that met another one, and requests that a guard refused", empty: "No write met another one.",
  rows: (v) => v.run.raw.clashes.filter((c) => listed(v, c.s)),
  key: (c) => ({ conflict: String(c.s) }),
  draw: (c, v) => { const r = v.run.request(c.s)!; return h("div", { class: "clash" }, h("span", { class: "n" }, c.s), h("span", { class: "who" }, r.client.tag), h("span", { class: "verb" }, r.verb), h("span", { class: "what" }, name(target(r))), h("span", { class: "kind" }, c.kind)); },
  detail: (c, v) => {
    const r = v.run.request(c.s)!;
    return h("article", {}, h("h2", {}, at(v, c.s), " ", name(r.client.tag), " ", r.verb, " ", name(target(r)), ": ", c.kind),
      ...r.more.s.map((s) => told(v.run, s)),
      c.rows?.length ? table("Field by field", ["field", ...c.cols!, "outcome", "by"], c.rows.map((x) => ({ class: x.m, cells: [name(x.p), ...x.v.map((n) => short(v.run.data.value(n))), marks[x.m ?? ""] ?? "", h("span", {}, name(x.by ?? ""), " ", at(v, x.s))] }))) : null,
      c.verdict ? told(v.run, c.verdict, "verdict") : null);
  },
};

export const deletions: Page<Deletion> = {
  title: "Deletions", label: "Deletions, below what they were because of", empty: "Nothing was deleted.",
  rows: (v) => v.run.raw.deletes.filter((d) => seen(v, d.began.s) && d.began.at <= v.time),
  key: (d) => ({ deletion: d.o }),
  draw: (d, v) => { const e = h("div", { class: "deletion" }, h("span", { class: "what" }, name(d.o), d.more ? ` and ${d.more} more` : ""), h("span", { class: gone(d, v) ? "dim" : "bad" }, gone(d, v) ? "gone" : "terminating"), h("span", { class: "n" }, took(d, v))); e.style.paddingInlineStart = 0.5 + 1.2 * (d.d ?? 0) + "em"; return e; },
  detail: (d, v) => {
    const moment = (m: Moment) => h("span", {}, seconds(m.at), " by ", name(m.who ?? "–"), " ", at(v, m.s), ` at rv ${m.rv}`);
    return h("article", {}, h("h2", {}, name(d.o)),
      h("dl", { class: "facts" }, h("dt", {}, "deletion began"), h("dd", {}, d.late ? "before the run" : moment(d.began)), d.policy ? h("dt", {}, "propagation") : null, d.policy ? h("dd", {}, d.policy) : null,
        ...(d.holds ?? []).flatMap((x) => [h("dt", {}, "finalizer ", name(x.n)), h("dd", {}, x.by && seen(v, x.by.s) ? h("span", {}, "removed ", moment(x.by)) : "still holds it")]),
        h("dt", {}, "gone"), h("dd", {}, gone(d, v) ? moment(d.gone!) : "not yet")));
  },
};

const gone = (d: Deletion, v: View) => !!d.gone && seen(v, d.gone.s) && d.gone.at <= v.time;
const took = (d: Deletion, v: View) => (gone(d, v) ? millis(d.gone!.at - d.began.at) + " ms" : "");

export const doctor: Page<Finding> = {
  title: "Doctor", label: "What clients did wrong, the gravest first", empty: "The doctor found nothing.",
  rows: (v) => v.run.findings.filter((f) => f.records.length === 0 || f.records.some((s) => seen(v, s))),
  key: (f) => ({ finding: `${f.rule} ${f.object}` }),
  draw: (f, v) => h("div", { class: "finding " + f.severity }, h("span", { class: "kind" }, f.severity), h("span", { class: "what" }, v.run.data.raw.rules.find((r) => r.name === f.rule)?.title ?? f.rule, " ", h("span", { class: "dim" }, name(f.object)))),
  detail: (f, v) => {
    const rule = v.run.data.raw.rules.find((r) => r.name === f.rule);
    return h("article", {}, h("h2", {}, rule?.title ?? f.rule), told(v.run, f.what), f.cost ? h("p", {}, "Cost: ", f.cost, ".") : null,
      h("p", {}, "Requests: ", ...f.records.flatMap((s) => [at(v, s), " "])),
      rule ? h("div", {}, h("h3", {}, "Why it matters"), h("p", {}, rule.why), h("h3", {}, "What to do"), h("p", {}, rule.advice), h("p", {}, h("a", { href: rule.url, rel: "noreferrer" }, "Kubernetes API Concepts: " + rule.passage))) : null);
  },
};

const signs: Record<string, string> = { same: "=", left: "<", right: ">", different: "!" };

// comparison is the page of two runs; all shows what is the same in both as well.
export function comparison(c: Comparison, all: () => boolean): Page<CompareRow> {
  const at = new Map(c.rows.map((r, i) => [r, i]));
  return {
    title: "Compare", label: "Requests of both runs", empty: "The runs do not differ.",
    rows: () => c.rows.filter((r) => all() || (r.k !== "same" && !r.soft)),
    key: (r) => ({ row: String(at.get(r)! + 1) }),
    draw: (r) => h("div", { class: "compared " + (r.soft ? "soft" : r.k) + (at.get(r) === c.parted ? " parted" : "") }, h("span", { class: "n" }, at.get(r)! + 1), h("span", { class: "sign" }, r.soft ? "~" : signs[r.k]), h("span", { class: "who" }, r.c), h("span", { class: "what" }, name(r.q)), h("span", { class: "kind" }, r.soft || (at.get(r) === c.parted ? "they part here" : ""))),
    head: () => h("p", { class: "verdict" }, c.parted < 0 ? "The runs do not part." : h("span", {}, "They part at ", link(`row=${c.parted + 1}`, `row ${c.parted + 1}`), ": ", c.why!)),
    detail: (r, v) => {
      const side = (n: number, seq: number | undefined) => { const run = v.run.data.runs[n], x = seq ? run.request(seq) : undefined; return h("div", {}, h("p", { class: "dim" }, name(run.raw.name)), x ? request(run, x) : h("p", {}, "This run has no such request.")); };
      return h("div", {}, r.why ? h("p", { class: "verdict", dir: "auto" }, r.why) : null, h("div", { class: "sides" }, side(0, r.l), side(1, r.r)));
    },
  };
}
