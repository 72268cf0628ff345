//! The closed lists of values: numbers and texts, with their meanings. Tests compare them with the enumerations of `domain`.

use crate::schema::{Choice, Code, choice, code};

pub const PROPERTY_TYPES: &[Code] = &[
    code(0, "Apartment"),
    code(1, "House"),
    code(2, "Building"),
    code(3, "Parking"),
    code(4, "Office"),
    code(5, "Land"),
    code(6, "Shop"),
];

pub const TRANSACTION_TYPES: &[Code] = &[code(0, "Sell"), code(1, "Rent")];

pub const PUBLISHER_TYPES: &[Code] = &[code(0, "Individual"), code(1, "Professional")];

pub const FEES_RESPONSIBILITIES: &[Code] = &[code(0, "Seller"), code(1, "Buyer")];

pub const ACCURACIES: &[Code] = &[code(1, "House number"), code(2, "Neighbourhood or centre of the city")];

pub const ENERGY_LETTERS: &[Choice] = &[
    choice("A", "Best class"),
    choice("B", ""),
    choice("C", ""),
    choice("D", ""),
    choice("E", ""),
    choice("F", ""),
    choice("G", "Worst class"),
];

pub const DIRECTIONS: &[Choice] = &[choice("asc", "Smallest first"), choice("desc", "Largest first")];

pub const SORT_MODES: &[Choice] = &[
    choice("property", "The date on which the property was first seen"),
    choice("advert", "The date on which one of its adverts was first seen"),
];

pub const INTERVALS: &[Choice] = &[choice("month", "A month"), choice("year", "A year")];

pub const RENT_PERIODS: &[Choice] = &[
    choice("month", "Every month"),
    choice("week", "Every week"),
    choice("day", "Every day or night"),
    choice("season", "For a season"),
    choice("year", "Every year"),
];

pub const PRICE_PROBLEMS: &[Choice] = &[
    choice("noPrice", "No price: on request, or left out"),
    choice("placeholder", "A number that stands for no price, such as 1"),
    choice("belowBounds", "Below what such a property costs anywhere"),
    choice("aboveBounds", "Above what such a property costs anywhere"),
    choice("rentInSale", "The price of a sale is an ordinary rent"),
    choice("salePriceInRent", "The rent is an ordinary price of a sale"),
    choice("yearlyRent", "The rent is an ordinary one for a year"),
    choice("nightlyRent", "The rent is an ordinary one for a night"),
    choice("tenfold", "About ten times what is usual around there"),
    choice("tenth", "About a tenth of what is usual"),
    choice("hundredfold", "About a hundred times what is usual: a lost decimal comma"),
    choice("hundredth", "About a hundredth of what is usual"),
    choice("outlier", "Far from what is usual, for none of these reasons"),
];

/// The names of events, as searches subscribe to them.
pub const EVENTS: &[Choice] = &[
    choice("ad.update.price", "The price of an advert changed"),
    choice("ad.update.surface", "The surface of an advert changed"),
    choice("ad.update.pictures", "The pictures of an advert changed"),
    choice("ad.update.expired", "An advert expired"),
    choice("property.ad.create", "A new advert"),
    choice("property.ad.update", "Any other field of an advert changed"),
];

/// What a delivery is about: an event, or a match.
pub const DELIVERY_SUBJECTS: &[Choice] = &[
    choice("match", "A property started to meet the search"),
    EVENTS[0],
    EVENTS[1],
    EVENTS[2],
    EVENTS[3],
    EVENTS[4],
    EVENTS[5],
];

pub const CHANNELS: &[Choice] = &[
    choice("endpointRecipient", "Webhook about a match"),
    choice("eventEndpoint", "Webhook about an event"),
    choice("notificationRecipient", "E-mail about a match"),
];

pub const DELIVERY_STATES: &[Choice] = &[
    choice("pending", "Waiting to be sent"),
    choice("leased", "An attempt is in progress"),
    choice("delivered", "The receiver accepted it"),
    choice("failed", "Six attempts failed, or a mail server rejected it permanently"),
    choice("cancelled", "It will not be sent"),
];

pub const CANCEL_REASONS: &[Choice] = &[
    choice("disabled", "Notifications of the search were off when it was due"),
    choice("search_deleted", "The search was deleted"),
    choice("no_recipient", "The search no longer has a destination or no longer subscribes to the event"),
    choice("erased", "The data that it refers to was erased"),
    choice("channel_off", "This server does not send by this channel"),
    choice(
        "damaged",
        "The stored record that it is about is damaged; replay it once the operator has repaired it",
    ),
    choice(
        "unconfirmed",
        "The recipient of e-mails has not confirmed the address: if the delivery is pending, it waits for that",
    ),
];

