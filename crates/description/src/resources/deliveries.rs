//! Matches, webhooks and deliveries.

use crate::codes;
use crate::schema::{Field, Kind, Resource};

pub fn resources() -> Vec<Resource> {
    let mut resources = vec![
        Resource::at(
            "Match",
            "/matches/{id}",
            "A property that started to meet a saved search. A match is made once and never changes.",
            match_fields(Kind::Object("PropertyDocument")),
        ),
        Resource::at(
            "WebhookMatch",
            "/matches/{id}",
            "A match as webhooks carry it: what endpointRecipient receives",
            [match_fields(Kind::Object("WebhookPropertyDocument")), vec![repeated_match()]].concat(),
        )
        .of_class("Match"),
    ];
    resources.extend(events());
    resources.extend(deliveries());
    resources.extend(health());
    resources
}

#[rustfmt::skip]
fn match_fields(document: Kind) -> Vec<Field> {
    vec![
        Field::new("property", Kind::Link("Property"), "The property"),
        Field::new("search", Kind::Link("Search"), "The saved search"),
        Field::new("createdAt", Kind::DateTime, "When the property started to meet the search"),
        Field::new("updatedAt", Kind::DateTime, "The same as createdAt"),
        Field::new("propertyDocument", document, "The property as it was then"),
    ]
}

fn repeated_match() -> Field {
    let meaning = "The match again, where events have it. Only if a setting of the service asks for it.";
    Field::new("match", Kind::Object("WebhookMatch"), meaning).optional()
}

#[rustfmt::skip]
fn events() -> Vec<Resource> {
    vec![
        Resource::part("WebhookEvent", "An event of an advert: what eventEndpoint receives", vec![
            Field::new("event", Kind::Choice(codes::EVENTS), "The name of the event"),
            Field::new("adEvent", Kind::Object("AdEventInWebhook"), "What changed"),
            Field::new("match", Kind::Object("WebhookMatch"), "The property and the search that the event is sent for"),
        ]),
        Resource::part("AdEventInWebhook", "What changed, inside a webhook", vec![
            Field::new("advert", Kind::Link("Advert"), "The advert that changed"),
            Field::new("fieldName", Kind::Text, "The field that changed, such as price or surface; created or expired for the life of the advert"),
            Field::new("fieldOldValue", Kind::Text, "The value before, of price, surface and expired; null for other fields").or_null(),
            Field::new("fieldNewValue", Kind::Text, "The value after, of price, surface and expired; null for other fields").or_null(),
            Field::new("percentVariation", Kind::Text, "The change of a price or surface in percent of the old value, as text: -2.81").or_null(),
            Field::new("createdAt", Kind::DateTime, "When it happened"),
        ])
        .of_class("AdEvent"),
    ]
}

#[rustfmt::skip]
fn delivery_fields() -> Vec<Field> {
    vec![
        Field::new("search", Kind::Link("Search"), "The saved search; null if it was deleted").or_null(),
        Field::new("channel", Kind::Choice(codes::CHANNELS), "The field of the search that holds the destination"),
        Field::new("sequence", Kind::Integer, "The number of the message among those of its search and channel, from 1; webhooks carry it as x-sequence"),
        Field::new("event", Kind::Choice(codes::DELIVERY_SUBJECTS), "What it is about"),
        Field::new("match", Kind::Link("Match"), "The match; null if the data was erased").or_null(),
        Field::new("property", Kind::Link("Property"), "The property; null if the data was erased").or_null(),
        Field::new("state", Kind::Choice(codes::DELIVERY_STATES), "The state"),
        Field::new("reason", Kind::Choice(codes::CANCEL_REASONS), "Why it was cancelled, or what it waits for; null otherwise").or_null(),
        Field::new("createdAt", Kind::DateTime, "When it was created"),
        Field::new("nextAttemptAt", Kind::DateTime, "When it is sent next; null unless it is pending").or_null(),
        Field::new("settledAt", Kind::DateTime, "When it was delivered, failed or cancelled").or_null(),
        Field::new("attemptCount", Kind::Integer, "The number of attempts so far"),
    ]
}

