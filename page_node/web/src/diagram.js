// The gait diagram: which feet stood when, scrolling.

import { $, colour } from "./dom.js";

const SECONDS = 10;
const canvas = $("diagram");
const pen = canvas.getContext("2d");
let samples = []; // [time, Map chain → support, or null]
let legs = [];

export const setLegs = (names) => (legs = names);

export function add(snapshot) {
  samples.push([snapshot.time, snapshot.support ? new Map(snapshot.support) : null]);
  while (samples.length && samples[0][0] < snapshot.time - SECONDS - 1) samples.shift();
  draw(snapshot.time);
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
    for (let k = 1; k < samples.length; k++) {
      const [[from, support], [to]] = [samples[k - 1], samples[k]];
      const value = support ? support.get(leg) : undefined;
      if (value === 0 || x(to) < left) continue;
      pen.fillStyle = value == null ? unknown : good;
      const thick = value == null ? 2 : Math.max(row - 6, 3);
      pen.fillRect(Math.max(x(from), left), y + (row - thick) / 2, x(to) - Math.max(x(from), left) + 0.6, thick);
    }
    pen.fillStyle = colour("soft");
    pen.fillText(leg, 6, y + row / 2);
  });
}
