// A robot whose URDF has no shapes: a capsule from each joint to the next.

import * as THREE from "three";

export function makeFallback(robot) {
  const material = new THREE.MeshStandardMaterial({ color: 0x8a8f98 });
  for (const joint of Object.values(robot.joints)) {
    const length = joint.position.length();
    if (length < 1e-3 || !joint.parent) continue;
    const capsule = new THREE.Mesh(new THREE.CapsuleGeometry(0.012, length, 4, 10), material);
    capsule.position.copy(joint.position).multiplyScalar(0.5);
    capsule.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), joint.position.clone().normalize());
    joint.parent.add(capsule);
  }
  return robot;
}
