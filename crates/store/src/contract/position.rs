//! Positions in the change log.

/// A position in the log. Positions are dense: 1, 2, 3, …; zero is before the first entry. Those of deleted entries are not given again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position(pub u64);

impl Position {
    pub const START: Self = Self(0);

    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}
