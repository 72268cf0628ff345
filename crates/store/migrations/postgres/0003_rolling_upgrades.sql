-- The oldest schema version whose servers can work with these tables: the version of the last migration that they could not.
ALTER TABLE vigie_schema ADD COLUMN oldest_supported BIGINT NOT NULL DEFAULT 2;
