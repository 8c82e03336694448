// Servos, nodes, log: what the robot says of itself, as tables.

import { $, make, known } from "./dom.js";
import { on } from "./connection.js";

const LEVELS = ["ok", "warn", "bad", "stale"];
const LINES = 500;
const COLUMNS = [["joint"], ["state"], ["torque"], ["rad", "position"], ["N·m", "load"], ["°C", "temperature"], ["V", "voltage"], ["ms", "age of the position"], ["errors", "answers that did not come, or came damaged"]];

const figure = (status, key) => status.values.find(([name]) => name === key)?.[1];
const number = (status, key, digits) => known(parseFloat(figure(status, key) ?? "NaN"), digits);

const errors = (status) => known(parseFloat(figure(status, "timeouts") ?? "NaN") + parseFloat(figure(status, "checksum errors") ?? "0"), 0);

let torque = new Map();
let load = new Map();
/** What comes with snapshots: who has torque, and how hard servos pull. */
export function setServos(names, snapshot) {
  const by = (values) => new Map(names.map((name, index) => [name, values?.[index]]));
  torque = by(snapshot.torque);
  load = by(snapshot.load);
}

export function build() {
  $("servos").append(make("div", { className: "scroll" }, make("table", {},
    make("thead", {}, make("tr", {}, ...COLUMNS.map(([textContent, title = ""]) => make("th", { textContent, title })))), make("tbody", { id: "servo-rows" }))));
  $("nodes").append(make("div", { id: "node-rows" }));
  const level = make("select", { id: "level", ariaLabel: "Level" }, ...[["20", "info"], ["30", "warnings"], ["40", "errors"]].map(([value, textContent]) => make("option", { value, textContent })));
  level.onchange = () => ($("lines").dataset.level = level.value);
  $("log").append(make("div", { className: "buttons" }, level, make("button", { className: "quiet", textContent: "clear", onclick: () => $("lines").replaceChildren() })), make("div", { id: "lines", dataset: { level: "20" } }));
}

function servoRow(name, status) {
  const on = torque.get(name);
  const cell = (textContent, className = "") => make("td", { textContent, className });
  return make("tr", { className: LEVELS[status.level], dataset: { joint: name } },
    cell(name), cell(status.message), cell(on == null ? "–" : on ? "on" : "off", on ? "" : "soft"), cell(number(status, "position, rad", 3)), cell(known(load.get(name), 2)),
    cell(number(status, "temperature, °C", 0)), cell(number(status, "voltage, V", 2)), cell(number(status, "age of the position, ms", 0)), cell(errors(status)));
}

const opened = new Set();

function nodeRow(name, presence, status) {
  const text = presence === "unknown" ? "not running" : presence === "silent" ? "silent" : (status?.message ?? "");
  const kind = presence === "alive" ? LEVELS[status?.level ?? 0] : presence === "silent" ? "bad" : "stale";
  const details = make("details", { className: `node ${kind}`, open: opened.has(name), dataset: { node: name, presence } },
    make("summary", {}, make("span", { className: "dot" }), make("b", { textContent: name }), make("span", { className: "soft", textContent: text })),
    make("dl", {}, ...(status?.values ?? []).flatMap(([key, value]) => [make("dt", { textContent: key }), make("dd", { textContent: value })])));
  details.ontoggle = () => (details.open ? opened.add(name) : opened.delete(name));
  return details;
}

const isSeen = (id) => $(id).classList.contains("on");

/** Only what is looked at is made anew. */
export function show({ nodes, statuses }) {
  const all = new Map(statuses);
  const prefix = "herkulex_node: ";
  if (isSeen("servos")) {
    const servos = statuses.filter(([name]) => name.startsWith(prefix)).map(([name, status]) => servoRow(name.slice(prefix.length), status));
    const nothing = make("tr", {}, make("td", { colSpan: COLUMNS.length, className: "soft", textContent: "The bus says nothing: herkulex_node is not running, or silent." }));
    $("servo-rows").replaceChildren(...(servos.length ? servos : [nothing]));
  }
  if (isSeen("nodes")) $("node-rows").replaceChildren(...nodes.map(([name, presence]) => nodeRow(name, presence, all.get(name))));
}
on("health", show);
const clock = (time) => (time > 1e9 ? new Date(1000 * time).toLocaleTimeString([], { hour12: false }) : `${time.toFixed(1)} s`);
on("log", ({ time, level, name, text }) => {
  const lines = $("lines");
  const words = level >= 40 ? "bad" : level >= 30 ? "warn" : "ok";
  lines.prepend(make("div", { className: `line ${words}`, dataset: { level } }, make("time", { className: "soft", textContent: clock(time) }), " ", make("b", { textContent: name }), ` ${text}`));
  while (lines.childElementCount > LINES) lines.lastChild.remove();
});
on("hello", () => $("lines").replaceChildren());
