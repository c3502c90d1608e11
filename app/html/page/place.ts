// A Place is what the page shows, and is its address: "#page=watches&watch=3&at=260". So every place can be linked, and
// the browser's Back goes back.

export interface Place {
  page: string;
  seq?: string; // a request
  run?: string; // of the second run: 1
  filter?: string;
  at?: string; // the request up to which the run is shown
  watch?: string;
  object?: string; // "configmaps/default/a"
  rv?: string;
  conflict?: string; // the request that met another
  deletion?: string;
  finding?: string;
  row?: string; // of the comparison
}

const keys = ["page", "seq", "run", "filter", "at", "watch", "object", "rv", "conflict", "deletion", "finding", "row"] as const;

// pageOf is the page that has a thing, where an address names only that.
const pageOf: Record<string, string> = { watch: "watches", object: "objects", conflict: "conflicts", deletion: "deletions", finding: "doctor", row: "compare", seq: "requests" };

// read reads an address, which may also be only the name of a page: "#doctor".
export function read(hash: string): Place {
  const text = hash.replace(/^#/, "");
  if (text && !text.includes("=")) return { page: text };
  const given = new URLSearchParams(text);
  const place: Place = { page: given.get("page") ?? "" };
  for (const key of keys) {
    const value = given.get(key);
    if (value !== null) place[key] = value;
    if (!place.page && value !== null && pageOf[key]) place.page = pageOf[key];
  }
  place.page ||= "requests";
  return place;
}

// write is the address of a place.
export function write(place: Place): string {
  const out = new URLSearchParams();
  for (const key of keys) {
    const value = place[key];
    if (value) out.set(key, value);
  }
  return out.toString().replace(/%2F/g, "/").replace(/%3A/g, ":");
}
