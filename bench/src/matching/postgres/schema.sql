-- As in SQLite: one row for each place and property type of a search, with all its criteria.

CREATE UNLOGGED TABLE saved_search (
    scope int8 NOT NULL,
    transaction_type int2 NOT NULL,
    property_type int2 NOT NULL,
    budget_max float8 NOT NULL,
    search int4 NOT NULL,
    coherent bool NOT NULL,
    budget_min float8,
    surface_min float8,
    room_min int4,
    publishers int4,
    x float8,
    y float8,
    z float8,
    rim float8,
    -- A matching property contains one of these words.
    required text[],
    verify bool NOT NULL
);
