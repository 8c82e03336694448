// Driving: a stick, keys or a gamepad, each with a dead-man's switch. What is held is said 20 times a second; what is let go is said once, and
// silence stops the robot on its own side.

import { $, make, toast } from "./dom.js";
import { ask, link, on, say } from "./connection.js";

const EVERY = 50; // ms
const KEYS = { w: [1, 0, 0], s: [-1, 0, 0], a: [0, 0, 1], d: [0, 0, -1], q: [0, 1, 0], e: [0, -1, 0], arrowup: [1, 0, 0], arrowdown: [-1, 0, 0], arrowleft: [0, 0, 1], arrowright: [0, 0, -1] };
const DEADMAN = 4; // the gamepad's left shoulder button
const ASLEEP = 2000; // ms: a page that was held up for a lease and so long was asleep, and whoever held the stick then may be elsewhere
const pressed = new Map(); // what each key that is down means; by its place, for Shift and AltGr change its letter before it is let go
let stick = null; // [forward, left, turn] while it is held
let finger = null; // the pointer that holds it
let side = null;
let speeds = [0, 0, 0];
let lease = 0; // ms
let was = null;
let ticked = Date.now();
let stopped = false;

const ARROW = /^arrow/;
/** Whether a key is meant for what has the focus: sliders move by arrows, and letters mean nothing to them. */
const typing = (target, key) => target.closest?.(`input:not([type=range], [type=checkbox]), select, textarea${ARROW.test(key) ? ", input[type=range]" : ""}`);

function fromKeys() {
  if (!pressed.size) return null;
  const sum = [0, 0, 0];
  for (const way of pressed.values()) way.forEach((value, index) => (sum[index] += value));
  return sum;
}

function fromGamepad() {
  // A page that nobody looks at is told no more of it: its button would stay pressed for ever.
  if (document.hidden || !document.hasFocus()) return null;
  const pad = [...(navigator.getGamepads?.() ?? [])].find((pad) => pad?.connected && pad.buttons[DEADMAN]?.pressed);
  if (!pad) return null;
  const axis = (index) => (Math.abs(pad.axes[index] ?? 0) > 0.12 ? -pad.axes[index] : 0);
  return [axis(1), axis(0), axis(2)];
}

function fromPointers() {
  if (!stick && !side) return null;
  return [stick?.[0] ?? 0, side ?? 0, stick?.[1] ?? 0];
}

function tick() {
  const now = Date.now();
  if (now - ticked > lease + ASLEEP) letGo();
  ticked = now;
  const held = fromPointers() ?? fromKeys() ?? fromGamepad();
  if (held && !stopped) {
    const [forward, left, turn] = held.map((value) => Math.max(-1, Math.min(1, value)));
    say({ type: "drive", forward, left, turn });
  } else if (was) {
    say({ type: "release" });
  }
  was = held;
  show(held);
}

function show(held) {
  const text = $("speed");
  if (!text) return;
  const [forward, left, turn] = (held ?? [0, 0, 0]).map((value, index) => value * speeds[index]);
  text.textContent = held ? `${forward.toFixed(2)} m/s  ·  ${left.toFixed(2)} m/s  ·  ${turn.toFixed(2)} rad/s` : "let go: the robot stands";
}

function letGo() {
  pressed.clear();
  stick = side = finger = null;
  const knob = $("knob");
  if (knob) knob.style.transform = "";
  const slide = $("side");
  if (slide) slide.value = 0;
}

function letGoNow() {
  letGo();
  tick();
}

function buildStick() {
  const knob = make("div", { id: "knob" });
  const pad = make("div", { id: "stick", title: "Hold and move: ahead and back, turn left and right" }, ...["▲", "↻", "▼", "↺"].map((textContent, k) => make("span", { className: `way way${k}`, textContent })), knob);
  const move = (event) => {
    const box = pad.getBoundingClientRect();
    const radius = box.width / 2;
    let [x, y] = [(event.clientX - box.left) / radius - 1, (event.clientY - box.top) / radius - 1];
    const length = Math.hypot(x, y);
    if (length > 1) [x, y] = [x / length, y / length];
    stick = [-y, -x];
    knob.style.transform = `translate(${x * radius * 0.62}px, ${y * radius * 0.62}px)`;
  };
  const end = ({ pointerId }) => {
    if (pointerId !== finger) return;
    stick = finger = null;
    knob.style.transform = "";
    tick();
  };
  pad.onpointerdown = (event) => {
    // Of another button, or another finger, the end may never be told.
    if (event.button !== 0 || finger != null) return;
    finger = event.pointerId;
    pad.setPointerCapture(finger);
    move(event);
    tick();
  };
  pad.onpointermove = (event) => event.pointerId === finger && move(event);
  pad.onpointerup = pad.onpointercancel = pad.onlostpointercapture = end;
  pad.oncontextmenu = (event) => event.preventDefault();
  return pad;
}

const order = (text, name, hint) =>
  make("button", {
    textContent: text,
    title: hint,
    dataset: { order: name },
    onclick: async () => {
      const answer = await ask({ type: "order", order: name });
      if (answer.ok && answer.text) toast(answer.text);
    },
  });

