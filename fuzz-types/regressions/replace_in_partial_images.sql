-- case: replace in partial images
-- origin: MariaDB logs a REPLACE that meets a row as an update without the columns that it does not name
-- database: fuzz_replace_partial
-- part: setup
CREATE DATABASE fuzz_replace_partial;
CREATE TABLE fuzz_replace_partial.t (id INT PRIMARY KEY, u INT NOT NULL DEFAULT 0, n INT DEFAULT 7, s VARCHAR(9) NOT NULL DEFAULT 'dflt', x BLOB, z TEXT, UNIQUE KEY (u));
CREATE TABLE fuzz_replace_partial.o (id INT PRIMARY KEY, t INT);
CREATE TRIGGER fuzz_replace_partial.r BEFORE UPDATE ON fuzz_replace_partial.o FOR EACH ROW REPLACE INTO fuzz_replace_partial.t (id, u, z) VALUES (NEW.id, NEW.id, 'by trigger');
-- part: before
INSERT INTO fuzz_replace_partial.t VALUES (1,1,1,'a',x'01','a'),(2,2,2,'b',x'02','b'),(3,3,3,'c',x'03','c'),(4,4,4,'d',x'04','d'),(5,5,5,'e',x'05','e');
INSERT INTO fuzz_replace_partial.o VALUES (3,0),(5,0);
-- part: changes
SET SESSION binlog_row_image = 'MINIMAL';
REPLACE INTO fuzz_replace_partial.t (id, u) VALUES (1, 1);
REPLACE INTO fuzz_replace_partial.t (id, u, z) VALUES (9, 2, 'moved'), (4, 4, 'stays');
UPDATE fuzz_replace_partial.t SET n = n + 1;
-- part: changes
SET SESSION binlog_row_image = 'NOBLOB';
USE fuzz_replace_partial;
INSERT INTO t VALUES (11,11,1,'a',x'01','a'),(12,12,2,'b',x'02','b');
REPLACE INTO t SET id = 11, u = 11, z = 'noblob';
UPDATE t SET n = 0 WHERE id = 12;
INSERT INTO t (id, u) VALUES (12, 12) ON DUPLICATE KEY UPDATE s = 'dup';
-- part: changes
SET SESSION binlog_row_image = 'MINIMAL';
UPDATE o SET t = 1 WHERE id = 3;
UPDATE o JOIN t USING (id) SET t.s = 'joined' WHERE t.id = 5;
-- part: changes
SET SESSION binlog_row_image = 'NOBLOB';
UPDATE o SET t = 2 WHERE id = 5;
