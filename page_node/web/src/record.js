// Recordings: make one, list them, take one home, see what the odometry makes of it.

import { $, make, save, toast } from "./dom.js";
import { ask, headers, isOpenToAll, on } from "./connection.js";

const size = (bytes) => (bytes > 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e3).toFixed(0)} kB`);
const isBag = (name) => /\.(mcap|db3)(\.zstd)?$/.test(name);

const label = make("input", { type: "text", placeholder: "name (optional)", ariaLabel: "Name of the recording", maxLength: 60 });
const button = make("button", { id: "record", textContent: "● Record" });
const state = make("p", { id: "recording", className: "soft" });
const measured = make("input", { type: "checkbox", id: "from-measured", checked: true });
let running = false;

button.onclick = async () => {
  const answer = await ask(running ? { type: "end_recording" } : { type: "record", label: label.value.trim() });
  if (answer.ok) toast(answer.text);
};

async function blobOf(name, type) {
  const answer = await fetch(`recordings/${name}`, { headers: headers() });
  if (!answer.ok) return toast(await answer.text(), "bad");
  return new Blob([await answer.blob()], { type });
}

async function download(name) {
  // Straight to the disk where the address is enough: a recording may be larger than the memory. No token can be given that way.
  if (isOpenToAll()) return make("a", { href: `recordings/${name}`, download: name.split("/").pop() }).click();
  const blob = await blobOf(name, "application/octet-stream");
  if (blob) save(name.split("/").pop(), blob);
}

async function look(name) {
  const blob = await blobOf(name, "image/svg+xml");
  if (!blob) return;
  const image = make("img", { alt: `Path and gait of ${name}`, src: URL.createObjectURL(blob) });
  image.onload = () => URL.revokeObjectURL(image.src);
  $("replay").replaceChildren(image);
}

async function replay(name, from) {
  from.disabled = true;
  $("replay").replaceChildren(make("p", { className: "soft", textContent: `odometry_replay reads ${name} …` }));
  const answer = await ask({ type: "replay", name, measured: measured.checked });
  from.disabled = false;
  if (!answer.ok) return $("replay").replaceChildren(make("pre", { className: "reason", textContent: answer.text }));
  await look(answer.data.picture);
  $("replay").append(make("pre", { textContent: answer.text }));
  list();
}

function entry({ name, bytes }) {
  const again = make("button", { className: "quiet", textContent: "replay", title: "Runs odometry_replay on it, with the parameters that odometry_node has now", dataset: { replay: name } });
  again.onclick = () => replay(name, again);
  const view = make("button", { className: "quiet", textContent: "look", onclick: () => look(name) });
  return make("div", { className: "recording", dataset: { name } }, make("span", { className: "file", textContent: name, title: name }), make("span", { className: "soft", textContent: size(bytes) }),
    isBag(name) ? again : name.endsWith(".svg") ? view : null,
    make("button", { className: "quiet", textContent: "save", title: "Takes it home", onclick: () => download(name) }));
}

async function list() {
  const { ok, data } = await ask({ type: "recordings" });
  const entries = (ok && data) || [];
  $("recordings").replaceChildren(...entries.reverse().map(entry));
  if (!entries.length) $("recordings").append(make("p", { className: "soft", textContent: "none yet" }));
}

export function build(panel) {
  panel.append(
    make("div", { className: "buttons" }, label, button), state,
    make("h2", {}, "Recordings ", make("button", { className: "quiet", textContent: "list again", onclick: list })), make("div", { id: "recordings" }),
    make("label", { className: "soft", title: "Else from what was commanded" }, measured, " replay from measured joints"),
    make("div", { id: "replay" }),
  );
}

on("hello", ({ can_record }) => {
  button.disabled = !can_record;
  state.textContent = can_record ? "Everything that the page hears, as an mcap that ros2 bag and Foxglove open." : "page_node has no folder to record into: its parameter recordings";
  if (can_record) list();
});
on("recording", ({ name, seconds, messages, bytes, lost }) => {
  if (running && name == null) list();
  running = name != null;
  button.textContent = running ? "■ End" : "● Record";
  button.classList.toggle("running", running);
  document.querySelector('[data-tab="bags"]').classList.toggle("running", running);
  label.hidden = running;
  if (!running && state.textContent.startsWith("Now ")) state.textContent = state.textContent.replace("Now ", "Last ");
  if (running) state.textContent = `Now ${name}.mcap: ${seconds} s, ${messages} messages, ${size(bytes)}${lost ? `, ${lost} lost` : ""}`;
});
