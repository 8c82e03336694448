//! Legged robots from their URDF: chains, contacts and flat, fast kinematics.
