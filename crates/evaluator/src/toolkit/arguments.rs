//! The typed arguments of a tool: one declaration makes the struct, the parameters and the conversion between them.

use std::rc::Rc;

use crate::value::{List, Value};

use super::bind::Binder;
use super::bound::{Bound, BoundArg, FromArg, MISMATCH};
use super::spec::Param;

/// The typed arguments of a tool, implemented by [`arguments!`].
pub trait Arguments {
    /// The parameters, in order.
    const PARAMS: &'static [Param];

    /// Converts values that were checked against the parameters.
    fn take(bound: &mut Bound<'_>) -> Self;
}

/// The maps of a list, each as typed arguments.
impl<A: Arguments> FromArg for Vec<A> {
    fn from_arg(arg: BoundArg) -> Vec<A> {
        let binder = Binder { callee: "", params: A::PARAMS };
        let item = |item: Value| {
            let Value::Map(map) = item else { unreachable!("{MISMATCH}") };
            let mut args = binder.spread(&map).expect(MISMATCH);
            binder.complete(&mut args).expect(MISMATCH);
            A::take(&mut Bound::of_values(&mut args))
        };
        <Rc<List>>::from_arg(arg).iter().map(item).collect()
    }
}

/// Declares the typed arguments of a tool once: the struct, the parameters and the conversion between them. Fields
/// are in the order of positional arguments, each with its behavior when omitted ([`super::spec::WhenAbsent`]), its
/// [`super::spec::Kind`] and its meaning. Aliases of a parameter follow its name: `path | file_path: SandboxPath = …`.
///
/// ```text
/// arguments! {
///     struct Args {
///         path: SandboxPath = Required, Kind::Path(PathRule::RELATIVE, Access::Look), "directory to walk";
///         max_depth: Option<i64> = Absent, Kind::at_least(1), "levels below the directory";
///     }
/// }
/// ```
#[macro_export]
macro_rules! arguments {
    (struct $name:ident { $($field:ident $(| $alias:ident)*: $type:ty = $absent:expr, $kind:expr, $doc:literal;)* }) => {
        pub struct $name { $($field: $type,)* }

        impl $crate::toolkit::Arguments for $name {
            const PARAMS: &'static [$crate::toolkit::Param] = {
                #[allow(unused_imports, reason = "not every tool uses all of them")]
                use $crate::toolkit::{Access, Kind, Literal, WhenAbsent::{Absent, Configured, Is, Required}};
                &[$($crate::toolkit::Param {
                    name: $crate::toolkit::name_of(stringify!($field)),
                    aliases: &[$(stringify!($alias)),*],
                    kind: $kind,
                    absent: $absent,
                    doc: $doc,
                },)*]
            };

            #[allow(unused_variables, reason = "some tools take no arguments")]
            fn take(bound: &mut $crate::toolkit::Bound<'_>) -> $name {
                $name { $($field: bound.take(),)* }
            }
        }
    };
}
pub use arguments;
