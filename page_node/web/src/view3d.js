// The robot in 3D: what is known of it at this moment, its feet and what they stand on.

import * as THREE from "three";
import { colour } from "./dom.js";
import { convexHull } from "./hull.js";
import { ground, joints, makeRobots, pose, showFrames, worldPoints } from "./robots.js";
import * as stage from "./stage.js";
import * as trail from "./trail.js";

const NEWTON = 0.003; // m of arrow per N
const JUMP = 0.15; // m: a body that moved so far between two snapshots was put elsewhere

export const show = { follow: true, measured: true, true: false, forces: true, frames: false };
let robots = null;
let feet = [];
let asked = 0; // robots that were to be loaded
let align = null; // takes the world of the truth to that of the odometry
let lastOdom = null;

const polygon = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.25, side: THREE.DoubleSide, depthWrite: false }));
const outline = new THREE.LineLoop(new THREE.BufferGeometry(), new THREE.LineBasicMaterial());
stage.scene.add(polygon, outline, ...trail.parts);

export async function loadRobot(urdf, chains) {
  const number = ++asked;
  const made = await makeRobots(urdf);
  // Its meshes took longer than those of the one that came after it.
  if (number !== asked) return;
  if (robots) stage.scene.remove(...Object.values(robots));
  for (const foot of feet) stage.scene.remove(foot.disc, foot.arrow);
  robots = made;
  stage.scene.add(...Object.values(robots));
  feet = chains.filter((chain) => chain.points?.length).map((chain) => {
    const disc = new THREE.Mesh(new THREE.RingGeometry(0.035, 0.05, 32), new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.9, depthWrite: false }));
    const arrow = new THREE.ArrowHelper(new THREE.Vector3(0, 0, 1), new THREE.Vector3(), 0.1, 0x22a06b, 0.03, 0.02);
    arrow.visible = false;
    // It begins inside the leg that it pushes.
    for (const part of [arrow.line, arrow.cone]) {
      part.material.depthTest = false;
      part.renderOrder = 4;
    }
    stage.scene.add(disc, arrow);
    return { ...chain, disc, arrow, stands: false, at: new THREE.Vector3() };
  });
  clearPath();
  paint();
}

export function clearPath() {
  trail.clear();
  align = null;
  stage.redraw();
}

export function paint() {
  polygon.material.color.set(colour("good"));
  outline.material.color.set(colour("good"));
  trail.paint();
  stage.paint();
}

const matrixOf = (body) => new THREE.Matrix4().compose(new THREE.Vector3(...body.position), new THREE.Quaternion(...body.orientation), new THREE.Vector3(1, 1, 1));

export function update(snapshot, names) {
  if (!robots || snapshot.names !== names.revision) return;
  const { odom, truth } = snapshot;
  const { commanded, measured } = robots;
  commanded.visible = joints(commanded, names, snapshot.commanded ?? snapshot.measured);
  pose(commanded, odom);
  if (!odom) ground(commanded, feet);
  showFrames(commanded, show.frames);
  commanded.updateMatrixWorld(true);
  // An odometry that was reset begins a new path.
  if (odom && lastOdom && Math.hypot(odom.position[0] - lastOdom[0], odom.position[1] - lastOdom[1]) > JUMP) clearPath();
  lastOdom = odom?.position ?? null;

  measured.visible = show.measured && joints(measured, names, snapshot.measured);
  measured.position.copy(commanded.position);
  measured.quaternion.copy(commanded.quaternion);

  if (truth && odom && !align) align = matrixOf(odom).multiply(matrixOf(truth).invert());
  robots.true.visible = show.true && !!truth && !!align && joints(robots.true, names, snapshot.true);
  if (robots.true.visible) align.clone().multiply(matrixOf(truth)).decompose(robots.true.position, robots.true.quaternion, new THREE.Vector3());

  stand(snapshot);
  if (odom) trail.walk(odom.position);
  stage.goWith(commanded.position, show.follow);
}

function stand(snapshot) {
  const support = snapshot.support ? new Map(snapshot.support) : null;
  const forces = new Map((snapshot.forces ?? []).map((force) => [force.name, force]));
  const corners = [];
  // From the world of the truth to that of the odometry.
  const turn = snapshot.odom && snapshot.truth && new THREE.Quaternion(...snapshot.odom.orientation).multiply(new THREE.Quaternion(...snapshot.truth.orientation).invert());
  for (const foot of feet) {
    const points = worldPoints(robots.commanded, foot);
    if (!points.length) continue;
    foot.at.set(0, 0, 0);
    for (const point of points) foot.at.addScaledVector(point, 1 / points.length);
    const stands = support ? (support.get(foot.name) ?? 0) > 0 : null;
    foot.disc.position.copy(foot.at).setZ(Math.max(foot.at.z, 0) + 0.002);
    foot.disc.material.color.set(colour(stands == null ? "unknown" : stands ? "good" : "lifted"));
    if (stands) corners.push(...points);
    if (stands && !foot.stands && snapshot.odom) trail.print(foot.at);
    foot.stands = stands;
    push(foot, forces.get(foot.name), turn);
  }
  const hull = convexHull(corners.map((point) => [point.x, point.y]));
  polygon.visible = outline.visible = hull.length > 2;
  if (!polygon.visible) return;
  outline.geometry.dispose();
  outline.geometry = new THREE.BufferGeometry().setFromPoints(hull.map(([x, y]) => new THREE.Vector3(x, y, 0.001)));
  polygon.geometry.dispose();
  polygon.geometry = new THREE.ShapeGeometry(new THREE.Shape(hull.map(([x, y]) => new THREE.Vector2(x, y))));
  polygon.position.z = 0.001;
}

/** The ground's push on a foot, as an arrow from where the foot is drawn. */
function push(foot, force, turn) {
  const strength = force ? Math.hypot(...force.force) : 0;
  foot.arrow.visible = show.forces && strength > 0.5 && !!turn;
  if (!foot.arrow.visible) return;
  foot.arrow.position.copy(foot.at);
  foot.arrow.setDirection(new THREE.Vector3(...force.force).normalize().applyQuaternion(turn));
  foot.arrow.setLength(strength * NEWTON, 0.02, 0.012);
}

/** For tests, and for whoever wonders: where a link is drawn, of what shapes, and how many pictures were. */
export function linkPosition(name) {
  const at = new THREE.Vector3();
  robots?.commanded.links[name]?.getWorldPosition(at);
  return at.toArray();
}
const shapes = () => {
  const found = [];
  robots?.commanded.traverse(({ isMesh, geometry }) => isMesh && found.push(`${geometry.type} ${geometry.attributes.position.count}`));
  return found;
};
export const drawn = () => ({ pictures: stage.pictures, shapes: shapes(), ...trail.seen() });
