//! Sets of slots, of documents and of terms, against the sets of the standard library.

use std::collections::{BTreeMap, BTreeSet};

use _engine::columns::postings::Postings;
use _engine::postings::bits::Bits;
use _engine::postings::doc_ids::DocIds;
use _engine::postings::forward::ForwardBuilder;
use arbitrary::{Result, Unstructured};

use super::numbers::doc_id;

/// The first byte chooses the kind of set.
pub fn run(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    let bytes = &mut Unstructured::new(rest);
    // the bytes have come to an end where it is an error
    let _ = match kind % 4 {
        0 | 1 => postings(bytes),
        2 => bits(bytes),
        _ => lists(bytes),
    };
}

/// Slots added to and taken from values, and the sets of several values united, intersected,
/// subtracted.
fn postings(bytes: &mut Unstructured<'_>) -> Result<()> {
    let (mut postings, mut plain) = (Postings::default(), BTreeMap::<u32, BTreeSet<u64>>::new());
    let mut last = 0;
    while !bytes.is_empty() {
        let value = u32::from(bytes.arbitrary::<u8>()? % 12);
        let step = bytes.arbitrary::<u8>()?;
        last = doc_id(bytes, last)?;
        match step % 16 {
            0..=6 => add(&mut postings, &mut plain, value, last),
            7..=8 => {
                // enough to turn the list into a bitmap
                let stride = u64::from(step / 16) * 7 + 1;
                for at in 0..u64::from(bytes.arbitrary::<u8>()?) {
                    add(&mut postings, &mut plain, value, last.saturating_add(at * stride));
                }
            }
            9..=11 => {
                let held = plain.get(&value).and_then(|doc_ids| doc_ids.range(last..).next()).copied();
                let gone = if step < 128 { held.unwrap_or(last) } else { last };
                postings.remove(value, gone);
                plain.get_mut(&value).map(|doc_ids| doc_ids.remove(&gone));
            }
            _ => algebra(bytes, &postings, &plain)?,
        }
    }
    let all: Vec<u32> = (0..16).collect();
    assert!(postings.union(&all).iter().eq(united(&plain, &all)));
    Ok(())
}

fn add(postings: &mut Postings, plain: &mut BTreeMap<u32, BTreeSet<u64>>, value: u32, doc_id: u64) {
    postings.insert(value, doc_id);
    plain.entry(value).or_default().insert(doc_id);
}

fn united(plain: &BTreeMap<u32, BTreeSet<u64>>, values: &[u32]) -> BTreeSet<u64> {
    values.iter().filter_map(|value| plain.get(value)).flatten().copied().collect()
}

fn algebra(bytes: &mut Unstructured<'_>, postings: &Postings, plain: &BTreeMap<u32, BTreeSet<u64>>) -> Result<()> {
    let mut values = || -> Result<Vec<u32>> {
        let mask = bytes.arbitrary::<u16>()?;
        Ok((0..16).filter(|value| mask >> value & 1 == 1).collect())
    };
    let (left, right) = (values()?, values()?);
    let (a, b) = (postings.union(&left), postings.union(&right));
    let (x, y) = (united(plain, &left), united(plain, &right));
    assert!(a.iter().eq(x.iter().copied()) && a.len() == x.len() as u64);
    assert!((&a | &b).iter().eq(&x | &y));
    assert!((&a & &b).iter().eq(&x & &y));
    assert!((&a - &b).iter().eq(&x - &y));
    Ok(())
}

/// Bits set and cleared, cut and intersected.
fn bits(bytes: &mut Unstructured<'_>) -> Result<()> {
    let len = usize::from(bytes.arbitrary::<u8>()?);
    let image = bytes.bytes(len.min(bytes.len()))?.to_vec();
    let mut bits = Bits::from_bytes(&image);
    let mut plain: BTreeSet<u32> =
        (0..image.len() as u32 * 8).filter(|&at| image[at as usize / 8] >> (at % 8) & 1 == 1).collect();
    while !bytes.is_empty() {
        let at = u32::from(bytes.arbitrary::<u16>()? % 5000);
        match bytes.arbitrary::<u8>()? % 4 {
            0 => {
                bits.set(at);
                plain.insert(at);
            }
            1 => {
                bits.clear(at);
                plain.remove(&at);
            }
            2 => {
                let len = u32::from(bytes.arbitrary::<u8>()?);
                let range = bits.range(at as usize, len as usize);
                assert!((0..len).all(|bit| range.has(bit) == plain.contains(&(at + bit))));
            }
            _ => {
                let other = Bits::all(at as usize);
                bits.retain(&other);
                plain.retain(|&bit| bit < at);
            }
        }
        assert_eq!(bits.has(at), plain.contains(&at));
    }
    assert!((0..6000).all(|at| bits.has(at) == plain.contains(&at)));
    Ok(())
}

/// Rising numbers: as the slots of a segment, and as the terms of documents.
fn lists(bytes: &mut Unstructured<'_>) -> Result<()> {
    let (mut forward, mut documents, mut all) = (ForwardBuilder::default(), Vec::new(), BTreeSet::new());
    while !bytes.is_empty() {
        let mut terms = BTreeSet::new();
        for _ in 0..bytes.arbitrary::<u8>()? % 9 {
            let size = bytes.arbitrary::<u8>()? % 40;
            let term = doc_id(bytes, 1 << size)?;
            all.insert(term);
            terms.insert(term as u32);
        }
        forward.push(&mut terms.iter().rev().copied().collect::<Vec<_>>());
        documents.push(terms);
    }
    let forward = forward.finish();
    for (document, terms) in documents.iter().enumerate() {
        assert!(forward.terms(document as u32).unwrap().eq(terms.iter().copied()));
    }
    let list: Vec<u64> = all.into_iter().collect();
    let doc_ids = DocIds::from(list.clone());
    assert_eq!((doc_ids.len(), doc_ids.is_empty()), (list.len(), list.is_empty()));
    for (document, &doc_id) in list.iter().enumerate() {
        assert_eq!((doc_ids.at(document), doc_ids.find(doc_id)), (Ok(doc_id), Ok(Some(document as u32))));
        let next = doc_id.checked_add(1).filter(|next| list.binary_search(next).is_err());
        assert!(next.is_none_or(|next| doc_ids.find(next) == Ok(None)));
    }
    Ok(())
}
