-- How many of the writes changed properties or decisions about them. A batch of adverts was compared with all properties, so that it conflicts
-- with these, and not with a search that was saved meanwhile.
ALTER TABLE write_turn ADD COLUMN property_writes BIGINT NOT NULL DEFAULT 0;

-- The timelines of PostgreSQL that were written on, in order, each with the number of writes when it began. A failover begins a new one, which
-- may lack the last writes of the one before: a process that knows of more than were left has followed another history.
CREATE TABLE timeline (
    number BIGINT PRIMARY KEY,
    name   TEXT COLLATE "C" NOT NULL,
    writes BIGINT NOT NULL
);