#[rustfmt::skip]
fn deliveries() -> Vec<Resource> {
    let attempts = Field::new("attempts", Kind::List(&Kind::Object("Attempt")), "The attempts, oldest first");
    vec![
        Resource::at("Delivery", "/deliveries/{id}", "A message that was sent or will be, by webhook or e-mail. The id is the webhook-id of the message.", delivery_fields()),
        Resource::at("DeliveryWithAttempts", "/deliveries/{id}", "A delivery with its attempts", [delivery_fields(), vec![attempts]].concat())
            .of_class("Delivery"),
        Resource::part("Attempt", "An attempt to send a message", vec![
            Field::new("number", Kind::Integer, "The number of the attempt, from 1"),
            Field::new("beganAt", Kind::DateTime, "When it began"),
            Field::new("durationMs", Kind::Integer, "How long it took, in milliseconds"),
            Field::new("outcome", Kind::Choice(codes::OUTCOMES), "How it ended"),
            Field::new("status", Kind::Integer, "The status that the receiver answered with").or_null(),
            Field::new("target", Kind::Text, "The URL or e-mail address that it was sent to").or_null(),
            Field::new("answer", Kind::Text, "The first 1,024 bytes of the response").or_null(),
            Field::new("answerHeaders", Kind::List(&Kind::Object("AnswerHeader")), "The headers of the response of a webhook receiver, at most 50 and 4,096 bytes"),
            Field::new("timings", Kind::Object("Timings"), "How long its phases took"),
            Field::new("detail", Kind::Text, "What is wrong with the certificate of the receiver, and what to do; null otherwise").or_null(),
        ]),
        Resource::part("AnswerHeader", "A header of a response", vec![
            Field::new("name", Kind::Text, "The name, in lower case"),
            Field::new("value", Kind::Text, "The value, cut after 1,024 bytes"),
        ]),
        Resource::part("Timings", "How long the phases of an attempt took. A phase that did not begin is null: a connection that is reused needs only the last. The phase in which an attempt failed counts up to the failure.", vec![
            Field::new("nameMs", Kind::Integer, "Resolving the host name, in milliseconds").or_null(),
            Field::new("connectMs", Kind::Integer, "Opening the connection, in milliseconds").or_null(),
            Field::new("tlsMs", Kind::Integer, "The TLS handshake, in milliseconds").or_null(),
            Field::new("firstByteMs", Kind::Integer, "From the request to the head of the response, in milliseconds").or_null(),
        ]),
        Resource::answer("Replay", "How many deliveries are sent again", vec![
            Field::new("replayed", Kind::Integer, "The number of deliveries"),
        ]),
        Resource::answer("ReplayCount", "How many deliveries a replay would send again", vec![
            Field::new("deliveries", Kind::Integer, "The number of deliveries"),
        ]),
        Resource::body("ReplayDraft", "Which deliveries of a search to send again", vec![
            Field::new("since", Kind::Date, "Those created since this date that failed, or were cancelled for lack of a destination. May be in the query instead.").or_null().optional(),
        ]),
        Resource::at("WebhookSecret", "/webhook-secret", "The secret that your webhooks are signed with", vec![
            Field::new("secret", Kind::Text, "The secret, as libraries for Standard Webhooks take it"),
            Field::new("createdAt", Kind::DateTime, "When it was created"),
            Field::new("previousSecretValidUntil", Kind::DateTime, "Until when messages are signed with the previous secret as well; null if there is none").or_null(),
        ]),
    ]
}

#[rustfmt::skip]
fn health() -> Vec<Resource> {
    vec![
        Resource::at("DeliveryRequest", "/deliveries/{id}/request", "The request of a webhook, as an attempt sends it", vec![
            Field::new("method", Kind::Text, "POST"),
            Field::new("url", Kind::Text, "Where the attempt went; null if there was none yet").or_null(),
            Field::new("headers", Kind::Map(&Kind::Text), "The headers, signed with the present secret"),
            Field::new("body", Kind::Text, "The body, exactly as it is signed"),
            Field::new("signedPrefix", Kind::Text, "What the signature covers before the body: id and time, each with a full stop"),
        ]),
        Resource::at("DeliveryHealth", "/deliveries/health", "How the receivers of a user fare", vec![
            Field::new("since", Kind::DateTime, "Deliveries created from then on are counted"),
            Field::new("isComplete", Kind::Boolean, "Whether all attempts are counted; false if there are more than 100,000"),
            Field::new("hosts", Kind::List(&Kind::Object("HostHealth")), "By receiver, the one with the most attempts first"),
        ]),
        Resource::part("HostHealth", "How a receiver fares", [
            vec![Field::new("host", Kind::Text, "The host and port of the endpoints, or the domain of the e-mail addresses")],
            figures(),
            vec![Field::new("hours", Kind::List(&Kind::Object("HourHealth")), "The same by hour, oldest first, without empty hours")],
        ].concat()),
        Resource::part("HourHealth", "How a receiver fared in an hour", [
            vec![Field::new("hour", Kind::DateTime, "When the hour began")],
            figures(),
        ].concat()),
    ]
}

fn figures() -> Vec<Field> {
    vec![
        Field::new("attempts", Kind::Integer, "The number of attempts, without interrupted ones"),
        Field::new("delivered", Kind::Integer, "The number of attempts that the receiver accepted"),
        Field::new(
            "p50Ms",
            Kind::Integer,
            "The time that half of the attempts took at most, in milliseconds",
        ),
        Field::new(
            "p99Ms",
            Kind::Integer,
            "The time that 99 % of the attempts took at most, in milliseconds",
        ),
    ]
}
