-- How many of the writes changed properties or decisions about them. A batch of adverts was compared with all properties, so that it conflicts
-- with these, and not with a search that was saved meanwhile.
ALTER TABLE write_turn ADD COLUMN property_writes BIGINT NOT NULL DEFAULT 0;
