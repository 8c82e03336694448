//! What tests of several crates share: the example robots and parameter files of `config/`, random numbers that are the same in every run, and a
//! count of allocations. A test that uses this crate has its allocator.
//!
//! ```
//! assert_eq!(test_lib::allocations(|| drop(vec![1u8])), 1);
//! assert_eq!(test_lib::allocations(|| { std::hint::black_box([1u8; 8]); }), 0);
//! assert_eq!(test_lib::Dice(7).bits(), test_lib::Dice(7).bits());
//! assert_eq!(test_lib::hexapod().joints().len(), 18);
//! ```

mod allocations;
mod dice;
mod robots;

pub use allocations::{allocations, allocations_so_far};
pub use dice::Dice;
pub use robots::{chains, config, hexapod, pony, quadruped, robot, shipped};
