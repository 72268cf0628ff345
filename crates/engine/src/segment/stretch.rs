//! Stretches of ordinals: where matches can be, and what is still in doubt there.

/// The ordinals `from..to`, with the places' conditions that are not yet known to hold on all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    pub from: u32,
    pub to: u32,
    pub doubt: Doubt,
}

/// Which conditions have to be checked row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Doubt(u8);

impl Doubt {
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

impl Stretch {
    pub const fn sure(from: u32, to: u32) -> Self {
        Self { from, to, doubt: Doubt::NONE }
    }
}

/// Puts stretches in order and joins neighbours of the same doubt. They must not overlap.
pub fn joined(mut stretches: Vec<Stretch>) -> Vec<Stretch> {
    stretches.sort_unstable_by_key(|stretch| stretch.from);
    let mut joined: Vec<Stretch> = Vec::with_capacity(stretches.len());
    for stretch in stretches.into_iter().filter(|stretch| stretch.from < stretch.to) {
        match joined.last_mut() {
            Some(last) if last.to == stretch.from && last.doubt == stretch.doubt => last.to = stretch.to,
            _ => joined.push(stretch),
        }
    }
    joined
}

/// What is in both; in doubt where either is.
pub fn common(left: &[Stretch], right: &[Stretch]) -> Vec<Stretch> {
    let mut common = Vec::new();
    let (mut l, mut r) = (0, 0);
    while let (Some(a), Some(b)) = (left.get(l), right.get(r)) {
        let (from, to) = (a.from.max(b.from), a.to.min(b.to));
        if from < to {
            common.push(Stretch { from, to, doubt: a.doubt.and(b.doubt) });
        }
        if a.to <= b.to { l += 1 } else { r += 1 }
    }
    common
}

/// What is in the left but not in the right.
pub fn without(left: &[Stretch], right: &[Stretch]) -> Vec<Stretch> {
    let mut rest = Vec::new();
    let mut r = 0;
    for stretch in left {
        let mut from = stretch.from;
        while r < right.len() && right[r].to <= from {
            r += 1;
        }
        let mut next = r;
        while let Some(hole) = right.get(next).filter(|hole| hole.from < stretch.to) {
            if from < hole.from {
                rest.push(Stretch { from, to: hole.from, doubt: stretch.doubt });
            }
            from = from.max(hole.to);
            next += 1;
        }
        if from < stretch.to {
            rest.push(Stretch { from, to: stretch.to, doubt: stretch.doubt });
        }
    }
    rest
}

/// What is in either; where both are, the left one's doubt counts.
pub fn either(left: Vec<Stretch>, right: &[Stretch]) -> Vec<Stretch> {
    let mut both = without(right, &left);
    both.extend(left);
    joined(both)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretches(text: &str) -> Vec<Stretch> {
        let number = |text: &str| text.parse::<u32>().unwrap();
        let stretch = |text: &str| {
            let (from, to) = text.split_once('-').unwrap();
            Stretch::sure(number(from), number(to))
        };
        text.split_whitespace().map(stretch).collect()
    }

    #[test]
    fn stretches_combine_as_sets_do() {
        let (a, b) = (stretches("0-10 20-30 40-50"), stretches("5-25 29-31 45-46 48-60"));
        assert_eq!(common(&a, &b), stretches("5-10 20-25 29-30 45-46 48-50"));
        assert_eq!(without(&a, &b), stretches("0-5 25-29 40-45 46-48"));
        assert_eq!(either(a.clone(), &b), stretches("0-31 40-60"));
        assert_eq!(without(&stretches("0-100"), &a), stretches("10-20 30-40 50-100"));
        assert_eq!(joined(stretches("5-7 0-5 9-9 8-10")), stretches("0-7 8-10"));
    }

    #[test]
    fn doubts_add_up() {
        let circle = [Stretch { doubt: Doubt::CIRCLE, ..Stretch::sure(0, 10) }];
        let zipcode = [Stretch { doubt: Doubt::ZIPCODE, ..Stretch::sure(5, 20) }];
        let found = common(&circle, &zipcode);
        assert!(found[0].doubt.has(Doubt::CIRCLE) && found[0].doubt.has(Doubt::ZIPCODE));
        assert!(!found[0].doubt.has(Doubt::POLYGONS));
    }
}
