-- What is owed, one by one, and what became of it. Dates in these tables are milliseconds since 1970.

-- A delivery: one notice for one search. The notice itself is written with the matcher's checkpoint; rows here are made from it
-- afterwards, each exactly once, because the mark in `delivery_intake` moves in the same transaction.
CREATE TABLE delivery (
    -- Never given twice, also after old rows are deleted: receivers know deliveries by it.
    sequence      INTEGER PRIMARY KEY AUTOINCREMENT,
    owner         BLOB NOT NULL,
    -- The search's number and the channel, as sqlite/deliveries.rs says.
    lane          INTEGER NOT NULL,
    -- Which of its lane this is, from 1 on and without gaps: receivers see by it that something is missing.
    number        INTEGER NOT NULL,
    -- The notice.
    position      INTEGER NOT NULL,
    kind          INTEGER NOT NULL,
    place         INTEGER,
    -- 0 pending, 1 leased, 2 delivered, 3 failed, from 10 on cancelled.
    state         INTEGER NOT NULL,
    -- When pending, the next attempt is not before; when leased, the lease ends; else, when it came to that.
    due_at        INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    failures      INTEGER NOT NULL DEFAULT 0,
    interruptions INTEGER NOT NULL DEFAULT 0,
    -- Whether it was sent without how to reach the advertiser; NULL before it was first sent.
    hidden        INTEGER,
    -- Who holds the lease. Whoever comes with another number has lost it.
    -- It stays when the lease is over: those with the same one were tried together, and go out together again.
    claim         INTEGER
);
CREATE INDEX delivery_pending ON delivery (lane, due_at) WHERE state = 0;
CREATE INDEX delivery_leased ON delivery (due_at) WHERE state = 1;
CREATE INDEX delivery_of_owner ON delivery (owner);
CREATE INDEX delivery_of_lane ON delivery (lane);
-- What came to nothing is little of it all, and is what is looked for.
CREATE INDEX delivery_given_up ON delivery (lane) WHERE state >= 3;
CREATE INDEX delivery_given_up_of_owner ON delivery (owner) WHERE state >= 3;

-- What tells the deliveries of this database from those of any other: a random mark, new whenever a server begins. A copy of the
-- database, such as a backup that was put back, goes on with the same numbers as what it is a copy of, and with other marks.
CREATE TABLE delivery_mark (
    -- The first delivery that has it in its id.
    first INTEGER PRIMARY KEY,
    mark  INTEGER NOT NULL
);
INSERT INTO delivery_mark (first, mark) VALUES (1, abs(random() >> 1));

-- How many deliveries a lane has ever had. Old ones are forgotten, and their numbers are not given again.
CREATE TABLE delivery_lane (
    lane     INTEGER PRIMARY KEY,
    numbered INTEGER NOT NULL
);

-- Every attempt of every delivery, in order. Those of a lease that ran out are there as well.
CREATE TABLE delivery_attempt (
    sequence INTEGER NOT NULL,
    ordinal  INTEGER NOT NULL,
    began_at INTEGER NOT NULL,
    took     INTEGER NOT NULL,
    -- 0 delivered, 1 interrupted, from 10 on the fault.
    outcome  INTEGER NOT NULL,
    status   INTEGER,
    -- Where it went, and the first bytes of what came back.
    target   TEXT,
    excerpt  BLOB,
    PRIMARY KEY (sequence, ordinal)
) WITHOUT ROWID;

-- Documents as they were first sent, compressed: a repeat has the same bytes, whatever has happened to the property since.
-- Version 0 is no document: it says when something of the property was last erased.
CREATE TABLE delivery_document (
    property_id BLOB NOT NULL,
    version     INTEGER NOT NULL,
    -- 1 without how to reach the advertiser.
    hidden      INTEGER NOT NULL,
    document    BLOB NOT NULL,
    kept_at     INTEGER NOT NULL,
    PRIMARY KEY (property_id, version, hidden)
);
CREATE INDEX delivery_document_kept ON delivery_document (kept_at);

-- Up to which notice, and which of its searches, deliveries are made of them. Nothing was delivered up to now, and what was owed
-- before this version of the program is not sent out of the blue.
CREATE TABLE delivery_intake (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    position INTEGER NOT NULL,
    ordinal  INTEGER NOT NULL,
    number   INTEGER NOT NULL
);
INSERT INTO delivery_intake (only_row, position, ordinal, number)
    SELECT 1, matched_until + 1, -1, 0 FROM matcher;

-- What webhooks of a user are signed with: the one with the highest ordinal, and for a while those that it replaced.
CREATE TABLE webhook_secret (
    user_id     BLOB NOT NULL,
    ordinal     INTEGER NOT NULL,
    secret      BLOB NOT NULL,
    created_at  INTEGER NOT NULL,
    -- Nothing in the one with the highest ordinal, and only there.
    replaced_at INTEGER,
    PRIMARY KEY (user_id, ordinal)
) WITHOUT ROWID;
