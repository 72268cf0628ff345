-- Only the columns that the queries need. The words have their own table, with the sort columns: they are five times as large as
-- the rest, and other queries should not read past them.

CREATE EXTENSION postgis;

CREATE UNLOGGED TABLE property (
    id uuid NOT NULL,
    transaction_type int2 NOT NULL,
    property_type int2 NOT NULL,
    city int4 NOT NULL,
    department int4 NOT NULL,
    price float8,
    surface float8,
    price_per_meter float8,
    created int8 NOT NULL,
    point geography (Point, 4326),
    on_offer bool NOT NULL
);

CREATE UNLOGGED TABLE property_words (
    id uuid NOT NULL,
    created int8 NOT NULL,
    price_per_meter float8,
    on_offer bool NOT NULL,
    words tsvector NOT NULL
);

CREATE UNLOGGED TABLE advert (
    id uuid NOT NULL,
    transaction_type int2 NOT NULL,
    city int4 NOT NULL,
    energy int2,
    construction_year int4,
    created int8 NOT NULL,
    price_per_meter float8,
    on_offer bool NOT NULL
);

CREATE UNLOGGED TABLE price_event (
    id uuid NOT NULL,
    transaction_type int2 NOT NULL,
    department int4 NOT NULL,
    at int8 NOT NULL,
    percent float8 NOT NULL,
    created int8 NOT NULL,
    price_per_meter float8,
    on_offer bool NOT NULL
);
