// One request: its story, how it went through the server, what was sent and answered, and what it changed.

import { Body, Request, Run, Value, json, millis, seconds, target } from "./data";
import { fold, h, link, name, table } from "./dom";
import { tree } from "./tree";

// request shows a request of a run.
export function request(run: Run, r: Request): HTMLElement {
  const d = r.more;
  return h("article", { "aria-label": `request ${r.seq}` },
    h("h2", {}, `#${r.seq} `, name(r.client.tag), " ", r.verb, " ", name(target(r)), " ", code(r)),
    h("p", { class: "dim" }, name(r.method + " " + r.path + (r.query ? "?" + r.query : "")), ` · ${seconds(r.at)} · ${millis(r.took)} ms · `, name(r.client.program || "no User-Agent"),
      r.client.user ? " · " : "", name(r.client.user)),
    h("section", { class: "story", "aria-label": "Story" }, ...d.s.map((s) => told(run, s))),
    d.c ? chain(run, d.c) : null,
    d.e ? h("p", {}, "It changed ", ...d.e.flatMap(([o, v], i) => [i ? ", " : "", change(run, o, v)]), ".") : null,
    d.t ? fold("Its way through the server", () => stations(run, d.t!), true) : null,
    d.d?.length ? fold("Decisions", () => h("pre", { class: "wide", dir: "ltr", tabindex: 0 }, d.d!.join("\n"))) : null,
    part(run, "Request", d.h, d.b),
    part(run, "Answer", d.H, d.B),
    d.n?.length ? fold("Notes", () => h("ul", {}, ...d.n!.map((n) => h("li", { dir: "auto" }, n)))) : null,
  );
}

// told is a sentence about a run, in which the numbers of requests are links.
export function told(run: Run, text: string, className?: string): HTMLElement {
  return h("p", { dir: "auto", class: className }, ...text.split(/(#\d+)/).map((t) => (t[0] === "#" && run.request(Number(t.slice(1))) ? link(`${run.to}seq=${t.slice(1)}`, t) : t)));
}

// code is the status of a request in words.
export function code(r: Request): HTMLElement {
  const bad = r.code >= 400 || r.code === 0;
  return h("span", { class: bad ? "bad" : "good" }, r.code === 0 ? "no answer" : `${r.code} ${r.reason}`.trim());
}

function chain(run: Run, links: { t: string; s?: number }[]): HTMLElement {
  return h("section", { class: "chain", "aria-label": "What led to it" }, told(run, links[0].t),
    links.length > 1 ? h("ul", {}, ...links.slice(1).map((l) => h("li", {}, name(l.t), " ", l.s ? link(`${run.to}seq=${l.s}`, "#" + l.s) : null))) : null);
}

function change(run: Run, object: number, version: number): HTMLElement {
  const o = run.raw.objects[object], v = o.v[version];
  const at = `${v.t}, rv ${v.rv}`;
  return h("span", {}, link(`${run.to}object=${path(o)}&rv=${v.rv}`, name(path(o))), ` (${at})`);
}

// path names an object: "deployments.apps/shop/web".
export function path(o: { r: string; ns?: string; n: string }): string { return [o.r, o.ns, o.n].filter(Boolean).join("/"); }

function stations(run: Run, t: number[]): HTMLElement {
  let end = 1;
  for (let i = 0; i < t.length; i += 6) end = Math.max(end, t[i + 1] + t[i + 2]);
  const rows = [];
  for (let i = 0; i < t.length; i += 6) {
    const [word, start, length, note, failed, depth] = t.slice(i, i + 6);
    const bar = h("span", { class: "bar" + (failed ? " failed" : depth ? " inner" : "") });
    bar.style.marginInlineStart = (100 * start) / end + "%";
    bar.style.width = Math.max(0.5, (100 * length) / end) + "%";
    rows.push({ cells: ["\u00a0".repeat(2 * depth) + run.data.word(word) + (failed ? " ✗" : ""), h("span", { class: "way" }, bar), millis(length), name(run.data.word(note))] });
  }
  const t2 = table("Stations", ["station", `0 to ${millis(end)} ms`, "ms", "note"], rows);
  t2.classList.add("stations");
  return t2;
}

function part(run: Run, title: string, header: number[] | undefined, body: Body | undefined): HTMLElement | null {
  if (!header && !body) return null;
  const size = body ? `, ${body.n.toLocaleString("en")} bytes${body.t && body.t !== "json" ? " of " + body.t : ""}` : ", no body";
  return fold(title + size, () => {
    const out = h("div", {});
    if (header) out.append(fold("Headers", () => headers(run, header)));
    if (body?.k) out.append(h("p", { class: "note" }, `Only the first ${body.k.toLocaleString("en")} bytes were kept.`));
    if (body && body.v >= 0) {
      const v = run.data.value(body.v) as Value;
      out.append(tree(v), fold("As JSON", () => h("pre", { class: "wide", dir: "ltr", tabindex: 0 }, json(v, 2))));
    } else if (body?.x) out.append(h("pre", { class: "wide", dir: "ltr", tabindex: 0 }, body.x));
    return out;
  });
}

function headers(run: Run, words: number[]): HTMLElement {
  const out = h("dl", { class: "headers", dir: "ltr" });
  for (let i = 0; i < words.length; i += 2) out.append(h("dt", {}, run.data.word(words[i])), h("dd", {}, run.data.word(words[i + 1])));
  return out;
}
