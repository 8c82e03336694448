// Plots of what was, over time: pause, zoom, and what is seen as a table or a picture.

import uPlot from "uplot";
import { $, colour, make, save } from "./dom.js";
import { signalsOf } from "./signals.js";

const LENGTHS = [10, 20, 60]; // s
const LONGEST = LENGTHS.at(-1);
let rows = []; // snapshots, the oldest first
let signals = [];
let signal = null;
let seconds = 20;
let paused = false;
let selecting = false;
let plots = []; // [plot, its series]

const choice = make("select", { id: "joint", ariaLabel: "What is plotted" });
const length = make("select", { ariaLabel: "How much of it" }, ...LENGTHS.map((value) => make("option", { value, textContent: `${value} s`, selected: value === seconds })));
const pause = make("button", { id: "pause", className: "quiet", textContent: "pause", title: "Holds the plots; what comes meanwhile is not kept" });

const parts = () => (signal ? [signal, ...(signal.below ? [signal.below] : [])] : []);

export function setNames(names) {
  signals = signalsOf(names);
  const name = signal?.name;
  signal = signals.find((one) => one.name === name) ?? signals.find((one) => /knee/.test(one.name)) ?? signals[0];
  const groups = [...new Set(signals.map(({ group }) => group))];
  choice.replaceChildren(...groups.map((group) => make("optgroup", { label: group }, ...signals.filter((one) => one.group === group).map((one) => make("option", { value: one.name, textContent: one.name, selected: one === signal })))));
  create();
}

export function add(snapshot) {
  if (paused) return;
  // The page's node was started again, and counts from the beginning.
  if (snapshot.time < rows.at(-1)?.time) rows = [];
  rows.push(snapshot);
  // In one go now and then, not one by one.
  if (rows.length > 80 * LONGEST || rows[0].time < snapshot.time - 1.2 * LONGEST) rows = rows.filter(({ time }) => time > snapshot.time - LONGEST);
  // New data would take away what is being selected.
  if ($("plot").classList.contains("on") && !selecting) redraw();
}

/** The rows that are shown, and their times before now. */
function seen() {
  const last = rows.at(-1)?.time ?? 0;
  const shown = rows.filter(({ time }) => time > last - seconds);
  return { shown, time: shown.map(({ time }) => time - last) };
}

function redraw() {
  const { shown, time } = seen();
  // A scale of one's own is kept while it is looked at.
  for (const [plot, series] of plots) plot.setData([time, ...series.map(({ of }) => shown.map(of))], !paused);
}

function setPaused(value) {
  paused = value;
  pause.classList.toggle("on", paused);
  pause.textContent = paused ? "go on" : "pause";
  if (!paused) redraw();
}

function create() {
  const host = $("plots");
  if (!host) return;
  plots.forEach(([plot]) => plot.destroy());
  plots = [];
  if (!host.clientWidth || !signal) return;
  const axis = (label) => ({ stroke: colour("soft"), grid: { stroke: colour("line"), width: 1 }, ticks: { show: false }, label, labelSize: 16, size: 50, font: "11px system-ui", labelFont: "11px system-ui" });
  const options = ({ unit, series }, height) => ({
    width: Math.max(host.clientWidth, 240), height, pxAlign: false, cursor: { drag: { x: true, y: false }, sync: { key: "plots" } },
    scales: { x: { time: false } }, axes: [{ ...axis(""), size: 24 }, axis(unit)], legend: { live: false },
    series: [{ label: "s" }, ...series.map(({ name, paint }) => ({ label: name, stroke: colour(paint), width: 1.5, points: { show: false } }))],
    // Whoever zooms wants to look: the plot waits. A double click shows all and goes on.
    hooks: { setSelect: [({ select }) => select.width > 0 && setPaused(true)] },
  });
  // As high as there is room for, beside the panel's own buttons and words; a page that scrolls has no height of its own.
  const room = matchMedia("(max-width: 860px)").matches ? 0 : $("plot").clientHeight - 270;
  const height = (index) => Math.round(index ? Math.max(150, 0.4 * room) : Math.max(220, (signal.below ? 0.6 : 1) * room));
  plots = parts().map((part, index) => [new uPlot(options(part, height(index)), [[], ...part.series.map(() => [])], host), part.series]);
  for (const [plot] of plots) {
    touch(plot.over);
    plot.over.addEventListener("mousedown", () => (selecting = true));
    plot.over.addEventListener("dblclick", () => setPaused(false));
  }
  redraw();
}

