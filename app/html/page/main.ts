// The page: its head with the slider and the filter, the names of the pages, a list and what is selected in it. What it
// shows follows from its address alone.

import { Data, load, seconds } from "./data";
import { h } from "./dom";
import { fields, parse } from "./filter";
import { List } from "./list";
import { overview } from "./overview";
import { Page, View, comparison, conflicts, deletions, doctor, objects, requests, watches } from "./pages";
import { Place, read, write } from "./place";
import { request } from "./request";

function start(data: Data): void {
  const root = document.documentElement;
  if (new URLSearchParams(location.search).has("big")) root.classList.add("big");
  let place = read(location.hash || data.raw.open);
  let everything = false; // of the comparison

  let run = data.runs[Number(place.run ?? 0)] ?? data.runs[0];
  const pages: Record<string, Page<any>> = { requests, watches, objects, conflicts, deletions, doctor };
  if (data.raw.compare) pages.compare = comparison(data.raw.compare, () => everything);

  const go = (change: Partial<Place>, replace = false) => {
    const next = "#" + write({ ...place, ...change });
    if (next === location.hash) return;
    if (replace) {
      history.replaceState(null, "", next);
      show();
    } else location.hash = next;
  };

  const count = h("span", { class: "dim", role: "status" });
  const wrong = h("span", { class: "bad", role: "alert" });
  const filter = h("input", { type: "search", id: "filter", placeholder: "verb:update code:409", list: "fields", spellcheck: "false", autocomplete: "off", dir: "ltr", input: () => go({ filter: filter.value || undefined }, true) });
  const when = h("output", { for: "until" });
  const until = h("input", { type: "range", id: "until", min: 0, max: run.requests.length, "aria-label": "The run up to a request", input: () => {
    const n = Number(until.value);
    go({ at: n >= run.requests.length ? undefined : String(n ? run.requests[n - 1].seq : 0) }, true);
  } });
  const which = h("select", { id: "run", change: () => { location.hash = "#" + write({ page: place.page, run: which.value === "0" ? undefined : which.value }); } },
    ...data.runs.map((r, i) => h("option", { value: i }, r.raw.name)));
  const about = h("div", {});
  const all = h("input", { type: "checkbox", id: "all", change: () => { everything = all.checked; show(); } });
  const nav = h("nav", { "aria-label": "Pages" });
  const head = h("div", { class: "head" });
  const body = h("div", { class: "body" });
  const detail = h("section", { class: "detail", "aria-label": "Selected", tabindex: 0 });
  document.body.append(
    h("header", {}, h("a", { class: "skip", href: "#list", click: (e: Event) => { e.preventDefault(); lists[place.page].focus(); } }, "To the list"), h("h1", {}, data.raw.title), data.raw.about ? h("pre", { dir: "auto" }, data.raw.about) : null, about,
      h("div", { class: "tools" }, data.runs.length > 1 ? h("span", {}, h("label", { for: "run" }, "Run "), which) : null, h("label", { for: "filter" }, "Filter "), filter, h("datalist", { id: "fields" }, ...fields.map((f) => h("option", { value: f + ":" }))), count, wrong,
        h("label", { for: "until" }, "Up to "), until, when, data.raw.compare ? h("label", { class: "all" }, all, " also what is the same") : null)),
    nav, h("main", {}, head, body));

  const lists: Record<string, List<any>> = {};
  const listOf = (id: string) => {
    const p = pages[id];
    lists[id] ??= new List<any>(p.label, (row) => p.draw(row, view), (row) => go({ page: id, ...p.key(row), rv: undefined }, true), p.tall ? "tall" : "");
    return lists[id];
  };

  let view: View;
  const look = (): View => {
    const seq = place.at === undefined ? Infinity : Number(place.at);
    const last = place.at === undefined ? undefined : run.request(seq);
    let match: View["match"] = () => true;
    wrong.textContent = "";
    try {
      if (place.filter) match = parse(place.filter, data);
    } catch (e) {
      wrong.textContent = (e as Error).message;
    }
    return { run, until: seq, time: last ? last.at + last.took : place.at === undefined ? Infinity : -1, match, whole: !place.filter };
  };

  // turned is the address of a page with the same filter at the same moment.
  const turned = (page: string) => write({ page, run: place.run, filter: place.filter, at: place.at });

  const show = () => {
    place = read(location.hash || data.raw.open);
    if (!pages[place.page]) place.page = "requests";
    const other = data.runs[Number(place.run ?? 0)] ?? data.runs[0];
    if (other !== run || !about.hasChildNodes()) {
      run = other;
      which.value = String(run.number);
      until.max = String(run.requests.length);
      about.replaceChildren(h("p", { class: "dim" }, `recorded ${new Date(run.from).toLocaleString()} · ${run.requests.length.toLocaleString("en")} requests · Kubarium ${data.raw.version}`),
        ...(run.raw.notes ?? []).map((n) => h("p", { class: "note" }, n)));
    }
    view = look();
    const page = pages[place.page], list = listOf(place.page), rows = page.rows(view);
    if (document.activeElement !== filter) filter.value = place.filter ?? "";
    const n = run.requests.findLastIndex((r) => r.seq <= view.until) + 1;
    until.value = String(n);
    when.textContent = n < run.requests.length && n > 0 ? `#${run.requests[n - 1].seq}, ${seconds(run.requests[n - 1].at)}` : n ? "the end" : "the beginning";
    until.setAttribute("aria-valuetext", when.textContent);
    count.textContent = place.page === "requests" ? `${rows.length.toLocaleString("en")} of ${run.requests.length.toLocaleString("en")}` : `${rows.length.toLocaleString("en")}`;
    nav.replaceChildren(...Object.entries(pages).map(([id, p]) => h("a", { href: "#" + turned(id), "aria-current": id === place.page ? "page" : undefined }, p.title, h("span", { class: "dim" }, " " + p.rows(view).length))));
    head.replaceChildren(...[page.head?.(view)].filter((e) => e) as Node[]);
    const is = (row: any) => Object.entries(page.key(row)).every(([k, x]) => place[k as keyof Place] === x);
    if (body.dataset.page !== place.page) {
      body.dataset.page = place.page;
      const typing = document.activeElement === filter || document.activeElement === until;
      body.replaceChildren(list.root, detail);
      if (!typing) list.focus();
    }
    const chosen = rows.find(is) ?? (place.page === "requests" ? undefined : rows[0]);
    list.set(rows, (row) => row === chosen);
    const named = place.page === "requests" && place.seq ? run.request(Number(place.seq)) : undefined; // also one that the filter hides
    detail.replaceChildren(
      named ? request(run, named)
        : chosen ? page.detail(chosen, view, place as unknown as Record<string, string | undefined>)
          : rows.length ? overview(view) : h("p", { class: "dim" }, page.empty));
    detail.scrollTop = 0;
    document.title = `${page.title}${place.seq ? " #" + place.seq : ""} · ${data.raw.title} · Kubarium`;
  };

  window.addEventListener("hashchange", show);
  document.addEventListener("keydown", (e) => {
    const typing = e.target instanceof HTMLInputElement && e.target.type !== "range";
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "Escape" && typing) lists[place.page].focus();
    if (typing) return;
    const id = Object.keys(pages)[Number(e.key) - 1];
    if (e.key === "/") { e.preventDefault(); filter.focus(); }
    else if (/^[1-9]$/.test(e.key) && id) { location.hash = "#" + turned(id); }
  });
  show();
  root.dataset.ready = "";
}

load().then(start, (e) => {
  document.body.append(h("p", { class: "bad", role: "alert" }, `This browser cannot unpack the page's data: ${e}`));
});
