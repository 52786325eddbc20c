//! One loop, compiled for several processors.

/// Defines a function that runs the same-named loop of the given path, compiled for the
/// target features of the processor. The loop must be `#[inline(always)]`.
macro_rules! by_processor {
    ($(#[$doc:meta])* $visible:vis fn $name:ident($($argument:ident: $kind:ty),* $(,)?) = $plain:path) => {
        $(#[$doc])*
        $visible fn $name($($argument: $kind),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
                fn wide($($argument: $kind),*) {
                    $plain($($argument),*);
                }
                #[target_feature(enable = "avx2")]
                fn narrow($($argument: $kind),*) {
                    $plain($($argument),*);
                }
                if is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512dq")
                {
                    // SAFETY: the processor has the target features of the function.
                    return unsafe { wide($($argument),*) };
                }
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: as above.
                    return unsafe { narrow($($argument),*) };
                }
            }
            $plain($($argument),*);
        }
    };
}
pub(crate) use by_processor;

/// Asks for memory that will soon be read.
#[inline(always)]
pub(super) fn fetch<T>(items: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for line in items.chunks((64 / size_of::<T>()).max(1)) {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        // SAFETY: every x86-64 has SSE, and a hint reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = items;
}
