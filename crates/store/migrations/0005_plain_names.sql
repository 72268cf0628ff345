-- Tables and columns under the names that the code and its documentation use. No row is rewritten: SQLite edits the schema, and the
-- bodies of triggers and indexes with it. An index cannot be renamed; only the two partial ones below are worth a rebuild, the
-- others keep their names.

-- The other properties that held an advert before. Their older versions still contain it, and an erasure must find them.
ALTER TABLE advert_former_home RENAME TO advert_previous_property;

-- Small values that belong to no other table, such as the progress of an import.
ALTER TABLE note RENAME TO metadata;
ALTER TABLE metadata RENAME COLUMN text TO value;

-- Replaced versions of searches. The key is the log position of the version that replaced them.
ALTER TABLE search_version RENAME COLUMN replaced_at TO replaced_position;

-- Matches by search, written some time after their match_group.
ALTER TABLE match_of_search RENAME TO search_match;

-- Deleted searches whose rows in search_match are not deleted yet, by the log position of the deletion.
ALTER TABLE removed_search RENAME TO deleted_search;
ALTER TABLE deleted_search RENAME COLUMN removed_at TO position;

-- The log position up to which matches are recorded, and the one up to which search_match holds them.
ALTER TABLE matcher RENAME COLUMN matched_until TO checkpoint;
ALTER TABLE matcher RENAME COLUMN filed_until TO indexed_until;

-- The notifications of a match_group. `kind` says by which channel or about which event; `event_index` is the index of the event
-- among those of the log entry; `searches` lists the recipients.
ALTER TABLE notice RENAME TO outbox;
ALTER TABLE outbox RENAME COLUMN place TO event_index;

-- How far the outbox has been enqueued: up to this search of this entry.
ALTER TABLE delivery_intake RENAME TO outbox_cursor;
ALTER TABLE outbox_cursor RENAME COLUMN number TO search_number;

-- lane_sequence numbers the deliveries of a lane from 1 on, without gaps: receivers detect a missing delivery by it.
-- contacts_hidden is 1 if the delivery was sent without contact details, NULL before the first attempt.
ALTER TABLE delivery RENAME COLUMN number TO lane_sequence;
ALTER TABLE delivery RENAME COLUMN place TO event_index;
ALTER TABLE delivery RENAME COLUMN hidden TO contacts_hidden;
ALTER TABLE delivery RENAME COLUMN claim TO claim_id;

-- Deliveries that failed or were cancelled: few of them all, and the ones that an operator looks for.
DROP INDEX delivery_given_up;
DROP INDEX delivery_given_up_of_owner;
CREATE INDEX delivery_unsuccessful ON delivery (lane) WHERE state >= 3;
CREATE INDEX delivery_unsuccessful_of_owner ON delivery (owner) WHERE state >= 3;

-- A random number per start of the dispatcher, part of the id of every delivery from first_sequence on. A copy of the database, such as
-- a restored backup, continues with the same sequence numbers and other epochs, so that no id is issued twice.
ALTER TABLE delivery_mark RENAME TO delivery_epoch;
ALTER TABLE delivery_epoch RENAME COLUMN first TO first_sequence;
ALTER TABLE delivery_epoch RENAME COLUMN mark TO epoch;

-- The last lane_sequence of a lane. Pruned deliveries do not free theirs.
ALTER TABLE delivery_lane RENAME COLUMN numbered TO last_sequence;

ALTER TABLE delivery_attempt RENAME COLUMN began_at TO started_at;
ALTER TABLE delivery_attempt RENAME COLUMN took TO duration_ms;
ALTER TABLE delivery_attempt RENAME COLUMN excerpt TO response_excerpt;

-- Documents as they were first sent. Version 0 holds no document: its stored_at is the date of the property's last erasure.
ALTER TABLE delivery_document RENAME COLUMN hidden TO contacts_hidden;
ALTER TABLE delivery_document RENAME COLUMN kept_at TO stored_at;
