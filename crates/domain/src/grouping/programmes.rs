//! Units of a new-building programme: one text, one set of pictures, one year, and a price list.

use super::publishers::is_one_mandate;
use super::signature::{Flag, List, Signature};

/// Returns `true` if both adverts are of new buildings, and nothing names one unit in both.
pub fn may_be_two_units(one: &Signature, other: &Signature) -> bool {
    let is_new = |signature: &Signature| signature.flag(Flag::NewBuilding) == Some(true);
    let has_mark = |mark: &u32| other.list(List::Marks).contains(mark);
    is_new(one) && is_new(other) && !is_one_mandate(one, other) && !one.list(List::Marks).iter().any(has_mark)
}
