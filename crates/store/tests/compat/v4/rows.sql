-- The data of a folder as schema version 4 had it, written by the release before the tables were renamed. Never edited: the test in
-- tests/sqlite/migrations.rs applies migrations 1 to 4, then these rows, and opens the folder.


DELETE FROM property;
INSERT INTO property (id, version, revision, record_id) VALUES (x'b0000000000000000000000000000001', 1, 1, 1);
INSERT INTO property (id, version, revision, record_id) VALUES (x'b0000000000000000000000000000002', 1, 1, 2);
INSERT INTO property (id, version, revision, record_id) VALUES (x'b0000000000000000000000000000003', 1, 1, 3);
INSERT INTO property (id, version, revision, record_id) VALUES (x'b0000000000000000000000000000004', 1, 1, 4);
INSERT INTO property (id, version, revision, record_id) VALUES (x'b0000000000000000000000000000005', 2, 2, 6);
INSERT INTO property (id, version, revision, record_id) VALUES (x'b0000000000000000000000000000006', 1, 1, 7);
INSERT INTO property (id, version, revision, record_id) VALUES (x'b0000000000000000000000000000007', 2, 2, NULL);

DELETE FROM property_version;
INSERT INTO property_version (record_id, property_id, version, position, record) VALUES (1, x'b0000000000000000000000000000001', 1, 5, x'0128b52ffd24d50504003288191b90a5cd0190664daeb1ad707cf8c516dadc9d96e62f47673effb904cd68edc38bb31e24a864d97cf8ff4270d6831462765e07c2d5b431da79b1b02c2655f458509d44129bffc4397551d5c984006c7e4e01680fae846a6d4c049ee87322b3c179ad5225d12c09004c28c52ac1009309d834991c606908dc8592c2059a9f89e29d');
INSERT INTO property_version (record_id, property_id, version, position, record) VALUES (2, x'b0000000000000000000000000000002', 1, 6, x'0128b52ffd24d50504003288191b90a5cd0190664daeb1ad707cf8c516dadc9d96723b55673effb904cd68edc38bb31e24a864d97cf8ff8238eb410a313baf03e16ada18edbc585816932a7a2ca84e2289cd7fc1397551d5c984006c7e4e01680fae846a6d4c049ee87322b3c179ad5225d12c09004c28c52ac1009309d834991c606908dc8592c2059a74eb07dc');
INSERT INTO property_version (record_id, property_id, version, position, record) VALUES (3, x'b0000000000000000000000000000003', 1, 7, x'0128b52ffd24d50d040032c8191c80b5cd01d3664deeb11b44c583c4563a43d640834773db81c6081b01cd68edc48bb31e34a864d99cf8ff6270d6831462765e07c2d5b431da79f1b02c2655f458509d44129bff8273eaa2aa930901d8fc9c02d01e5c09d5da981078a2cf89cc0ae7b54a9544b309004c28c52ac1009309d834991c606908dc8592c2059ab67188a8');
INSERT INTO property_version (record_id, property_id, version, position, record) VALUES (4, x'b0000000000000000000000000000004', 1, 8, x'0128b52ffd24d50d040032c8191c80b5cd01d3664deeb11b44c583c4563a43d6c0c34289bdc0c2cc1801cd68edc48bb31e34a864d99cf8ff6270d6831462765e07c2d5b431da79f1b02c2655f458509d44129bff8273eaa2aa930901d8fc9c02d01e5c09d5da981078a2cf89cc0ae7b54a9544b309004c28c52ac1009309d834991c606908dc8592c2059a4b0987c5');
INSERT INTO property_version (record_id, property_id, version, position, record) VALUES (5, x'b0000000000000000000000000000005', 1, 9, x'0128b52ffd649d004d040052481a1c80b5cd01de664deeb11b44c583c4563a43d608c4fb89bdc0c2cc1801ad38a6b5133f6745685808b339f1ff67705694d6e1e5cc8c84ab6953b4f3e24159549aa8a1e042792036ff05e7d4455d285502b0f95905a445c814aeb53121f0449f3379299cd92e4d12bd040b0019a0045c1a844c28c52ac1009309d834991c606908dc8592c2059a11b88d08');
INSERT INTO property_version (record_id, property_id, version, position, record) VALUES (6, x'b0000000000000000000000000000005', 2, 10, x'0128b52ffd24d50d040032c8191c80b5cd01d3664deeb11b44c583c4563a43d608c0fa89bdc0c2cc1801cd68edc48bb31e34a864d99cf8ff6270d6831462765e07c2d5b431da79f1b02c2655f458509d44129bff8273eaa2aa930901d8fc9c02d01e5c09d5da981078a2cf89cc0ae7b54a9544b309004c28c52ac1009309d834991c606908dc8592c2059aaad86760');
INSERT INTO property_version (record_id, property_id, version, position, record) VALUES (7, x'b0000000000000000000000000000006', 1, 11, x'0128b52ffd24d5f503003208191990b7399c664daed9969f6890d8426fe6c415fed46e36764509ad68edc4cf59111216c26c4efcff119c15a57578393323e16ada14edbc58501695266a28b8501e88cdffc0397551174a950c363fab435a844ce15a1b1fc0137dcee4657066bb3449f41209004c28c52ac1009309d834991c606908dc8592c2059a39eef0b9');
INSERT INTO property_version (record_id, property_id, version, position, record) VALUES (8, x'b0000000000000000000000000000007', 1, 14, x'');

