(() => {
  // page/data.ts
  var Data = class {
    constructor(raw) {
      this.raw = raw;
      this.runs = raw.runs.map((r, i) => new Run(this, r, i));
    }
    raw;
    runs;
    known = /* @__PURE__ */ new Map();
    word(at2) {
      return this.raw.scalars[at2];
    }
    value(n) {
      if (n < 0) return void 0;
      if (n % 2 === 0) return this.raw.scalars[n / 2];
      const at2 = (n - 1) / 2;
      let v = this.known.get(at2);
      if (v === void 0) {
        v = this.node(at2);
        this.known.set(at2, v);
      }
      return v;
    }
    node(at2) {
      const node = this.raw.nodes[at2];
      const part2 = (n) => this.value(n % 2 === 0 ? n : 2 * (at2 - (n - 1) / 2) + 1);
      if (node[0] === 1) return node.slice(1).map(part2);
      const fields2 = /* @__PURE__ */ new Map();
      for (let i = 1; i < node.length; i += 2) fields2.set(this.word(node[i]), part2(node[i + 1]));
      return fields2;
    }
  };
  var Run = class {
    constructor(data, raw, number2) {
      this.data = data;
      this.raw = raw;
      this.number = number2;
      const word2 = (n) => data.word(n);
      this.from = Date.parse(raw.from);
      this.requests = raw.seq.map((seq, i) => ({
        index: i,
        seq,
        phase: raw.phase[i],
        at: raw.at[i],
        took: raw.took[i],
        client: raw.clients[raw.who[i]],
        verb: word2(raw.verb[i]),
        method: word2(raw.method[i]),
        path: word2(raw.path[i]),
        query: word2(raw.query[i]),
        group: word2(raw.group[i]),
        resource: word2(raw.resource[i]),
        sub: word2(raw.sub[i]),
        ns: word2(raw.in[i]),
        name: word2(raw.object[i]),
        code: raw.code[i],
        reason: word2(raw.reason[i]),
        sent: raw.sent[i],
        rv: raw.rv[i],
        more: raw.more[i]
      }));
      for (const r of this.requests) this.at.set(r.seq, r);
    }
    data;
    raw;
    number;
    requests;
    from;
    at = /* @__PURE__ */ new Map();
    // to is the beginning of the address of a place in this run.
    get to() {
      return this.number ? `run=${this.number}&` : "";
    }
    request(seq) {
      return this.at.get(seq);
    }
    get findings() {
      return this.raw.findings ?? [];
    }
  };
  async function load() {
    const packed = atob(document.getElementById("data").textContent.trim());
    const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
    const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
    return new Data(JSON.parse(text));
  }
  function target(r) {
    if (!r.resource) return r.path;
    return r.resource + (r.name ? "/" + r.name : "") + (r.sub ? "/" + r.sub : "");
  }
  function millis(us) {
    const ms = us / 1e3;
    return ms >= 100 ? ms.toFixed(0) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2);
  }
  function seconds(us) {
    return us < 0 ? "–" : "+" + (us / 1e6).toFixed(3) + " s";
  }
  function json(v, indent = 0) {
    return JSON.stringify(v, (_, x) => x instanceof Map ? Object.fromEntries(x) : x, indent) ?? "–";
  }

  // page/dom.ts
  function h(name2, attributes = {}, ...children) {
    const e = document.createElement(name2);
    for (const [key, value] of Object.entries(attributes)) {
      if (typeof value === "function") e.addEventListener(key, value);
      else if (value === true) e.setAttribute(key, "");
      else if (value !== void 0 && value !== false) e.setAttribute(key, String(value));
    }
    e.append(...children.filter((c) => c !== false && c !== null && c !== void 0 && c !== "").map((c) => c instanceof Node ? c : String(c)));
    return e;
  }
  function name(text, className = "") {
    return h("bdi", { class: className || void 0 }, text);
  }
  function link(place, ...children) {
    return h("a", { href: "#" + place }, ...children);
  }
  function fold(title, fill, open = false) {
    const e = h("details", { open }, h("summary", {}, title));
    const made = () => {
      if (e.open && e.childElementCount === 1) e.append(fill());
    };
    e.addEventListener("toggle", made);
    made();
    return e;
  }
  function table(caption, columns, rows) {
    return h(
      "div",
      { class: "wide", tabindex: 0, role: "group", "aria-label": caption },
      h(
        "table",
        {},
        h("caption", {}, caption),
        h("thead", {}, h("tr", {}, ...columns.map((c) => h("th", { scope: "col" }, c)))),
        h("tbody", {}, ...rows.map((r) => h("tr", { class: r.class }, ...r.cells.map((c) => h("td", {}, c)))))
      )
    );
  }

  // page/filter.ts
  var texts = {
    verb: (r) => [r.verb],
    method: (r) => [r.method],
    reason: (r) => [r.reason],
    res: (r) => {
      const whole = r.group ? r.resource + "." + r.group : r.resource;
      return r.sub ? [r.resource, whole, r.resource + "/" + r.sub, whole + "/" + r.sub] : [r.resource, whole];
    },
    sub: (r) => r.sub ? [r.sub] : [],
    ns: (r) => [r.ns],
    name: (r) => [r.name],
    who: (r) => [r.client.tag],
    user: (r) => [r.client.user]
  };
  var numbers = {
    code: (r) => [r.code],
    rv: (r) => [r.rv, r.sent].filter((n) => n > 0),
    dur: (r) => [r.took],
    seq: (r) => [r.seq],
    size: (r) => [r.more.B?.n ?? 0]
  };
  var units = { "": 1, us: 1, "µs": 1, ms: 1e3, s: 1e6, m: 6e7, kib: 1024, mib: 1 << 20 };
  var fields = [...Object.keys(texts), ...Object.keys(numbers), "ua", "body", "hdr"];
  function parse(text, data) {
    const tokens = text.match(/[()|!]|"[^"]*"|[^\s()|!"]+(?:"[^"]*")?[^\s()|"]*/g) ?? [];
    let at2 = 0;
    const either = () => {
      const parts2 = [all()];
      while (tokens[at2] === "|") {
        at2++;
        parts2.push(all());
      }
      return parts2.length === 1 ? parts2[0] : (r) => parts2.some((p) => p(r));
    };
    const all = () => {
      const parts2 = [];
      while (at2 < tokens.length && tokens[at2] !== "|" && tokens[at2] !== ")") parts2.push(one());
      return (r) => parts2.every((p) => p(r));
    };
    const one = () => {
      const token = tokens[at2++];
      if (token === "!") {
        if (at2 >= tokens.length) throw new Error("a term must follow !");
        const not = one();
        return (r) => !not(r);
      }
      if (token !== "(") return term(token, data);
      const inner = either();
      if (tokens[at2++] !== ")") throw new Error("a ) is missing");
      return inner;
    };
    const match = either();
    if (at2 < tokens.length) throw new Error("there is a ) too many");
    return match;
  }
  function term(token, data) {
    const m = /^([a-z]+)(:?[<>]=?|[:~])(.*)$/i.exec(token);
    if (!m) return word(token);
    const field = m[1].toLowerCase(), op = m[2].length > 1 ? m[2].replace(":", "") : m[2];
    const values = m[3].startsWith('"') ? [m[3].replace(/"/g, "")] : m[3].split(",");
    if (texts[field]) {
      const tests = values.map((v) => op === "~" ? expression(v) : glob(v));
      return (r) => texts[field](r).some((t) => tests.some((test) => test.test(t)));
    }
    if (numbers[field]) {
      const tests = values.map((v) => number(field, op, v));
      return (r) => numbers[field](r).some((n) => tests.some((test) => test(n)));
    }
    const parts2 = values.map((v) => v.toLowerCase().replace(/^\*|\*$/g, ""));
    const has = (t) => parts2.some((p) => t.toLowerCase().includes(p));
    switch (field) {
      case "ua":
        return (r) => has(r.client.program);
      case "body":
        return (r) => [r.more.b, r.more.B].some((b) => b && has(b.x ?? json(data.value(b.v))));
      case "hdr":
        return (r) => [...r.more.h ?? [], ...r.more.H ?? []].some((w) => has(data.word(w)));
    }
    throw new Error(`there is no field ${field} on this page; there are ${fields.join(", ")}`);
  }
  function word(token) {
    const t = token.replace(/"/g, "").toLowerCase();
    return (r) => [r.path, target(r), r.reason, ...r.more.s].some((s) => s.toLowerCase().includes(t));
  }
  function glob(v) {
    return new RegExp("^" + v.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*") + "$", "is");
  }
  function expression(v) {
    try {
      return new RegExp(v);
    } catch {
      throw new Error(`${v} is not a regular expression`);
    }
  }
  function number(field, op, v) {
    const m = /^(\d+(?:\.\d+)?)([a-zµ]*)$/i.exec(v.trim());
    if (field === "code" && /^\dxx$/i.test(v)) return (n) => Math.floor(n / 100) === Number(v[0]);
    if (!m || units[m[2].toLowerCase()] === void 0) throw new Error(`${field} needs a number, not ${v || "nothing"}`);
    const x = Number(m[1]) * units[m[2].toLowerCase()];
    switch (op) {
      case ">":
        return (n) => n > x;
      case ">=":
        return (n) => n >= x;
      case "<":
        return (n) => n < x;
      case "<=":
        return (n) => n <= x;
    }
    return (n) => n === x;
  }

  // page/list.ts
  var lists = 0;
  var List = class {
    constructor(label, draw2, chosen, className = "") {
      this.draw = draw2;
      this.chosen = chosen;
      this.className = className;
      this.inner = h("div", { class: "rows", role: "presentation" });
      this.root = h("div", { id: "list", class: "list " + this.className, role: "listbox", tabindex: 0, "aria-label": label, scroll: () => this.paint(), keydown: (e) => this.key(e) }, this.inner);
      new ResizeObserver(() => this.paint()).observe(this.root);
    }
    draw;
    chosen;
    className;
    root;
    inner;
    rows = [];
    selected = -1;
    height = 0;
    id = "list" + lists++;
    // set shows rows; the row for which is holds is selected, without telling.
    set(rows, is) {
      this.rows = rows;
      this.selected = rows.findIndex(is);
      this.measure();
      this.reveal();
      this.paint();
    }
    focus() {
      this.root.focus({ preventScroll: true });
    }
    measure() {
      const probe = h("div", { class: "row" }, " ");
      this.inner.append(probe);
      this.height = probe.getBoundingClientRect().height || 24;
      probe.remove();
      this.inner.style.height = this.rows.length * this.height + "px";
    }
    key(e) {
      const page = Math.max(1, Math.floor(this.root.clientHeight / this.height) - 1);
      const to = { ArrowDown: this.selected + 1, ArrowUp: this.selected - 1, PageDown: this.selected + page, PageUp: this.selected - page, Home: 0, End: this.rows.length - 1 };
      if (!(e.key in to) || e.ctrlKey || e.metaKey || e.altKey || this.rows.length === 0) return;
      e.preventDefault();
      this.choose(Math.min(this.rows.length - 1, Math.max(0, to[e.key])));
    }
    choose(i) {
      this.selected = i;
      this.reveal();
      this.paint();
      this.chosen(this.rows[i]);
    }
    reveal() {
      if (this.selected < 0) return;
      const top = this.selected * this.height, { scrollTop, clientHeight } = this.root;
      if (top < scrollTop || top + this.height > scrollTop + clientHeight) this.root.scrollTop = top - clientHeight / 2;
    }
    paint() {
      const first = Math.max(0, Math.floor(this.root.scrollTop / this.height) - 10);
      const last = Math.min(this.rows.length, first + Math.ceil(this.root.clientHeight / this.height) + 20);
      const shown = this.rows.slice(first, last).map((row, i) => {
        const at2 = first + i, e = this.draw(row);
        e.classList.add("row");
        e.id = `${this.id}-${at2}`;
        e.setAttribute("role", "option");
        e.setAttribute("aria-selected", String(at2 === this.selected));
        e.setAttribute("aria-setsize", String(this.rows.length));
        e.setAttribute("aria-posinset", String(at2 + 1));
        e.style.top = at2 * this.height + "px";
        e.addEventListener("click", () => this.choose(at2));
        return e;
      });
      this.inner.replaceChildren(...shown);
      if (this.selected >= first && this.selected < last) this.root.setAttribute("aria-activedescendant", `${this.id}-${this.selected}`);
      else this.root.removeAttribute("aria-activedescendant");
    }
  };

  // page/lane.ts
  var colours = { ADDED: "--good", MODIFIED: "--accent", DELETED: "--bad", BOOKMARK: "--dim", ERROR: "--bad" };
  function lane(v, w) {
    const canvas = document.createElement("canvas");
    canvas.className = "lane";
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${w.sent} events`);
    requestAnimationFrame(() => draw(canvas, v, w));
    return canvas;
  }
  function draw(canvas, v, w) {
    const { width, height } = canvas.getBoundingClientRect(), scale = devicePixelRatio || 1;
    const g = canvas.getContext("2d");
    if (!g || width === 0) return;
    canvas.width = width * scale;
    canvas.height = height * scale;
    g.scale(scale, scale);
    const colour = (n) => {
      canvas.style.color = `var(${n})`;
      return getComputedStyle(canvas).color;
    };
    const last = v.run.requests.reduce((n, r) => Math.max(n, r.at + r.took), 1);
    const x = (us) => Math.max(0, us) / last * (width - 4) + 2;
    g.fillStyle = colour("--line");
    const end = Math.min(w.end < 0 ? v.time : w.end, v.time, last);
    g.fillRect(x(w.at), height / 2 - 1, Math.max(2, x(end) - x(w.at)), 2);
    for (let i = 0; i < w.f.length; i += 5) {
      if (w.f[i] > v.time) break;
      g.fillStyle = colour(colours[v.run.data.word(w.f[i + 1])] ?? "--dim");
      g.fillRect(x(w.f[i]) - 1, height * 0.2, 2.5, height * 0.6);
    }
  }

  // page/tree.ts
  var long = 40;
  function tree(v) {
    return h("div", { class: "tree", dir: "ltr" }, ...parts(v, 0));
  }
  function parts(v, depth) {
    if (v instanceof Map) return [...v].map(([key, part2]) => line(key + ":", part2, depth, key === "managedFields"));
    if (Array.isArray(v)) return v.map((part2) => line("-", part2, depth, false));
    return [h("div", {}, scalar(v))];
  }
  function line(key, v, depth, folded) {
    const size = v instanceof Map ? v.size : Array.isArray(v) ? v.length : 0;
    if (size === 0) return h("div", {}, name(key, "key"), " ", scalar(v));
    const title = h("span", {}, name(key, "key"), h("span", { class: "dim" }, " " + hint(v, size)));
    return fold(title, () => h("div", { class: "part" }, ...parts(v, depth + 1)), !folded && size < long && depth < 6);
  }
  function hint(v, size) {
    if (v instanceof Map) {
      const meta = v.get("metadata");
      const of = (meta instanceof Map ? meta.get("name") : void 0) ?? v.get("name") ?? v.get("type");
      return typeof of === "string" ? of : "";
    }
    return `${size}`;
  }
  function scalar(v) {
    if (v instanceof Map || Array.isArray(v)) return h("span", { class: "dim" }, v instanceof Map ? "{}" : "[]");
    if (typeof v === "object" && v !== null) return h("span", { class: "number" }, v.n);
    if (typeof v !== "string") return h("span", { class: v === void 0 ? "dim" : "number" }, v === void 0 ? "–" : json(v));
    if (v.includes("\n")) return h("pre", { class: "text", dir: "auto" }, v);
    return name(v === "" ? '""' : v, "text");
  }
  function short(v) {
    if (v === void 0) return h("span", { class: "dim" }, "–");
    return typeof v === "string" ? name(v === "" ? '""' : v, "text") : name(json(v), "number");
  }

  // page/request.ts
  function request(run, r) {
    const d = r.more;
    return h(
      "article",
      { "aria-label": `request ${r.seq}` },
      h("h2", {}, `#${r.seq} `, name(r.client.tag), " ", r.verb, " ", name(target(r)), " ", code(r)),
      h(
        "p",
        { class: "dim" },
        name(r.method + " " + r.path + (r.query ? "?" + r.query : "")),
        ` · ${seconds(r.at)} · ${millis(r.took)} ms · `,
        name(r.client.program || "no User-Agent"),
        r.client.user ? " · " : "",
        name(r.client.user)
      ),
      h("section", { class: "story", "aria-label": "Story" }, ...d.s.map((s) => told(run, s))),
      d.c ? chain(run, d.c) : null,
      d.e ? h("p", {}, "It changed ", ...d.e.flatMap(([o, v], i) => [i ? ", " : "", change(run, o, v)]), ".") : null,
      d.t ? fold("Its way through the server", () => stations(run, d.t), true) : null,
      d.d?.length ? fold("Decisions", () => h("pre", { class: "wide", dir: "ltr", tabindex: 0 }, d.d.join("\n"))) : null,
      part(run, "Request", d.h, d.b),
      part(run, "Answer", d.H, d.B),
      d.n?.length ? fold("Notes", () => h("ul", {}, ...d.n.map((n) => h("li", { dir: "auto" }, n)))) : null
    );
  }
  function told(run, text, className) {
    return h("p", { dir: "auto", class: className }, ...text.split(/(#\d+)/).map((t) => t[0] === "#" && run.request(Number(t.slice(1))) ? link(`${run.to}seq=${t.slice(1)}`, t) : t));
  }
  function code(r) {
    const bad = r.code >= 400 || r.code === 0;
    return h("span", { class: bad ? "bad" : "good" }, r.code === 0 ? "no answer" : `${r.code} ${r.reason}`.trim());
  }
  function chain(run, links) {
    return h(
      "section",
      { class: "chain", "aria-label": "What led to it" },
      told(run, links[0].t),
      links.length > 1 ? h("ul", {}, ...links.slice(1).map((l) => h("li", {}, name(l.t), " ", l.s ? link(`${run.to}seq=${l.s}`, "#" + l.s) : null))) : null
    );
  }
  function change(run, object, version2) {
    const o = run.raw.objects[object], v = o.v[version2];
    const at2 = `${v.t}, rv ${v.rv}`;
    return h("span", {}, link(`${run.to}object=${path(o)}&rv=${v.rv}`, name(path(o))), ` (${at2})`);
  }
  function path(o) {
    return [o.r, o.ns, o.n].filter(Boolean).join("/");
  }
  function stations(run, t) {
    let end = 1;
    for (let i = 0; i < t.length; i += 6) end = Math.max(end, t[i + 1] + t[i + 2]);
    const rows = [];
    for (let i = 0; i < t.length; i += 6) {
      const [word2, start2, length, note, failed, depth] = t.slice(i, i + 6);
      const bar = h("span", { class: "bar" + (failed ? " failed" : depth ? " inner" : "") });
      bar.style.marginInlineStart = 100 * start2 / end + "%";
      bar.style.width = Math.max(0.5, 100 * length / end) + "%";
      rows.push({ cells: [" ".repeat(2 * depth) + run.data.word(word2) + (failed ? " ✗" : ""), h("span", { class: "way" }, bar), millis(length), name(run.data.word(note))] });
    }
    const t2 = table("Stations", ["station", `0 to ${millis(end)} ms`, "ms", "note"], rows);
    t2.classList.add("stations");
    return t2;
  }
  function part(run, title, header, body) {
    if (!header && !body) return null;
    const size = body ? `, ${body.n.toLocaleString("en")} bytes${body.t && body.t !== "json" ? " of " + body.t : ""}` : ", no body";
    return fold(title + size, () => {
      const out = h("div", {});
      if (header) out.append(fold("Headers", () => headers(run, header)));
      if (body?.k) out.append(h("p", { class: "note" }, `Only the first ${body.k.toLocaleString("en")} bytes were kept.`));
      if (body && body.v >= 0) {
        const v = run.data.value(body.v);
        out.append(tree(v), fold("As JSON", () => h("pre", { class: "wide", dir: "ltr", tabindex: 0 }, json(v, 2))));
      } else if (body?.x) out.append(h("pre", { class: "wide", dir: "ltr", tabindex: 0 }, body.x));
      return out;
    });
  }
  function headers(run, words) {
    const out = h("dl", { class: "headers", dir: "ltr" });
    for (let i = 0; i < words.length; i += 2) out.append(h("dt", {}, run.data.word(words[i])), h("dd", {}, run.data.word(words[i + 1])));
    return out;
  }

  // page/pages.ts
  var seen = (v, seq) => seq === void 0 || seq <= v.until;
  var listed = (v, seq) => {
    const r = v.run.request(seq);
    return seen(v, seq) && (!r || v.match(r));
  };
  var at = (v, seq) => seq ? link(v.run.to + "seq=" + seq, "#" + seq) : null;
  var requests = {
    title: "Requests",
    label: "Requests, in the order in which they were answered",
    empty: "No request matches.",
    rows: (v) => v.run.requests.filter((r) => seen(v, r.seq) && v.match(r)),
    key: (r) => ({ seq: String(r.seq) }),
    draw: (r) => h(
      "div",
      { class: "request" + (r.code >= 400 || !r.code ? " refused" : "") },
      h("span", { class: "n" }, r.seq),
      h("span", { class: "n when" }, (r.at / 1e6).toFixed(3)),
      h("span", { class: "who" }, r.client.tag),
      h("span", { class: "verb" }, r.verb),
      h("span", { class: "what" }, name(target(r)), r.ns && r.ns !== "default" ? h("span", { class: "dim" }, " " + r.ns) : null),
      h("span", { class: "code" }, r.code || "–"),
      h("span", { class: "n took" }, r.phase ? ["", "opens", "ends"][r.phase] : millis(r.took))
    ),
    detail: (r, v) => request(v.run, r)
  };
  var watches = {
    title: "Watches",
    label: "Watches, a lane each",
    empty: "No client watched.",
    tall: true,
    rows: (v) => v.run.raw.watches.filter((w) => w.s.some((s) => listed(v, s)) || w.s.length === 0 && w.at <= v.time),
    key: (w) => ({ watch: String(w.id) }),
    draw: (w, v) => h("div", { class: "watch" }, h("span", { class: "who" }, v.run.raw.clients[w.who].tag), h("span", { class: "what" }, name(w.of)), h("span", { class: "n" }, w.sent), lane(v, w)),
    detail: (w, v) => {
      const rows = [];
      for (let i = 0; i < w.f.length; i += 5) {
        const [when, type, rv, object, bytes] = w.f.slice(i, i + 5);
        if (when <= v.time) rows.push({ cells: [seconds(when), v.run.data.word(type), name(v.run.data.word(object)), rv, bytes] });
      }
      return h(
        "article",
        {},
        h("h2", {}, name(v.run.raw.clients[w.who].tag), " watches ", name(w.of)),
        h("p", {}, `Opened ${seconds(w.at)}`, w.rv ? ` after resourceVersion ${w.rv}` : " with all objects", w.end >= 0 && w.end <= v.time ? `, ended ${seconds(w.end)}: ${w.why}` : ", open", ". ", ...w.s.filter((s) => seen(v, s)).flatMap((s) => [at(v, s), " "])),
        rows.length < w.sent ? h("p", { class: "note" }, `The last ${rows.length} of its frames are kept.`) : null,
        table("Frames", ["written", "type", "object", "resourceVersion", "bytes"], rows)
      );
    }
  };
  var versions = (o, v) => o.v.filter((x) => seen(v, x.s));
  var objects = {
    title: "Objects",
    label: "Objects that the run changed",
    empty: "Nothing was changed.",
    rows: (v) => v.run.raw.objects.filter((o) => versions(o, v).some((x) => x.s && (v.whole || listed(v, x.s)))),
    key: (o) => ({ object: path(o) }),
    draw: (o, v) => {
      const all = versions(o, v), last = all[all.length - 1];
      return h("div", { class: "object" }, h("span", { class: "what" }, name(path(o))), h("span", { class: "dim" }, last.t), h("span", { class: "n" }, all.length));
    },
    detail: (o, v, place) => {
      const all = versions(o, v), chosen = all.find((x) => String(x.rv) === place.rv) ?? all[all.length - 1];
      return h(
        "article",
        {},
        h("h2", {}, name(path(o))),
        h("nav", { "aria-label": "Versions" }, h("ul", { class: "versions" }, ...all.map((x) => h("li", {}, h(
          "a",
          { href: `#${v.run.to}object=${path(o)}&rv=${x.rv}`, "aria-current": x === chosen ? "true" : void 0 },
          x.t ? `rv ${x.rv}` : "before the run"
        ))))),
        version(v, chosen)
      );
    }
  };
  function version(v, x) {
    const who = x.s ? v.run.request(x.s) : void 0;
    const value = (n) => short(v.run.data.value(n));
    return h(
      "section",
      {},
      h("h3", {}, x.t ? `rv ${x.rv}` : "Before the run"),
      who ? h("p", {}, `${x.t} ${seconds(x.at)} by `, name(who.client.tag), `, ${who.verb} `, at(v, x.s)) : null,
      x.f ? table("Changed", ["field", "before", "after"], x.f.map(([p, was, is]) => ({ cells: [name(v.run.data.word(p)), value(was), value(is)] }))) : null,
      x.t === "updated" && !x.f ? h("p", { class: "note" }, "Only what the server sets with every write has changed.") : null,
      x.v >= 0 ? tree(v.run.data.value(x.v)) : h("p", {}, "It is gone.")
    );
  }
  var marks = { both: "changed on both sides", lost: "would be undone", asked: "asked for", moved: "changed meanwhile" };
  var conflicts = {
    title: "Conflicts",
    label: "Writes that met another one, and requests that a guard refused",
    empty: "No write met another one.",
    rows: (v) => v.run.raw.clashes.filter((c) => listed(v, c.s)),
    key: (c) => ({ conflict: String(c.s) }),
    draw: (c, v) => {
      const r = v.run.request(c.s);
      return h("div", { class: "clash" }, h("span", { class: "n" }, c.s), h("span", { class: "who" }, r.client.tag), h("span", { class: "verb" }, r.verb), h("span", { class: "what" }, name(target(r))), h("span", { class: "kind" }, c.kind));
    },
    detail: (c, v) => {
      const r = v.run.request(c.s);
      return h(
        "article",
        {},
        h("h2", {}, at(v, c.s), " ", name(r.client.tag), " ", r.verb, " ", name(target(r)), ": ", c.kind),
        ...r.more.s.map((s) => told(v.run, s)),
        c.rows?.length ? table("Field by field", ["field", ...c.cols, "outcome", "by"], c.rows.map((x) => ({ class: x.m, cells: [name(x.p), ...x.v.map((n) => short(v.run.data.value(n))), marks[x.m ?? ""] ?? "", h("span", {}, name(x.by ?? ""), " ", at(v, x.s))] }))) : null,
        c.verdict ? told(v.run, c.verdict, "verdict") : null
      );
    }
  };
  var deletions = {
    title: "Deletions",
    label: "Deletions, below what they were because of",
    empty: "Nothing was deleted.",
    rows: (v) => v.run.raw.deletes.filter((d) => seen(v, d.began.s) && d.began.at <= v.time),
    key: (d) => ({ deletion: d.o }),
    draw: (d, v) => {
      const e = h("div", { class: "deletion" }, h("span", { class: "what" }, name(d.o), d.more ? ` and ${d.more} more` : ""), h("span", { class: gone(d, v) ? "dim" : "bad" }, gone(d, v) ? "gone" : "terminating"), h("span", { class: "n" }, took(d, v)));
      e.style.paddingInlineStart = 0.5 + 1.2 * (d.d ?? 0) + "em";
      return e;
    },
    detail: (d, v) => {
      const moment = (m) => h("span", {}, seconds(m.at), " by ", name(m.who ?? "–"), " ", at(v, m.s), ` at rv ${m.rv}`);
      return h(
        "article",
        {},
        h("h2", {}, name(d.o)),
        h(
          "dl",
          { class: "facts" },
          h("dt", {}, "deletion began"),
          h("dd", {}, d.late ? "before the run" : moment(d.began)),
          d.policy ? h("dt", {}, "propagation") : null,
          d.policy ? h("dd", {}, d.policy) : null,
          ...(d.holds ?? []).flatMap((x) => [h("dt", {}, "finalizer ", name(x.n)), h("dd", {}, x.by && seen(v, x.by.s) ? h("span", {}, "removed ", moment(x.by)) : "still holds it")]),
          h("dt", {}, "gone"),
          h("dd", {}, gone(d, v) ? moment(d.gone) : "not yet")
        )
      );
    }
  };
  var gone = (d, v) => !!d.gone && seen(v, d.gone.s) && d.gone.at <= v.time;
  var took = (d, v) => gone(d, v) ? millis(d.gone.at - d.began.at) + " ms" : "";
  var doctor = {
    title: "Doctor",
    label: "What clients did wrong, the gravest first",
    empty: "The doctor found nothing.",
    rows: (v) => v.run.findings.filter((f) => f.records.length === 0 || f.records.some((s) => seen(v, s))),
    key: (f) => ({ finding: `${f.rule} ${f.object}` }),
    draw: (f, v) => h("div", { class: "finding " + f.severity }, h("span", { class: "kind" }, f.severity), h("span", { class: "what" }, v.run.data.raw.rules.find((r) => r.name === f.rule)?.title ?? f.rule, " ", h("span", { class: "dim" }, name(f.object)))),
    detail: (f, v) => {
      const rule = v.run.data.raw.rules.find((r) => r.name === f.rule);
      return h(
        "article",
        {},
        h("h2", {}, rule?.title ?? f.rule),
        told(v.run, f.what),
        f.cost ? h("p", {}, "Cost: ", f.cost, ".") : null,
        h("p", {}, "Requests: ", ...f.records.flatMap((s) => [at(v, s), " "])),
        rule ? h("div", {}, h("h3", {}, "Why it matters"), h("p", {}, rule.why), h("h3", {}, "What to do"), h("p", {}, rule.advice), h("p", {}, h("a", { href: rule.url, rel: "noreferrer" }, "Kubernetes API Concepts: " + rule.passage))) : null
      );
    }
  };
  var signs = { same: "=", left: "<", right: ">", different: "!" };
  function comparison(c, all) {
    const at2 = new Map(c.rows.map((r, i) => [r, i]));
    return {
      title: "Compare",
      label: "Requests of both runs",
      empty: "The runs do not differ.",
      rows: () => c.rows.filter((r) => all() || r.k !== "same" && !r.soft),
      key: (r) => ({ row: String(at2.get(r) + 1) }),
      draw: (r) => h("div", { class: "compared " + (r.soft ? "soft" : r.k) + (at2.get(r) === c.parted ? " parted" : "") }, h("span", { class: "n" }, at2.get(r) + 1), h("span", { class: "sign" }, r.soft ? "~" : signs[r.k]), h("span", { class: "who" }, r.c), h("span", { class: "what" }, name(r.q)), h("span", { class: "kind" }, r.soft || (at2.get(r) === c.parted ? "they part here" : ""))),
      head: () => h("p", { class: "verdict" }, c.parted < 0 ? "The runs do not part." : h("span", {}, "They part at ", link(`row=${c.parted + 1}`, `row ${c.parted + 1}`), ": ", c.why)),
      detail: (r, v) => {
        const side = (n, seq) => {
          const run = v.run.data.runs[n], x = seq ? run.request(seq) : void 0;
          return h("div", {}, h("p", { class: "dim" }, name(run.raw.name)), x ? request(run, x) : h("p", {}, "This run has no such request."));
        };
        return h("div", {}, r.why ? h("p", { class: "verdict", dir: "auto" }, r.why) : null, h("div", { class: "sides" }, side(0, r.l), side(1, r.r)));
      }
    };
  }

  // page/place.ts
  var keys = ["page", "seq", "run", "filter", "at", "watch", "object", "rv", "conflict", "deletion", "finding", "row"];
  var pageOf = { watch: "watches", object: "objects", conflict: "conflicts", deletion: "deletions", finding: "doctor", row: "compare", seq: "requests" };
  function read(hash) {
    const text = hash.replace(/^#/, "");
    if (text && !text.includes("=")) return { page: text };
    const given = new URLSearchParams(text);
    const place = { page: given.get("page") ?? "" };
    for (const key of keys) {
      const value = given.get(key);
      if (value !== null) place[key] = value;
      if (!place.page && value !== null && pageOf[key]) place.page = pageOf[key];
    }
    place.page ||= "requests";
    return place;
  }
  function write(place) {
    const out = new URLSearchParams();
    for (const key of keys) {
      const value = place[key];
      if (value) out.set(key, value);
    }
    return out.toString().replace(/%2F/g, "/").replace(/%3A/g, ":");
  }

  // page/overview.ts
  var plural = (n, one, more = one + "s") => `${n} ${n === 1 ? one : more}`;
  function overview(v) {
    const run = v.run.number ? String(v.run.number) : void 0;
    const to = (filter) => write({ page: "requests", run, filter });
    const counts = /* @__PURE__ */ new Map();
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
    const page = (id) => run ? `run=${run}&page=${id}` : id;
    return h(
      "article",
      {},
      h("h2", {}, "This run"),
      h(
        "ul",
        {},
        findings.length ? h("li", {}, link(page("doctor"), plural(findings.length, "finding")), " of the doctor, the first: ", findings[0].what) : h("li", {}, "The doctor found nothing."),
        clashes.length ? h("li", {}, link(page("conflicts"), plural(clashes.length, "conflict or refusal", "conflicts and refusals"))) : null,
        v.run.raw.deletes.length ? h("li", {}, link(page("deletions"), plural(v.run.raw.deletes.length, "deletion"))) : null,
        v.run.data.raw.compare ? h("li", {}, link("compare", "the other run"), " beside this one") : null
      ),
      table("Clients", ["client", "program", "requests", "refused", "changes"], clients.map(([c, n]) => ({
        cells: [link(to(`who:${c.tag}`), c.tag || "–"), name(c.program), n.all, n.refused ? link(to(`who:${c.tag} !code:1xx,2xx,3xx`), String(n.refused)) : 0, n.writes]
      }))),
      h("p", { class: "dim" }, "Keys: 1 to 9 turn pages, / filters, the arrow keys select, and each place has an address of its own.")
    );
  }

  // page/main.ts
  function start(data) {
    const root = document.documentElement;
    if (new URLSearchParams(location.search).has("big")) root.classList.add("big");
    let place = read(location.hash || data.raw.open);
    let everything = false;
    let run = data.runs[Number(place.run ?? 0)] ?? data.runs[0];
    const pages = { requests, watches, objects, conflicts, deletions, doctor };
    if (data.raw.compare) pages.compare = comparison(data.raw.compare, () => everything);
    const go = (change2, replace = false) => {
      const next = "#" + write({ ...place, ...change2 });
      if (next === location.hash) return;
      if (replace) {
        history.replaceState(null, "", next);
        show();
      } else location.hash = next;
    };
    const count = h("span", { class: "dim", role: "status" });
    const wrong = h("span", { class: "bad", role: "alert" });
    const filter = h("input", { type: "search", id: "filter", placeholder: "verb:update code:409", list: "fields", spellcheck: "false", autocomplete: "off", dir: "ltr", input: () => go({ filter: filter.value || void 0 }, true) });
    const when = h("output", { for: "until" });
    const until = h("input", { type: "range", id: "until", min: 0, max: run.requests.length, "aria-label": "The run up to a request", input: () => {
      const n = Number(until.value);
      go({ at: n >= run.requests.length ? void 0 : String(n ? run.requests[n - 1].seq : 0) }, true);
    } });
    const which = h(
      "select",
      { id: "run", change: () => {
        location.hash = "#" + write({ page: place.page, run: which.value === "0" ? void 0 : which.value });
      } },
      ...data.runs.map((r, i) => h("option", { value: i }, r.raw.name))
    );
    const about = h("div", {});
    const all = h("input", { type: "checkbox", id: "all", change: () => {
      everything = all.checked;
      show();
    } });
    const nav = h("nav", { "aria-label": "Pages" });
    const head = h("div", { class: "head" });
    const body = h("div", { class: "body" });
    const detail = h("section", { class: "detail", "aria-label": "Selected", tabindex: 0 });
    document.body.append(
      h(
        "header",
        {},
        h("a", { class: "skip", href: "#list", click: (e) => {
          e.preventDefault();
          lists2[place.page].focus();
        } }, "To the list"),
        h("h1", {}, data.raw.title),
        data.raw.about ? h("pre", { dir: "auto" }, data.raw.about) : null,
        about,
        h(
          "div",
          { class: "tools" },
          data.runs.length > 1 ? h("span", {}, h("label", { for: "run" }, "Run "), which) : null,
          h("label", { for: "filter" }, "Filter "),
          filter,
          h("datalist", { id: "fields" }, ...fields.map((f) => h("option", { value: f + ":" }))),
          count,
          wrong,
          h("label", { for: "until" }, "Up to "),
          until,
          when,
          data.raw.compare ? h("label", { class: "all" }, all, " also what is the same") : null
        )
      ),
      nav,
      h("main", {}, head, body)
    );
    const lists2 = {};
    const listOf = (id) => {
      const p = pages[id];
      lists2[id] ??= new List(p.label, (row) => p.draw(row, view), (row) => go({ page: id, ...p.key(row), rv: void 0 }, true), p.tall ? "tall" : "");
      return lists2[id];
    };
    let view;
    const look = () => {
      const seq = place.at === void 0 ? Infinity : Number(place.at);
      const last = place.at === void 0 ? void 0 : run.request(seq);
      let match = () => true;
      wrong.textContent = "";
      try {
        if (place.filter) match = parse(place.filter, data);
      } catch (e) {
        wrong.textContent = e.message;
      }
      return { run, until: seq, time: last ? last.at + last.took : place.at === void 0 ? Infinity : -1, match, whole: !place.filter };
    };
    const turned = (page) => write({ page, run: place.run, filter: place.filter, at: place.at });
    const show = () => {
      place = read(location.hash || data.raw.open);
      if (!pages[place.page]) place.page = "requests";
      const other = data.runs[Number(place.run ?? 0)] ?? data.runs[0];
      if (other !== run || !about.hasChildNodes()) {
        run = other;
        which.value = String(run.number);
        until.max = String(run.requests.length);
        about.replaceChildren(
          h("p", { class: "dim" }, `recorded ${new Date(run.from).toLocaleString()} · ${run.requests.length.toLocaleString("en")} requests · Kubarium ${data.raw.version}`),
          ...(run.raw.notes ?? []).map((n2) => h("p", { class: "note" }, n2))
        );
      }
      view = look();
      const page = pages[place.page], list = listOf(place.page), rows = page.rows(view);
      if (document.activeElement !== filter) filter.value = place.filter ?? "";
      const n = run.requests.findLastIndex((r) => r.seq <= view.until) + 1;
      until.value = String(n);
      when.textContent = n < run.requests.length && n > 0 ? `#${run.requests[n - 1].seq}, ${seconds(run.requests[n - 1].at)}` : n ? "the end" : "the beginning";
      until.setAttribute("aria-valuetext", when.textContent);
      count.textContent = place.page === "requests" ? `${rows.length.toLocaleString("en")} of ${run.requests.length.toLocaleString("en")}` : `${rows.length.toLocaleString("en")}`;
      nav.replaceChildren(...Object.entries(pages).map(([id, p]) => h("a", { href: "#" + turned(id), "aria-current": id === place.page ? "page" : void 0 }, p.title, h("span", { class: "dim" }, " " + p.rows(view).length))));
      head.replaceChildren(...[page.head?.(view)].filter((e) => e));
      const is = (row) => Object.entries(page.key(row)).every(([k, x]) => place[k] === x);
      if (body.dataset.page !== place.page) {
        body.dataset.page = place.page;
        const typing = document.activeElement === filter || document.activeElement === until;
        body.replaceChildren(list.root, detail);
        if (!typing) list.focus();
      }
      const chosen = rows.find(is) ?? (place.page === "requests" ? void 0 : rows[0]);
      list.set(rows, (row) => row === chosen);
      const named = place.page === "requests" && place.seq ? run.request(Number(place.seq)) : void 0;
      detail.replaceChildren(
        named ? request(run, named) : chosen ? page.detail(chosen, view, place) : rows.length ? overview(view) : h("p", { class: "dim" }, page.empty)
      );
      detail.scrollTop = 0;
      document.title = `${page.title}${place.seq ? " #" + place.seq : ""} · ${data.raw.title} · Kubarium`;
    };
    window.addEventListener("hashchange", show);
    document.addEventListener("keydown", (e) => {
      const typing = e.target instanceof HTMLInputElement && e.target.type !== "range";
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      if (e.key === "Escape" && typing) lists2[place.page].focus();
      if (typing) return;
      const id = Object.keys(pages)[Number(e.key) - 1];
      if (e.key === "/") {
        e.preventDefault();
        filter.focus();
      } else if (/^[1-9]$/.test(e.key) && id) {
        location.hash = "#" + turned(id);
      }
    });
    show();
    root.dataset.ready = "";
  }
  load().then(start, (e) => {
    document.body.append(h("p", { class: "bad", role: "alert" }, `This browser cannot unpack the page's data: ${e}`));
  });
})();
