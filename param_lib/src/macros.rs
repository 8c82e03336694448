//! The two macros with which a node says what it can be told.

/// Declares a struct of parameters: each field with its description, default, and, as far as they apply, unit, range, slider
/// (the part of a wide range that people tune in) and whether it is read-only. Implements [`Params`](crate::Params) and `Default`.
///
/// ```
/// param_lib::params! {
///     /// What a clock can be told.
///     pub struct ClockParams {
///         /// Duration of a cycle.
///         period: f64 = 0.01, unit "s", range 0.0005..=1.0;
///         /// Frame of the stamps.
///         frame_id: String = String::new(), read_only true;
///     }
/// }
/// let table = param_lib::Table::declare_all(<ClockParams as param_lib::Params>::specs(), &[]).unwrap();
/// assert_eq!(<ClockParams as param_lib::Params>::read(&table).unwrap().period, 0.01);
/// ```
///
/// Rules between parameters: put `validate self => …` behind the struct; `…` is an expression of type
/// `Result<(), ParamError>`.
#[macro_export]
macro_rules! params {
    (
        $(#[$outer:meta])*
        $vis:vis struct $struct:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident : $type:ty = $default:expr
                $(, unit $unit:literal)? $(, range $min:literal ..= $max:literal)?
                $(, slider $low:literal ..= $high:literal)? $(, read_only $read_only:literal)? ;
            )*
        }
        $(validate $self:ident => $rule:expr)?
    ) => {
        $(#[$outer])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $struct { $( $(#[doc = $doc])+ pub $field: $type, )* }

        impl Default for $struct {
            fn default() -> Self { $struct { $( $field: $default, )* } }
        }

        impl $crate::Params for $struct {
            fn specs() -> Vec<$crate::Spec> {
                let mut specs = vec![];
                $({
                    let doc = concat!($($doc, "\n"),+);
                    let doc = doc.lines().map(str::trim).collect::<Vec<_>>().join(" ");
                    #[allow(unused_mut)]
                    let mut meta = $crate::Spec::new(stringify!($field), $crate::Value::Bool(false), doc.trim());
                    $( meta.unit = $unit.into(); )?
                    $( meta.range = Some(($min as f64, $max as f64)); )?
                    $( meta.tuned = Some(($low as f64, $high as f64)); )?
                    $( meta.read_only = $read_only; )?
                    specs.extend(<$type as $crate::Field>::specs($default, meta));
                })*
                specs
            }
            fn read_at(table: &$crate::Table, prefix: &str) -> Result<Self, $crate::ParamError> {
                Ok($struct { $( $field: <$type as $crate::Field>::read(table, &format!("{prefix}{}", stringify!($field)))?, )* })
            }
            $(
                fn validate(&$self) -> Result<(), $crate::ParamError> { $rule }
            )?
        }
    };
}

/// Declares an enum that is a parameter of a few words.
///
/// ```
/// param_lib::choices! {
///     /// How to integrate.
///     pub enum Method { Euler = "euler", Trapezoid = "trapezoid" }
/// }
/// assert_eq!(Method::from_word("trapezoid"), Some(Method::Trapezoid));
/// ```
///
/// A word that changed keeps its old one: `Off = "none" was "off"`. Choose words that YAML does not take for something else: `off`
/// is false there.
#[macro_export]
macro_rules! choices {
    (
        $(#[$outer:meta])*
        $vis:vis enum $enum:ident { $( $(#[$inner:meta])* $variant:ident = $word:literal $(was $old:literal)? ),+ $(,)? }
    ) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $enum { $( $(#[$inner])* #[doc = concat!("`", $word, "`.")] $variant ),+ }

        impl $enum {
            /// All words, in order.
            pub const WORDS: &'static [&'static str] = &[$($word),+];
            /// The variant that a word names.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $( $word => Some($enum::$variant), )+ _ => None }
            }
            /// The word that stands for it in files.
            pub fn word(self) -> &'static str {
                match self { $( $enum::$variant => $word, )+ }
            }
        }

        impl $crate::Field for $enum {
            fn specs(self, meta: $crate::Spec) -> Vec<$crate::Spec> {
                let choices = Self::WORDS.iter().map(|w| w.to_string()).collect();
                #[allow(unused_mut)]
                let mut former: Vec<(String, String)> = vec![];
                $( $( former.push(($old.into(), $word.into())); )? )+
                vec![$crate::Spec { default: $crate::Value::Text(self.word().into()), choices, former, ..meta }]
            }
            fn read(table: &$crate::Table, name: &str) -> Result<Self, $crate::ParamError> {
                table.read(name, |v| if let $crate::Value::Text(w) = v { Self::from_word(w) } else { None })
            }
        }
    };
}
