// Where the robot went: its path, and where its feet stood.

import * as THREE from "three";
import { colour } from "./dom.js";

const PATH = 4000;
const PRINTS = 240;
const NEAR = 0.004; // m: a point of the path this close to the last says nothing

const points = new Float32Array(3 * PATH);
let length = 0;
const path = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial());
path.geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
path.frustumCulled = false;
const prints = new THREE.InstancedMesh(new THREE.CircleGeometry(0.022, 20), new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.35, depthWrite: false }), PRINTS);
prints.count = 0;
prints.frustumCulled = false;
let number = 0;

export const parts = [path, prints];

export function clear() {
  length = prints.count = number = 0;
  path.geometry.setDrawRange(0, 0);
}

export function paint() {
  path.material.color.set(colour("accent"));
  prints.material.color.set(colour("accent"));
}

/** A foot came down here. */
export function print(at) {
  prints.setMatrixAt(number % PRINTS, new THREE.Matrix4().makeTranslation(at.x, at.y, 0.0008));
  prints.instanceMatrix.needsUpdate = true;
  prints.count = Math.min(++number, PRINTS);
}

/** The body is here. */
export function walk([x, y]) {
  const last = 3 * (length - 1);
  if (length && Math.hypot(x - points[last], y - points[last + 1]) < NEAR) return;
  if (length === PATH) {
    points.copyWithin(0, 3 * (PATH / 2));
    length = PATH / 2;
  }
  points.set([x, y, 0.003], 3 * length++);
  path.geometry.setDrawRange(0, length);
  path.geometry.attributes.position.needsUpdate = true;
}

export const seen = () => ({ path: length, prints: number });
