-- Every query requires on_offer, so the indexes are partial; each covers all columns of its queries. A query uses two: one in sort
-- order for the first ten, one by price for the total.

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

-- Words only: no text, no positions. Transaction and property type of rows on offer are indexed as a synthetic word.
CREATE VIRTUAL TABLE word USING fts5 (text, content = '', columnsize = 0, detail = none);
