-- Tables of the reported cases: what went wrong for others, each with its own table. One script
-- for all servers: MySQL reads /*!80023 ... */, MariaDB does not (its own are /*M!...*/), and
-- neither are read by MySQL 5.6, which leaves out the tables that it has no syntax for.

CREATE DATABASE cases CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE DATABASE D1 CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
USE cases;

CREATE TABLE marker (id INT PRIMARY KEY);

-- ---- numbers and bits

CREATE TABLE dec_t (id INT PRIMARY KEY, a DECIMAL(11,4), b DECIMAL(5,5), c DECIMAL(65,30), d DECIMAL(65,0), e DECIMAL(9,9), f DECIMAL(18,9), g DECIMAL(1,0));
CREATE TABLE bit_t (id INT PRIMARY KEY, b1 BIT(1), b9 BIT(9), b33 BIT(33), b64 BIT(64));

-- ---- dates and times

CREATE TABLE time_t (id INT PRIMARY KEY, t0 TIME, t2 TIME(2), t3 TIME(3), t6 TIME(6));
CREATE TABLE zd_t (id INT PRIMARY KEY, d DATE NOT NULL, dt DATETIME NOT NULL, ts TIMESTAMP NOT NULL DEFAULT '0000-00-00 00:00:00', n DATE NULL);
CREATE TABLE tz_t (id INT PRIMARY KEY, ts TIMESTAMP NULL, dt DATETIME);

-- ---- labels

CREATE TABLE en_t (id INT PRIMARY KEY, e ENUM('a,b','it''s','(x)','back\\slash','`tick`','per%cent','3D','','größe','New York','NewYork'), s SET('r','w','x y','q''q') NOT NULL DEFAULT '') CHARSET=utf8mb4;
CREATE TABLE enr_t (id INT PRIMARY KEY, f ENUM('v1','v2'), note VARCHAR(9));

-- ---- text, bytes, documents

CREATE TABLE ch_t (id INT PRIMARY KEY, c63 CHAR(63), c64 CHAR(64), c255 CHAR(255), v63 VARCHAR(63), v64 VARCHAR(64), b255 BINARY(255), tag VARCHAR(4)) CHARSET=utf8mb4;
CREATE TABLE bin_t (k BINARY(4) PRIMARY KEY, v VARBINARY(4), c CHAR(4) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, n INT);
CREATE TABLE jo_t (id INT PRIMARY KEY, j JSON);
-- MariaDB's JSON is this text, with a check.
CREATE TABLE mj_t (id INT PRIMARY KEY, j /*M!100207 JSON */ /*!50708 LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin */);

-- ---- kinds of columns, row images

CREATE TABLE gen_t (id INT PRIMARY KEY, qty INT, vg INT GENERATED ALWAYS AS (qty*2) VIRTUAL, u TINYINT UNSIGNED, sg VARCHAR(20) AS (CONCAT('q',qty)) STORED, tag VARCHAR(5));
CREATE TABLE inv_t (a INT PRIMARY KEY, hid VARCHAR(8) /*M!100303 INVISIBLE */ DEFAULT 'h0' /*!80023 INVISIBLE */, b INT);
CREATE TABLE invpk (k INT /*M!100303 INVISIBLE */ AUTO_INCREMENT PRIMARY KEY /*!80023 INVISIBLE */, v INT);
CREATE TABLE img_t (id INT PRIMARY KEY, a INT NULL, b INT NOT NULL DEFAULT 7, c TEXT NULL, d TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), e1 INT, e2 INT, e3 INT, e4 INT);

-- ---- keys

CREATE TABLE uqpk (k INT NOT NULL, v VARCHAR(5), n INT NULL, u INT NOT NULL, UNIQUE KEY a_nullable (n), UNIQUE KEY b_good (u, k));
CREATE TABLE ci_t (k VARCHAR(20) COLLATE utf8mb4_general_ci PRIMARY KEY, n INT);
CREATE TABLE bi_t (k VARCHAR(20) COLLATE utf8mb4_bin PRIMARY KEY, n INT);

-- ---- definitions that change

CREATE TABLE src (id INT PRIMARY KEY, `na me` VARCHAR(9));
CREATE TABLE ctas (id INT PRIMARY KEY, `na me` VARCHAR(9), dbl BIGINT);
CREATE TABLE tr_t (id INT PRIMARY KEY AUTO_INCREMENT, v INT);
CREATE TABLE part_t (id INT NOT NULL, d DATE NOT NULL, PRIMARY KEY(id,d)) PARTITION BY RANGE (YEAR(d)) (PARTITION p0 VALUES LESS THAN (2030), PARTITION pm VALUES LESS THAN MAXVALUE);
CREATE TABLE al_t (id INT PRIMARY KEY, fname VARCHAR(9), lname VARCHAR(9));
-- As `al_t` is in the end.
CREATE TABLE al_final (id INT PRIMARY KEY, surname VARCHAR(9), fname VARCHAR(9), mname INT DEFAULT 5);
CREATE TABLE swap_t (id INT PRIMARY KEY, a VARCHAR(9), b VARCHAR(9));
CREATE TABLE dx_t (
  id INT NOT NULL DEFAULT 0, n INT DEFAULT '-1', d DECIMAL(10,2) DEFAULT 0.00, ex VARCHAR(60) DEFAULT (CONCAT('(',UUID(),')')), dt DATE DEFAULT (CURDATE()),
  j JSON DEFAULT ('{"a":")"}'), b BIT(3) DEFAULT b'101', bin BINARY(3) DEFAULT 0x610062, y YEAR DEFAULT '2031',
  ts TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  st VARCHAR(9) CHECK (st IN ('a','b)') AND st <> 'CONSTRAINT'), g INT AS ((n+1)*(2)) VIRTUAL,
  CONSTRAINT `chk,1` CHECK ((n < 10) OR (st = 'PRIMARY KEY (id)')), PRIMARY KEY (id));
CREATE TABLE vc_t (a INT /*!50606 NOT NULL */, b INT /*!999999 NOSUCH */, /*M!100301 c INT INVISIBLE, */ d INT, UNIQUE KEY (a));
CREATE TABLE D1.MixCase (Id INT PRIMARY KEY, COL INT);
