// Any joint over time: commanded, what the servo was told, measured, as it is; and the error.

import uPlot from "uplot";
import { $, colour, make, save } from "./dom.js";

const SECONDS = 20;
const SERIES = [["commanded", "accent"], ["goal", "warn"], ["measured", "blue"], ["true", "good"]];
let rows = []; // [time, snapshot values per series]
let names = [];
let joint = null;
let paused = false;
let plots = [];

const choice = make("select", { id: "joint", ariaLabel: "Joint" });
choice.onchange = () => {
  joint = choice.value;
  redraw();
};

export function setNames(all) {
  names = all;
  if (!names.includes(joint)) joint = names.find((name) => /knee/.test(name)) ?? names[0] ?? null;
  choice.replaceChildren(...names.map((name) => make("option", { value: name, textContent: name, selected: name === joint })));
}

export function add(snapshot) {
  if (paused) return;
  rows.push([snapshot.time, ...SERIES.map(([key]) => snapshot[key])]);
  // In one go now and then, not one by one.
  if (rows.length > 2400) rows = rows.filter(([time]) => time > snapshot.time - SECONDS);
  if ($("joints").classList.contains("on")) redraw();
}

function columns() {
  const index = names.indexOf(joint);
  const last = rows.at(-1)?.[0] ?? 0;
  const seen = paused ? rows : rows.filter(([time]) => time > last - SECONDS);
  const column = (series) => seen.map((row) => row[series + 1]?.[index] ?? null);
  const values = SERIES.map((_, series) => column(series));
  const error = (measured) => values[0].map((wanted, k) => (wanted == null || measured[k] == null ? null : measured[k] - wanted));
  return { time: seen.map(([time]) => time - last), values, errors: [error(values[2]), error(values[3])] };
}

function redraw() {
  if (plots.length !== 2 || joint == null) return;
  const { time, values, errors } = columns();
  plots[0].setData([time, ...values]);
  plots[1].setData([time, ...errors]);
}

function create(host) {
  plots.forEach((plot) => plot.destroy());
  const axis = (label) => ({ stroke: colour("soft"), grid: { stroke: colour("line"), width: 1 }, ticks: { show: false }, label, labelSize: 16, size: 46, font: "11px system-ui" });
  const options = (label, series, height) => ({
    width: Math.max(host.clientWidth, 240), height, pxAlign: false, cursor: { drag: { x: true, y: false }, sync: { key: "joints" } },
    scales: { x: { time: false } }, axes: [{ ...axis(""), size: 24 }, axis(label)], legend: { live: false },
    series: [{ label: "s" }, ...series.map(([label, name]) => ({ label, stroke: colour(name), width: 1.5, points: { show: false } }))],
  });
  plots = [
    new uPlot(options("rad", SERIES, 210), [[], [], [], [], []], host),
    new uPlot(options("error, rad", [["measured − commanded", "blue"], ["true − commanded", "good"]], 140), [[], [], []], host),
  ];
  redraw();
}

/** What is seen, as a table. */
function csv() {
  const { time, values } = columns();
  const line = (k) => [time[k].toFixed(4), ...values.map((column) => column[k] ?? "")].join(",");
  const head = `time_s,${SERIES.map(([key]) => `${joint}_${key}_rad`).join(",")}`;
  return [head, ...time.map((_, k) => line(k))].join("\n") + "\n";
}

export function build(panel) {
  const host = make("div", { id: "plots" });
  const pause = make("button", { className: "quiet", textContent: "pause" });
  pause.onclick = () => {
    paused = !paused;
    pause.classList.toggle("on", paused);
  };
  panel.append(
    make("div", { className: "buttons" }, choice, pause,
      make("button", { className: "quiet", textContent: "CSV", title: "What is seen, as a table", onclick: () => save(`${joint}.csv`, new Blob([csv()], { type: "text/csv" })) }),
      make("button", { className: "quiet", textContent: "PNG", title: "What is seen, as a picture", onclick: () => plots[0].ctx.canvas.toBlob((blob) => save(`${joint}.png`, blob)) })),
    host,
    make("p", { className: "soft", textContent: "Drag over a plot to zoom, double-click to see all again." }),
  );
  new ResizeObserver(() => host.clientWidth && create(host)).observe(host);
}

export const paint = () => plots.length && create($("plots"));
