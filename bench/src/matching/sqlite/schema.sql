-- One row for each place and property type of a search, with all its numeric criteria: one range of this table answers for a place
-- without visiting another table. Every search has an upper budget, so the range ends where budgets are too low.

CREATE TABLE saved_search (
    scope INTEGER NOT NULL,
    transaction_type INTEGER NOT NULL,
    property_type INTEGER NOT NULL,
    budget_max REAL NOT NULL,
    search INTEGER NOT NULL,
    coherent INTEGER NOT NULL,
    budget_min REAL,
    surface_min REAL,
    room_min INTEGER,
    publishers INTEGER,
    x REAL,
    y REAL,
    z REAL,
    rim REAL,
    required INTEGER NOT NULL,
    verify INTEGER NOT NULL,
    PRIMARY KEY (scope, transaction_type, property_type, budget_max, search)
) WITHOUT ROWID;

-- A matching property contains one of these words.
CREATE TABLE required_word (
    search INTEGER NOT NULL,
    word TEXT NOT NULL,
    PRIMARY KEY (search, word)
) WITHOUT ROWID;
