//! Ranges of ordinals that can contain matches, and the conditions that remain to be checked in them.

/// The ordinals `from..to`, with the location conditions that are not known to hold for all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocRange {
    pub from: u32,
    pub to: u32,
    pub residual: Residual,
}

/// The location conditions that have to be checked row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Residual(u8);

impl Residual {
    pub const NONE: Self = Self(0);
    pub const CIRCLE: Self = Self(1);
    pub const POLYGONS: Self = Self(2);
    pub const ZIPCODE: Self = Self(4);

    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl DocRange {
    /// Creates a range in which nothing remains to be checked.
    pub const fn exact(from: u32, to: u32) -> Self {
        Self { from, to, residual: Residual::NONE }
    }
}

/// Sorts ranges and joins neighbours with the same residual. They must not overlap.
pub fn joined(mut ranges: Vec<DocRange>) -> Vec<DocRange> {
    ranges.sort_unstable_by_key(|range| range.from);
    let mut joined: Vec<DocRange> = Vec::with_capacity(ranges.len());
    for range in ranges.into_iter().filter(|range| range.from < range.to) {
        match joined.last_mut() {
            Some(last) if last.to == range.from && last.residual == range.residual => last.to = range.to,
            _ => joined.push(range),
        }
    }
    joined
}

/// Returns the intersection, with the residuals of both.
pub fn intersect(left: &[DocRange], right: &[DocRange]) -> Vec<DocRange> {
    let mut ranges = Vec::new();
    let (mut l, mut r) = (0, 0);
    while let (Some(a), Some(b)) = (left.get(l), right.get(r)) {
        let (from, to) = (a.from.max(b.from), a.to.min(b.to));
        if from < to {
            ranges.push(DocRange { from, to, residual: a.residual.union(b.residual) });
        }
        if a.to <= b.to { l += 1 } else { r += 1 }
    }
    ranges
}

/// Returns `left` without `right`.
pub fn subtract(left: &[DocRange], right: &[DocRange]) -> Vec<DocRange> {
    let mut rest = Vec::new();
    let mut r = 0;
    for range in left {
        let mut from = range.from;
        while r < right.len() && right[r].to <= from {
            r += 1;
        }
        let mut next = r;
        while let Some(hole) = right.get(next).filter(|hole| hole.from < range.to) {
            if from < hole.from {
                rest.push(DocRange { from, to: hole.from, residual: range.residual });
            }
            from = from.max(hole.to);
            next += 1;
        }
        if from < range.to {
            rest.push(DocRange { from, to: range.to, residual: range.residual });
        }
    }
    rest
}

/// Returns the union. Where both overlap, it takes the residual of `left`.
pub fn union(left: Vec<DocRange>, right: &[DocRange]) -> Vec<DocRange> {
    let mut ranges = subtract(right, &left);
    ranges.extend(left);
    joined(ranges)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges_of(text: &str) -> Vec<DocRange> {
        let number = |text: &str| text.parse::<u32>().unwrap();
        let range = |text: &str| {
            let (from, to) = text.split_once('-').unwrap();
            DocRange::exact(number(from), number(to))
        };
        text.split_whitespace().map(range).collect()
    }

    #[test]
    fn ranges_combine_like_sets() {
        let (a, b) = (ranges_of("0-10 20-30 40-50"), ranges_of("5-25 29-31 45-46 48-60"));
        assert_eq!(intersect(&a, &b), ranges_of("5-10 20-25 29-30 45-46 48-50"));
        assert_eq!(subtract(&a, &b), ranges_of("0-5 25-29 40-45 46-48"));
        assert_eq!(union(a.clone(), &b), ranges_of("0-31 40-60"));
        assert_eq!(subtract(&ranges_of("0-100"), &a), ranges_of("10-20 30-40 50-100"));
        assert_eq!(joined(ranges_of("5-7 0-5 9-9 8-10")), ranges_of("0-7 8-10"));
    }

    #[test]
    fn intersection_unites_residuals() {
        let circle = [DocRange { residual: Residual::CIRCLE, ..DocRange::exact(0, 10) }];
        let zipcode = [DocRange { residual: Residual::ZIPCODE, ..DocRange::exact(5, 20) }];
        let found = intersect(&circle, &zipcode);
        assert!(
            found[0].residual.contains(Residual::CIRCLE) && found[0].residual.contains(Residual::ZIPCODE)
        );
        assert!(!found[0].residual.contains(Residual::POLYGONS));
    }
}