DELETE FROM advert;
INSERT INTO advert (id, property_id, site, reference, url_key, url_hash, last_crawled_at, expired) VALUES (x'ad000000000000000000000000000001', x'b0000000000000000000000000000001', NULL, NULL, NULL, NULL, 1000, 0);
INSERT INTO advert (id, property_id, site, reference, url_key, url_hash, last_crawled_at, expired) VALUES (x'ad000000000000000000000000000002', x'b0000000000000000000000000000002', NULL, NULL, NULL, NULL, 1000, 0);
INSERT INTO advert (id, property_id, site, reference, url_key, url_hash, last_crawled_at, expired) VALUES (x'ad000000000000000000000000000003', x'b0000000000000000000000000000003', NULL, NULL, NULL, NULL, 1000, 0);
INSERT INTO advert (id, property_id, site, reference, url_key, url_hash, last_crawled_at, expired) VALUES (x'ad000000000000000000000000000004', x'b0000000000000000000000000000004', NULL, NULL, NULL, NULL, 1000, 0);
INSERT INTO advert (id, property_id, site, reference, url_key, url_hash, last_crawled_at, expired) VALUES (x'ad000000000000000000000000000005', x'b0000000000000000000000000000006', NULL, NULL, NULL, NULL, 1000, 0);

DELETE FROM advert_former_home;
INSERT INTO advert_former_home (advert_id, property_id) VALUES (x'ad000000000000000000000000000005', x'b0000000000000000000000000000005');

DELETE FROM log;
INSERT INTO log (position, kind, recorded_at, subject, version, advert, payload) VALUES (1, 6, 5000000, x'5e000000000000000000000000000001', 1, NULL, NULL);
INSERT INTO log (position, kind, recorded_at, subject, version, advert, payload) VALUES (2, 6, 5000000, x'5e000000000000000000000000000002', 1, NULL, NULL);
INSERT INTO log (position, kind, recorded_at, subject, version, advert, payload) VALUES (3, 6, 5000000, x'5e000000000000000000000000000003', 1, NULL, NULL);
INSERT INTO log (position, kind, recorded_at, subject, version, advert, payload) VALUES (4, 6, 5000000, x'5e000000000000000000000000000004', 1, NULL, NULL);
INSERT INTO log (position, kind, recorded_at, subject, version, advert, payload) VALUES (5, 1, 5000000, x'b0000000000000000000000000000001', 1, x'ad000000000000000000000000000001', x'5b7b226174223a313030302c2277686174223a2263726561746564227d5d');
INSERT INTO log (position, kind, recorded_at, subject, version, advert, payload) VALUES (6, 1, 5000000, x'b0000000000000000000000000000002', 1, x'ad000000000000000000000000000002', x'5b7b226174223a313030302c2277686174223a2263726561746564227d5d');
INSERT INTO log (position, kind, recorded_at, subject, version, advert, payload) VALUES (7, 1, 5000000, x'b0000000000000000000000000000003', 1, x'ad000000000000000000000000000003', x'5b7b226174223a313030302c2277686174223a2263726561746564227d5d');
INSERT INTO log (position, kind, recorded_at, subject, version, advert, payload) VALUES (8, 1, 5000000, x'b0000000000000000000000000000004', 1, x'ad000000000000000000000000000004', x'5b7b226174223a313030302c2277686174223a2263726561746564227d5d');
INSERT INTO log (position, kind, recorded_at, subject, version, advert, payload) VALUES (9, 1, 5000000, x'b0000000000000000000000000000005', 1, x'ad000000000000000000000000000005', x'5b7b226174223a313030302c2277686174223a2263726561746564227d5d');
INSERT INTO log (position, kind, recorded_at, subject, version, advert, payload) VALUES (10, 3, 5000000, x'b0000000000000000000000000000005', 2, x'ad000000000000000000000000000005', NULL);
INSERT INTO log (position, kind, recorded_at, subject, version, advert, payload) VALUES (11, 1, 5000000, x'b0000000000000000000000000000006', 1, x'ad000000000000000000000000000005', x'5b7b226174223a343030302c2277686174223a226669656c643a7469746c65227d5d');
INSERT INTO log (position, kind, recorded_at, subject, version, advert, payload) VALUES (12, 6, 5000000, x'5e000000000000000000000000000002', 2, NULL, NULL);
INSERT INTO log (position, kind, recorded_at, subject, version, advert, payload) VALUES (13, 7, 5000000, x'5e000000000000000000000000000004', NULL, NULL, NULL);
INSERT INTO log (position, kind, recorded_at, subject, version, advert, payload) VALUES (14, 8, 5000000, NULL, NULL, NULL, NULL);
INSERT INTO log (position, kind, recorded_at, subject, version, advert, payload) VALUES (15, 5, 6300000, x'b0000000000000000000000000000007', NULL, x'ad000000000000000000000000000007', x'');