/// How an attempt ended.
pub const OUTCOMES: &[Choice] = &[
    choice("delivered", "The receiver answered 200, or the mail server accepted the e-mail"),
    choice("policy_refused", "The host is, or resolves to, a blocked address"),
    choice("dns", "The host name could not be resolved"),
    choice("connect", "The connection failed"),
    choice("tls", "The certificate is not valid for the host, or the TLS handshake failed"),
    choice("timeout", "The receiver took too long"),
    choice("closed", "The connection ended before the response"),
    choice("protocol", "The response is not valid HTTP"),
    choice("too_large", "The response headers are too large"),
    choice("status", "The receiver answered with another status"),
    choice("rejected", "The mail server rejected the e-mail permanently"),
    choice("interrupted", "Unknown: the process ended during the attempt"),
];

/// What became of an advert that was sent.
pub const RECEIPT_OUTCOMES: &[Choice] = &[
    choice("created", "A new advert"),
    choice("updated", "Something changed"),
    choice("unchanged", "Nothing changed"),
    choice("rejected", "Refused, for the reasons in violations"),
];

pub const PLACE_CERTAINTIES: &[Choice] = &[
    choice("exact", "The given place is unambiguous"),
    choice("likely", "A spelling was corrected, or one of several places was selected"),
    choice("inside", "Only the coordinates were usable: the place whose outline contains them"),
    choice("nearest", "Only the coordinates were usable: the place with the nearest centre"),
    choice("unknown", "No place was found"),
];

pub const VIOLATION_CODES: &[Choice] = &[
    choice("malformed", "The wrong type, or a reference to something that does not exist"),
    choice("missing", "A required value is missing or blank"),
    choice("invalid", "Well-formed, but out of bounds"),
    choice("contradiction", "In conflict with another value or with stored data"),
    choice("too_many", "Over a limit on the number of values"),
];

/// What put an advert into its property.
pub const GROUPED_BY: &[Choice] = &[
    choice("first", "The advert that the others joined"),
    choice("sender", "Its sender named the property"),
    choice("person", "A person put it there"),
    choice("evidence", "It is alike enough"),
];

/// What moved adverts to another property.
pub const REGROUPED_BY: &[Choice] = &[
    choice("grouping", "Evidence"),
    choice("sender", "The sender named the property"),
    choice("person", "A person merged or split properties"),
];

pub const VERDICTS: &[Choice] =
    &[choice("same", "One property"), choice("different", "Different properties")];

/// What followed from a decision about two adverts.
pub const PAIR_ACTIONS: &[Choice] = &[
    choice("merged", "Their properties are one now"),
    choice("split", "The second advert has a property of its own now"),
    choice("remembered", "They were grouped like that already"),
];

pub const VETOES: &[Choice] = &[
    choice("notComparable", "Another commune, transaction or kind of property"),
    choice("bothLiveOnOneSite", "Both are live on one site under different references"),
    choice("unitMarks", "Their texts number different units, such as lot 12 and lot 14"),
    choice("twoMandates", "Spaces or plots of one agency with two of its references"),
    choice("programme", "One is a programme of several units, the other a unit"),
    choice("farApart", "Their prices or their surfaces are far apart"),
];

pub const EVIDENCE: &[Choice] = &[
    choice("place", "How many homes the place has: equal facts mean less in a big city"),
    choice("propertyType", "The types of property"),
    choice("price", "The prices"),
    choice("surface", "The surfaces"),
    choice("landSurface", "The surfaces of the land"),
    choice("rooms", "The numbers of rooms"),
    choice("bedrooms", "The numbers of bedrooms"),
    choice("floor", "The floors"),
    choice("floorQuantity", "The numbers of floors of the building"),
    choice("constructionYear", "The years of construction"),
    choice("energy", "The energy and greenhouse-gas ratings"),
    choice("charges", "The charges"),
    choice("deposit", "The deposits"),
    choice("renterFees", "The fees of the tenant"),
    choice("propertyTax", "The property taxes"),
    choice("lotCount", "The numbers of lots"),
    choice("elevator", "With or without a lift"),
    choice("furnished", "Furnished or not"),
    choice("heating", "The heating"),
    choice("coordinates", "The distance between the coordinates"),
    choice("phone", "The telephone numbers"),
    choice("agency", "The agencies"),
    choice("mandate", "The references of the agency"),
    choice("site", "Both are live on one site"),
    choice("pictures", "Pictures in common"),
    choice("street", "The street that the texts name"),
    choice("text", "Passages in common"),
    choice("numbers", "Numbers in the texts"),
    choice("words", "Rare words in the texts"),
    choice("features", "Features that both texts name, such as a well or a balcony"),
    choice("unitMark", "Numbers of units in the texts"),
    choice("anotherUnit", "The text of one agency with another price and surface, or another floor"),
];

