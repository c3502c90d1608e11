// The filter of the list: the language of the terminal's filters, for the fields that the page knows. Adjacent terms
// must all match, "a|b" is either, "!a" is not, parentheses group; a term is field:value, with * for any text, values
// separated by commas, or field>number; a word without a field is searched for in path, reason and story.

import { Data, Request, json, target } from "./data";

type Match = (r: Request) => boolean;

const texts: Record<string, (r: Request) => string[]> = {
  verb: (r) => [r.verb],
  method: (r) => [r.method],
  reason: (r) => [r.reason],
  res: (r) => {
    const whole = r.group ? r.resource + "." + r.group : r.resource;
    return r.sub ? [r.resource, whole, r.resource + "/" + r.sub, whole + "/" + r.sub] : [r.resource, whole];
  },
  sub: (r) => (r.sub ? [r.sub] : []),
  ns: (r) => [r.ns],
  name: (r) => [r.name],
  who: (r) => [r.client.tag],
  user: (r) => [r.client.user],
};

const numbers: Record<string, (r: Request) => number[]> = {
  code: (r) => [r.code],
  rv: (r) => [r.rv, r.sent].filter((n) => n > 0),
  dur: (r) => [r.took],
  seq: (r) => [r.seq],
  size: (r) => [r.more.B?.n ?? 0],
};

const units: Record<string, number> = { "": 1, us: 1, "µs": 1, ms: 1e3, s: 1e6, m: 6e7, kib: 1024, mib: 1 << 20 };

// fields are the names that a filter may have.
export const fields = [...Object.keys(texts), ...Object.keys(numbers), "ua", "body", "hdr"];

// parse reads a filter. Error: what is wrong, in a sentence.
export function parse(text: string, data: Data): Match {
  const tokens = text.match(/[()|!]|"[^"]*"|[^\s()|!"]+(?:"[^"]*")?[^\s()|"]*/g) ?? [];
  let at = 0;
  const either = (): Match => {
    const parts = [all()];
    while (tokens[at] === "|") { at++; parts.push(all()); }
    return parts.length === 1 ? parts[0] : (r) => parts.some((p) => p(r));
  };
  const all = (): Match => {
    const parts: Match[] = [];
    while (at < tokens.length && tokens[at] !== "|" && tokens[at] !== ")") parts.push(one());
    return (r) => parts.every((p) => p(r));
  };
  const one = (): Match => {
    const token = tokens[at++];
    if (token === "!") {
      if (at >= tokens.length) throw new Error("a term must follow !");
      const not = one();
      return (r) => !not(r);
    }
    if (token !== "(") return term(token, data);
    const inner = either();
    if (tokens[at++] !== ")") throw new Error("a ) is missing");
    return inner;
  };
  const match = either();
  if (at < tokens.length) throw new Error("there is a ) too many");
  return match;
}

function term(token: string, data: Data): Match {
  const m = /^([a-z]+)(:?[<>]=?|[:~])(.*)$/i.exec(token);
  if (!m) return word(token);
  const field = m[1].toLowerCase(), op = m[2].length > 1 ? m[2].replace(":", "") : m[2];
  const values = m[3].startsWith('"') ? [m[3].replace(/"/g, "")] : m[3].split(",");
  if (texts[field]) {
    const tests = values.map((v) => (op === "~" ? expression(v) : glob(v)));
    return (r) => texts[field](r).some((t) => tests.some((test) => test.test(t)));
  }
  if (numbers[field]) {
    const tests = values.map((v) => number(field, op, v));
    return (r) => numbers[field](r).some((n) => tests.some((test) => test(n)));
  }
  const parts = values.map((v) => v.toLowerCase().replace(/^\*|\*$/g, ""));
  const has = (t: string) => parts.some((p) => t.toLowerCase().includes(p));
  switch (field) {
    case "ua": return (r) => has(r.client.program);
    case "body": return (r) => [r.more.b, r.more.B].some((b) => b && has(b.x ?? json(data.value(b.v))));
    case "hdr": return (r) => [...(r.more.h ?? []), ...(r.more.H ?? [])].some((w) => has(data.word(w)));
  }
  throw new Error(`there is no field ${field} on this page; there are ${fields.join(", ")}`);
}

function word(token: string): Match {
  const t = token.replace(/"/g, "").toLowerCase();
  return (r) => [r.path, target(r), r.reason, ...r.more.s].some((s) => s.toLowerCase().includes(t));
}

function glob(v: string): RegExp {
  return new RegExp("^" + v.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*") + "$", "is");
}

function expression(v: string): RegExp {
  try { return new RegExp(v); } catch { throw new Error(`${v} is not a regular expression`); }
}

function number(field: string, op: string, v: string): (n: number) => boolean {
  const m = /^(\d+(?:\.\d+)?)([a-zµ]*)$/i.exec(v.trim());
  if (field === "code" && /^\dxx$/i.test(v)) return (n) => Math.floor(n / 100) === Number(v[0]);
  if (!m || units[m[2].toLowerCase()] === undefined) throw new Error(`${field} needs a number, not ${v || "nothing"}`);
  const x = Number(m[1]) * units[m[2].toLowerCase()];
  switch (op) {
    case ">": return (n) => n > x;
    case ">=": return (n) => n >= x;
    case "<": return (n) => n < x;
    case "<=": return (n) => n <= x;
  }
  return (n) => n === x;
}