DELETE FROM user;
DELETE FROM api_key;
DELETE FROM note;
INSERT INTO note (name, text) VALUES ('import:feed', '120 7');

DELETE FROM site_category;
DELETE FROM site;
DELETE FROM site_revision;
INSERT INTO site_revision (only_row, revision) VALUES (1, 0);

DELETE FROM search;
INSERT INTO search (number, id, owner, version, position, enabled, title_key, record) VALUES (1, x'5e000000000000000000000000000001', x'05000000000000000000000000000001', 1, 1, 0, 'recherche 1', x'01de5a5d927b22746f6b656e223a223030303030303030303030303030303130303030303030303030303030303030303030303030303030303030303030303030222c2263726561746564223a313030303030302c2275706461746564223a313030303030302c227469746c65223a225265636865726368652031222c227465726d73223a5b5b226275646765744d6178222c7b226e756d626572223a3235303030302e307d5d5d2c22656e61626c6564223a66616c73657d');
INSERT INTO search (number, id, owner, version, position, enabled, title_key, record) VALUES (2, x'5e000000000000000000000000000002', x'05000000000000000000000000000001', 2, 12, 0, 'recherche 2', x'01e50bb1207b22746f6b656e223a223030303030303030303030303030303230303030303030303030303030303030303030303030303030303030303030303030222c2263726561746564223a313030303030302c2275706461746564223a313030303030302c227469746c65223a225265636865726368652032222c227465726d73223a5b5b226275646765744d6178222c7b226e756d626572223a3235303030302e307d5d5d2c22656e61626c6564223a66616c73657d');
INSERT INTO search (number, id, owner, version, position, enabled, title_key, record) VALUES (3, x'5e000000000000000000000000000003', x'05000000000000000000000000000001', 1, 3, 0, 'recherche 3', x'01458e8c947b22746f6b656e223a223030303030303030303030303030303330303030303030303030303030303030303030303030303030303030303030303030222c2263726561746564223a313030303030302c2275706461746564223a313030303030302c227469746c65223a225265636865726368652033222c227465726d73223a5b5b226275646765744d6178222c7b226e756d626572223a3235303030302e307d5d5d2c22656e61626c6564223a66616c73657d');

DELETE FROM search_count;
INSERT INTO search_count (owner, searches) VALUES (x'05000000000000000000000000000001', 3);

DELETE FROM search_version;
INSERT INTO search_version (replaced_at, number, version, position, record) VALUES (12, 2, 1, 2, x'01e50bb1207b22746f6b656e223a223030303030303030303030303030303230303030303030303030303030303030303030303030303030303030303030303030222c2263726561746564223a313030303030302c2275706461746564223a313030303030302c227469746c65223a225265636865726368652032222c227465726d73223a5b5b226275646765744d6178222c7b226e756d626572223a3235303030302e307d5d5d2c22656e61626c6564223a66616c73657d');

DELETE FROM search_alert;
INSERT INTO search_alert (number, last_alert_at) VALUES (1, 6102000);

DELETE FROM removed_search;
INSERT INTO removed_search (removed_at, number) VALUES (13, 4);

