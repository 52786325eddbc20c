//! Memory handed back to the system after large changes.

/// Asks the allocator for the pages that nothing uses. The GNU one keeps up to hundreds of megabytes otherwise, left
/// over from building a large segment.
pub fn release() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        extern "C" {
            fn malloc_trim(pad: usize) -> i32;
        }
        // SAFETY: the function of glibc, as malloc_trim(3) declares it; it may be called at any time.
        unsafe { malloc_trim(0) };
    }
}
