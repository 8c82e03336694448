// The essentials without any library: stop, state, drive.
"use strict";

const $ = (id) => document.getElementById(id);
let token = new URLSearchParams(location.hash.slice(1)).get("token");
if (token) history.replaceState(null, "", location.pathname);
// Some forbid pages to keep anything; STOP must be there all the same.
try {
  if (token) sessionStorage.setItem("token", token);
  token = sessionStorage.getItem("token");
} catch {}
let socket = null;
let silent = 0; // looks in a row at which nothing had come
let held = null;
let looked = Date.now();
let stop = "none";

function say(message) {
  if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  else $("said").textContent = "Not connected: the robot was not told.";
}

function rows(values) {
  $("table").replaceChildren(...values.map(([name, value]) => {
    const row = document.createElement("tr");
    for (const text of [name, value]) row.append(Object.assign(document.createElement("td"), { textContent: text }));
    return row;
  }));
}

const take = {
  snapshot: ({ cycle, battery, odom, support, fallen }) => rows([
    ["cycle", cycle ?? "unknown"], ["battery", battery == null ? "unknown" : `${battery.toFixed(1)} V`],
    ["body", odom ? odom.position.map((x) => x.toFixed(2)).join(" ") + " m" : "unknown"],
    ["stands on", support ? support.filter(([, s]) => s > 0).map(([name]) => name).join(" ") : "unknown"], ["fell", fallen == null ? "unknown" : fallen ? "yes" : "no"],
  ]),
  drive: (told) => {
    stop = told.stop;
    $("state").textContent = stop === "held" ? "STOPPED: all servos are free" : stop === "asked" ? `STOP is not confirmed yet: ${told.text}` : "connected";
  },
  reply: ({ ok, text }) => ($("said").textContent = ok ? text : `Refused: ${text}`),
};

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`, token ? ["gaitway", `token.${token}`] : ["gaitway"]);
  socket.onmessage = ({ data }) => {
    silent = 0;
    const message = JSON.parse(data);
    take[message.type]?.(message);
  };
  socket.onclose = () => {
    $("state").textContent = "Connection lost. The robot halts by itself; trying again …";
    rows([]);
    setTimeout(connect, 1000);
  };
}

// A network that is gone closes no socket: silence is a loss, too.
setInterval(() => {
  silent += 1;
  if (silent > 5 && socket.readyState === WebSocket.OPEN) socket.close();
}, 500);

// When it is touched, not when it is let go; a click without a pointer is a key's.
$("stop").onpointerdown = ({ button }) => button === 0 && say({ type: "stop" });
$("stop").onclick = ({ detail }) => detail === 0 && say({ type: "stop" });
$("clear").onclick = () => say({ type: "clear_stop" });
addEventListener("keydown", (event) => {
  if (![" ", "Escape"].includes(event.key)) return;
  // Else Space would also press the button that was used last, and that may be the one that clears the stop.
  event.preventDefault();
  if (!event.repeat) say({ type: "stop" });
});
for (const button of document.querySelectorAll("[data-order]")) button.onclick = () => say({ type: "order", order: button.dataset.order });
function letGo() {
  if (held) say({ type: "release" });
  held = null;
}
for (const button of document.querySelectorAll("[data-drive]")) {
  button.onpointerdown = (event) => event.button === 0 && (held = button.dataset.drive.split(",").map(Number));
  button.oncontextmenu = (event) => event.preventDefault();
  button.onpointerup = button.onpointerleave = button.onpointercancel = letGo;
}
addEventListener("blur", letGo);
document.addEventListener("visibilitychange", letGo);
setInterval(() => {
  // A page that was asleep may have lost whoever held the button.
  if (Date.now() - looked > 2400) letGo();
  looked = Date.now();
  if (held) say({ type: "drive", forward: held[0], left: held[1], turn: held[2] });
}, 50);
connect();
