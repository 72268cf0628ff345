-- A search stands once for each of its places and kinds of property, with everything that is asked of a number: one stretch of
-- this table answers for a place, and no other table has to be visited for it. Every search here has an upper budget, so that
-- the stretch ends where prices are too high.

CREATE TABLE standing (
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

-- One of these a property must say.
CREATE TABLE required_word (
    search INTEGER NOT NULL,
    word TEXT NOT NULL,
    PRIMARY KEY (search, word)
) WITHOUT ROWID;