DELETE FROM match_group;
INSERT INTO match_group (position, at, property_id, version, advert, matched, linked) VALUES (5, 5000000, x'b0000000000000000000000000000001', 1, x'ad000000000000000000000000000001', x'01092bab6901010101', NULL);
INSERT INTO match_group (position, at, property_id, version, advert, matched, linked) VALUES (6, 5000000, x'b0000000000000000000000000000002', 1, x'ad000000000000000000000000000002', x'01092bab6901010101', NULL);
INSERT INTO match_group (position, at, property_id, version, advert, matched, linked) VALUES (7, 5000000, x'b0000000000000000000000000000003', 1, x'ad000000000000000000000000000003', x'01092bab6901010101', NULL);
INSERT INTO match_group (position, at, property_id, version, advert, matched, linked) VALUES (8, 5000000, x'b0000000000000000000000000000004', 1, x'ad000000000000000000000000000004', x'01092bab6901010101', NULL);

DELETE FROM notice;
INSERT INTO notice (position, ordinal, kind, place, searches) VALUES (5, 0, 1, NULL, x'01092bab6901010101');
INSERT INTO notice (position, ordinal, kind, place, searches) VALUES (5, 1, 2, NULL, x'010000000001');
INSERT INTO notice (position, ordinal, kind, place, searches) VALUES (5, 2, 15, 0, x'01748f58760101');
INSERT INTO notice (position, ordinal, kind, place, searches) VALUES (6, 0, 1, NULL, x'01092bab6901010101');
INSERT INTO notice (position, ordinal, kind, place, searches) VALUES (6, 1, 2, NULL, x'010000000001');
INSERT INTO notice (position, ordinal, kind, place, searches) VALUES (6, 2, 15, 0, x'01748f58760101');
INSERT INTO notice (position, ordinal, kind, place, searches) VALUES (7, 0, 1, NULL, x'01092bab6901010101');
INSERT INTO notice (position, ordinal, kind, place, searches) VALUES (7, 1, 2, NULL, x'010000000001');
INSERT INTO notice (position, ordinal, kind, place, searches) VALUES (7, 2, 15, 0, x'01748f58760101');
INSERT INTO notice (position, ordinal, kind, place, searches) VALUES (8, 0, 1, NULL, x'01092bab6901010101');
INSERT INTO notice (position, ordinal, kind, place, searches) VALUES (8, 1, 2, NULL, x'010000000001');

DELETE FROM match_of_search;
INSERT INTO match_of_search (number, position) VALUES (1, 5);
INSERT INTO match_of_search (number, position) VALUES (1, 6);
INSERT INTO match_of_search (number, position) VALUES (1, 7);
INSERT INTO match_of_search (number, position) VALUES (2, 5);
INSERT INTO match_of_search (number, position) VALUES (2, 6);
INSERT INTO match_of_search (number, position) VALUES (2, 7);
INSERT INTO match_of_search (number, position) VALUES (3, 5);
INSERT INTO match_of_search (number, position) VALUES (3, 6);
INSERT INTO match_of_search (number, position) VALUES (3, 7);
INSERT INTO match_of_search (number, position) VALUES (4, 5);
INSERT INTO match_of_search (number, position) VALUES (4, 6);
INSERT INTO match_of_search (number, position) VALUES (4, 7);

DELETE FROM erased_property;
INSERT INTO erased_property (position, property_id) VALUES (15, x'b0000000000000000000000000000007');

DELETE FROM matcher;
INSERT INTO matcher (only_row, matched_until, filed_until) VALUES (1, 8, 7);

