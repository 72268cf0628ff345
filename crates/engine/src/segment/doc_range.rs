//! Stretches of ordinals: where matches can be, and what is still in residual there.

/// The ordinals `from..to`, with the places' conditions that are not yet known to hold on all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocRange {
    pub from: u32,
    pub to: u32,
    pub residual: Residual,
}

/// Which conditions have to be checked row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Residual(u8);

impl Residual {
    pub const NONE: Self = Self(0);
    pub const CIRCLE: Self = Self(1);
    pub const POLYGONS: Self = Self(2);
    pub const ZIPCODE: Self = Self(4);

    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl DocRange {
    pub const fn sure(from: u32, to: u32) -> Self {
        Self { from, to, residual: Residual::NONE }
    }
}

/// Puts doc_ranges in order and joins neighbours of the same residual. They must not overlap.
pub fn joined(mut doc_ranges: Vec<DocRange>) -> Vec<DocRange> {
    doc_ranges.sort_unstable_by_key(|doc_range| doc_range.from);
    let mut joined: Vec<DocRange> = Vec::with_capacity(doc_ranges.len());
    for doc_range in doc_ranges.into_iter().filter(|doc_range| doc_range.from < doc_range.to) {
        match joined.last_mut() {
            Some(last) if last.to == doc_range.from && last.residual == doc_range.residual => {
                last.to = doc_range.to
            }
            _ => joined.push(doc_range),
        }
    }
    joined
}

/// What is in both; in residual where either is.
pub fn common(left: &[DocRange], right: &[DocRange]) -> Vec<DocRange> {
    let mut common = Vec::new();
    let (mut l, mut r) = (0, 0);
    while let (Some(a), Some(b)) = (left.get(l), right.get(r)) {
        let (from, to) = (a.from.max(b.from), a.to.min(b.to));
        if from < to {
            common.push(DocRange { from, to, residual: a.residual.and(b.residual) });
        }
        if a.to <= b.to { l += 1 } else { r += 1 }
    }
    common
}

/// What is in the left but not in the right.
pub fn without(left: &[DocRange], right: &[DocRange]) -> Vec<DocRange> {
    let mut rest = Vec::new();
    let mut r = 0;
    for doc_range in left {
        let mut from = doc_range.from;
        while r < right.len() && right[r].to <= from {
            r += 1;
        }
        let mut next = r;
        while let Some(hole) = right.get(next).filter(|hole| hole.from < doc_range.to) {
            if from < hole.from {
                rest.push(DocRange { from, to: hole.from, residual: doc_range.residual });
            }
            from = from.max(hole.to);
            next += 1;
        }
        if from < doc_range.to {
            rest.push(DocRange { from, to: doc_range.to, residual: doc_range.residual });
        }
    }
    rest
}

/// What is in either; where both are, the left one's residual counts.
pub fn either(left: Vec<DocRange>, right: &[DocRange]) -> Vec<DocRange> {
    let mut both = without(right, &left);
    both.extend(left);
    joined(both)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doc_ranges(text: &str) -> Vec<DocRange> {
        let number = |text: &str| text.parse::<u32>().unwrap();
        let doc_range = |text: &str| {
            let (from, to) = text.split_once('-').unwrap();
            DocRange::sure(number(from), number(to))
        };
        text.split_whitespace().map(doc_range).collect()
    }

    #[test]
    fn stretches_combine_as_sets_do() {
        let (a, b) = (doc_ranges("0-10 20-30 40-50"), doc_ranges("5-25 29-31 45-46 48-60"));
        assert_eq!(common(&a, &b), doc_ranges("5-10 20-25 29-30 45-46 48-50"));
        assert_eq!(without(&a, &b), doc_ranges("0-5 25-29 40-45 46-48"));
        assert_eq!(either(a.clone(), &b), doc_ranges("0-31 40-60"));
        assert_eq!(without(&doc_ranges("0-100"), &a), doc_ranges("10-20 30-40 50-100"));
        assert_eq!(joined(doc_ranges("5-7 0-5 9-9 8-10")), doc_ranges("0-7 8-10"));
    }

    #[test]
    fn doubts_add_up() {
        let circle = [DocRange { residual: Residual::CIRCLE, ..DocRange::sure(0, 10) }];
        let zipcode = [DocRange { residual: Residual::ZIPCODE, ..DocRange::sure(5, 20) }];
        let found = common(&circle, &zipcode);
        assert!(found[0].residual.has(Residual::CIRCLE) && found[0].residual.has(Residual::ZIPCODE));
        assert!(!found[0].residual.has(Residual::POLYGONS));
    }
}
