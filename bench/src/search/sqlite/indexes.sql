CREATE INDEX city_newest ON property
    (transaction_type, city, created DESC, price_per_meter DESC, id, price, surface) WHERE on_offer;
CREATE INDEX city_price ON property (transaction_type, city, price, surface) WHERE on_offer;
CREATE INDEX department_newest ON property
    (transaction_type, department, created DESC, price_per_meter DESC, id, price, surface) WHERE on_offer;
CREATE INDEX department_price ON property (transaction_type, department, price, surface) WHERE on_offer;
CREATE INDEX cell_price ON property
    (transaction_type, cell, price, created, price_per_meter, id, x, y, z) WHERE on_offer;
CREATE INDEX type_price ON property (transaction_type, property_type, price, id) WHERE on_offer;
CREATE INDEX advert_city ON advert
    (transaction_type, city, energy, construction_year, created, price_per_meter, id) WHERE on_offer;
CREATE INDEX price_event_department ON price_event
    (transaction_type, department, at, percent, created, price_per_meter, id) WHERE on_offer;
INSERT INTO word (word) VALUES ('optimize');
ANALYZE;
