-- case: vector beside text
-- origin: MySQL counts VECTOR columns in the list of collations of a table map
-- servers: mysql
-- database: fuzz_vector_beside_text
-- part: setup
CREATE DATABASE fuzz_vector_beside_text;
CREATE TABLE fuzz_vector_beside_text.t (id INT PRIMARY KEY, v VECTOR(1), a VARCHAR(30) CHARACTER SET latin1, b TINYTEXT, c CHAR(3) CHARACTER SET ascii);
CREATE TABLE fuzz_vector_beside_text.u (id INT PRIMARY KEY, v VECTOR(1), a VARCHAR(30) CHARACTER SET latin1, b BINARY(3), c VARBINARY(3), d BLOB);
CREATE TABLE fuzz_vector_beside_text.w (id INT PRIMARY KEY, v GEOMETRY, j JSON, a VARCHAR(30) CHARACTER SET latin1, b BINARY(3), c VARBINARY(3), d BLOB);
-- part: changes
INSERT INTO fuzz_vector_beside_text.t VALUES (1, STRING_TO_VECTOR('[1.5]'), 'é', 'ü', 'a'), (2, NULL, NULL, NULL, NULL);
UPDATE fuzz_vector_beside_text.t SET a = 'x' WHERE id = 1;
-- part: changes
INSERT INTO fuzz_vector_beside_text.w VALUES (1, NULL, '[1]', 'é', 'ü', 'a', NULL);
-- part: changes
INSERT INTO fuzz_vector_beside_text.u VALUES (1, STRING_TO_VECTOR('[1.5]'), 'é', 'ü', 'a', NULL);
