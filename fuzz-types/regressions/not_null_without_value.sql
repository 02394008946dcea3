-- case: not null without a value
-- origin: outside of strict mode a NOT NULL column that an insert leaves out gets a value of its type
-- database: fuzz_not_null
-- part: setup
CREATE DATABASE fuzz_not_null;
CREATE TABLE fuzz_not_null.t (id INT PRIMARY KEY, j JSON NOT NULL, s VARCHAR(3) NOT NULL, n INT NOT NULL);
CREATE TABLE fuzz_not_null.g (id INT PRIMARY KEY, p POINT NOT NULL, g GEOMETRY NOT NULL, n INT);
-- part: before
SET SESSION sql_mode = '';
INSERT INTO fuzz_not_null.t (id) VALUES (1), (2);
INSERT INTO fuzz_not_null.g (id) VALUES (1), (2);
-- part: changes
UPDATE fuzz_not_null.t SET n = 1 WHERE id = 1;
UPDATE fuzz_not_null.g SET n = 1 WHERE id = 1;
INSERT INTO fuzz_not_null.t (id) VALUES (3), (4);
INSERT INTO fuzz_not_null.g (id) VALUES (3), (4);
-- part: changes
SET SESSION binlog_row_image = 'MINIMAL';
INSERT INTO fuzz_not_null.t (id) VALUES (5), (6);
INSERT INTO fuzz_not_null.g (id) VALUES (5), (6);
-- part: changes
SET SESSION binlog_row_image = 'FULL';
UPDATE fuzz_not_null.t SET n = n + 1;
UPDATE fuzz_not_null.g SET n = 7;
DELETE FROM fuzz_not_null.t WHERE id = 5;
DELETE FROM fuzz_not_null.g WHERE id = 5;
