// The lane of a watch: the time of the run from left to right, a mark for each frame.

import { Watch } from "./data";
import type { View } from "./pages";

const colours: Record<string, string> = { ADDED: "--good", MODIFIED: "--accent", DELETED: "--bad", BOOKMARK: "--dim", ERROR: "--bad" };

export function lane(v: View, w: Watch): HTMLElement {
  const canvas = document.createElement("canvas");
  canvas.className = "lane";
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${w.sent} events`);
  requestAnimationFrame(() => draw(canvas, v, w));
  return canvas;
}

function draw(canvas: HTMLCanvasElement, v: View, w: Watch): void {
  const { width, height } = canvas.getBoundingClientRect(), scale = devicePixelRatio || 1;
  const g = canvas.getContext("2d");
  if (!g || width === 0) return;
  canvas.width = width * scale;
  canvas.height = height * scale;
  g.scale(scale, scale);
  const colour = (n: string) => {
    canvas.style.color = `var(${n})`;
    return getComputedStyle(canvas).color;
  };
  const last = v.run.requests.reduce((n, r) => Math.max(n, r.at + r.took), 1);
  const x = (us: number) => (Math.max(0, us) / last) * (width - 4) + 2;
  g.fillStyle = colour("--line");
  const end = Math.min(w.end < 0 ? v.time : w.end, v.time, last);
  g.fillRect(x(w.at), height / 2 - 1, Math.max(2, x(end) - x(w.at)), 2);
  for (let i = 0; i < w.f.length; i += 5) {
    if (w.f[i] > v.time) break;
    g.fillStyle = colour(colours[v.run.data.word(w.f[i + 1])] ?? "--dim");
    g.fillRect(x(w.f[i]) - 1, height * 0.2, 2.5, height * 0.6);
  }
}
