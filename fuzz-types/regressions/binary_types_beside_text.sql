-- case: binary types beside text
-- origin: MariaDB counts GEOMETRY columns in the list of collations of a table map
-- servers: mariadb
-- database: fuzz_binary_types
-- part: setup
CREATE DATABASE fuzz_binary_types;
CREATE TABLE fuzz_binary_types.g (id INT PRIMARY KEY, g LINESTRING, v VARCHAR(36) CHARACTER SET ascii, b BINARY(3), c BINARY(4), d BLOB);
CREATE TABLE fuzz_binary_types.u (id INT PRIMARY KEY, g UUID, v VARCHAR(36) CHARACTER SET ascii, b BINARY(3), c BINARY(4), d BLOB);
CREATE TABLE fuzz_binary_types.i (id INT PRIMARY KEY, g INET6, v VARCHAR(36) CHARACTER SET ascii, b BINARY(3), c BINARY(4), d BLOB, x INET4);
CREATE TABLE fuzz_binary_types.c (id INT PRIMARY KEY, g VARCHAR(30) COMPRESSED CHARACTER SET latin1, v VARCHAR(36) CHARACTER SET ascii, b BINARY(3), c BINARY(4), d BLOB COMPRESSED);
CREATE TABLE fuzz_binary_types.v (id INT PRIMARY KEY, g VECTOR(1) NOT NULL, v VARCHAR(36) CHARACTER SET ascii, b BINARY(3), c BINARY(4), d BLOB);
-- part: changes
INSERT INTO fuzz_binary_types.g VALUES (1, ST_GeomFromText('LINESTRING(0 0,1 1)'), 'a', x'00', x'01', x'02'), (2, NULL, 'é', NULL, NULL, NULL);
-- part: changes
INSERT INTO fuzz_binary_types.u VALUES (1, '123e4567-e89b-12d3-a456-426655440000', 'a', x'00', x'01', x'02');
-- part: changes
INSERT INTO fuzz_binary_types.i VALUES (1, '::1', 'a', x'00', x'01', x'02', '1.2.3.4');
-- part: changes
INSERT INTO fuzz_binary_types.c VALUES (1, REPEAT('é', 30), 'a', x'00', x'01', REPEAT('x', 500));
-- part: changes
INSERT INTO fuzz_binary_types.v VALUES (1, VEC_FromText('[1.5]'), 'a', x'00', x'01', x'02');
