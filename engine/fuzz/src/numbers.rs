//! Numbers read from bytes: often odd ones.

use arbitrary::{Result, Unstructured};

const ODD: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    1e-20,
    -1e-20,
    f64::MIN_POSITIVE / 2.0,
    1e16,
    f64::MAX,
    f64::MIN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Any number: one of the odd ones, one that is usual, or one of any bits.
pub fn float(bytes: &mut Unstructured<'_>) -> Result<f64> {
    Ok(match bytes.arbitrary::<u8>()? % 8 {
        0..=2 => *bytes.choose(&ODD)?,
        3..=5 => f64::from(bytes.arbitrary::<u8>()?) / 64.0,
        6 => f64::from(bytes.arbitrary::<i16>()?) / 256.0,
        _ => bytes.arbitrary()?,
    })
}

/// A slot: near to the last one, or at one of the ends.
pub fn doc_id(bytes: &mut Unstructured<'_>, last: u64) -> Result<u64> {
    let near = bytes.arbitrary::<u8>()?;
    Ok(match near {
        0..=199 => last.saturating_add(u64::from(near % 4)),
        200..=229 => last.saturating_sub(u64::from(near % 32)),
        230..=239 => last.saturating_add(1 << (near % 10 * 4)),
        240..=249 => u64::MAX - u64::from(near - 240),
        _ => bytes.arbitrary()?,
    })
}
