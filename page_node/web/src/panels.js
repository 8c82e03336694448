// Servos, nodes, log: what the robot says of itself, as tables.

import { $, make, known } from "./dom.js";
import { headers, on, ask } from "./connection.js";

const LEVELS = ["ok", "warn", "bad", "stale"];
const LINES = 500;

const figure = (status, key) => status.values.find(([name]) => name === key)?.[1];
const number = (status, key, digits) => known(parseFloat(figure(status, key) ?? "NaN"), digits);

let torque = new Map();
export const setTorque = (map) => (torque = map);

export function build() {
  $("servos").append(make("div", { className: "scroll" }, make("table", {},
    make("thead", {}, make("tr", {}, ...["joint", "state", "torque", "rad", "°C", "V", "age, ms", "timeouts"].map((textContent) => make("th", { textContent })))), make("tbody", { id: "servo-rows" }))));
  const recordings = make("button", { className: "quiet", textContent: "list", onclick: listRecordings });
  $("nodes").append(make("div", { id: "node-rows" }), make("h2", {}, "Recordings ", recordings), make("div", { id: "recordings", className: "soft", textContent: "" }));
  const level = make("select", { id: "level", ariaLabel: "Level" }, ...[["20", "info"], ["30", "warnings"], ["40", "errors"]].map(([value, textContent]) => make("option", { value, textContent })));
  level.onchange = () => ($("lines").dataset.level = level.value);
  $("log").append(make("div", { className: "buttons" }, level, make("button", { className: "quiet", textContent: "clear", onclick: () => $("lines").replaceChildren() })), make("div", { id: "lines", dataset: { level: "20" } }));
}

async function listRecordings() {
  const { ok, data } = await ask({ type: "recordings" });
  const entries = (ok && data) || [];
  $("recordings").replaceChildren(...entries.map(({ name, bytes }) => make("div", { className: "recording" },
    make("button", { className: "quiet", textContent: name, onclick: () => download(name) }), make("span", { textContent: `${(bytes / 1e6).toFixed(1)} MB` }))));
  if (!entries.length) $("recordings").textContent = "none: page_node's parameter recordings names their folder";
}

async function download(name) {
  const answer = await fetch(`recordings/${name}`, { headers: headers() });
  if (!answer.ok) return;
  const anchor = make("a", { href: URL.createObjectURL(await answer.blob()), download: name.split("/").pop() });
  anchor.click();
  URL.revokeObjectURL(anchor.href);
}

function servoRow(name, status) {
  const on = torque.get(name);
  const cell = (textContent, className = "") => make("td", { textContent, className });
  return make("tr", { className: LEVELS[status.level] },
    cell(name), cell(status.message), cell(on == null ? "–" : on ? "on" : "off", on ? "" : "soft"), cell(number(status, "position, rad", 3)), cell(number(status, "temperature, °C", 0)),
    cell(number(status, "voltage, V", 2)), cell(number(status, "age of the position, ms", 0)), cell(number(status, "timeouts", 0)));
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

on("health", ({ nodes, statuses }) => {
  const all = new Map(statuses);
  const prefix = "herkulex_node: ";
  const servos = statuses.filter(([name]) => name.startsWith(prefix)).map(([name, status]) => servoRow(name.slice(prefix.length), status));
  $("servo-rows").replaceChildren(...(servos.length ? servos : [make("tr", {}, make("td", { colSpan: 8, className: "soft", textContent: "The bus says nothing: herkulex_node is not running, or silent." }))]));
  $("node-rows").replaceChildren(...nodes.map(([name, presence]) => nodeRow(name, presence, all.get(name))));
});
on("log", ({ level, name, text }) => {
  const lines = $("lines");
  const words = level >= 40 ? "bad" : level >= 30 ? "warn" : "ok";
  lines.prepend(make("div", { className: `line ${words}`, dataset: { level } }, make("b", { textContent: name }), ` ${text}`));
  while (lines.childElementCount > LINES) lines.lastChild.remove();
});
on("hello", () => $("lines").replaceChildren());
