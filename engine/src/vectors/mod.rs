//! Vectors by slot: the best products with a query, exactly, or nearly so from one bit a number.
//!
//! In reading order: [`floats`] (the vectors as they were given), [`rounded`] (8 bits a number, with bounds that are
//! certain) on [`dots`], [`signs`] (1 bit a number) on [`rotation`], [`estimates`] (bounds from these that are likely) on
//! [`lookup`], [`chunk`] (rows and which of them live), [`rows`] (all vectors of one size, and how they change), [`choose`]
//! (what may be returned), [`query`], [`nearest`] (the search), [`shared`] (readers beside a writer).

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
pub mod shared;
