//! Rust types that a parameter struct can have as fields.

use crate::args::Override;
use crate::error::ParamError;
use crate::spec::Spec;
use crate::table::Table;
use crate::value::Value;

/// A field of a [`params!`](crate::params!) struct: one parameter, or a whole group of them.
pub trait Field: Sized {
    /// Fills name and default into a spec that carries description, unit, range and so on; a group makes many of it.
    fn specs(self, meta: Spec) -> Vec<Spec>;
    /// Reads the field back from the declared parameters.
    fn read(table: &Table, name: &str) -> Result<Self, ParamError>;
}

/// A whole struct of parameters, made by [`params!`](crate::params!).
pub trait Params: Sized + Default {
    /// All parameters, templates included.
    fn specs() -> Vec<Spec>;
    /// The parameters of a node that starts with these overrides. For a node whose parameters depend on each other's
    /// values: a list of filters decides which parameters the filters have.
    fn specs_for(_overrides: &[Override]) -> Result<Vec<Spec>, ParamError> {
        Ok(Self::specs())
    }
    /// What `--help` says of them besides.
    fn notes() -> String {
        String::new()
    }
    /// The struct with the values of the table; `prefix` is empty or ends in a dot.
    fn read_at(table: &Table, prefix: &str) -> Result<Self, ParamError>;
    /// Rules between parameters; what is wrong with one alone is caught before.
    fn validate(&self) -> Result<(), ParamError> {
        Ok(())
    }
    /// The struct with the values of the table, validated.
    fn read(table: &Table) -> Result<Self, ParamError> {
        let params = Self::read_at(table, "")?;
        params.validate()?;
        Ok(params)
    }
}

macro_rules! plain_field {
    ($($type:ty, $variant:ident;)*) => {$(
        impl Field for $type {
            fn specs(self, meta: Spec) -> Vec<Spec> {
                vec![Spec { default: Value::$variant(self), ..meta }]
            }
            fn read(table: &Table, name: &str) -> Result<Self, ParamError> {
                table.read(name, |v| if let Value::$variant(x) = v { Some(x.clone()) } else { None })
            }
        }
    )*};
}
plain_field! {
    bool, Bool;
    i64, Int;
    f64, Float;
    String, Text;
    Vec<bool>, Bools;
    Vec<i64>, Ints;
    Vec<f64>, Floats;
    Vec<String>, Texts;
}

impl<const N: usize> Field for [f64; N] {
    fn specs(self, meta: Spec) -> Vec<Spec> {
        vec![Spec { default: Value::Floats(self.to_vec()), len: Some(N), ..meta }]
    }
    fn read(table: &Table, name: &str) -> Result<Self, ParamError> {
        table.read(name, |v| {
            if let Value::Floats(x) = v { <[f64; N]>::try_from(x.as_slice()).ok() } else { None }
        })
    }
}

/// Structs by name, in the order of the parameter file: `chains.leg1.…`, `chains.leg2.…`.
#[derive(Clone, Debug, PartialEq)]
pub struct Group<P>(pub Vec<(String, P)>);

impl<P> Default for Group<P> {
    fn default() -> Self {
        Group(vec![])
    }
}

impl<P: Params> Field for Group<P> {
    fn specs(self, meta: Spec) -> Vec<Spec> {
        let inner = P::specs().into_iter();
        inner
            .map(|s| Spec {
                name: format!("{}.*.{}", meta.name, s.name),
                read_only: s.read_only || meta.read_only,
                ..s
            })
            .collect()
    }
    fn read(table: &Table, name: &str) -> Result<Self, ParamError> {
        let keys = table.keys(name).into_iter();
        let one = |key: String| {
            let params = P::read_at(table, &format!("{name}.{key}."))?;
            Ok((key, params))
        };
        keys.map(one).collect::<Result<Vec<_>, _>>().map(Group)
    }
}

/// A struct of parameters inside another: `default_servo_model.kp`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nested<P>(pub P);

impl<P: Params> Field for Nested<P> {
    fn specs(self, meta: Spec) -> Vec<Spec> {
        let inner = P::specs().into_iter();
        inner.map(|s| Spec { name: format!("{}.{}", meta.name, s.name), ..s }).collect()
    }
    fn read(table: &Table, name: &str) -> Result<Self, ParamError> {
        P::read_at(table, &format!("{name}.")).map(Nested)
    }
}

/// A struct of parameters whose names stand beside this struct's own, and which many nodes share: the robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flat<P>(pub P);

impl<P: Params> Field for Flat<P> {
    fn specs(self, _: Spec) -> Vec<Spec> {
        P::specs().into_iter().map(|s| Spec { shared: true, ..s }).collect()
    }
    fn read(table: &Table, name: &str) -> Result<Self, ParamError> {
        let prefix = name.rsplit_once('.').map_or(String::new(), |(prefix, _)| format!("{prefix}."));
        P::read_at(table, &prefix).map(Flat)
    }
}
