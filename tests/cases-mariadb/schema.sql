-- Tables that only MariaDB has types for, beside those of tests/cases.

CREATE DATABASE cases_mariadb CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
USE cases_mariadb;

CREATE TABLE marker (id INT PRIMARY KEY);

CREATE TABLE mj_t (id INT PRIMARY KEY, j JSON);
CREATE TABLE mc_t (id INT PRIMARY KEY, a VARCHAR(500) COMPRESSED, b TEXT COMPRESSED, c BLOB COMPRESSED, z INT);
CREATE TABLE identifiers (
  id INT UNSIGNED NOT NULL,
  u UUID NOT NULL,
  u_null UUID NULL,
  four INET4 NOT NULL,
  four_null INET4 NULL,
  six INET6 NOT NULL,
  six_null INET6 NULL,
  PRIMARY KEY (id)
);