/** Fingers do what the mouse does: uPlot knows the mouse alone. Up and down still scrolls the page. */
function touch(over) {
  const pass = (kind, target) => (event) => event.pointerType === "touch" && event.isPrimary && target.dispatchEvent(new MouseEvent(kind, { clientX: event.clientX, clientY: event.clientY, bubbles: true }));
  over.addEventListener("pointerdown", pass("mousedown", over));
  over.addEventListener("pointermove", pass("mousemove", over));
  over.addEventListener("pointerup", pass("mouseup", over));
  over.addEventListener("pointercancel", () => (selecting = false));
}

/** What is seen, as a table: all rows between the ends of the first plot. */
export function csv() {
  const { shown, time } = seen();
  const { min, max } = plots[0]?.[0].scales.x ?? {};
  const columns = parts().flatMap(({ unit, series }) => series.map(({ name, of }) => [`${name} [${unit.replace(/^.*, /, "")}]`, of]));
  const inside = shown.flatMap((row, k) => (time[k] >= (min ?? -Infinity) && time[k] <= (max ?? Infinity) ? [[time[k].toFixed(4), ...columns.map(([, of]) => of(row) ?? "")].join(",")] : []));
  return [["time [s]", ...columns.map(([head]) => head)].map((head) => `"${head}"`).join(","), ...inside].join("\n") + "\n";
}

/** What is seen, as a picture: all plots, one below the other, with what they are. */
function png() {
  const canvases = plots.map(([plot]) => plot.ctx.canvas);
  const ratio = devicePixelRatio || 1;
  const head = 22 * ratio;
  const all = make("canvas", { width: Math.max(...canvases.map(({ width }) => width)), height: head + canvases.reduce((sum, { height }) => sum + height, 0) });
  const pen = all.getContext("2d");
  pen.fillStyle = colour("card");
  pen.fillRect(0, 0, all.width, all.height);
  pen.font = `${12 * ratio}px system-ui, sans-serif`;
  pen.textBaseline = "middle";
  let x = 8 * ratio;
  for (const { name, paint } of [{ name: signal.name, paint: "text" }, ...signal.series]) {
    pen.fillStyle = colour(paint);
    pen.fillText(name, x, head / 2);
    x += pen.measureText(name).width + 14 * ratio;
  }
  canvases.reduce((y, canvas) => (pen.drawImage(canvas, 0, y), y + canvas.height), head);
  all.toBlob((blob) => save(`${signal.name}.png`, blob));
}

export function build(panel) {
  const host = make("div", { id: "plots" });
  choice.onchange = () => {
    signal = signals.find(({ name }) => name === choice.value);
    create();
  };
  length.onchange = () => {
    seconds = Number(length.value);
    redraw();
  };
  pause.onclick = () => setPaused(!paused);
  panel.append(
    make("div", { className: "buttons" }, choice, length, pause,
      make("button", { className: "quiet", textContent: "CSV", title: "What is seen, as a table", onclick: () => save(`${signal.name}.csv`, new Blob([csv()], { type: "text/csv" })) }),
      make("button", { className: "quiet", textContent: "PNG", title: "What is seen, as a picture", onclick: png })),
    host,
    make("p", { className: "soft", textContent: "Drag over a plot to zoom in: it waits. Double-click to see all again and go on." }),
  );
  new ResizeObserver(create).observe(host);
}

addEventListener("mouseup", () => (selecting = false));
export const paint = create;
