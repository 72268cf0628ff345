-- Ids are 16 bytes, dates are whole seconds since 1970 (the log's are milliseconds), records are described in record.rs.

-- Which version a property is at, how often it was written, and where that version's record is. A property that was removed
-- keeps its row without a record, so that its numbers are never given twice.
CREATE TABLE property (
    id        BLOB PRIMARY KEY,
    version   INTEGER NOT NULL,
    revision  INTEGER NOT NULL,
    record_id INTEGER
) WITHOUT ROWID;

-- Every version of every property. A version belongs to the log entry that made it. One that was erased whole has an empty
-- record: its number must not be given again.
CREATE TABLE property_version (
    record_id   INTEGER PRIMARY KEY,
    property_id BLOB NOT NULL,
    version     INTEGER NOT NULL,
    position    INTEGER NOT NULL,
    record      BLOB NOT NULL
);
CREATE UNIQUE INDEX property_version_of ON property_version (property_id, version);

-- How adverts are found. Everything else about them is in their property's record.
CREATE TABLE advert (
    id              BLOB PRIMARY KEY,
    property_id     BLOB NOT NULL,
    site            TEXT,
    reference       TEXT,
    url_key         TEXT,
    url_hash        INTEGER,
    last_crawled_at INTEGER NOT NULL,
    expired         INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX advert_by_reference ON advert (site, reference) WHERE site IS NOT NULL AND reference IS NOT NULL;
CREATE INDEX advert_by_url ON advert (url_hash) WHERE url_hash IS NOT NULL;

-- Properties an advert has left: their older versions still hold it, and an erasure must find them.
CREATE TABLE advert_former_home (
    advert_id   BLOB NOT NULL,
    property_id BLOB NOT NULL,
    PRIMARY KEY (advert_id, property_id)
) WITHOUT ROWID;

-- The change log. Positions are dense because only one transaction at a time appends.
CREATE TABLE log (
    position    INTEGER PRIMARY KEY,
    kind        INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    subject     BLOB,
    version     INTEGER,
    advert      BLOB,
    payload     BLOB
);

CREATE TABLE search (
    id      BLOB PRIMARY KEY,
    owner   BLOB NOT NULL,
    version INTEGER NOT NULL,
    text    TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE user (
    id   BLOB PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) WITHOUT ROWID;

CREATE TABLE api_key (
    id          TEXT PRIMARY KEY,
    secret_hash BLOB NOT NULL,
    user_id     BLOB NOT NULL REFERENCES user (id),
    scopes      TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    revoked_at  INTEGER
) WITHOUT ROWID;

CREATE TABLE note (
    name TEXT PRIMARY KEY,
    text TEXT NOT NULL
) WITHOUT ROWID;
