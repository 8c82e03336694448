//! Typed parameters with units and ranges, and the ROS 2 parameter YAML.
