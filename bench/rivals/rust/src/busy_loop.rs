//! Work that takes a given time and does nothing else: the same chain of products as in kernels/busy_loop.hpp.

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// So many steps, each of which waits for the one before.
#[inline]
pub fn run(steps: u64) {
    let mut product: u64 = 1;
    for _ in 0..steps {
        product = product.wrapping_mul(FACTOR);
        // SAFETY: no instruction; it keeps the product, whatever the compiler knows about powers.
        unsafe { std::arch::asm!("/* {0} */", inout(reg) product, options(nomem, nostack, preserves_flags)) };
    }
}
