//! Work that takes a given time and does nothing else: the same chain of products as in kernels/busy_loop.hpp.

use std::cell::Cell;

thread_local! {
    static LAST_PRODUCT: Cell<u64> = const { Cell::new(1) };
}

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// So many steps, each of which waits for the one before, and the first for the last one of the thread's last call.
#[inline]
pub fn run(steps: u64) {
    if steps == 0 {
        return;
    }
    let mut product = LAST_PRODUCT.get();
    for _ in 0..steps {
        product = product.wrapping_mul(FACTOR);
        // SAFETY: no instruction; it keeps the product, whatever the compiler knows about powers.
        unsafe { std::arch::asm!("/* {0} */", inout(reg) product, options(nomem, nostack, preserves_flags)) };
    }
    LAST_PRODUCT.set(product);
}
