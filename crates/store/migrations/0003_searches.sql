-- Saved searches, and what the matcher made of the log. Dates in these tables are milliseconds since 1970, as the log's are.

-- The table that was here before was never filled.
DROP TABLE search;

-- A search has a number beside its id: it is kept millions of times, in four bytes, and AUTOINCREMENT never gives one twice. So what
-- still names the number of a deleted search names nobody.
CREATE TABLE search (
    number    INTEGER PRIMARY KEY AUTOINCREMENT CHECK (number BETWEEN 1 AND 4294967295),
    id        BLOB NOT NULL UNIQUE,
    owner     BLOB NOT NULL,
    version   INTEGER NOT NULL,
    -- The log entry that made this version.
    position  INTEGER NOT NULL,
    enabled   INTEGER NOT NULL,
    -- The title with case, accents and punctuation aside.
    title_key TEXT NOT NULL,
    record    BLOB NOT NULL
);
-- Both hold all that a list is chosen by, so that only the searches of the page are read from the table.
CREATE INDEX search_by_owner ON search (owner, number, enabled, title_key);
CREATE INDEX search_by_title ON search (owner, title_key, number, enabled);

-- How many searches each owner has: asked at every creation, and an owner may have very many. Triggers do the counting, so that no
-- statement can forget it.
CREATE TABLE search_count (
    owner    BLOB PRIMARY KEY,
    searches INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER search_inserted AFTER INSERT ON search BEGIN
    INSERT INTO search_count (owner, searches) VALUES (NEW.owner, 1)
        ON CONFLICT (owner) DO UPDATE SET searches = searches + 1;
END;
CREATE TRIGGER search_deleted AFTER DELETE ON search BEGIN
    UPDATE search_count SET searches = searches - 1 WHERE owner = OLD.owner;
    DELETE FROM search_count WHERE owner = OLD.owner AND searches = 0;
END;

-- Versions that a later one has replaced, while the matcher is still before that: it holds each change against the searches of its
-- moment. The key is the log entry of the version that came after, so that what the matcher has passed is the beginning of the table.
CREATE TABLE search_version (
    replaced_at INTEGER PRIMARY KEY,
    number      INTEGER NOT NULL,
    version     INTEGER NOT NULL,
    position    INTEGER NOT NULL,
    record      BLOB NOT NULL
);
CREATE INDEX search_version_of ON search_version (number, version);

-- When something was last delivered for a search. Apart from it, because it is written far more often and its rows are far smaller.
CREATE TABLE search_alert (
    number        INTEGER PRIMARY KEY,
    last_alert_at INTEGER NOT NULL
);

-- Deleted searches whose rows in match_of_search are not deleted yet: there may be very many of those.
CREATE TABLE removed_search (
    -- The log entry that says so.
    removed_at INTEGER PRIMARY KEY,
    number     INTEGER NOT NULL
);

-- What one log entry means to those who wait, by that entry. Numbers of searches are kept as record/numbers.rs says; NULL is none.
CREATE TABLE match_group (
    position    INTEGER PRIMARY KEY,
    at          INTEGER NOT NULL,
    property_id BLOB NOT NULL,
    version     INTEGER NOT NULL,
    advert      BLOB NOT NULL,
    matched     BLOB,
    linked      BLOB
);
CREATE INDEX match_group_of ON match_group (property_id);

-- What is owed because of it.
CREATE TABLE notice (
    position INTEGER NOT NULL,
    ordinal  INTEGER NOT NULL,
    kind     INTEGER NOT NULL,
    -- Of an event: which of the entry's news it is.
    place    INTEGER,
    searches BLOB NOT NULL,
    PRIMARY KEY (position, ordinal)
) WITHOUT ROWID;

-- The same matches by search. One change may make thousands, all over this table, so they are not written with the group but later,
-- many groups at a time and in the order of this table.
CREATE TABLE match_of_search (
    number   INTEGER NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (number, position)
) WITHOUT ROWID;

-- Properties that an erasure took away, as long as the matcher is before that: what it makes of them by then is not kept.
CREATE TABLE erased_property (
    position    INTEGER PRIMARY KEY,
    property_id BLOB NOT NULL
);

-- How far matches are recorded, and how far those are filed by search. There were no searches up to now, so nothing of the log so far
-- can have matched any.
CREATE TABLE matcher (
    only_row      INTEGER PRIMARY KEY CHECK (only_row = 1),
    matched_until INTEGER NOT NULL,
    filed_until   INTEGER NOT NULL
);
INSERT INTO matcher (only_row, matched_until, filed_until)
    SELECT 1, coalesce(max(position), 0), coalesce(max(position), 0) FROM log;
