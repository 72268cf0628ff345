-- Keys with settings of their own, usage by day, and searches by token.

-- Dates are seconds. requests_per_minute takes precedence over the general limit; 0 is no limit.
ALTER TABLE api_key ADD COLUMN label TEXT;
ALTER TABLE api_key ADD COLUMN expires_at INTEGER;
ALTER TABLE api_key ADD COLUMN requests_per_minute INTEGER;
ALTER TABLE api_key ADD COLUMN last_used_at INTEGER;

-- What each key used per day. A day of the service's time zone is a number such as 20260302. key_id is empty for deliveries: they
-- belong to a user and to none of the user's keys.
CREATE TABLE daily_usage (
    user_id  BLOB NOT NULL,
    day      INTEGER NOT NULL,
    key_id   TEXT NOT NULL,
    requests INTEGER NOT NULL DEFAULT 0,
    items    INTEGER NOT NULL DEFAULT 0,
    webhooks INTEGER NOT NULL DEFAULT 0,
    emails   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, day, key_id)
) WITHOUT ROWID;
-- For lists of all users, and for retention.
CREATE INDEX daily_usage_by_day ON daily_usage (day);

-- The same requests by operation. Apart, so that a list is counted without reading them.
CREATE TABLE operation_usage (
    day       INTEGER NOT NULL,
    key_id    TEXT NOT NULL,
    operation TEXT NOT NULL,
    requests  INTEGER NOT NULL,
    items     INTEGER NOT NULL,
    PRIMARY KEY (day, key_id, operation)
) WITHOUT ROWID;

-- The owner of a search may name it by its token, which is in the record: its first field, after a header of 5 bytes and the 10
-- characters {"token":". An index needs neither another column nor a change to any row.
CREATE INDEX search_by_token ON search (owner, substr(record, 16, 50));
