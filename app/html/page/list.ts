// A List shows any number of rows of one height: only those that can be seen are in the document. Arrow keys, Home, End,
// PageUp and PageDown select; the selected row is told to screen readers by aria-activedescendant.

import { h } from "./dom";

let lists = 0;

export class List<T> {
  readonly root: HTMLElement;
  private inner: HTMLElement;
  private rows: T[] = [];
  private selected = -1;
  private height = 0;
  private id = "list" + lists++;
  constructor(label: string, private draw: (row: T) => HTMLElement, private chosen: (row: T) => void, private className = "") {
    this.inner = h("div", { class: "rows", role: "presentation" });
    this.root = h("div", { id: "list", class: "list " + this.className, role: "listbox", tabindex: 0, "aria-label": label, scroll: () => this.paint(), keydown: (e) => this.key(e) }, this.inner);
    new ResizeObserver(() => this.paint()).observe(this.root);
  }
  // set shows rows; the row for which is holds is selected, without telling.
  set(rows: T[], is: (row: T) => boolean): void {
    this.rows = rows;
    this.selected = rows.findIndex(is);
    this.measure();
    this.reveal();
    this.paint();
  }
  focus(): void { this.root.focus({ preventScroll: true }); }
  private measure(): void {
    const probe = h("div", { class: "row" }, " ");
    this.inner.append(probe);
    this.height = probe.getBoundingClientRect().height || 24;
    probe.remove();
    this.inner.style.height = this.rows.length * this.height + "px";
  }
  private key(e: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.root.clientHeight / this.height) - 1);
    const to: Record<string, number> = { ArrowDown: this.selected + 1, ArrowUp: this.selected - 1, PageDown: this.selected + page, PageUp: this.selected - page, Home: 0, End: this.rows.length - 1 };
    if (!(e.key in to) || e.ctrlKey || e.metaKey || e.altKey || this.rows.length === 0) return;
    e.preventDefault();
    this.choose(Math.min(this.rows.length - 1, Math.max(0, to[e.key])));
  }
  private choose(i: number): void {
    this.selected = i;
    this.reveal();
    this.paint();
    this.chosen(this.rows[i]);
  }
  private reveal(): void {
    if (this.selected < 0) return;
    const top = this.selected * this.height, { scrollTop, clientHeight } = this.root;
    if (top < scrollTop || top + this.height > scrollTop + clientHeight) this.root.scrollTop = top - clientHeight / 2;
  }
  private paint(): void {
    const first = Math.max(0, Math.floor(this.root.scrollTop / this.height) - 10);
    const last = Math.min(this.rows.length, first + Math.ceil(this.root.clientHeight / this.height) + 20);
    const shown = this.rows.slice(first, last).map((row, i) => {
      const at = first + i, e = this.draw(row);
      e.classList.add("row");
      e.id = `${this.id}-${at}`;
      e.setAttribute("role", "option");
      e.setAttribute("aria-selected", String(at === this.selected));
      e.setAttribute("aria-setsize", String(this.rows.length));
      e.setAttribute("aria-posinset", String(at + 1));
      e.style.top = at * this.height + "px";
      e.addEventListener("click", () => this.choose(at));
      return e;
    });
    this.inner.replaceChildren(...shown);
    if (this.selected >= first && this.selected < last) this.root.setAttribute("aria-activedescendant", `${this.id}-${this.selected}`);
    else this.root.removeAttribute("aria-activedescendant");
  }
}
