-- Clusters the table by location. CLUSTER cannot use a partial index, so a full one is created temporarily.
CREATE INDEX everywhere ON property USING gist (point);
CLUSTER property USING everywhere;
DROP INDEX everywhere;
CREATE INDEX point ON property USING gist (point) WHERE on_offer;
CREATE INDEX city_newest ON property
    (transaction_type, city, created DESC, price_per_meter DESC NULLS LAST, id) INCLUDE (price, surface) WHERE on_offer;
CREATE INDEX city_price ON property (transaction_type, city, price) INCLUDE (surface) WHERE on_offer;
CREATE INDEX department_newest ON property
    (transaction_type, department, created DESC, price_per_meter DESC NULLS LAST, id) INCLUDE (price, surface)
    WHERE on_offer;
CREATE INDEX department_price ON property (transaction_type, department, price) INCLUDE (surface) WHERE on_offer;
CREATE INDEX words ON property_words USING gin (words) WITH (fastupdate = off) WHERE on_offer;
CREATE INDEX type_price ON property (transaction_type, property_type, price, id) WHERE on_offer;
CREATE INDEX advert_city ON advert
    (transaction_type, city, energy, construction_year) INCLUDE (created, price_per_meter, id) WHERE on_offer;
CREATE INDEX price_event_department ON price_event
    (transaction_type, department, at) INCLUDE (percent, created, price_per_meter, id) WHERE on_offer;
VACUUM ANALYZE;
