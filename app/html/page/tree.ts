// A JSON value as lines, set as YAML is, whose parts fold. managedFields is folded at first, and so is what is long.

import { Value, json } from "./data";
import { fold, h, name } from "./dom";

const long = 40; // parts from which on a value is folded

// tree shows a value; what opens is filled when it does.
export function tree(v: Value | undefined): HTMLElement {
  return h("div", { class: "tree", dir: "ltr" }, ...parts(v, 0));
}

function parts(v: Value | undefined, depth: number): Node[] {
  if (v instanceof Map) return [...v].map(([key, part]) => line(key + ":", part, depth, key === "managedFields"));
  if (Array.isArray(v)) return v.map((part) => line("-", part, depth, false));
  return [h("div", {}, scalar(v))];
}

function line(key: string, v: Value, depth: number, folded: boolean): HTMLElement {
  const size = v instanceof Map ? v.size : Array.isArray(v) ? v.length : 0;
  if (size === 0) return h("div", {}, name(key, "key"), " ", scalar(v));
  const title = h("span", {}, name(key, "key"), h("span", { class: "dim" }, " " + hint(v, size)));
  return fold(title, () => h("div", { class: "part" }, ...parts(v, depth + 1)), !folded && size < long && depth < 6);
}

// hint says what a folded part is: the name of an object, or how many parts there are.
function hint(v: Value, size: number): string {
  if (v instanceof Map) {
    const meta = v.get("metadata");
    const of = (meta instanceof Map ? meta.get("name") : undefined) ?? v.get("name") ?? v.get("type");
    return typeof of === "string" ? of : "";
  }
  return `${size}`;
}

function scalar(v: Value | undefined): HTMLElement {
  if (v instanceof Map || Array.isArray(v)) return h("span", { class: "dim" }, v instanceof Map ? "{}" : "[]");
  if (typeof v === "object" && v !== null) return h("span", { class: "number" }, v.n);
  if (typeof v !== "string") return h("span", { class: v === undefined ? "dim" : "number" }, v === undefined ? "–" : json(v));
  if (v.includes("\n")) return h("pre", { class: "text", dir: "auto" }, v);
  return name(v === "" ? '""' : v, "text");
}

// short is a value in one line.
export function short(v: Value | undefined): HTMLElement {
  if (v === undefined) return h("span", { class: "dim" }, "–");
  return typeof v === "string" ? name(v === "" ? '""' : v, "text") : name(json(v), "number");
}
