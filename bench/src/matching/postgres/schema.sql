-- As in the peer in process: a search stands once for each of its places and kinds of property, with all that is asked of it.

CREATE UNLOGGED TABLE standing (
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
    -- One of these a property must say.
    required text[],
    verify bool NOT NULL
);