/// The fields whose changes criteria can be about.
pub const VARIATIONS: &[Choice] = &[choice("price", "The price"), choice("surface", "The surface")];

pub const HEALTH: &[Choice] =
    &[choice("alive", "The process runs"), choice("ready", "The database answers and the index is complete")];

pub const SCOPES: &[Choice] = &[
    choice("read", "Read properties, adverts and reference data"),
    choice("searches", "Manage your saved searches and read their deliveries"),
    choice("ingest", "Send, expire and erase adverts"),
    choice("admin", "Name and categorise sites, correct the grouping, manage keys"),
];

/// The kinds of suggestions of the autocomplete.
pub const SUGGESTIONS: &[Choice] =
    &[choice("city", "A city"), choice("department", "A department"), choice("station", "A station")];

pub const GEOMETRIES: &[Choice] =
    &[choice("Polygon", "One area, with its holes"), choice("MultiPolygon", "Several areas")];

#[cfg(test)]
mod tests {
    use domain::grouping::{EvidenceKind, Verdict, Veto};
    use domain::{
        CancelReason, DeliveryChannel, DeliveryState, EnergyLetter, EventName, Fault, FeesResponsibility,
        GeoAccuracy, Outcome, PriceProblem, PropertyType, PublisherType, RentPeriod, Scope, TransactionType,
    };
    use wire::{grouping, names};

    use super::*;

    fn check_codes(table: &[Code], known: impl IntoIterator<Item = u8>) {
        let listed: Vec<u8> = table.iter().map(|code| code.code).collect();
        assert_eq!(listed, known.into_iter().collect::<Vec<u8>>());
    }

    fn check<T: ToString>(table: &[Choice], known: impl IntoIterator<Item = T>) {
        let listed: Vec<String> = table.iter().map(|choice| choice.text.to_owned()).collect();
        let known: Vec<String> = known.into_iter().map(|name| name.to_string()).collect();
        assert_eq!(listed, known);
    }

    #[test]
    fn codes_are_those_of_the_domain() {
        check_codes(PROPERTY_TYPES, PropertyType::ALL.iter().map(|kind| kind.code()));
        check_codes(TRANSACTION_TYPES, TransactionType::ALL.iter().map(|kind| kind.code()));
        check_codes(PUBLISHER_TYPES, PublisherType::ALL.iter().map(|kind| kind.code()));
        check_codes(FEES_RESPONSIBILITIES, FeesResponsibility::ALL.iter().map(|kind| kind.code()));
        check_codes(ACCURACIES, GeoAccuracy::ALL.iter().map(|kind| kind.code()));
    }

    #[test]
    fn code_names_are_those_of_the_domain() {
        for (code, kind) in PROPERTY_TYPES.iter().zip(PropertyType::ALL) {
            assert_eq!(code.meaning, format!("{kind:?}"));
        }
        for (code, kind) in TRANSACTION_TYPES.iter().zip(TransactionType::ALL) {
            assert_eq!(code.meaning, format!("{kind:?}"));
        }
    }

    #[test]
    fn names_are_those_of_the_wire() {
        check(ENERGY_LETTERS, EnergyLetter::ALL.iter().map(|letter| letter.letter()));
        check(RENT_PERIODS, RentPeriod::ALL.iter().map(|period| names::rent_period(*period)));
        check(PRICE_PROBLEMS, PriceProblem::ALL.iter().map(|problem| names::price_problem(*problem)));
        let events: Vec<&str> = EventName::ALL.iter().map(|name| names::event_name(*name)).collect();
        check(EVENTS, &events);
        check(DELIVERY_SUBJECTS, std::iter::once(&names::MATCH).chain(&events));
        check(CHANNELS, DeliveryChannel::ALL.map(names::delivery_channel));
        check(CANCEL_REASONS, CancelReason::ALL.map(names::cancel_reason));
        let states = [
            DeliveryState::Pending,
            DeliveryState::Leased,
            DeliveryState::Delivered,
            DeliveryState::Failed,
            DeliveryState::Cancelled(CancelReason::Disabled),
        ];
        check(DELIVERY_STATES, states.map(names::delivery_state));
        let outcomes = std::iter::once(Outcome::Delivered)
            .chain(Fault::ALL.map(Outcome::Failed))
            .chain([Outcome::Interrupted]);
        check(OUTCOMES, outcomes.map(names::outcome));
        check(SCOPES, Scope::ALL.iter().map(|scope| scope.word()));
        check(VERDICTS, [Verdict::Same, Verdict::Different].map(grouping::verdict_name));
        check(VETOES, Veto::ALL.iter().map(|veto| veto.name()));
        check(EVIDENCE, EvidenceKind::ALL.iter().map(|kind| kind.name()));
    }
}
