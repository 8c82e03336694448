// The robot in 3D: solid as commanded, a ghost as measured, another as it is; its feet, what they stand on, where it went.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import URDFLoader from "urdf-loader";
import { $, colour } from "./dom.js";
import { convexHull } from "./hull.js";
import { makeFallback } from "./fallback.js";

const PATH = 4000;
const PRINTS = 240;
const NEWTON = 0.003; // m of arrow per N

const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(38, 1, 0.02, 60);
camera.up.set(0, 0, 1);
camera.position.set(1.0, -1.2, 0.68);
const renderer = new THREE.WebGLRenderer({ canvas: $("scene"), antialias: true, preserveDrawingBuffer: true });
// Without a graphics processor the picture is drawn by the one that the robot walks with: fewer pictures, no shadows unless ?full asks for them.
const info = renderer.getContext().getExtension("WEBGL_debug_renderer_info");
const software = /swiftshader|llvmpipe|software/i.test(info ? renderer.getContext().getParameter(info.UNMASKED_RENDERER_WEBGL) : "");
const isLight = software && !new URLSearchParams(location.search).has("full");
const SHORTEST = software ? 250 : 0; // ms between two pictures
renderer.shadowMap.enabled = !isLight;
renderer.shadowMap.type = THREE.PCFShadowMap;
const controls = new OrbitControls(camera, renderer.domElement);
controls.target.set(0, 0, 0.26);
controls.maxPolarAngle = 1.55;
controls.minDistance = 0.3;
controls.maxDistance = 12;

const hemisphere = new THREE.HemisphereLight(0xffffff, 0x9a8f80, 1.5);
hemisphere.position.set(0, 0, 1);
const sun = new THREE.DirectionalLight(0xffffff, 2.0);
sun.castShadow = true;
sun.shadow.mapSize.set(1024, 1024);
Object.assign(sun.shadow.camera, { left: -0.8, right: 0.8, top: 0.8, bottom: -0.8, near: 0.5, far: 5 });
sun.shadow.radius = 4;
const floor = new THREE.Mesh(new THREE.PlaneGeometry(80, 80), new THREE.ShadowMaterial({ opacity: 0.22 }));
floor.receiveShadow = true;
floor.position.z = -0.0015;
let grid = null;
scene.add(hemisphere, sun, sun.target, floor);

const robots = { commanded: null, measured: null, true: null };
export const show = { follow: true, measured: true, true: false, forces: true, frames: false };
let chains = [];
let feet = [];
let dirty = true;
let align = null; // takes the world of the truth to that of the odometry
let lastOdom = null;

const polygon = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.25, side: THREE.DoubleSide, depthWrite: false }));
const outline = new THREE.LineLoop(new THREE.BufferGeometry(), new THREE.LineBasicMaterial());
const pathPoints = new Float32Array(3 * PATH);
let pathLength = 0;
const path = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial());
path.geometry.setAttribute("position", new THREE.BufferAttribute(pathPoints, 3));
path.frustumCulled = false;
const prints = new THREE.InstancedMesh(new THREE.CircleGeometry(0.022, 20), new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.35, depthWrite: false }), PRINTS);
prints.count = 0;
prints.frustumCulled = false;
let printNumber = 0;
scene.add(polygon, outline, path, prints);

function ghostly(robot, tint) {
  // Where it is where the solid one is, the solid one is seen: the ghost shows what differs.
  const material = new THREE.MeshStandardMaterial({ color: tint, transparent: true, opacity: 0.45, depthWrite: false, roughness: 0.6, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 8 });
  robot.traverse((part) => {
    if (part.isMesh) Object.assign(part, { material, castShadow: false, renderOrder: 2 });
  });
  robot.visible = false;
  return robot;
}

/** Visual shapes, else collision shapes, else capsules from joint to joint. */
function parse(urdf) {
  const loader = new URDFLoader();
  loader.loadMeshCb = (_path, _manager, done) => done(new THREE.Group());
  const shapes = (robot) => {
    let any = false;
    robot.traverse((part) => (any ||= part.isMesh));
    return any;
  };
  let robot = loader.parse(urdf);
  if (!shapes(robot)) {
    loader.parseCollision = true;
    robot = loader.parse(urdf);
    robot.traverse((part) => (part.visible = true));
  }
  return shapes(robot) ? robot : makeFallback(robot);
}

