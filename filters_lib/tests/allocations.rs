//! No step of any filter allocates: counted by the global allocator.
#![allow(clippy::unwrap_used, missing_docs, unsafe_code)]

mod zoo;

use filters_lib::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use zoo::{Draw, Random, Specimen, Visit};

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call goes on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

struct NoAllocation {
    filters: usize,
}

impl Visit for NoAllocation {
    fn filter<F: Specimen>(&mut self, name: &str, filter: F, r: &mut Random) {
        let inputs: Vec<F::Input> = (0..20).map(|_| F::Input::draw(r)).collect();
        let mut y = filter.blank(&inputs[0]);
        let mut plain = filter.clone();
        let mut buffered = Buffered::new(filter, &inputs[0]);
        let before = COUNT.get();
        for u in &inputs {
            plain.output_into(u, &mut y).unwrap();
            plain.update_into(u, &mut y).unwrap();
            plain.step(u).unwrap();
            buffered.output_into(u, &mut y).unwrap();
            buffered.update().unwrap();
        }
        assert_eq!(COUNT.get() - before, 0, "{name} allocates in a step");
        self.filters += 1;
    }
}

#[test]
fn no_filter_allocates_in_a_step() {
    // The counter counts at all.
    let before = COUNT.get();
    drop(std::hint::black_box(vec![1.0; 3]));
    assert_eq!(COUNT.get() - before, 1);
    let mut visitor = NoAllocation { filters: 0 };
    let mut random = Random(11);
    for _ in 0..5 {
        zoo::visit_all(&mut visitor, &mut random);
    }
    assert!(visitor.filters > 900, "{} filters", visitor.filters);
}
