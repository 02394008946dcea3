-- case: binary types beside text
-- origin: MariaDB counts INET, UUID or GEOMETRY columns in the list of collations of a table map
-- servers: mariadb
-- database: fuzz_binary_types
-- part: setup
CREATE DATABASE fuzz_binary_types;
CREATE TABLE fuzz_binary_types.t (id INT PRIMARY KEY, s VARBINARY(255) NOT NULL, g LINESTRING, v VARCHAR(36) CHARACTER SET ascii NOT NULL, x INET4);
CREATE TABLE fuzz_binary_types.u (id INT PRIMARY KEY, u UUID, v VARCHAR(36) CHARACTER SET ascii NOT NULL, x INET6, t TEXT CHARACTER SET latin1, b BLOB);
CREATE TABLE fuzz_binary_types.w (id INT PRIMARY KEY, g POINT, v VARCHAR(36) CHARACTER SET ascii NOT NULL, h POINT, t TEXT CHARACTER SET latin1);
-- part: changes
INSERT INTO fuzz_binary_types.t VALUES (1, '', NULL, 'a', '1.2.3.4');
INSERT INTO fuzz_binary_types.u VALUES (1, NULL, 'a', '::1', 'é', x'00');
INSERT INTO fuzz_binary_types.w VALUES (1, NULL, 'a', ST_GeomFromText('POINT(1 2)'), 'é');
