//! The files that a robot's shapes are in: those that its URDF names, and no others.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use urdf_rs::Geometry;

/// What the page draws.
const KINDS: [&str; 2] = ["stl", "dae"];

/// The meshes of a URDF, by the names that it gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meshes(BTreeSet<String>);

impl Meshes {
    /// Those of a robot; a text that is no URDF has none.
    pub fn of(urdf: &str) -> Meshes {
        let links = urdf_rs::read_from_string(urdf).map(|robot| robot.links).unwrap_or_default();
        let visual = links.iter().flat_map(|link| link.visual.iter().map(|visual| &visual.geometry));
        let collision =
            links.iter().flat_map(|link| link.collision.iter().map(|collision| &collision.geometry));
        let name = |shape: &Geometry| match shape {
            Geometry::Mesh { filename, .. } => Some(filename.clone()),
            _ => None,
        };
        Meshes(visual.chain(collision).filter_map(name).collect())
    }

    /// The file of a mesh: `package://name/…` below one of the `prefixes` (`AMENT_PREFIX_PATH`), or `file:///…`. None for what the URDF does not name, for
    /// what is no mesh, and for what lies outside of its package.
    pub fn find(&self, name: &str, prefixes: &str) -> Option<PathBuf> {
        let kind = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
        if !self.0.contains(name) || !KINDS.contains(&kind.as_str()) {
            return None;
        }
        if let Some(path) = name.strip_prefix("file://") {
            return Some(PathBuf::from(path)).filter(|path| path.is_absolute() && path.is_file());
        }
        let inside = Path::new(name.strip_prefix("package://")?);
        if !inside.components().all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        let shares = prefixes
            .split(':')
            .filter(|prefix| !prefix.is_empty())
            .map(|prefix| Path::new(prefix).join("share"));
        shares.map(|share| share.join(inside)).find(|path| path.is_file())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn robot(files: &[&str]) -> Meshes {
        let mesh =
            |file: &&str| format!(r#"<visual><geometry><mesh filename="{file}"/></geometry></visual>"#);
        let link = files.iter().map(mesh).collect::<String>();
        Meshes::of(&format!(r#"<robot name="r"><link name="a">{link}</link></robot>"#))
    }

    #[test]
    fn only_meshes_that_the_urdf_names_are_found_and_nothing_outside_of_packages() {
        let root = std::env::temp_dir().join(format!("gaitway_meshes_{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("share/ant/meshes")).unwrap();
        for file in
            ["share/ant/meshes/leg.stl", "share/ant/meshes/Body.DAE", "share/ant/secret", "secret.stl"]
        {
            fs::write(root.join(file), "x").unwrap();
        }
        let own = root.join("share/ant/meshes/leg.stl");
        let as_file = format!("file://{}", own.display());
        let named = [
            "package://ant/meshes/leg.stl",
            "package://ant/meshes/Body.DAE",
            "package://ant/secret",
            "package://ant/../../secret.stl",
            "package://ant/meshes/gone.stl",
            "http://elsewhere/leg.stl",
            "file://relative.stl",
            as_file.as_str(),
        ];
        let (meshes, prefixes) = (robot(&named), format!(":/nowhere:{}", root.display()));
        let found: Vec<bool> = named.iter().map(|name| meshes.find(name, &prefixes).is_some()).collect();
        assert_eq!(found, [true, true, false, false, false, false, false, true]);
        assert_eq!(meshes.find(named[0], &prefixes), Some(own));
        assert_eq!(meshes.find("package://ant/meshes/leg.stl ", &prefixes), None, "a name of nobody's");
        assert_eq!(Meshes::of("<robot").find(named[0], &prefixes), None);
        fs::remove_dir_all(root).unwrap();
    }
}
