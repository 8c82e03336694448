// Parameters of every node: sliders with units and ranges, what differs from the files, undo, save; a refusal shows the node's reason.

import { $, make, toast } from "./dom.js";
import { ask, on } from "./connection.js";
import { choose, offer } from "./drive.js";

const choice = make("select", { id: "node", ariaLabel: "Node" });
const filter = make("input", { type: "search", placeholder: "filter", ariaLabel: "Filter" });
const changed = make("input", { type: "checkbox", id: "changed" });
const list = make("div", { id: "parameters" });
const undo = make("button", { className: "quiet", textContent: "undo", disabled: true });
const saveButton = make("button", { className: "quiet", textContent: "save", title: "Writes what differs from the files into a file of its own" });
let rows = new Map();

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const text = (value) => (Array.isArray(value) ? value.join(", ") : `${value ?? ""}`);

/** What was typed, as the type that the parameter has. */
function typed(kind, value) {
  const number = (part) => (part.trim() === "" ? NaN : Number(part));
  if (kind.endsWith("array")) {
    const parts = value.trim() ? value.split(",") : [];
    if (kind.startsWith("string")) return parts.map((part) => part.trim());
    return parts.map((part) => (kind.startsWith("bool") ? part.trim() === "true" : number(part)));
  }
  return kind === "double" || kind === "integer" ? number(value) : value;
}

function row(parameter) {
  const { name, kind, range, rules, description, read_only } = parameter;
  const reason = make("p", { className: "reason", hidden: true });
  const back = make("button", { className: "quiet back", title: "As in its file: back to that", onclick: () => set(parameter.file) });
  const node = choice.value;
  let wanted = null;
  let isAsking = false;
  // One after the other: else an older value could arrive last. What is asked for meanwhile is the newest only.
  const set = async (value) => {
    wanted = [value];
    if (isAsking) return;
    isAsking = true;
    while (wanted) {
      [value, wanted] = [wanted[0], null];
      const answer = await ask({ type: "set", node, name, value });
      reason.hidden = answer.ok;
      reason.textContent = answer.text;
      if (!answer.ok) show();
    }
    isAsking = false;
  };
  const inputs = [];
  const words = rules.includes(" | ") ? rules.split(",")[0].split(" | ") : null;
  if (kind === "bool") {
    inputs.push(make("input", { type: "checkbox", onchange: (event) => set(event.target.checked) }));
  } else if (words && kind === "string") {
    inputs.push(make("select", { onchange: (event) => set(event.target.value) }, ...words.map((word) => make("option", { value: word.trim(), textContent: word.trim() }))));
  } else {
    if (range && !kind.endsWith("array")) {
      const step = kind === "integer" ? 1 : (range[1] - range[0]) / 200;
      let last = 0;
      const slide = make("input", { type: "range", min: range[0], max: range[1], step });
      slide.oninput = () => {
        inputs[1].value = slide.valueAsNumber;
        // While it is dragged ten values a second are enough.
        if (performance.now() - last > 100) {
          last = performance.now();
          set(slide.valueAsNumber);
        }
      };
      slide.onchange = () => set(slide.valueAsNumber);
      inputs.push(slide);
    }
    inputs.push(make("input", { type: "text", inputMode: kind === "double" ? "decimal" : "text", onchange: (event) => set(typed(kind, event.target.value)) }));
  }
  inputs.forEach((input) => Object.assign(input, { disabled: read_only, ariaLabel: name }));
  const show = () => {
    for (const input of inputs) {
      if (input.type === "checkbox") input.checked = parameter.value;
      else if (document.activeElement !== input || input.type !== "range") input.value = text(parameter.value);
    }
    const differs = !same(parameter.value, parameter.file);
    back.hidden = !differs || read_only;
    back.textContent = `file: ${text(parameter.file)} ↺`;
    element.classList.toggle("differs", differs);
  };
  const element = make("div", { className: "parameter", dataset: { name } },
    make("div", { className: "name" }, make("span", { textContent: name }), make("span", { className: "soft rules", textContent: read_only ? `${rules} read-only` : rules })),
    make("p", { className: "soft about", textContent: description }), make("div", { className: "inputs" }, ...inputs, back), reason);
  rows.set(name, { element, parameter, show });
  show();
  return element;
}

async function load() {
  const { ok, data } = await ask({ type: "parameters", node: choice.value }, { isQuiet: true });
  rows = new Map();
  if (!ok) return list.replaceChildren(make("p", { className: "soft", textContent: `${choice.value} has not told its parameters (yet).` }));
  list.replaceChildren(...data.map(row));
  sift();
}

function sift() {
  const wanted = filter.value.trim().toLowerCase();
  for (const { element, parameter } of rows.values()) {
    const isNamed = `${parameter.name} ${parameter.description}`.toLowerCase().includes(wanted);
    element.hidden = !isNamed || (changed.checked && !element.classList.contains("differs"));
  }
}

export async function build(panel) {
  choice.onchange = load;
  filter.oninput = changed.onchange = sift;
  undo.onclick = async () => {
    const answer = await ask({ type: "undo" });
    if (answer.ok) toast(answer.text);
  };
  saveButton.onclick = async () => {
    const answer = await ask({ type: "save", node: choice.value });
    if (answer.ok) toast(answer.text);
  };
  panel.append(make("div", { className: "buttons" }, choice, filter, undo, saveButton), make("label", { className: "soft only" }, changed, " only what differs from its file"), list);
}

on("hello", ({ can_save }) => {
  saveButton.disabled = !can_save;
  if (!can_save) saveButton.title = "page_node has no folder to save into: its parameter saved";
});
on("health", ({ nodes }) => {
  const there = nodes.filter(([, presence]) => presence !== "unknown").map(([name]) => name);
  if (same(there, [...choice.options].map((option) => option.value))) return;
  const before = choice.value;
  choice.replaceChildren(...there.map((name) => make("option", { value: name, textContent: name })));
  if (there.includes(before)) choice.value = before;
  else load();
});
on("changed", async ({ node, name, value, undoable }) => {
  undo.disabled = !undoable;
  undo.textContent = undoable ? `undo (${undoable})` : "undo";
  if (node === "gait_node" && name === "gait") choose(value);
  if (name === "") {
    if (node === choice.value) await load();
    if (node === "gait_node") {
      const { ok, data } = await ask({ type: "parameters", node }, { isQuiet: true });
      if (ok) offer(data);
    }
  } else if (node === choice.value && rows.has(name)) {
    const known = rows.get(name);
    known.parameter.value = value;
    known.show();
  }
});
on("open", async () => {
  if (choice.value) load();
  const { ok, data } = await ask({ type: "parameters", node: "gait_node" }, { isQuiet: true });
  if (ok) offer(data);
});
