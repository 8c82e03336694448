// The robot from its URDF: solid as commanded, a ghost as measured, another as it is.

import * as THREE from "three";
import { ColladaLoader } from "three/examples/jsm/loaders/ColladaLoader.js";
import { STLLoader } from "three/examples/jsm/loaders/STLLoader.js";
import URDFLoader from "urdf-loader";
import { headers } from "./connection.js";
import { makeFallback } from "./fallback.js";

function ghostly(robot, tint) {
  // Where it is where the solid one is, the solid one is seen: the ghost shows what differs.
  const material = new THREE.MeshStandardMaterial({ color: tint, transparent: true, opacity: 0.45, depthWrite: false, roughness: 0.6, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 8 });
  robot.traverse((part) => {
    if (part.isMesh) Object.assign(part, { material, castShadow: false, renderOrder: 2 });
  });
  robot.visible = false;
  return robot;
}

function solid(robot) {
  robot.traverse((part) => {
    if (!part.isMesh) return;
    part.castShadow = part.receiveShadow = true;
    for (const material of [part.material].flat()) Object.assign(material, { roughness: 0.7, metalness: 0.05 });
  });
  for (const link of Object.values(robot.links)) {
    const axes = new THREE.AxesHelper(0.06);
    Object.assign(axes, { visible: false, renderOrder: 3, name: "frame" });
    axes.material.depthTest = false;
    link.add(axes);
  }
  return robot;
}

/** A mesh that the URDF names, from the robot; null when it is not to be had. */
async function mesh(name, material) {
  const answer = await fetch(`mesh/${encodeURIComponent(name)}`, { headers: headers() });
  if (!answer.ok) return null;
  if (/\.dae$/i.test(name)) return new ColladaLoader().parse(await answer.text(), "").scene;
  return new THREE.Mesh(new STLLoader().parse(await answer.arrayBuffer()), material ?? new THREE.MeshStandardMaterial({ color: 0x9aa0a8 }));
}

/** Visual shapes, else collision shapes, else capsules from joint to joint. */
async function parse(urdf) {
  const loader = new URDFLoader();
  const coming = [];
  loader.packages = (name) => `package://${name}`;
  loader.loadMeshCb = (name, _manager, material, done) => coming.push(mesh(name, material).catch(() => null).then((found) => found && done(found)));
  const shapes = (robot) => {
    let any = false;
    robot.traverse((part) => (any ||= part.isMesh));
    return any;
  };
  const whole = async () => {
    const robot = loader.parse(urdf);
    await Promise.all(coming);
    return robot;
  };
  let robot = await whole();
  if (!shapes(robot)) {
    loader.parseCollision = true;
    robot = await whole();
    robot.traverse((part) => (part.visible = true));
  }
  return shapes(robot) ? robot : makeFallback(robot);
}

export async function makeRobots(urdf) {
  const [commanded, measured, real] = await Promise.all([parse(urdf), parse(urdf), parse(urdf)]);
  return { commanded: solid(commanded), measured: ghostly(measured, 0x2f7fd6), true: ghostly(real, 0x22a06b) };
}

export function pose(robot, body) {
  if (body) {
    robot.position.set(...body.position);
    robot.quaternion.set(...body.orientation);
  } else {
    robot.position.set(0, 0, 0);
    robot.quaternion.identity();
  }
}

/** Moves the joints; whether their values are known. */
export function joints(robot, names, values) {
  if (!values) return false;
  names.forEach((name, index) => {
    const value = values[index];
    // A joint may be called as what every object has, too.
    if (value != null && Object.hasOwn(robot.joints, name)) robot.setJointValue(name, value);
  });
  return true;
}

/** The contact points of a foot in the world. */
export function worldPoints(robot, foot) {
  const link = robot.links[foot.link];
  return link ? foot.points.map((point) => new THREE.Vector3(...point).applyMatrix4(link.matrixWorld)) : [];
}

/** Nobody knows where the body is: its lowest foot is put on the floor. */
export function ground(robot, feet) {
  robot.updateMatrixWorld(true);
  let lowest = Infinity;
  for (const foot of feet) for (const point of worldPoints(robot, foot)) lowest = Math.min(lowest, point.z);
  if (Number.isFinite(lowest)) robot.position.z -= lowest;
}

export const showFrames = (robot, visible) => robot.traverse((part) => part.name === "frame" && (part.visible = visible));
