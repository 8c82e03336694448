//! Counts allocations, for tests that say there are none.

#![allow(unsafe_code)] // An allocator is unsafe by its trait; this is the one place for it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    // Of one thread: the test harness allocates in others.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // A thread that is ending has no counter any more, and nobody asks for it.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: everything is handed to the system's allocator; only a counter is added.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// How often this thread has allocated, or grown what it has, since it began.
pub fn allocations_so_far() -> u64 {
    COUNT.with(Cell::get)
}

/// How often this thread allocates, or grows what it has, while `run` runs.
pub fn allocations(run: impl FnOnce()) -> u64 {
    let before = allocations_so_far();
    run();
    allocations_so_far() - before
}