function slider(label, unit, limit, step, change) {
  const value = make("output", { textContent: `0.00 ${unit}` });
  const input = make("input", { type: "range", min: -limit, max: limit, step, value: 0, ariaLabel: label });
  const show = (to) => {
    if (to !== undefined) input.value = to;
    value.textContent = `${input.valueAsNumber.toFixed(2)} ${unit}`;
  };
  input.oninput = () => (show(), change());
  input.ondblclick = () => (show(0), change());
  return { row: make("label", { className: "row" }, make("span", { textContent: label }), input, value), input, show };
}

let pose = []; // the sliders of the body's pose
let posed = 0; // when they were moved here last
let shown = ""; // the pose that somebody asked for, here or elsewhere

function sayPose() {
  posed = performance.now();
  const values = pose.map(({ input }) => input.valueAsNumber);
  say({ type: "pose", position: values.slice(0, 3), angles: values.slice(3) });
}

/** The sliders stand where the robot was told to, whoever did it; but not under somebody's finger. */
function follow({ pose: asked }) {
  if (!asked || `${asked}` === shown || performance.now() - posed < 500) return;
  shown = `${asked}`;
  pose.forEach(({ show }, index) => show(asked[index]));
}

export function build(panel) {
  const slide = make("input", { id: "side", type: "range", min: -1, max: 1, step: 0.01, value: 0, title: "Hold: steps sideways", ariaLabel: "Step sideways" });
  slide.oninput = () => (side = -slide.valueAsNumber);
  slide.onpointerup = slide.onpointercancel = slide.onchange = () => {
    side = null;
    slide.value = 0;
  };
  pose = ["x", "y", "z", "roll", "pitch", "yaw"].map((name, index) => slider(name, index < 3 ? "m" : "rad", index < 3 ? 0.08 : 0.4, 0.005, sayPose));
  const level = make("button", { className: "quiet", textContent: "level", onclick: () => (pose.forEach(({ show }) => show(0)), sayPose()) });
  const gaits = make("div", { id: "gaits", className: "segments" });
  const motions = make("div", { id: "motions", className: "segments" });
  panel.append(
    make("div", { className: "sticks" }, buildStick(), make("div", { className: "hints" },
      make("p", { id: "driver" }), make("p", { id: "speed" }), make("label", { className: "side soft" }, "left", slide, "right"),
      make("p", { id: "keys", className: "soft", textContent: "Keys W S A D, Q E sideways. Gamepad: hold the left shoulder button. Space or Esc stops." }))),
    make("div", { className: "buttons" },
      order("Stand", "stand", "Ends a motion, gets up"), order("Sit", "sit", "Sits down on its feet"), order("Halt", "halt", "Brakes, and holds until it is told to stand"),
      order("Resume", "resume", "Goes on with the motion that was halted")),
    make("h2", { textContent: "Gait" }), gaits,
    make("h2", { textContent: "Motions" }), motions,
    make("h2", {}, "Body ", level), ...pose.map(({ row }) => row),
    make("h2", { textContent: "Servos" }),
    make("div", { className: "buttons" }, order("Torque on", "torque_on", "Servos hold where they are"), order("Torque off", "torque_off", "Servos turn freely"),
      order("Clear errors", "clear_errors", "Servos forget their errors"), order("Reset odometry", "reset_odometry", "The body is at the origin again")),
  );
  setInterval(tick, EVERY);
  addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    // A shortcut is meant for somebody else, and some systems tell of no key that is let go during one.
    if (event.ctrlKey || event.metaKey || event.altKey) return letGoNow();
    if (KEYS[key] && !typing(event.target, key)) {
      pressed.set(event.code, KEYS[key]);
      event.preventDefault();
    }
  });
  addEventListener("keyup", (event) => pressed.delete(event.code));
  // Whoever looks elsewhere holds nothing; timers of a page that nobody sees are late, so it is said at once.
  addEventListener("blur", letGoNow);
  document.addEventListener("visibilitychange", letGoNow);
}

/** Gaits and motions as the robot has them. */
export async function offer(parameters) {
  const gait = parameters.find(({ name }) => name === "gait");
  const names = new Set(["walk", "trot"]);
  for (const { name } of parameters) if (name.startsWith("gaits.")) names.add(name.split(".")[1]);
  $("gaits").replaceChildren(...[...names].map((name) => make("button", {
    textContent: name,
    className: gait?.value === name ? "on" : "",
    dataset: { gait: name },
    onclick: () => ask({ type: "set", node: "gait_node", name: "gait", value: name }),
  })));
  const { ok, data } = await ask({ type: "motions" });
  const files = (ok && data) || [];
  $("motions").replaceChildren(...files.map((file) => make("button", {
    textContent: file.replace(/\.\w+$/, ""),
    onclick: async () => {
      const answer = await ask({ type: "play", file });
      if (answer.ok) toast(answer.text);
    },
  })));
  if (!files.length) $("motions").textContent = "none known here";
}

export const choose = (gait) => document.querySelectorAll("[data-gait]").forEach((button) => button.classList.toggle("on", button.dataset.gait === gait));

on("limits", (limits) => {
  speeds = limits.speeds;
  lease = 1000 * limits.lease;
});
on("snapshot", follow);
on("close", () => {
  letGo();
  $("driver").textContent = "not connected";
});
on("drive", ({ driver, clients, stop }) => {
  stopped = stop !== "none";
  const who = driver == null ? "nobody drives" : driver === link.client ? "you drive" : `browser ${driver} drives`;
  $("driver").textContent = `${who} · ${clients} watching`;
});
