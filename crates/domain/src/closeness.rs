//! How close two amounts are: one notion for similar properties and for the grouping of adverts.

/// Returns the ratio of two amounts, the larger by the smaller: at least 1. `None` if one of them is not positive.
pub fn ratio(one: f64, other: f64) -> Option<f64> {
    (one > 0.0 && other > 0.0).then(|| (other / one).max(one / other))
}

/// Returns by how many per cent the larger amount exceeds the smaller one. `None` if one of them is not positive.
pub fn percent_apart(one: f32, other: f32) -> Option<f32> {
    ratio(one.into(), other.into()).map(|ratio| ((ratio - 1.0) * 100.0) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratio_is_the_same_in_both_directions() {
        assert_eq!(ratio(100.0, 125.0), Some(1.25));
        assert_eq!(ratio(125.0, 100.0), Some(1.25));
        assert_eq!(ratio(0.0, 100.0), None);
        assert_eq!(ratio(100.0, f64::NAN), None);
        assert_eq!(percent_apart(100.0, 125.0), Some(25.0));
    }
}
