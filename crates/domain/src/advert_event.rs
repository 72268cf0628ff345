//! Events: the recorded changes of an advert.

use jiff::Timestamp;

use crate::advert_fields::AdvertField;
use crate::value::Amount;

/// The creation of an advert, or the change of one of its fields.
#[derive(Debug, Clone, PartialEq)]
pub struct AdvertEvent {
    pub at: Timestamp,
    pub subject: EventSubject,
    /// The values as text, as the API represents them. Only for price, surface and expiry.
    pub old_value: Option<Box<str>>,
    pub new_value: Option<Box<str>>,
    pub percent_variation: Option<PercentVariation>,
}

impl Eq for AdvertEvent {}

/// What changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventSubject {
    Created,
    Expired,
    Field(AdvertField),
    /// A field name in a back-filled history that is not an advert field.
    Foreign(Box<str>),
}

impl AdvertEvent {
    /// Builds the creation event.
    pub fn created(at: Timestamp) -> Self {
        Self::new(at, EventSubject::Created)
    }

    /// Builds the event of an expiry (`true`) or of a return (`false`).
    pub fn expiry(at: Timestamp, expired: bool) -> Self {
        Self {
            old_value: Some((!expired).to_string().into()),
            new_value: Some(expired.to_string().into()),
            ..Self::new(at, EventSubject::Expired)
        }
    }

    /// Builds the event of a changed price or surface.
    pub fn amount(at: Timestamp, field: AdvertField, old: Option<Amount>, new: Option<Amount>) -> Self {
        let text = |amount: Amount| amount.to_string().into();
        Self {
            old_value: old.map(text),
            new_value: new.map(text),
            percent_variation: old.zip(new).and_then(|(old, new)| PercentVariation::between(old, new)),
            ..Self::new(at, EventSubject::Field(field))
        }
    }

    /// Builds the event of any other changed field, without values.
    pub fn field(at: Timestamp, field: AdvertField) -> Self {
        Self::new(at, EventSubject::Field(field))
    }

    /// Returns the event name for subscribers. The return of an expired advert has none in the contract.
    pub fn name(&self) -> Option<EventName> {
        match &self.subject {
            EventSubject::Created => Some(EventName::AdCreate),
            EventSubject::Expired => {
                (self.new_value.as_deref() == Some("true")).then_some(EventName::UpdateExpired)
            }
            EventSubject::Field(AdvertField::Price) => Some(EventName::UpdatePrice),
            EventSubject::Field(AdvertField::Surface) => Some(EventName::UpdateSurface),
            EventSubject::Field(AdvertField::Pictures | AdvertField::PicturesRemote) => {
                Some(EventName::UpdatePictures)
            }
            EventSubject::Field(_) => Some(EventName::AdUpdate),
            EventSubject::Foreign(_) => None,
        }
    }

    /// Recomputes the percentage of a change of price or surface that has both values. The percentage in a back-filled history
    /// may be rounded differently, have the wrong sign or be missing.
    pub fn with_variation(mut self) -> Self {
        let is_amount =
            matches!(self.subject, EventSubject::Field(AdvertField::Price | AdvertField::Surface));
        if let (true, Some(old), Some(new)) = (is_amount, &self.old_value, &self.new_value) {
            let amount = |text: &str| text.trim().parse().ok().and_then(Amount::new);
            let both = amount(old).zip(amount(new));
            self.percent_variation = both.and_then(|(old, new)| PercentVariation::between(old, new));
        }
        self
    }

    /// Adds the values of an expiry to an event that has none. Some senders leave them out.
    pub(crate) fn with_expiry_values(self) -> Self {
        let bare = self.old_value.is_none() && self.new_value.is_none();
        if bare && self.subject == EventSubject::Expired { Self::expiry(self.at, true) } else { self }
    }

    /// Returns `true` if the other event reports the same change, at whatever time.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        (&self.subject, &self.old_value, &self.new_value)
            == (&other.subject, &other.old_value, &other.new_value)
    }

    fn new(at: Timestamp, subject: EventSubject) -> Self {
        Self { at, subject, old_value: None, new_value: None, percent_variation: None }
    }
}

/// The event names of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventName {
    UpdatePrice,
    UpdateSurface,
    UpdatePictures,
    UpdateExpired,
    AdCreate,
    AdUpdate,
}

