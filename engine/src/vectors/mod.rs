//! Vector search: the best products with a query, exact, or approximate from one bit per dimension.

pub mod binary;
pub mod candidates;
pub mod chunk;
mod dispatch;
pub mod dot_products;
pub mod estimates;
pub mod exact;
pub mod lookup;
pub mod nearest;
pub mod quantized;
pub mod query;
pub mod rotation;
pub mod rows;
pub mod shared_vectors;
