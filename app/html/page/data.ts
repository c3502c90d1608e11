// The data of the page, as Go's Data has it, and what is read out of it on demand.

export interface Client { tag: string; program: string; user: string }
export interface Link { t: string; s?: number }
export interface Body { v: number; x?: string; t?: string; n: number; k?: number }
export interface Details { s: string[]; c?: Link[]; h?: number[]; b?: Body; H?: number[]; B?: Body; t?: number[]; d?: string[]; e?: [number, number][]; n?: string[] }
export interface Version { rv: number; t: string; at: number; s?: number; v: number; f?: [number, number, number][] }
export interface StoredObject { r: string; ns?: string; n: string; v: Version[] }
export interface Watch { id: number; who: number; of: string; at: number; end: number; why?: string; rv: number; s: number[]; sent: number; f: number[] }
export interface Clash { s: number; kind: string; cols?: string[]; rows?: { p: string; v: number[]; by?: string; s?: number; m?: string }[]; verdict?: string }
export interface Moment { rv: number; at: number; s?: number; who?: string }
export interface Deletion { d?: number; more?: number; o: string; policy?: string; began: Moment; gone?: Moment; holds?: { n: string; by?: Moment }[]; late?: boolean }
export interface Finding { rule: string; severity: string; client: string; object: string; what: string; cost?: string; records: number[] }
export interface Rule { name: string; title: string; why: string; passage: string; url: string; advice: string }
export interface CompareRow { k: "same" | "left" | "right" | "different"; soft?: string; c: string; q: string; l?: number; r?: number; why?: string }
export interface Comparison { parted: number; why?: string; rows: CompareRow[] }

interface RawRun {
  name: string; from: string; notes?: string[]; clients: Client[];
  seq: number[]; phase: number[]; at: number[]; took: number[]; who: number[]; verb: number[]; method: number[]; path: number[]; query: number[];
  group: number[]; resource: number[]; sub: number[]; in: number[]; object: number[]; code: number[]; reason: number[]; sent: number[]; rv: number[];
  more: Details[]; watches: Watch[]; objects: StoredObject[]; clashes: Clash[]; deletes: Deletion[];
  findings: Finding[] | null;
}
interface RawData { title: string; about?: string; version: string; open: string; rules: Rule[]; scalars: any[]; nodes: number[][]; runs: RawRun[]; compare?: Comparison }

// A Request is a row of the list.
export interface Request {
  index: number; seq: number; phase: number; at: number; took: number; client: Client; verb: string; method: string; path: string; query: string;
  group: string; resource: string; sub: string; ns: string; name: string; code: number; reason: string; sent: number; rv: number; more: Details;
}

// A Value is a JSON value of the run. Objects are maps, so that a field may have any name.
export type Value = string | number | boolean | null | Big | Value[] | Map<string, Value>;
// A Big is a number that a browser would round.
export interface Big { n: string }

// Data reads values by their numbers.
export class Data {
  readonly runs: Run[];
  private known = new Map<number, Value>();
  constructor(readonly raw: RawData) {
    this.runs = raw.runs.map((r, i) => new Run(this, r, i));
  }
  word(at: number): string { return this.raw.scalars[at]; }
  value(n: number): Value | undefined {
    if (n < 0) return undefined;
    if (n % 2 === 0) return this.raw.scalars[n / 2];
    const at = (n - 1) / 2;
    let v = this.known.get(at);
    if (v === undefined) {
      v = this.node(at);
      this.known.set(at, v);
    }
    return v;
  }
  private node(at: number): Value {
    const node = this.raw.nodes[at];
    const part = (n: number) => this.value(n % 2 === 0 ? n : 2 * (at - (n - 1) / 2) + 1) as Value;
    if (node[0] === 1) return node.slice(1).map(part);
    const fields = new Map<string, Value>();
    for (let i = 1; i < node.length; i += 2) fields.set(this.word(node[i]), part(node[i + 1]));
    return fields;
  }
}

// A Run is one of the runs of the page.
export class Run {
  readonly requests: Request[];
  readonly from: number;
  private at = new Map<number, Request>();
  constructor(readonly data: Data, readonly raw: RawRun, readonly number: number) {
    const word = (n: number) => data.word(n);
    this.from = Date.parse(raw.from);
    this.requests = raw.seq.map((seq, i) => ({
      index: i, seq, phase: raw.phase[i], at: raw.at[i], took: raw.took[i], client: raw.clients[raw.who[i]], verb: word(raw.verb[i]), method: word(raw.method[i]),
      path: word(raw.path[i]), query: word(raw.query[i]), group: word(raw.group[i]), resource: word(raw.resource[i]), sub: word(raw.sub[i]), ns: word(raw.in[i]),
      name: word(raw.object[i]), code: raw.code[i], reason: word(raw.reason[i]), sent: raw.sent[i], rv: raw.rv[i], more: raw.more[i],
    }));
    for (const r of this.requests) this.at.set(r.seq, r);
  }
  // to is the beginning of the address of a place in this run.
  get to(): string { return this.number ? `run=${this.number}&` : ""; }
  request(seq: number): Request | undefined { return this.at.get(seq); }
  get findings(): Finding[] { return this.raw.findings ?? []; }
}

// load unpacks the data that is in the page.
export async function load(): Promise<Data> {
  const packed = atob(document.getElementById("data")!.textContent!.trim());
  const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
  const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  return new Data(JSON.parse(text));
}

// target is what a request was about: "deployments/web/status".
export function target(r: Request): string {
  if (!r.resource) return r.path;
  return r.resource + (r.name ? "/" + r.name : "") + (r.sub ? "/" + r.sub : "");
}

// millis writes microseconds.
export function millis(us: number): string {
  const ms = us / 1000;
  return ms >= 100 ? ms.toFixed(0) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2);
}

// seconds is a time since the run began.
export function seconds(us: number): string { return us < 0 ? "–" : "+" + (us / 1e6).toFixed(3) + " s"; }

// json writes a value as one text.
export function json(v: Value | undefined, indent = 0): string {
  return JSON.stringify(v, (_, x) => (x instanceof Map ? Object.fromEntries(x) : x), indent) ?? "–";
}
