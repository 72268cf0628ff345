-- Sites and their categories. Ids go out to clients, so they are small, and AUTOINCREMENT never gives one twice.

CREATE TABLE site_category (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    name     TEXT NOT NULL,
    -- The name with case, accents and punctuation aside: two spellings of one name are one category.
    name_key TEXT NOT NULL UNIQUE
);

CREATE TABLE site (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    key         TEXT NOT NULL UNIQUE,
    name        TEXT,
    category_id INTEGER REFERENCES site_category (id) ON DELETE SET NULL
);
CREATE INDEX site_by_category ON site (category_id) WHERE category_id IS NOT NULL;

-- Adverts of a site that have no reference; the others are found by the index over site and reference. An erasure asks
-- whether the site has any left.
CREATE INDEX advert_by_site ON advert (site) WHERE site IS NOT NULL AND reference IS NULL;

-- Counts changes of the two tables above: whoever has read them at a revision need not read them again at the same one.
-- Triggers do the counting, so that no statement can forget it.
CREATE TABLE site_revision (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    revision INTEGER NOT NULL
);
INSERT INTO site_revision (only_row, revision) VALUES (1, 0);
CREATE TRIGGER site_inserted AFTER INSERT ON site BEGIN UPDATE site_revision SET revision = revision + 1; END;
CREATE TRIGGER site_updated AFTER UPDATE ON site BEGIN UPDATE site_revision SET revision = revision + 1; END;
CREATE TRIGGER site_deleted AFTER DELETE ON site BEGIN UPDATE site_revision SET revision = revision + 1; END;
CREATE TRIGGER site_category_inserted AFTER INSERT ON site_category BEGIN UPDATE site_revision SET revision = revision + 1; END;
CREATE TRIGGER site_category_updated AFTER UPDATE ON site_category BEGIN UPDATE site_revision SET revision = revision + 1; END;
CREATE TRIGGER site_category_deleted AFTER DELETE ON site_category BEGIN UPDATE site_revision SET revision = revision + 1; END;

-- Sites of the adverts that are there already, in a stable order.
INSERT INTO site (key) SELECT DISTINCT site FROM advert WHERE site IS NOT NULL ORDER BY site;
