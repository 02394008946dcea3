-- case: insert of defaults only
-- origin: under MINIMAL such a row takes no byte in the event
-- database: fuzz_defaults_only
-- part: setup
CREATE DATABASE fuzz_defaults_only;
CREATE TABLE fuzz_defaults_only.a (s SET('a','b') NOT NULL, c CHAR(12) NOT NULL, n INT, PRIMARY KEY (s, c));
CREATE TABLE fuzz_defaults_only.b (id INT NOT NULL DEFAULT 7, n INT, PRIMARY KEY (id));
-- part: changes
SET SESSION sql_mode = '', binlog_row_image = 'MINIMAL';
INSERT INTO fuzz_defaults_only.a () VALUES ();
INSERT INTO fuzz_defaults_only.b () VALUES ();
-- part: changes
REPLACE INTO fuzz_defaults_only.a () VALUES (), ();
UPDATE fuzz_defaults_only.a SET n = 1;
-- part: changes
UPDATE fuzz_defaults_only.b SET id = 8;
INSERT IGNORE INTO fuzz_defaults_only.b () VALUES (), ();
