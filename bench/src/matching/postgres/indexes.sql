-- Rows lie in the order of the index, so that a stretch of it is a stretch of the table.
CREATE INDEX place ON standing (scope, transaction_type, property_type, budget_max);
CLUSTER standing USING place;
VACUUM ANALYZE standing;
