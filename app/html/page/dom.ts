// Elements are made here alone. Everything from a run becomes a text node or an attribute that is only text, so that no
// name or value can be more than what is read.

type Child = Node | string | number | false | null | undefined;
type Attributes = Record<string, string | number | boolean | ((e: any) => void) | undefined>;

// h makes an element: h("a", {href: "#doctor"}, "findings").
export function h<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") e.addEventListener(key, value);
    else if (value === true) e.setAttribute(key, "");
    else if (value !== undefined && value !== false) e.setAttribute(key, String(value));
  }
  e.append(...children.filter((c) => c !== false && c !== null && c !== undefined && c !== "").map((c) => (c instanceof Node ? c : String(c))));
  return e;
}

// name is a text of a run, set in its own direction.
export function name(text: string, className = ""): HTMLElement {
  return h("bdi", { class: className || undefined }, text);
}

// link leads to another place of the page.
export function link(place: string, ...children: Child[]): HTMLElement {
  return h("a", { href: "#" + place }, ...children);
}

// fold is a part that opens; it is filled when it does.
export function fold(title: Child, fill: () => Node, open = false): HTMLElement {
  const e = h("details", { open }, h("summary", {}, title));
  const made = () => {
    if (e.open && e.childElementCount === 1) e.append(fill());
  };
  e.addEventListener("toggle", made);
  made();
  return e;
}

// table is a table with a heading for each column.
export function table(caption: string, columns: string[], rows: { cells: Child[]; class?: string }[]): HTMLElement {
  return h("div", { class: "wide", tabindex: 0, role: "group", "aria-label": caption },
    h("table", {}, h("caption", {}, caption),
      h("thead", {}, h("tr", {}, ...columns.map((c) => h("th", { scope: "col" }, c)))),
      h("tbody", {}, ...rows.map((r) => h("tr", { class: r.class }, ...r.cells.map((c) => h("td", {}, c)))))));
}
