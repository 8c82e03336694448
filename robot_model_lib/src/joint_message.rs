//! Joint messages as they come from outside: names, arrays, and what is wrong with them.

/// Beyond this a number is no position, speed or effort of any robot. The limit keeps what is worked out from it finite.
pub const LARGEST: f64 = 1e9;
/// More joints than any robot has; a publisher that invents names must not fill the memory.
pub const MOST_JOINTS: usize = 10_000;
/// Bytes of the longest name.
pub const LONGEST_NAME: usize = 256;

/// Why a message was refused. Nothing of it was used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// No joints at all.
    #[error("the message names no joint")]
    Empty,
    /// An array that does not fit the names.
    #[error("{field} has {found} elements for {names} names")]
    Size {
        /// Name of the array.
        field: &'static str,
        /// How many elements it has.
        found: usize,
        /// How many names there are.
        names: usize,
    },
    /// A number that cannot be: not finite, or beyond [`LARGEST`].
    #[error("{field} of joint \"{joint}\" is {value:?}")]
    Value {
        /// Name of the array.
        field: &'static str,
        /// Name of the joint.
        joint: String,
        /// What it says.
        value: f64,
    },
    /// A joint or chain that stands twice.
    #[error("\"{name}\" stands twice in the message")]
    Twice {
        /// The name that stands twice.
        name: String,
    },
    /// More than [`MOST_JOINTS`].
    #[error("{found} names; no robot has more than {MOST_JOINTS} joints")]
    TooMany {
        /// How many names there are.
        found: usize,
    },
    /// A name longer than [`LONGEST_NAME`].
    #[error("name {place} of the message has {length} bytes; at most {LONGEST_NAME} can be")]
    LongName {
        /// Where it stands, from 0.
        place: usize,
        /// How many elements it has.
        length: usize,
    },
}

/// One array of a message, with what may be missing in it.
#[derive(Clone, Copy, Debug)]
pub struct Field<'m> {
    name: &'static str,
    values: &'m [f64],
    may_be_empty: bool,
    may_be_nan: bool,
}

impl<'m> Field<'m> {
    /// One number for each joint.
    pub fn new(name: &'static str, values: &'m [f64]) -> Field<'m> {
        Field { name, values, may_be_empty: false, may_be_nan: false }
    }

    /// An empty array means that it is absent for all joints.
    pub fn or_empty(self) -> Field<'m> {
        Field { may_be_empty: true, ..self }
    }

    /// NaN means that it is absent for this joint.
    pub fn or_nan(self) -> Field<'m> {
        Field { may_be_nan: true, ..self }
    }

    /// Whether the array fits so many joints and every number in it can be; `joint` names them.
    pub fn check<'n>(&self, joints: usize, joint: impl Fn(usize) -> &'n str) -> Result<(), MessageError> {
        let Field { name: field, values, may_be_empty, may_be_nan } = *self;
        if values.len() != joints && !(may_be_empty && values.is_empty()) {
            return Err(MessageError::Size { field, found: values.len(), names: joints });
        }
        let can_be = |x: f64| x.abs() <= LARGEST || (may_be_nan && x.is_nan());
        // Without an early end the loop goes by whole registers; that one is at fault is rare.
        if values.iter().fold(true, |all, &x| all & can_be(x)) {
            return Ok(());
        }
        match values.iter().enumerate().find(|(_, x)| !can_be(**x)) {
            Some((i, &value)) => Err(MessageError::Value { field, joint: joint(i).into(), value }),
            None => Ok(()),
        }
    }
}

/// Whether every array of a message fits its names.
pub fn check_fields<S: AsRef<str>>(names: &[S], fields: &[Field<'_>]) -> Result<(), MessageError> {
    fields.iter().try_for_each(|field| field.check(names.len(), |i| names[i].as_ref()))
}

/// Whether names can be those of a robot's joints, each once: gives their places in the order of the alphabet.
pub fn check_names<S: AsRef<str>>(names: &[S]) -> Result<Vec<usize>, MessageError> {
    if names.len() > MOST_JOINTS {
        return Err(MessageError::TooMany { found: names.len() });
    }
    if let Some((place, name)) = names.iter().enumerate().find(|(_, n)| n.as_ref().len() > LONGEST_NAME) {
        return Err(MessageError::LongName { place, length: name.as_ref().len() });
    }
    let name = |place: &usize| names[*place].as_ref();
    let mut places: Vec<usize> = (0..names.len()).collect();
    places.sort_unstable_by(|a, b| name(a).cmp(name(b)));
    match places.windows(2).find(|pair| name(&pair[0]) == name(&pair[1])) {
        Some(pair) => Err(MessageError::Twice { name: name(&pair[0]).into() }),
        None => Ok(places),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(names: &[&str], field: Field<'_>) -> Option<String> {
        check_fields(names, &[field]).err().map(|e| e.to_string())
    }

    #[test]
    fn arrays_fit_the_names_and_numbers_can_be() {
        let nan = f64::NAN;
        fn field(values: &[f64]) -> Field<'_> {
            Field::new("position", values)
        }
        assert_eq!(why(&["a", "b"], field(&[0.0, -1e9])), None);
        assert_eq!(why(&["a", "b"], field(&[0.0])).unwrap(), "position has 1 elements for 2 names");
        assert_eq!(why(&["a", "b"], field(&[])).unwrap(), "position has 0 elements for 2 names");
        assert_eq!(why(&["a", "b"], field(&[]).or_empty()), None);
        assert_eq!(why(&["a"], field(&[nan])).unwrap(), "position of joint \"a\" is NaN");
        assert_eq!(why(&["a"], field(&[nan]).or_nan()), None);
        for bad in [f64::INFINITY, f64::NEG_INFINITY, 1.1e9, -1e308] {
            assert!(
                why(&["a", "b"], field(&[nan, bad]).or_nan()).unwrap().starts_with("position of joint \"b\"")
            );
        }
    }

    #[test]
    fn names_are_bounded_and_stand_once() {
        assert_eq!(check_names(&["b", "a", "c"]), Ok(vec![1, 0, 2]));
        assert_eq!(check_names(&["b", "a", "b"]), Err(MessageError::Twice { name: "b".into() }));
        let long = "x".repeat(LONGEST_NAME + 1);
        assert_eq!(check_names(&["a", &long]), Err(MessageError::LongName { place: 1, length: 257 }));
        let many: Vec<String> = (0..=MOST_JOINTS).map(|i| format!("joint{i}")).collect();
        assert_eq!(check_names(&many), Err(MessageError::TooMany { found: MOST_JOINTS + 1 }));
        assert!(check_names(&many[1..]).is_ok());
    }
}