impl EventName {
    pub const ALL: &'static [Self] = &[
        Self::UpdatePrice,
        Self::UpdateSurface,
        Self::UpdatePictures,
        Self::UpdateExpired,
        Self::AdCreate,
        Self::AdUpdate,
    ];
}

/// The relative change of a value in percent, rounded to two decimals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PercentVariation(f64);

impl PercentVariation {
    /// Returns `(new − old) ÷ old × 100`. `None` for a change from zero.
    pub fn between(old: Amount, new: Amount) -> Option<Self> {
        if old.get() == 0.0 {
            return None;
        }
        Self::new((new.get() - old.get()) / old.get() * 100.0)
    }

    /// Larger percentages are meaningless. Up to this value, hundredths are exact in a float, so that rounding is idempotent.
    const MAX: f64 = 1e12;

    /// Rounds a percentage. `None` if it is not a number or its absolute value exceeds the maximum.
    pub fn new(percent: f64) -> Option<Self> {
        (percent.abs() <= Self::MAX).then(|| Self((percent * 100.0).round() / 100.0 + 0.0))
    }

    pub const fn get(self) -> f64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variation(old: f64, new: f64) -> Option<f64> {
        PercentVariation::between(Amount::new(old)?, Amount::new(new)?).map(PercentVariation::get)
    }

    #[test]
    fn variation_is_relative_to_the_old_value() {
        assert_eq!(variation(320_000.0, 311_000.0), Some(-2.81));
        assert_eq!(variation(100.0, 150.0), Some(50.0));
        assert_eq!(variation(100.0, 0.0), Some(-100.0));
        assert_eq!(variation(0.0, 100.0), None);
        assert_eq!(variation(3.0, 4.0), Some(33.33));
        assert_eq!(variation(1e-294, 1e12), None);
    }

    #[test]
    fn variation_is_finite_and_rounding_is_idempotent() {
        for percent in [33.333, 1e12 - 0.005, -123_456_789.125, 1e12] {
            let once = PercentVariation::new(percent).unwrap();
            assert_eq!(PercentVariation::new(once.get()), Some(once), "{percent}");
        }
        for percent in [1e13, f64::INFINITY, f64::NAN, -f64::MAX] {
            assert_eq!(PercentVariation::new(percent), None, "{percent}");
        }
        assert_eq!(variation(f64::MIN_POSITIVE, 1e12), None);
    }

    #[test]
    fn variation_is_recomputed_from_the_values() {
        let check = |field: &str, values: (Option<&str>, Option<&str>), given, expected: Option<f64>| {
            let subject = match field {
                "price" => EventSubject::Field(AdvertField::Price),
                "surface" => EventSubject::Field(AdvertField::Surface),
                other => EventSubject::Foreign(other.into()),
            };
            let event = AdvertEvent {
                old_value: values.0.map(Into::into),
                new_value: values.1.map(Into::into),
                percent_variation: Option::<f64>::and_then(given, PercentVariation::new),
                ..AdvertEvent::new(Timestamp::UNIX_EPOCH, subject)
            };
            let variation = event.with_variation().percent_variation.map(PercentVariation::get);
            assert_eq!(variation, expected, "{field} {values:?} {given:?}");
        };
        check("price", (Some("320000"), Some("311000")), None, Some(-2.81));
        check("surface", (Some("3"), Some(" 4.0 ")), None, Some(33.33));
        // A percentage that contradicts the values is replaced.
        check("price", (Some("320000"), Some("311000")), Some(2.81), Some(-2.81));
        check("price", (Some("0"), Some("311000")), Some(2.81), None);
        check("price", (Some("sur demande"), Some("311000")), Some(2.81), None);
        check("price", (Some("320000"), Some("NaN")), None, None);
        // Without both values, the given percentage is kept.
        check("price", (None, Some("311000")), Some(-2.8), Some(-2.8));
        check("boost", (Some("1"), Some("2")), Some(7.0), Some(7.0));
    }

    #[test]
    fn every_field_has_an_event_name() {
        let at = Timestamp::UNIX_EPOCH;
        for field in AdvertField::ALL {
            assert!(AdvertEvent::field(at, *field).name().is_some());
        }
        assert_eq!(AdvertEvent::expiry(at, true).name(), Some(EventName::UpdateExpired));
        assert_eq!(AdvertEvent::expiry(at, false).name(), None);
    }
}
