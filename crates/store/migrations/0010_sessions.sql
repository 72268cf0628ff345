-- Sessions of people who signed in to the console with an API key. Only a hash of the secret in the cookie is kept: who reads the
-- database cannot use a session. Dates are seconds. What a session may do follows from its key at every request.
CREATE TABLE session (
    id          TEXT PRIMARY KEY,
    secret_hash BLOB NOT NULL,
    key_id      TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL
) WITHOUT ROWID;
