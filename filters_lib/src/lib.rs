//! Discrete filters for robot motion: integrators, differentiators, fusions, transients, standard links.
