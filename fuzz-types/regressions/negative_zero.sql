-- case: negative zero
-- origin: MariaDB stores and logs -0 in FLOAT but prints 0
-- database: fuzz_negative_zero
-- part: setup
CREATE DATABASE fuzz_negative_zero;
CREATE TABLE fuzz_negative_zero.t (id INT PRIMARY KEY, f FLOAT NOT NULL, d DOUBLE NOT NULL, n INT);
CREATE TABLE fuzz_negative_zero.k (f FLOAT, d DOUBLE, id INT, n INT, PRIMARY KEY (f, d, id));
-- part: before
INSERT INTO fuzz_negative_zero.t VALUES (1, -1.4e-45, -4.9406564584124654e-324, 0), (2, -0e0, -0e0, 0);
UPDATE fuzz_negative_zero.t SET f = f / 3, d = d / 3 WHERE id = 1;
INSERT INTO fuzz_negative_zero.k VALUES (-1.4e-45, -0e0, 1, 0), (0, -0e0, 2, 0);
UPDATE fuzz_negative_zero.k SET f = f / 3;
-- part: changes
UPDATE fuzz_negative_zero.t SET n = 1;
INSERT INTO fuzz_negative_zero.t VALUES (3, -1.4e-45, -4.9406564584124654e-324, 0), (4, -0e0, -0e0, 0);
UPDATE fuzz_negative_zero.t SET f = f / 3, d = d / 3 WHERE id = 3;
UPDATE fuzz_negative_zero.k SET n = 1;
UPDATE fuzz_negative_zero.k SET f = 0, d = 0;
INSERT INTO fuzz_negative_zero.k VALUES (-1.4e-45, -0e0, 3, 0);
UPDATE fuzz_negative_zero.k SET f = f / 3 WHERE id = 3;
DELETE FROM fuzz_negative_zero.k WHERE f = 0 AND id = 1;
