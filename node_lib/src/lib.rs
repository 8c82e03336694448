//! What every Gaitway node does the same way, on top of r2r.
