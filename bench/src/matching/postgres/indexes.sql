-- Clustering stores the rows of an index range together in the table.
CREATE INDEX place ON saved_search (scope, transaction_type, property_type, budget_max);
CLUSTER saved_search USING place;
VACUUM ANALYZE saved_search;
