// What can be plotted: every joint, and what else the robot says of itself. A signal has a unit and some series, each with its colour of the theme and
// its value in a snapshot; null where it is unknown.

const TRACKS = [["commanded", "accent"], ["goal", "violet"], ["measured", "blue"], ["true", "good"]];

const minus = (a, b) => (a == null || b == null ? null : a - b);
const times = (factor, value) => (value == null ? null : factor * value);

function joint(name, index) {
  const at = (key) => (snapshot) => snapshot[key]?.[index] ?? null;
  const off = (key) => (snapshot) => minus(at(key)(snapshot), at("commanded")(snapshot));
  return {
    name, group: "joints", unit: "rad", series: TRACKS.map(([key, paint]) => ({ name: key, paint, of: at(key) })),
    below: { unit: "error, rad", series: [{ name: "measured − commanded", paint: "blue", of: off("measured") }, { name: "true − commanded", paint: "good", of: off("true") }] },
  };
}

const load = (name, index) => ({ name: `${name}: load`, group: "loads", unit: "N·m", series: [{ name: "measured", paint: "blue", of: (snapshot) => snapshot.load?.[index] ?? null }] });

const ROBOT = [
  { name: "velocity", unit: "m/s", series: [{ name: "ahead", paint: "accent", of: ({ odom }) => odom?.velocity[0] ?? null }, { name: "left", paint: "blue", of: ({ odom }) => odom?.velocity[1] ?? null }],
    below: { unit: "rad/s", series: [{ name: "turn", paint: "good", of: ({ odom }) => odom?.velocity[2] ?? null }] } },
  { name: "height", unit: "m", series: [{ name: "by odometry", paint: "accent", of: ({ odom }) => odom?.position[2] ?? null }, { name: "true", paint: "good", of: ({ truth }) => truth?.position[2] ?? null }] },
  { name: "stability margin", unit: "mm", series: [{ name: "margin", paint: "good", of: ({ margin }) => times(1000, margin) }] },
  { name: "battery", unit: "V", series: [{ name: "voltage", paint: "warn", of: ({ battery }) => battery ?? null }] },
  { name: "cycle", unit: "work, ms", series: [{ name: "p50", paint: "good", of: ({ cycle_ms }) => cycle_ms?.[0] ?? null }, { name: "p99", paint: "accent", of: ({ cycle_ms }) => cycle_ms?.[1] ?? null }, { name: "max", paint: "bad", of: ({ cycle_ms }) => cycle_ms?.[2] ?? null }],
    below: { unit: "wake-up, ms", series: [{ name: "late by, p99", paint: "blue", of: ({ cycle_ms }) => cycle_ms?.[3] ?? null }] } },
  { name: "latency", unit: "ms", series: [{ name: "cycle's start → goal heard here", paint: "accent", of: ({ latency }) => times(1000, latency) }] },
].map((signal) => ({ ...signal, group: "robot" }));

export const signalsOf = (names) => [...names.map(joint), ...ROBOT, ...names.map(load)];