export function loadRobot(urdf, limbs) {
  for (const key of Object.keys(robots)) if (robots[key]) scene.remove(robots[key]);
  chains = limbs;
  robots.commanded = parse(urdf);
  robots.commanded.traverse((part) => {
    if (!part.isMesh) return;
    part.castShadow = part.receiveShadow = true;
    for (const material of [part.material].flat()) Object.assign(material, { roughness: 0.7, metalness: 0.05 });
  });
  robots.measured = ghostly(parse(urdf), 0x2f7fd6);
  robots.true = ghostly(parse(urdf), 0x22a06b);
  scene.add(robots.commanded, robots.measured, robots.true);
  for (const foot of feet) scene.remove(foot.disc, foot.arrow, foot.axes);
  feet = chains.filter((chain) => chain.points?.length).map((chain) => {
    const disc = new THREE.Mesh(new THREE.RingGeometry(0.035, 0.05, 32), new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.9, depthWrite: false }));
    const arrow = new THREE.ArrowHelper(new THREE.Vector3(0, 0, 1), new THREE.Vector3(), 0.1, 0x22a06b, 0.03, 0.02);
    const axes = new THREE.AxesHelper(0.08);
    arrow.visible = axes.visible = false;
    scene.add(disc, arrow, axes);
    return { ...chain, disc, arrow, axes, stands: false, at: new THREE.Vector3() };
  });
  clearPath();
  paint();
}

export function clearPath() {
  pathLength = prints.count = printNumber = 0;
  path.geometry.setDrawRange(0, 0);
  align = null;
  dirty = true;
}

/** The colours of the theme. */
export function paint() {
  scene.background = new THREE.Color(colour("sky"));
  scene.fog = new THREE.Fog(colour("sky"), 5, 16);
  if (grid) scene.remove(grid);
  grid = new THREE.GridHelper(40, 160, colour("grid-strong"), colour("grid"));
  grid.rotation.x = Math.PI / 2;
  grid.position.z = -0.002;
  scene.add(grid);
  polygon.material.color.set(colour("good"));
  outline.material.color.set(colour("good"));
  path.material.color.set(colour("accent"));
  prints.material.color.set(colour("accent"));
  dirty = true;
}

function pose(robot, body) {
  if (body) {
    robot.position.set(...body.position);
    robot.quaternion.set(...body.orientation);
  } else {
    robot.position.set(0, 0, 0);
    robot.quaternion.identity();
  }
}

function joints(robot, names, values) {
  if (!values) return false;
  names.forEach((name, index) => {
    const value = values[index];
    if (value != null && robot.joints[name]) robot.setJointValue(name, value);
  });
  return true;
}

/** Nobody knows where the body is: its lowest foot is put on the floor. */
function ground(robot) {
  robot.updateMatrixWorld(true);
  let lowest = Infinity;
  for (const foot of feet) for (const point of worldPoints(robot, foot)) lowest = Math.min(lowest, point.z);
  if (Number.isFinite(lowest)) robot.position.z -= lowest;
}

function worldPoints(robot, foot) {
  const link = robot.links[foot.link];
  return link ? foot.points.map((point) => new THREE.Vector3(...point).applyMatrix4(link.matrixWorld)) : [];
}

const matrixOf = (body) => new THREE.Matrix4().compose(new THREE.Vector3(...body.position), new THREE.Quaternion(...body.orientation), new THREE.Vector3(1, 1, 1));

export function update(snapshot, names) {
  const { commanded } = robots;
  if (!commanded || snapshot.names !== names.length) return;
  const { odom } = snapshot;
  commanded.visible = joints(commanded, names, snapshot.commanded ?? snapshot.measured);
  pose(commanded, odom);
  if (!odom) ground(commanded);
  commanded.updateMatrixWorld(true);
  // An odometry that was reset begins a new path.
  if (odom && lastOdom && Math.hypot(odom.position[0] - lastOdom[0], odom.position[1] - lastOdom[1]) > 0.15) clearPath();
  lastOdom = odom?.position ?? null;

  robots.measured.visible = show.measured && joints(robots.measured, names, snapshot.measured);
  robots.measured.position.copy(commanded.position);
  robots.measured.quaternion.copy(commanded.quaternion);

  if (snapshot.truth && odom && !align) align = matrixOf(odom).multiply(matrixOf(snapshot.truth).invert());
  robots.true.visible = show.true && !!snapshot.truth && !!align && joints(robots.true, names, snapshot.true);
  if (robots.true.visible) align.clone().multiply(matrixOf(snapshot.truth)).decompose(robots.true.position, robots.true.quaternion, new THREE.Vector3());

  stand(snapshot);
  if (odom) walk(odom);
  if (show.follow) {
    const step = commanded.position.clone().setZ(0.26).sub(controls.target);
    controls.target.add(step);
    camera.position.add(step);
  }
  sun.target.position.copy(commanded.position).setZ(0);
  sun.position.copy(sun.target.position).add(new THREE.Vector3(0.9, -0.7, 2.2));
  dirty = true;
}