DELETE FROM delivery;
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (1, x'05000000000000000000000000000001', 4, 1, 5, 1, NULL, 2, 6102000, 6000000, 0, 0, 1, 5);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (2, x'05000000000000000000000000000001', 8, 1, 5, 1, NULL, 3, 6103000, 6000000, 1, 0, 0, 5);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (3, x'05000000000000000000000000000001', 12, 1, 5, 1, NULL, 0, 9703000, 6000000, 1, 0, 0, 5);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (4, x'05000000000000000000000000000001', 16, 1, 5, 1, NULL, 1, 6160000, 6000000, 0, 0, 0, 5);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (5, x'05000000000000000000000000000001', 6, 1, 5, 2, NULL, 10, 6104000, 6000000, 0, 0, NULL, NULL);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (6, x'05000000000000000000000000000001', 5, 1, 5, 15, 0, 0, 6000000, 6000000, 0, 0, NULL, NULL);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (7, x'05000000000000000000000000000001', 9, 1, 5, 15, 0, 10, 5000000, 6000000, 0, 0, NULL, NULL);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (8, x'05000000000000000000000000000001', 4, 2, 6, 1, NULL, 0, 6000000, 6000000, 0, 0, NULL, NULL);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (9, x'05000000000000000000000000000001', 8, 2, 6, 1, NULL, 10, 5000000, 6000000, 0, 0, NULL, NULL);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (10, x'05000000000000000000000000000001', 12, 2, 6, 1, NULL, 0, 6000000, 6000000, 0, 0, NULL, NULL);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (11, x'05000000000000000000000000000001', 16, 2, 6, 1, NULL, 11, 5000000, 6000000, 0, 0, NULL, NULL);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (12, x'05000000000000000000000000000001', 6, 2, 6, 2, NULL, 0, 6000000, 6000000, 0, 0, NULL, NULL);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (13, x'05000000000000000000000000000001', 5, 2, 6, 15, 0, 0, 6000000, 6000000, 0, 0, NULL, NULL);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (14, x'05000000000000000000000000000001', 9, 2, 6, 15, 0, 10, 5000000, 6000000, 0, 0, NULL, NULL);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (15, x'05000000000000000000000000000001', 4, 3, 7, 1, NULL, 0, 6000000, 6000000, 0, 0, NULL, NULL);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (16, x'05000000000000000000000000000001', 8, 3, 7, 1, NULL, 10, 5000000, 6000000, 0, 0, NULL, NULL);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (17, x'05000000000000000000000000000001', 12, 3, 7, 1, NULL, 0, 6000000, 6000000, 0, 0, NULL, NULL);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (18, x'05000000000000000000000000000001', 16, 3, 7, 1, NULL, 11, 5000000, 6000000, 0, 0, NULL, NULL);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (19, x'05000000000000000000000000000001', 6, 3, 7, 2, NULL, 0, 6000000, 6000000, 0, 0, NULL, NULL);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (20, x'05000000000000000000000000000001', 5, 3, 7, 15, 0, 0, 6000000, 6000000, 0, 0, NULL, NULL);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (21, x'05000000000000000000000000000001', 9, 3, 7, 15, 0, 10, 5000000, 6000000, 0, 0, NULL, NULL);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (22, x'05000000000000000000000000000001', 4, 4, 8, 1, NULL, 0, 6200000, 6200000, 0, 0, NULL, NULL);
INSERT INTO delivery (sequence, owner, lane, number, position, kind, place, state, due_at, created_at, failures, interruptions, hidden, claim) VALUES (23, x'05000000000000000000000000000001', 8, 4, 8, 1, NULL, 10, 5000000, 6200000, 0, 0, NULL, NULL);

DELETE FROM delivery_mark;
INSERT INTO delivery_mark (first, mark) VALUES (1, 77);
INSERT INTO delivery_mark (first, mark) VALUES (22, 78);

DELETE FROM delivery_lane;
INSERT INTO delivery_lane (lane, numbered) VALUES (4, 4);
INSERT INTO delivery_lane (lane, numbered) VALUES (5, 3);
INSERT INTO delivery_lane (lane, numbered) VALUES (6, 3);
INSERT INTO delivery_lane (lane, numbered) VALUES (8, 4);
INSERT INTO delivery_lane (lane, numbered) VALUES (9, 3);
INSERT INTO delivery_lane (lane, numbered) VALUES (12, 3);

DELETE FROM delivery_attempt;
INSERT INTO delivery_attempt (sequence, ordinal, began_at, took, outcome, status, target, excerpt) VALUES (1, 1, 6101000, 120, 0, 200, 'https://hook.example/', x'7468616e6b73');
INSERT INTO delivery_attempt (sequence, ordinal, began_at, took, outcome, status, target, excerpt) VALUES (2, 1, 6102000, 120, 14, 200, 'https://hook.example/', x'7468616e6b73');
INSERT INTO delivery_attempt (sequence, ordinal, began_at, took, outcome, status, target, excerpt) VALUES (3, 1, 6103000, 120, 14, 200, 'https://hook.example/', x'7468616e6b73');

DELETE FROM delivery_document;
INSERT INTO delivery_document (property_id, version, hidden, document, kept_at) VALUES (x'b0000000000000000000000000000001', 1, 1, x'0128b52ffd240a5100006120646f63756d656e7488ea19f8', 6100000);
INSERT INTO delivery_document (property_id, version, hidden, document, kept_at) VALUES (x'b0000000000000000000000000000007', 0, 0, x'', 6300000);

DELETE FROM delivery_intake;
INSERT INTO delivery_intake (only_row, position, ordinal, number) VALUES (1, 8, 0, 2);

DELETE FROM webhook_secret;
INSERT INTO webhook_secret (user_id, ordinal, secret, created_at, replaced_at) VALUES (x'05000000000000000000000000000001', 1, x'0909090909090909090909090909090909090909090909090909090909090909', 6000000, NULL);

DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence (name, seq) VALUES ('site', 0);
INSERT INTO sqlite_sequence (name, seq) VALUES ('search', 4);
INSERT INTO sqlite_sequence (name, seq) VALUES ('delivery', 23);
