-- Attempts say what is wrong with a certificate; links and addresses in e-mails are bound to the recipient.

-- What was wrong with the receiver's certificate; NULL if nothing was.
ALTER TABLE delivery_attempt ADD COLUMN certificate INTEGER;

-- Searches whose e-mail address was changed. Links of older e-mails name the search and no recipient, so they no longer unsubscribe it.
CREATE TABLE changed_recipient (number INTEGER PRIMARY KEY);

-- When the search was deleted, in milliseconds: the date of deliveries that are cancelled later. Searches deleted by older releases
-- have none left.
ALTER TABLE deleted_search ADD COLUMN deleted_at INTEGER NOT NULL DEFAULT 0;
