//! Allocator trimming and prefetching.

/// Size of a cache line in bytes.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Returns free pages to the system. The GNU allocator otherwise keeps up to hundreds of megabytes
/// after a large segment was built.
pub(crate) fn release() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        extern "C" {
            fn malloc_trim(pad: usize) -> i32;
        }
        // SAFETY: the function of glibc, as malloc_trim(3) declares it; it may be called at any
        // time.
        unsafe { malloc_trim(0) };
    }
}

/// Prefetches the first `bytes` of a slice, on processors that support it.
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
