// The floor: a line every quarter of a metre, a stronger one every metre, lost in the haze. Drawn by a shader: lines of a grid as long as this one
// vanish where a graphics processor is imitated, and flicker where there is one.

import * as THREE from "three";
import { colour } from "./dom.js";

const VERTEX = `
  varying vec3 at;
  void main() {
    vec4 world = modelMatrix * vec4(position, 1.0);
    at = world.xyz;
    gl_Position = projectionMatrix * viewMatrix * world;
  }`;

const FRAGMENT = `
  varying vec3 at;
  uniform vec3 ground, thin, strong, sky;
  // How much of a line there is here; lines closer than pixels are none.
  float line(float step, float width) {
    vec2 way = at.xy / step;
    vec2 pixel = max(fwidth(way), vec2(1e-6));
    vec2 off = abs(fract(way - 0.5) - 0.5) / pixel;
    vec2 there = (1.0 - smoothstep(vec2(width - 0.5), vec2(width + 0.5), off)) * (1.0 - smoothstep(0.12, 0.5, pixel));
    return max(there.x, there.y);
  }
  void main() {
    vec3 found = mix(ground, thin, line(0.25, 0.6));
    found = mix(found, strong, line(1.0, 0.9));
    float haze = smoothstep(2.5, 9.0, distance(at, cameraPosition));
    gl_FragColor = vec4(mix(found, sky, haze), 1.0);
    #include <colorspace_fragment>
  }`;

export function makeFloor() {
  const uniforms = Object.fromEntries(["ground", "thin", "strong", "sky"].map((name) => [name, { value: new THREE.Color() }]));
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(80, 80), new THREE.ShaderMaterial({ uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, depthWrite: false }));
  mesh.position.z = -0.003;
  // First, and without depth: a foot that the odometry puts below the floor is still seen.
  mesh.renderOrder = -1;
  const paint = () => {
    for (const [name, key] of [["ground", "ground"], ["thin", "grid"], ["strong", "grid-strong"], ["sky", "sky"]]) uniforms[name].value.set(colour(key));
  };
  return { mesh, paint };
}
