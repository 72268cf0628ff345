-- Properties that are off the market: removed, or left with expired adverts only. Retention notes one when it deletes the log entry that
-- took it off the market; position and departed_at (milliseconds) are those of that entry. A row whose property has changed since is
-- stale, and is deleted when retention comes to it. matches_deleted is 1 once the matches of the property are deleted.
CREATE TABLE departed_property (
    property_id     BLOB PRIMARY KEY,
    position        INTEGER NOT NULL,
    departed_at     INTEGER NOT NULL,
    matches_deleted INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX departed_property_due ON departed_property (matches_deleted, departed_at);
