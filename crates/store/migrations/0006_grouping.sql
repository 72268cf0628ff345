-- Grouping: what adverts are compared by, which properties became one or several, and what people decided about it.

-- The encoded domain::grouping::Signature, NULL if the advert has none or it is not computed yet. is_named is 1 if the sender named
-- the property of the advert.
ALTER TABLE advert ADD COLUMN signature BLOB;
ALTER TABLE advert ADD COLUMN is_named INTEGER NOT NULL DEFAULT 0;

-- The property that a removed one was merged into. Never a property that was itself merged into another: a merge rewrites the rows
-- that lead to the property it removes.
ALTER TABLE property ADD COLUMN merged_into BLOB;
CREATE INDEX property_by_merged_into ON property (merged_into) WHERE merged_into IS NOT NULL;

-- Adverts that moved from one property to another, one row per pair of properties. `adverts` holds their ids, 16 bytes each.
-- decided_by is 0 for the sender, 1 for the automatic grouping, 2 for a person; decider is then the label of that person's key.
-- Dates are milliseconds.
CREATE TABLE property_lineage (
    sequence      INTEGER PRIMARY KEY,
    at            INTEGER NOT NULL,
    from_property BLOB NOT NULL,
    to_property   BLOB NOT NULL,
    adverts       BLOB NOT NULL,
    decided_by    INTEGER NOT NULL,
    decider       TEXT
);
CREATE INDEX property_lineage_from ON property_lineage (from_property);
CREATE INDEX property_lineage_to ON property_lineage (to_property);

-- Decisions of people: each advert of one side with each of the other. verdict is 1 for the same property, 2 for different ones.
-- AUTOINCREMENT never gives a number twice: readers ask for the decisions after the last one they know.
CREATE TABLE person_decision (
    number        INTEGER PRIMARY KEY AUTOINCREMENT,
    at            INTEGER NOT NULL,
    verdict       INTEGER NOT NULL,
    left_adverts  BLOB NOT NULL,
    right_adverts BLOB NOT NULL,
    decided_by    TEXT NOT NULL
);

-- Searches that were alerted for a property whose adverts this one took over. They have no match with this one and get none.
ALTER TABLE match_group ADD COLUMN inherited BLOB;

-- Searches that were alerted for the erased property: the matcher may still have to read that its adverts moved to another one.
ALTER TABLE erased_property ADD COLUMN alerted BLOB;
