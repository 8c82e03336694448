//! The joints of the stream, in the order in which it names them.

use crate::desired::Refusal;
use robot_model_lib::check_names;

/// The joints as last seen.
#[derive(Clone, Debug, Default)]
pub struct Joints {
    names: Vec<String>,
    /// Their places in the order of the alphabet.
    sorted: Vec<usize>,
}

/// What a message's joints are to those before.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// The same joints in the same order.
    Same,
    /// The same joints in another order: for each place, the place it had before.
    Reordered(Vec<usize>),
    /// Other joints: those that came and those that went.
    Changed {
        /// Joints that were not there before.
        came: Vec<String>,
        /// Joints that are there no longer.
        went: Vec<String>,
    },
}

impl Joints {
    /// The names, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Compares without changing anything. Equal lists, the case of every cycle, cost one comparison per joint.
    pub fn compare(&self, names: &[String]) -> Result<Seen, Refusal> {
        if self.names == names {
            return Ok(Seen::Same);
        }
        check_names(names)?;
        let before: Vec<Option<usize>> = names.iter().map(|name| self.find(name)).collect();
        let places: Option<Vec<usize>> = before.iter().copied().collect();
        if let Some(places) = places.filter(|p| p.len() == self.names.len()) {
            return Ok(Seen::Reordered(places));
        }
        let came = names.iter().zip(&before).filter(|(_, b)| b.is_none()).map(|(n, _)| n.clone()).collect();
        let mut stayed = vec![false; self.names.len()];
        before.into_iter().flatten().for_each(|place| stayed[place] = true);
        let went = self.names.iter().zip(stayed).filter(|(_, stayed)| !stayed).map(|(n, _)| n.clone());
        Ok(Seen::Changed { came, went: went.collect() })
    }

    /// The place of a joint.
    pub fn find(&self, name: &str) -> Option<usize> {
        let found = self.sorted.binary_search_by(|&place| self.names[place].as_str().cmp(name));
        found.ok().map(|at| self.sorted[at])
    }

    /// Takes over the names of a message.
    pub fn adopt(&mut self, names: &[String]) {
        self.names.clear();
        self.names.extend_from_slice(names);
        self.sorted.clear();
        self.sorted.extend(0..names.len());
        self.sorted.sort_unstable_by(|&a, &b| names[a].cmp(&names[b]));
    }
}

/// Puts the elements of `list` into a new order: `places[i]` is where element `i` was before.
pub fn reorder<T: Copy>(list: &mut [T], places: &[usize]) {
    let before = list.to_vec();
    for (element, &place) in list.iter_mut().zip(places) {
        *element = before[place];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    fn joints(text: &str) -> Joints {
        let mut joints = Joints::default();
        joints.adopt(&names(text));
        joints
    }

    #[test]
    fn same_reordered_and_changed_are_told_apart() {
        let joints = joints("a b c");
        assert_eq!(joints.compare(&names("a b c")), Ok(Seen::Same));
        assert_eq!(joints.compare(&names("c a b")), Ok(Seen::Reordered(vec![2, 0, 1])));
        let changed = |came, went| Ok(Seen::Changed { came: names(came), went: names(went) });
        assert_eq!(joints.compare(&names("a b")), changed("", "c"));
        assert_eq!(joints.compare(&names("a b d c")), changed("d", ""));
        assert_eq!(joints.compare(&names("a b d")), changed("d", "c"));
    }

    #[test]
    fn a_joint_named_twice_is_refused() {
        let refusal = joints("a b c").compare(&names("a b a")).unwrap_err();
        assert_eq!(refusal.to_string(), "\"a\" stands twice in the message");
    }

    #[test]
    fn reorder_moves_each_element_to_its_joint() {
        let mut values = [1.0, 2.0, 3.0];
        reorder(&mut values, &[2, 0, 1]);
        assert_eq!(values, [3.0, 1.0, 2.0]);
    }
}
