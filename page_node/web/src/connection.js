// The one socket: what the robot says comes in as events, what people want goes out with a number and comes back as an answer.

/** The token behind the address (#token=…), kept for this tab only and taken out of the address bar. */
function takeToken() {
  const found = new URLSearchParams(location.hash.slice(1)).get("token");
  if (found) {
    sessionStorage.setItem("token", found);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem("token") ?? "";
}

const token = takeToken();
const listeners = new Map();
const waiting = new Map();
let socket = null;
let number = 0;
let pause = 250;
let heard = 0;

export const link = { open: false, client: 0 };

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

/** Asks; the answer has ok, text and data. */
export function ask(message) {
  const id = ++number;
  return new Promise((resolve) => {
    if (!say({ ...message, id })) return resolve({ ok: false, text: "not connected to the robot" });
    waiting.set(id, resolve);
  });
}

export function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/ws`, token ? ["gaitway", `token.${token}`] : ["gaitway"]);
  socket.onopen = () => {
    pause = 250;
    heard = performance.now();
  };
  socket.onmessage = ({ data }) => {
    heard = performance.now();
    const message = JSON.parse(data);
    if (!link.open) {
      link.open = true;
      emit("open");
    }
    if (message.type === "reply") {
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
      if (!message.ok) emit("refused", message);
    } else {
      if (message.type === "hello") link.client = message.client;
      emit(message.type, message);
    }
  };
  socket.onclose = () => {
    link.open = false;
    for (const resolve of waiting.values()) resolve({ ok: false, text: "the connection was lost" });
    waiting.clear();
    emit("close");
    setTimeout(connect, pause);
    pause = Math.min(2 * pause, 4000);
  };
}

// A network that is gone closes no socket: silence is a loss, too.
setInterval(() => {
  if (link.open && performance.now() - heard > 2500) socket.close();
}, 500);
