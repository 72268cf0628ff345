//! How the server fares.

use crate::schema::{Field, Kind, Resource};

#[rustfmt::skip]
pub fn resources() -> Vec<Resource> {
    vec![
        Resource::at("Status", "/status", "How the server fares. What is counted begins with the process.", vec![
            Field::new("version", Kind::Text, "The version of the server"),
            Field::new("startedAt", Kind::DateTime, "When the process started"),
            Field::new("logLevel", Kind::Text, "The level of the log; null if the process does not write its own").or_null(),
            Field::new("now", Kind::Object("StatusNow"), "The figures of now"),
            Field::new("hour", Kind::Object("StatusSeries"), "The last hour by minute"),
            Field::new("day", Kind::Object("StatusSeries"), "The last day by quarter of an hour; the last value is of one that is not complete"),
            Field::new("sites", Kind::List(&Kind::Object("SiteAdverts")), "What each site sent in the last 24 hours, most first; at most 1,000 sites"),
            Field::new("workers", Kind::List(&Kind::Object("WorkerStatus")), "The workers in the background"),
            Field::new("retention", Kind::Object("RetentionFigures"), "What retention deleted and left"),
            Field::new("settings", Kind::List(&Kind::Object("ChangedSetting")), "The settings that differ from their default"),
        ]),
        Resource::part("StatusNow", "The figures of now", vec![
            Field::new("isReady", Kind::Boolean, "Whether the index is built"),
            Field::new("logPosition", Kind::Integer, "The last position of the change log"),
            Field::new("indexLag", Kind::Integer, "How many log entries the index is behind"),
            Field::new("matcherLag", Kind::Integer, "How many log entries the matcher is behind"),
            Field::new("properties", Kind::Integer, "The number of properties in the index"),
            Field::new("savedSearches", Kind::Integer, "The number of saved searches that are matched"),
            Field::new("deliveriesPending", Kind::Integer, "The number of deliveries that wait, for a retry too"),
            Field::new("deliveriesInFlight", Kind::Integer, "The number of attempts in progress"),
            Field::new("deliveriesHeld", Kind::Boolean, "Whether an operator holds all deliveries"),
            Field::new("oldestDueSeconds", Kind::Number, "For how long the oldest due delivery has been due; 0 if none is"),
            Field::new("requestsInFlight", Kind::Integer, "The number of requests in progress"),
            Field::new("memoryBytes", Kind::Integer, "The resident memory of the process; null if the system does not tell").or_null(),
            Field::new("databaseBytes", Kind::Integer, "The size of the database after the last round of retention"),
            Field::new("diskFreeBytes", Kind::Integer, "The free space of the disk with the data folder; null if the system does not tell").or_null(),
            Field::new("diskBytes", Kind::Integer, "The size of that disk; null if the system does not tell").or_null(),
        ]),
        Resource::part("StatusSeries", "Values over time", vec![
            Field::new("times", Kind::List(&Kind::DateTime), "The end of each interval, oldest first"),
            Field::new("series", Kind::Map(&Kind::List(&Kind::Any)), "By name, a number for each time, or null if there is none. Counts are of the interval: `advertsCreated`, `advertsUpdated`, `advertsUnchanged`, `advertsRefused`, `requests`, `requestsFailed`, `searches`, `matches`, `deliveriesDelivered`, `deliveriesFailed`. `searchP50Ms` and `searchP99Ms` are estimates within the buckets of the histogram. The others are as at its end, in `day` the worst: `indexLag`, `matcherLag`, `deliveriesPending`, `oldestDueSeconds`, `databaseBytes`, `memoryBytes`, `diskFreeBytes`."),
        ]),
        Resource::part("SiteAdverts", "What a site sent in the last 24 hours", vec![
            Field::new("site", Kind::Text, "The site"),
            Field::new("accepted", Kind::Integer, "The number of adverts that were accepted"),
            Field::new("refused", Kind::Integer, "The number of adverts that were refused"),
            Field::new("lastSeenAt", Kind::DateTime, "When its last advert came"),
            Field::new("hours", Kind::List(&Kind::Object("SiteHour")), "The same by hour, oldest first, without empty hours"),
        ]),
        Resource::part("SiteHour", "What a site sent in an hour", vec![
            Field::new("hour", Kind::DateTime, "When the hour began"),
            Field::new("accepted", Kind::Integer, "The number of adverts that were accepted"),
            Field::new("refused", Kind::Integer, "The number of adverts that were refused"),
        ]),
        Resource::part("WorkerStatus", "A worker in the background", vec![
            Field::new("name", Kind::Text, "The name, as in the log"),
            Field::new("isStalled", Kind::Boolean, "Whether it stands still; the log says why"),
            Field::new("failures", Kind::Integer, "How often it failed and started again"),
        ]),
        Resource::part("RetentionFigures", "What retention deleted and left", vec![
            Field::new("completedAt", Kind::DateTime, "When a round last came to its end; null before the first").or_null(),
            Field::new("deletedRows", Kind::Map(&Kind::Integer), "The number of rows that this process deleted, by table"),
            Field::new("freeBytes", Kind::Integer, "The part of the database that is free and will be used again"),
            Field::new("walBytes", Kind::Integer, "The size of the write-ahead log"),
            Field::new("oldestPosition", Kind::Integer, "The first position that the change log still has"),
        ]),
        Resource::part("ChangedSetting", "A setting that differs from its default", vec![
            Field::new("name", Kind::Text, "The name, such as `limits.requests_max`"),
            Field::new("value", Kind::Text, "The value; `(hidden)` if it is a secret"),
            Field::new("default", Kind::Text, "The default value"),
        ]),
        Resource::at("RefusedAdverts", "/status/refused", "Why adverts were refused", vec![
            Field::new("total", Kind::Integer, "The number of refused adverts that are kept, at most 1,000"),
            Field::new("reasons", Kind::List(&Kind::Object("RefusedReason")), "The reasons, the most frequent first"),
        ]),
        Resource::part("RefusedReason", "A reason to refuse adverts", vec![
            Field::new("propertyPath", Kind::Text, "The field, without its place in a list"),
            Field::new("code", Kind::Text, "The kind of problem, as in an error"),
            Field::new("message", Kind::Text, "What is wrong, without the values that were sent"),
            Field::new("count", Kind::Integer, "The number of adverts with this reason"),
            Field::new("lastAt", Kind::DateTime, "When the last one came"),
            Field::new("examples", Kind::List(&Kind::Object("RefusedExample")), "The newest, at most five"),
        ]),
        Resource::part("RefusedExample", "A refused advert", vec![
            Field::new("at", Kind::DateTime, "When it came"),
            Field::new("site", Kind::Text, "Its site, if it could be read").or_null(),
            Field::new("reference", Kind::Text, "Its reference, if it could be read").or_null(),
        ]),
        Resource::at("LogLevel", "/status/log-level", "The level of the log", vec![
            Field::new("level", Kind::Text, "The level, or directives"),
        ]),
        Resource::body("LogLevelChange", "The level of the log from now on", vec![
            Field::new("level", Kind::Text, "`error`, `warn`, `info`, `debug` or `trace`; or directives such as `info,store=debug`"),
        ]),
    ]
}