function stand(snapshot) {
  const support = snapshot.support ? new Map(snapshot.support) : null;
  const forces = new Map((snapshot.forces ?? []).map((force) => [force.name, force]));
  const corners = [];
  for (const foot of feet) {
    const points = worldPoints(robots.commanded, foot);
    if (!points.length) continue;
    foot.at.set(0, 0, 0);
    for (const point of points) foot.at.addScaledVector(point, 1 / points.length);
    const stands = support ? (support.get(foot.name) ?? 0) > 0 : null;
    foot.disc.position.copy(foot.at).setZ(Math.max(foot.at.z, 0) + 0.002);
    foot.disc.material.color.set(colour(stands == null ? "unknown" : stands ? "good" : "lifted"));
    if (stands) corners.push(...points);
    if (stands && !foot.stands && snapshot.odom) print(foot.at);
    foot.stands = stands;
    const force = forces.get(foot.name);
    const strength = force ? Math.hypot(...force.force) : 0;
    foot.arrow.visible = show.forces && strength > 0.5 && !!align;
    if (foot.arrow.visible) {
      foot.arrow.position.copy(new THREE.Vector3(...force.at).applyMatrix4(align));
      foot.arrow.setDirection(new THREE.Vector3(...force.force).transformDirection(align));
      foot.arrow.setLength(strength * NEWTON, 0.02, 0.012);
    }
    foot.axes.visible = show.frames;
    if (show.frames) robots.commanded.links[foot.link].matrixWorld.decompose(foot.axes.position, foot.axes.quaternion, new THREE.Vector3());
  }
  const hull = convexHull(corners.map((point) => [point.x, point.y]));
  polygon.visible = outline.visible = hull.length > 2;
  if (polygon.visible) {
    const points = hull.map(([x, y]) => new THREE.Vector3(x, y, 0.001));
    outline.geometry.dispose();
    outline.geometry = new THREE.BufferGeometry().setFromPoints(points);
    polygon.geometry.dispose();
    polygon.geometry = new THREE.ShapeGeometry(new THREE.Shape(hull.map(([x, y]) => new THREE.Vector2(x, y))));
    polygon.position.z = 0.001;
  }
}

function print(at) {
  prints.setMatrixAt(printNumber % PRINTS, new THREE.Matrix4().makeTranslation(at.x, at.y, 0.0008));
  prints.instanceMatrix.needsUpdate = true;
  prints.count = Math.min(++printNumber, PRINTS);
}

function walk(odom) {
  const last = 3 * (pathLength - 1);
  const [x, y] = odom.position;
  if (pathLength && Math.hypot(x - pathPoints[last], y - pathPoints[last + 1]) < 0.004) return;
  if (pathLength === PATH) {
    pathPoints.copyWithin(0, 3 * (PATH / 2));
    pathLength = PATH / 2;
  }
  pathPoints.set([x, y, 0.003], 3 * pathLength++);
  path.geometry.setDrawRange(0, pathLength);
  path.geometry.attributes.position.needsUpdate = true;
}

/** For tests, and for whoever wonders: where a link is drawn. */
export function linkPosition(name) {
  const at = new THREE.Vector3();
  robots.commanded?.links[name]?.getWorldPosition(at);
  return at.toArray();
}

function resize() {
  const { clientWidth: width, clientHeight: height } = $("view");
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
  renderer.setSize(width, height, false);
  camera.aspect = width / Math.max(height, 1);
  camera.updateProjectionMatrix();
  dirty = true;
}
new ResizeObserver(resize).observe($("view"));
controls.addEventListener("change", () => (dirty = true));

// Drawn only when something is new: a page that is looked at costs no more than it has to.
let drawn = 0;
function draw(now = 0) {
  requestAnimationFrame(draw);
  if (!dirty || now - drawn < SHORTEST) return;
  dirty = false;
  drawn = now;
  controls.update();
  renderer.render(scene, camera);
}
draw();
