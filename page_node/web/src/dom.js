// Small helpers; text is always set as text, never as markup.

export const $ = (id) => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "dataset") Object.assign(element.dataset, value);
    else if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

export function toast(text, kind = "") {
  // What is said already need not be said 20 times a second.
  for (const said of $("toasts").children) if (said.textContent === text) return;
  const note = make("div", { className: `toast ${kind}`, textContent: text });
  $("toasts").append(note);
  setTimeout(() => note.remove(), kind === "bad" ? 8000 : 4000);
}

/** A number for people; nothing is less than nothing by less than a digit. */
export const known = (value, digits, unit = "") => (value == null || Number.isNaN(value) ? "–" : `${value.toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1")}${unit}`);

/** A colour of the theme, for canvases. */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export function save(name, blob) {
  const href = URL.createObjectURL(blob);
  make("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

/** What the browser keeps for this page, where it may: people forbid it, and STOP must be there all the same. */
export function kept(area, key, value) {
  try {
    if (value !== undefined) window[area].setItem(key, value);
    return window[area].getItem(key);
  } catch {
    return value ?? null;
  }
}
