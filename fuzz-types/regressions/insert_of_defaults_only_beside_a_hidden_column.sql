-- case: insert of defaults only beside a hidden column
-- origin: the bitmap of an image without columns has the bit of a hidden column of a functional index
-- servers: mysql
-- database: fuzz_defaults_hidden
-- part: setup
CREATE DATABASE fuzz_defaults_hidden;
CREATE TABLE fuzz_defaults_hidden.c (k VARCHAR(10) NOT NULL, s VARCHAR(12) NOT NULL DEFAULT 'x', n INT, UNIQUE KEY (k), KEY ((LOWER(s))));
-- part: changes
SET SESSION sql_mode = '', binlog_row_image = 'MINIMAL';
INSERT INTO fuzz_defaults_hidden.c () VALUES ();
-- part: changes
UPDATE fuzz_defaults_hidden.c SET n = 1;
