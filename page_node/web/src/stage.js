// Where the robot stands: renderer, camera, light, floor. Drawn only when something is new: a page that is looked at costs no more than it has to.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { $, colour } from "./dom.js";
import { makeFloor } from "./floor.js";

export const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(38, 1, 0.02, 60);
camera.up.set(0, 0, 1);
camera.position.set(1.05, -1.25, 0.72);
/** None where the browser has no WebGL: a machine without graphics, or one that forbids it. STOP and all the rest work without. */
function makeRenderer() {
  try {
    return new THREE.WebGLRenderer({ canvas: $("scene"), antialias: true, preserveDrawingBuffer: true });
  } catch {
    return null;
  }
}
const renderer = makeRenderer();
export const canDraw = renderer != null;
// Without a graphics processor the picture is drawn by the one that the robot walks with: fewer pictures, no shadows unless ?full asks for them.
const info = renderer?.getContext().getExtension("WEBGL_debug_renderer_info");
const software = /swiftshader|llvmpipe|software/i.test(info ? renderer.getContext().getParameter(info.UNMASKED_RENDERER_WEBGL) : "");
const isLight = software && !new URLSearchParams(location.search).has("full");
const SHORTEST = software ? 250 : 0; // ms between two pictures
if (renderer) Object.assign(renderer.shadowMap, { enabled: !isLight, type: THREE.PCFShadowMap });

const controls = new OrbitControls(camera, $("scene"));
controls.target.set(0, 0, 0.26);
controls.maxPolarAngle = 1.53;
controls.minDistance = 0.3;
controls.maxDistance = 12;

const hemisphere = new THREE.HemisphereLight(0xffffff, 0x9a8f80, 1.6);
hemisphere.position.set(0, 0, 1);
const sun = new THREE.DirectionalLight(0xffffff, 1.9);
sun.castShadow = true;
sun.shadow.mapSize.set(1024, 1024);
Object.assign(sun.shadow.camera, { left: -0.8, right: 0.8, top: 0.8, bottom: -0.8, near: 0.5, far: 5 });
sun.shadow.radius = 4;
const shade = new THREE.Mesh(new THREE.PlaneGeometry(4, 4), new THREE.ShadowMaterial({ opacity: 0.22 }));
shade.receiveShadow = true;
shade.position.z = -0.0015;
const floor = makeFloor();
scene.add(hemisphere, sun, sun.target, floor.mesh, shade);

/** Light, floor and, when it follows, the camera go with the robot. */
export function goWith(position, follows) {
  const at = position.clone().setZ(0);
  if (follows) {
    const step = at.clone().setZ(0.26).sub(controls.target);
    controls.target.add(step);
    camera.position.add(step);
  }
  sun.target.position.copy(at);
  sun.position.copy(at).add(new THREE.Vector3(0.9, -0.7, 2.2));
  shade.position.set(at.x, at.y, shade.position.z);
  floor.mesh.position.set(at.x, at.y, floor.mesh.position.z);
  redraw();
}

/** The colours of the theme. */
export function paint() {
  scene.background = new THREE.Color(colour("sky"));
  scene.fog = new THREE.Fog(colour("sky"), 5, 16);
  floor.paint();
  redraw();
}

/** What is seen, as a picture. */
export const picture = (take) => $("scene").toBlob(take);

function resize() {
  const { clientWidth: width, clientHeight: height } = $("view");
  if (!renderer) return;
  renderer.setPixelRatio(Math.min(devicePixelRatio, isLight ? 1 : 2));
  renderer.setSize(width, height, false);
  camera.aspect = width / Math.max(height, 1);
  // A narrow view is looked at from further away, so that the robot fits.
  camera.zoom = Math.min(1, camera.aspect / 1.1);
  camera.updateProjectionMatrix();
  redraw();
}
new ResizeObserver(resize).observe($("view"));
controls.addEventListener("change", redraw);
$("scene").addEventListener("webglcontextrestored", redraw);

let dirty = true;
let drawn = 0;
export let pictures = 0;
export function redraw() {
  dirty = true;
}
function draw(now = 0) {
  requestAnimationFrame(draw);
  if (!dirty || now - drawn < SHORTEST) return;
  dirty = false;
  drawn = now;
  controls.update();
  renderer.render(scene, camera);
  pictures += 1;
}
if (renderer) draw();
