-- Every question asks for what is on offer, so that the indexes hold nothing else; each holds all columns its questions
-- look at. Two serve one question: along the order for the first ten, along the price for how many there are.

CREATE TABLE property (
    number INTEGER PRIMARY KEY,
    id BLOB NOT NULL,
    transaction_type INTEGER NOT NULL,
    property_type INTEGER NOT NULL,
    city INTEGER NOT NULL,
    department INTEGER NOT NULL,
    price REAL,
    surface REAL,
    price_per_meter REAL,
    created INTEGER NOT NULL,
    cell INTEGER,
    x REAL,
    y REAL,
    z REAL,
    on_offer INTEGER NOT NULL
);

CREATE TABLE advert (
    transaction_type INTEGER NOT NULL,
    city INTEGER NOT NULL,
    energy INTEGER,
    construction_year INTEGER,
    created INTEGER NOT NULL,
    price_per_meter REAL,
    id BLOB NOT NULL,
    on_offer INTEGER NOT NULL
);

CREATE TABLE price_event (
    transaction_type INTEGER NOT NULL,
    department INTEGER NOT NULL,
    at INTEGER NOT NULL,
    percent REAL NOT NULL,
    created INTEGER NOT NULL,
    price_per_meter REAL,
    id BLOB NOT NULL,
    on_offer INTEGER NOT NULL
);

-- The words alone: no text, no positions. Transaction and property type of what is on offer go in as a word of their own.
CREATE VIRTUAL TABLE word USING fts5 (text, content = '', columnsize = 0, detail = none);
