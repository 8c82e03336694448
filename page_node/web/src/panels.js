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

const nodeRows = new Map();

/** The row of a node, which stays while its words change: whoever stands on it with the keyboard, or has opened it, stays there. */
function nodeRow(name, presence, status) {
  const text = presence === "unknown" ? "not running" : presence === "silent" ? "silent" : (status?.message ?? "");
  const kind = presence === "alive" ? LEVELS[status?.level ?? 0] : presence === "silent" ? "bad" : "stale";
  if (!nodeRows.has(name)) {
    const said = make("span", { className: "soft" });
    const figures = make("dl");
    const row = make("details", { dataset: { node: name } }, make("summary", {}, make("span", { className: "dot" }), make("b", { textContent: name }), said), figures);
    nodeRows.set(name, { row, said, figures });
  }
  const { row, said, figures } = nodeRows.get(name);
  row.className = `node ${kind}`;
  row.dataset.presence = presence;
  said.textContent = text;
  figures.replaceChildren(...(status?.values ?? []).flatMap(([key, value]) => [make("dt", { textContent: key }), make("dd", { textContent: value })]));
  return row;
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
  if (!isSeen("nodes")) return;
  for (const [name, presence] of nodes) {
    const row = nodeRow(name, presence, all.get(name));
    if (!row.parentElement) $("node-rows").append(row);
  }
}
on("health", show);
const clock = (time) => (time > 1e9 ? new Date(1000 * time).toLocaleTimeString([], { hour12: false }) : `${time.toFixed(1)} s`);
let next = null; // the number of the line that comes next
function line({ time, level, name, text }) {
  const words = level >= 40 ? "bad" : level >= 30 ? "warn" : "ok";
  return make("div", { className: `line ${words}`, dataset: { level } }, make("time", { className: "soft", textContent: clock(time) }), " ", make("b", { textContent: name }), ` ${text}`);
}
on("log", ({ first, lines }) => {
  const missed = next == null ? 0 : first - next;
  if (missed > 0) $("lines").prepend(make("div", { className: "line soft", textContent: `… ${missed} lines that came too fast` }));
  // Some of them may have come already.
  $("lines").prepend(...lines.slice(Math.max(0, -missed)).map(line).reverse());
  next = Math.max(next ?? 0, first + lines.length);
  while ($("lines").childElementCount > LINES) $("lines").lastChild.remove();
});
// Another page_node may count anew.
on("hello", () => {
  next = null;
  $("lines").replaceChildren();
});
