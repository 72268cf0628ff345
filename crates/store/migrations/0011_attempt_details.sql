-- Attempts say how long their phases took and which headers the receiver answered with. No row is rewritten: older attempts have neither.

-- The headers as a JSON array of names and values in turn; NULL without any.
ALTER TABLE delivery_attempt ADD COLUMN response_headers TEXT;

-- Milliseconds; NULL for a phase that did not begin.
ALTER TABLE delivery_attempt ADD COLUMN name_ms INTEGER;
ALTER TABLE delivery_attempt ADD COLUMN connect_ms INTEGER;
ALTER TABLE delivery_attempt ADD COLUMN tls_ms INTEGER;
ALTER TABLE delivery_attempt ADD COLUMN first_byte_ms INTEGER;
