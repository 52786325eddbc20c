//! Memory handed back to the system after large changes, and memory asked for ahead of its use.

/// Bytes that come from memory at once.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Asks the allocator for the pages that nothing uses. The GNU one keeps up to hundreds of megabytes otherwise, left
/// over from building a large segment.
pub(crate) fn release() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        extern "C" {
            fn malloc_trim(pad: usize) -> i32;
        }
        // SAFETY: the function of glibc, as malloc_trim(3) declares it; it may be called at any time.
        unsafe { malloc_trim(0) };
    }
}

/// Asks for the first `bytes` of a slice to be brought near, where the processor can be asked.
#[inline]
pub(crate) fn prefetch<T>(slice: &[T], bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        let start = slice.as_ptr().cast::<i8>();
        for at in (0..bytes.min(size_of_val(slice))).step_by(LINE) {
            // SAFETY: a hint that reads nothing; the address lies in the slice.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(at)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, bytes);
}
