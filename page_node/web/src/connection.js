// The one socket: what the robot says comes in as events, what people want goes out with a number and comes back as an answer.

import { kept } from "./dom.js";

/** The token behind the address (#token=…), kept for this tab only and taken out of the address bar. */
function takeToken() {
  const found = new URLSearchParams(location.hash.slice(1)).get("token");
  if (found) history.replaceState(null, "", location.pathname + location.search);
  return kept("sessionStorage", "token", found ?? undefined) ?? "";
}

let token = takeToken();
const listeners = new Map();
const waiting = new Map();
let socket = null;
let number = 0;
let pause = 250;
let again = 0; // the timer of the next try
let silent = 0; // looks in a row at which nothing had come

export const link = { open: false, client: 0, wantsToken: false };

export function on(type, take) {
  listeners.set(type, [...(listeners.get(type) ?? []), take]);
}

function emit(type, message) {
  for (const take of listeners.get(type) ?? []) take(message);
}

export function headers() {
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** Says something and does not wait: the stick. */
export function say(message) {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  // What waits here would be driven later: a stick is of now or never.
  if (message.type === "drive" && socket.bufferedAmount > 4096) return false;
  socket.send(JSON.stringify(message));
  return true;
}

/** Asks; the answer has ok, text and data. A refusal is said aloud, unless whoever asks does so. */
export function ask(message, { isQuiet = false } = {}) {
  const id = ++number;
  return new Promise((resolve) => {
    waiting.set(id, { resolve, isQuiet });
    if (!say({ ...message, id })) answer({ id, ok: false, text: "not connected to the robot" });
  });
}

/** An answer came, or will never come; nobody is left waiting, and what was not done is said. */
function answer(message) {
  const asked = waiting.get(message.id);
  waiting.delete(message.id);
  asked?.resolve(message);
  if (!message.ok && !asked?.isQuiet) emit("refused", message);
}

/** Somebody typed the token: it is tried at once. */
export function useToken(typed) {
  token = typed.trim();
  kept("sessionStorage", "token", token);
  if (!link.open) connect();
}
// Pasted into the address bar of a page that is open already: no page is loaded for it.
addEventListener("hashchange", () => useToken(takeToken()));

/** Whether files can be asked for by their address alone. */
export const isOpenToAll = () => !token;

/** A socket that is refused does not say why; a request does. */
async function lookWhy() {
  const answer = await fetch("robot.urdf", { headers: headers(), signal: AbortSignal.timeout(3000) }).catch(() => null);
  link.wantsToken = answer?.status === 401;
}

export function connect() {
  clearTimeout(again);
  if (socket) socket.onclose = socket.onmessage = null;
  socket?.close();
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/ws`, token ? ["gaitway", `token.${token}`] : ["gaitway"]);
  socket.onopen = () => {
    pause = 250;
    silent = 0;
  };
  socket.onmessage = ({ data }) => {
    silent = 0;
    const message = JSON.parse(data);
    if (!link.open) {
      link.open = true;
      emit("open");
    }
    if (message.type === "reply") answer(message);
    else {
      if (message.type === "hello") link.client = message.client;
      emit(message.type, message);
    }
  };
  socket.onclose = () => {
    link.open = false;
    for (const id of [...waiting.keys()]) answer({ id, ok: false, text: "the connection was lost" });
    emit("close");
    lookWhy();
    again = setTimeout(connect, pause);
    pause = Math.min(2 * pause, 4000);
  };
}

// A network that is gone closes no socket: silence is a loss, too. Looks are counted, not seconds: a page that was held up for long finds what came meanwhile
// behind this look, not in front of it.
setInterval(() => {
  silent += 1;
  if (link.open && silent > 5) socket.close();
}, 500);
