-- Tables that only MariaDB has types for, beside those of tests/cases.

CREATE DATABASE cases_mariadb CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
USE cases_mariadb;

CREATE TABLE marker (id INT PRIMARY KEY);

CREATE TABLE mj_t (id INT PRIMARY KEY, j JSON);
CREATE TABLE mc_t (id INT PRIMARY KEY, a VARCHAR(500) COMPRESSED, b TEXT COMPRESSED, c BLOB COMPRESSED, z INT);

CREATE TABLE k_ids (u UUID NOT NULL, six INET6 NOT NULL, four INET4 NOT NULL, n INT, PRIMARY KEY (u, six, four));
CREATE TABLE k_uuids (u UUID NOT NULL, n INT, PRIMARY KEY (u));

-- ---- one table for each row of docs/types.md that MariaDB has alone

CREATE TABLE t_uuids (id INT UNSIGNED PRIMARY KEY, u UUID NOT NULL, u_null UUID NULL);
CREATE TABLE t_addresses (
  id INT UNSIGNED PRIMARY KEY, four INET4 NOT NULL, four_null INET4 NULL, six INET6 NOT NULL,
  six_null INET6 NULL
);
CREATE TABLE t_json_texts (id INT UNSIGNED PRIMARY KEY, j JSON NOT NULL);
CREATE TABLE t_compressed (
  id INT UNSIGNED PRIMARY KEY, v VARCHAR(300) COMPRESSED NOT NULL,
  b VARBINARY(300) COMPRESSED NOT NULL, t MEDIUMTEXT COMPRESSED NOT NULL,
  bl MEDIUMBLOB COMPRESSED NOT NULL
);

-- The storage formats of before MariaDB 10.1: columns keep the one that they were made with.
SET GLOBAL mysql56_temporal_format = OFF;
CREATE TABLE t_old_times (
  id INT UNSIGNED PRIMARY KEY, d0 DATETIME NOT NULL, d2 DATETIME(2) NOT NULL,
  d6 DATETIME(6) NOT NULL, s0 TIMESTAMP NOT NULL DEFAULT '2000-01-01 00:00:00',
  s3 TIMESTAMP(3) NOT NULL DEFAULT '2000-01-01 00:00:00', t0 TIME NOT NULL, t1 TIME(1) NOT NULL,
  t6 TIME(6) NOT NULL
);
SET GLOBAL mysql56_temporal_format = ON;
