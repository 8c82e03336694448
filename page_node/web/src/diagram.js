// The gait diagram: which feet stood when, scrolling.

import { $, colour } from "./dom.js";

const SECONDS = 10;
const canvas = $("diagram");
const pen = canvas.getContext("2d");
let samples = []; // [time, Map chain → support, or null]
let legs = [];

export const setLegs = (names) => (legs = names);

export function add(snapshot) {
  // The page's node was started again, and counts from the beginning.
  if (snapshot.time < samples.at(-1)?.[0]) samples = [];
  samples.push([snapshot.time, snapshot.support ? new Map(snapshot.support) : null]);
  while (samples.length && samples[0][0] < snapshot.time - SECONDS - 1) samples.shift();
  draw(snapshot.time);
}

/** From, to and kind of every stretch in which a leg did the same. */
function runs(leg) {
  const found = [];
  samples.forEach(([time, support], k) => {
    const value = support ? support.get(leg) : undefined;
    const kind = value == null ? "unknown" : value > 0 ? "stands" : "lifted";
    const to = samples[k + 1]?.[0] ?? time;
    if (found.at(-1)?.[2] === kind) found.at(-1)[1] = to;
    else found.push([time, to, kind]);
  });
  return found;
}

function draw(now) {
  const ratio = Math.min(devicePixelRatio, 2);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== width * ratio || canvas.height !== height * ratio) Object.assign(canvas, { width: width * ratio, height: height * ratio });
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  const left = 52;
  const row = height / Math.max(legs.length, 1);
  const x = (time) => width - ((now - time) / SECONDS) * (width - left);
  pen.font = "11px system-ui, sans-serif";
  pen.textBaseline = "middle";
  const [good, unknown, faint] = ["good", "unknown", "line"].map(colour);
  legs.forEach((leg, index) => {
    const y = index * row;
    pen.fillStyle = faint;
    pen.fillRect(left, y + row / 2 - 0.5, width - left, 1);
    for (const [from, to, kind] of runs(leg)) {
      if (kind === "lifted" || x(to) < left) continue;
      pen.fillStyle = kind === "unknown" ? unknown : good;
      const thick = kind === "unknown" ? 2 : Math.max(row - 6, 3);
      const begin = Math.max(x(from), left);
      pen.beginPath();
      pen.roundRect(begin, y + (row - thick) / 2, x(to) - begin, thick, 2);
      pen.fill();
    }
    pen.fillStyle = colour("soft");
    pen.fillText(leg, 6, y + row / 2);
  });
}
