-- Attempts say what is wrong with a certificate; links and addresses in e-mails are bound to the recipient.

-- What was wrong with the receiver's certificate; NULL if nothing was.
ALTER TABLE delivery_attempt ADD COLUMN certificate INTEGER;

-- Searches whose e-mail address was changed. Links of older e-mails name the search and no recipient, so they no longer unsubscribe it.
CREATE TABLE changed_recipient (number INTEGER PRIMARY KEY);

-- When the search was deleted, in milliseconds: the date of deliveries that are cancelled later. Searches deleted by older releases
-- have none left.
ALTER TABLE deleted_search ADD COLUMN deleted_at INTEGER NOT NULL DEFAULT 0;

-- Recipients that were asked whether they want the e-mails of a user. The address is in lower case; dates are milliseconds. Only a hash
-- of the token in the link is kept: who reads the database cannot confirm.
CREATE TABLE recipient_confirmation (
    user_id      BLOB NOT NULL,
    address      TEXT NOT NULL,
    token_hash   BLOB NOT NULL,
    asked_at     INTEGER NOT NULL,
    confirmed_at INTEGER,
    PRIMARY KEY (user_id, address)
) WITHOUT ROWID;
CREATE UNIQUE INDEX recipient_confirmation_by_token ON recipient_confirmation (token_hash);
