-- case: generated columns in minimal images
-- origin: MariaDB leaves generated columns out of row images
-- database: fuzz_generated_minimal
-- part: setup
CREATE DATABASE fuzz_generated_minimal;
CREATE TABLE fuzz_generated_minimal.t (id INT PRIMARY KEY, c VARCHAR(20) NOT NULL, n INT, v INT GENERATED ALWAYS AS (LENGTH(c)) VIRTUAL, s INT GENERATED ALWAYS AS (LENGTH(c)) STORED);
-- part: before
INSERT INTO fuzz_generated_minimal.t (id, c) VALUES (1, 'a'), (2, 'bc');
-- part: changes
SET SESSION binlog_row_image = 'MINIMAL';
UPDATE fuzz_generated_minimal.t SET c = 'abcdef' WHERE id = 1;
INSERT INTO fuzz_generated_minimal.t (id, c) VALUES (3, 'ccc');
-- part: changes
SET SESSION binlog_row_image = 'FULL';
UPDATE fuzz_generated_minimal.t SET n = 1;
DELETE FROM fuzz_generated_minimal.t WHERE id = 1;
