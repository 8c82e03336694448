// The live page: puts the parts together.

import "./style.css";
import { $, kept, known, make, save, toast } from "./dom.js";
import { ask, connect, headers, link, on, useToken } from "./connection.js";
import * as view from "./view3d.js";
import * as stage from "./stage.js";
import * as diagram from "./diagram.js";
import * as drive from "./drive.js";
import * as plots from "./plots.js";
import * as panels from "./panels.js";
import * as record from "./record.js";
import * as tune from "./tune.js";

let names = Object.assign([], { revision: 0 });
let snapshot = null;
let health = { nodes: [], statuses: [] };
let stop = { stop: "none", text: "" };
let snapshots = 0;
let loaded = "";

// For tests and for the curious: what the page knows.
window.gaitway = {
  get snapshot() { return snapshot; }, get snapshots() { return snapshots; }, get names() { return names; }, get health() { return health; }, get stop() { return stop; },
  link, linkPosition: view.linkPosition, drawn: view.drawn, csv: plots.csv, ask,
};

function theme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  view.paint();
  plots.paint();
}
const prefers = matchMedia("(prefers-color-scheme: dark)");
const stored = kept("localStorage", "theme");
$("theme").onclick = () => {
  const dark = document.documentElement.dataset.theme !== "dark";
  kept("localStorage", "theme", dark ? "dark" : "light");
  theme(dark);
};
prefers.onchange = () => kept("localStorage", "theme") ?? theme(prefers.matches);

for (const tab of document.querySelectorAll("[data-tab]")) {
  tab.onclick = () => {
    document.querySelectorAll("[data-tab], .panel").forEach((part) => part.classList.toggle("on", part === tab || part.id === tab.dataset.tab));
    panels.show(health);
  };
}
for (const [id, key] of [["follow", "follow"], ["ghost", "measured"], ["truth", "true"], ["forces", "forces"], ["frames", "frames"]]) {
  $(id).onclick = () => $(id).classList.toggle("on", (view.show[key] = !view.show[key]));
}
$("clear").onclick = view.clearPath;
$("picture").onclick = () => stage.picture((blob) => save("robot.png", blob));

// -- stop ---------------------------------------------------------------------------------------------------------------

// A stop that did not reach the robot is wanted until it does, or until it is taken back.
let wanted = false;
async function pressStop() {
  wanted = true;
  banner();
  const { ok } = await ask({ type: "stop" });
  if (ok) wanted = false;
  banner();
}
on("open", () => wanted && pressStop());
// When it is touched, not when it is let go; a click without a pointer is a key's.
$("stop").onpointerdown = ({ button }) => button === 0 && pressStop();
$("stop").onclick = ({ detail }) => detail === 0 && pressStop();
addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input[type=text], input[type=search], input[type=password], textarea");
  if (event.key === "Escape" || (event.key === " " && !typing)) {
    event.preventDefault();
    if (!event.repeat) pressStop();
  }
});
on("drive", (told) => {
  stop = told;
  banner();
});

// -- what is shown above everything ---------------------------------------------------------------------------------------

const tokenInput = make("input", { id: "token", type: "password", ariaLabel: "Token", autocomplete: "off", size: 24 });
const tokenForm = make("form", { onsubmit: (event) => (event.preventDefault(), useToken(tokenInput.value)) }, tokenInput, make("button", { textContent: "Open" }));

function banner() {
  document.body.classList.toggle("lost", !link.open);
  const parts = [];
  if (!link.open && wanted) {
    const forget = make("button", { textContent: "Forget the stop", onclick: () => (wanted = false) });
    parts.push(make("span", { textContent: "NOT STOPPED: the robot is out of reach. STOP is sent as soon as it answers. Use its switch." }), forget);
  } else if (!link.open && link.wantsToken) parts.push(make("span", { textContent: "This robot wants its token (the parameter token of page_node):" }), tokenForm);
  else if (!link.open) parts.push(make("span", { textContent: "No connection. The robot halts by itself; trying to reach it …" }));
  else if (stop.stop !== "none") {
    const text = stop.stop === "held" ? `STOPPED. All servos are free and stay so. ${stop.text}` : `STOP is not confirmed yet: ${stop.text}`;
    const clear = make("button", { id: "clear-stop", textContent: "Clear stop", onclick: () => ask({ type: "clear_stop" }) });
    parts.push(make("span", { textContent: text }), clear);
  } else {
    const silent = health.nodes.filter(([, presence]) => presence === "silent").map(([name]) => name);
    if (silent.length) parts.push(make("span", { textContent: `Silent: ${silent.join(", ")}` }));
    if (snapshot?.fallen) parts.push(make("span", { textContent: "The robot fell." }));
  }
  const text = parts.map((part) => part.textContent).join("|");
  if ($("banner").dataset.text === text) return;
  $("banner").dataset.text = text;
  $("banner").className = !link.open || stop.stop !== "none" ? "bad" : "warn";
  $("banner").replaceChildren(...parts);
  $("banner").hidden = !parts.length;
  $("stop").classList.toggle("pressed", stop.stop !== "none");
}

function chip(label, value, kind = "") {
  return make("li", { className: kind }, make("span", { textContent: label }), make("b", { textContent: value }));
}

/** A figure that a node told in its diagnostics. */
function value(name, key) {
  const status = health.statuses.find(([known]) => known === name)?.[1];
  return status?.values.find(([known]) => known === key)?.[1];
}

/** Of the last second's cycles, ms: work p50, p99, max, and how late they began, p99. */
function cycle() {
  const found = ["work p50, µs", "work p99, µs", "work max, µs", "wake-up p99, µs"].map((key) => parseFloat(value("sync_node", key)) / 1000);
  return found.every(Number.isFinite) ? found : null;
}

function chips() {
  const s = link.open ? snapshot : null;
  const torque = s?.torque?.filter((on) => on != null) ?? [];
  const held = torque.filter(Boolean).length;
  const work = cycle()?.[1];
  const activity = value("gait_node", "activity");
  $("chips").replaceChildren(
    chip("", link.open ? "live" : "lost", link.open ? "good" : "bad"),
    chip("doing", activity ?? "–"),
    chip("battery", known(s?.battery, 1, " V"), s?.battery == null ? "unknown" : ""),
    chip("torque", torque.length ? `${held}/${torque.length}` : "–", torque.length && held < torque.length ? "warn" : ""),
    chip("cycle", s?.period > 0 ? `${(1 / s.period).toFixed(0)} Hz` : "–"),
    chip("work p99", work == null ? "–" : `${work.toFixed(2)} ms`),
    chip("to goals", s?.latency == null ? "–" : `${(1000 * s.latency).toFixed(1)} ms`),
  );
}

function figures() {
  const s = link.open ? snapshot : null;
  const [forward, left, turn] = s?.odom?.velocity ?? [];
  const line = (label, value, title = "") => make("div", { title }, make("span", { textContent: label }), make("b", { textContent: value }));
  const rows = [
    line("ahead", known(forward, 3, " m/s")), line("left", known(left, 3, " m/s")), line("turn", known(turn, 2, " rad/s")),
    line("margin", known(s?.margin == null ? null : 1000 * s.margin, 0, " mm"), "Of the weight inside the polygon of the feet that stand"),
  ];
  if (s?.motion && !s.motion.done) rows.push(line(s.motion.name, `${known(s.motion.time, 1)} / ${known(s.motion.duration, 1, " s")}`));
  $("figures").replaceChildren(...rows);
  // What is drawn, and what should be and cannot.
  const entry = (name, isKnown) => make("span", { className: isKnown ? name : "unknown", textContent: isKnown ? name : `${name}: unknown` });
  const drawn = ["commanded", "measured", "true"].filter((name) => s && (name === "commanded" || view.show[name]));
  $("legend").replaceChildren(...drawn.map((name) => entry(name, s[name])));
}

// -- what comes -----------------------------------------------------------------------------------------------------------

on("names", (told) => {
  names = Object.assign(told.names, { revision: told.revision });
  plots.setNames(names);
});
on("robot", async ({ chains }) => {
  const answer = await fetch("robot.urdf", { headers: headers() });
  if (!answer.ok) return toast(await answer.text(), "bad");
  const urdf = await answer.text();
  diagram.setLegs(chains.filter((chain) => chain.points?.length).map(({ name }) => name));
  // After a short loss it is the same robot: its path stays.
  if (urdf === loaded) return;
  await view.loadRobot(urdf, chains);
  loaded = urdf;
  $("nobody").hidden = stage.canDraw;
});
on("snapshot", (told) => {
  snapshot = told;
  snapshots += 1;
  told.cycle_ms = cycle();
  view.update(told, names);
  diagram.add(told);
  plots.add(told);
  panels.setServos(names, told);
});
on("health", (told) => {
  health = told;
  banner();
});
on("refused", ({ text }) => text && toast(text, "bad"));
on("notice", ({ text }) => toast(text, "bad"));
on("open", banner);
on("close", () => {
  banner();
  chips();
  figures();
});

if (!stage.canDraw) $("nobody").textContent = "This browser draws nothing in 3D: it has no WebGL. All the rest is there.";
panels.build();
drive.build($("drive"));
plots.build($("plot"));
record.build($("bags"));
tune.build($("tune"));
theme(stored ? stored === "dark" : prefers.matches);
setInterval(() => {
  chips();
  figures();
  banner();
}, 200);
connect();
