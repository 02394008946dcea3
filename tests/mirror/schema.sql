-- Tables of the integration tests, the same for MySQL and MariaDB: every supported type, NOT
-- NULL and nullable; every kind of key; and what the tests of consistency write to.

CREATE DATABASE mirror_test CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
USE mirror_test;

-- ---- one table per group of types: `x` is NOT NULL, `x_null` may be NULL

CREATE TABLE integers (
  id INT UNSIGNED NOT NULL,
  tiny TINYINT NOT NULL,
  tiny_null TINYINT NULL,
  tiny_unsigned TINYINT UNSIGNED NOT NULL,
  tiny_unsigned_null TINYINT UNSIGNED NULL,
  small SMALLINT NOT NULL,
  small_null SMALLINT NULL,
  small_unsigned SMALLINT UNSIGNED NOT NULL,
  small_unsigned_null SMALLINT UNSIGNED NULL,
  medium MEDIUMINT NOT NULL,
  medium_null MEDIUMINT NULL,
  medium_unsigned MEDIUMINT UNSIGNED NOT NULL,
  medium_unsigned_null MEDIUMINT UNSIGNED NULL,
  plain INT NOT NULL,
  plain_null INT NULL,
  plain_unsigned INT UNSIGNED NOT NULL,
  plain_unsigned_null INT UNSIGNED NULL,
  big BIGINT NOT NULL,
  big_null BIGINT NULL,
  big_unsigned BIGINT UNSIGNED NOT NULL,
  big_unsigned_null BIGINT UNSIGNED NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='integers of all widths, signed and unsigned';

CREATE TABLE numbers (
  id INT UNSIGNED NOT NULL,
  single_float FLOAT NOT NULL,
  single_float_null FLOAT NULL,
  double_float DOUBLE NOT NULL,
  double_float_null DOUBLE NULL,
  dec_1_0 DECIMAL(1,0) NOT NULL,
  dec_1_0_null DECIMAL(1,0) NULL,
  dec_5_5 DECIMAL(5,5) NOT NULL,
  dec_5_5_null DECIMAL(5,5) NULL,
  dec_10_2 DECIMAL(10,2) NOT NULL,
  dec_10_2_null DECIMAL(10,2) NULL,
  dec_18_9 DECIMAL(18,9) NOT NULL,
  dec_18_9_null DECIMAL(18,9) NULL,
  dec_28_10 DECIMAL(28,10) NOT NULL,
  dec_28_10_null DECIMAL(28,10) NULL,
  dec_28_28 DECIMAL(28,28) NOT NULL,
  dec_28_28_null DECIMAL(28,28) NULL,
  dec_29_0 DECIMAL(29,0) NOT NULL,
  dec_29_0_null DECIMAL(29,0) NULL,
  dec_30_30 DECIMAL(30,30) NOT NULL,
  dec_30_30_null DECIMAL(30,30) NULL,
  dec_38_4 DECIMAL(38,4) NOT NULL,
  dec_38_4_null DECIMAL(38,4) NULL,
  dec_65_0 DECIMAL(65,0) NOT NULL,
  dec_65_0_null DECIMAL(65,0) NULL,
  dec_65_30 DECIMAL(65,30) NOT NULL,
  dec_65_30_null DECIMAL(65,30) NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='floats and exact decimals';

CREATE TABLE dates (
  id INT UNSIGNED NOT NULL,
  day DATE NOT NULL,
  day_null DATE NULL,
  which_year YEAR NOT NULL,
  which_year_null YEAR NULL,
  datetime_0 DATETIME NOT NULL,
  datetime_0_null DATETIME NULL,
  datetime_1 DATETIME(1) NOT NULL,
  datetime_1_null DATETIME(1) NULL,
  datetime_2 DATETIME(2) NOT NULL,
  datetime_2_null DATETIME(2) NULL,
  datetime_3 DATETIME(3) NOT NULL,
  datetime_3_null DATETIME(3) NULL,
  datetime_4 DATETIME(4) NOT NULL,
  datetime_4_null DATETIME(4) NULL,
  datetime_5 DATETIME(5) NOT NULL,
  datetime_5_null DATETIME(5) NULL,
  datetime_6 DATETIME(6) NOT NULL,
  datetime_6_null DATETIME(6) NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='DATE, YEAR, DATETIME of all precisions';

CREATE TABLE times (
  id INT UNSIGNED NOT NULL,
  timestamp_0 TIMESTAMP NOT NULL DEFAULT '2000-01-01 00:00:00',
  timestamp_0_null TIMESTAMP NULL,
  time_0 TIME NOT NULL,
  time_0_null TIME NULL,
  timestamp_1 TIMESTAMP(1) NOT NULL DEFAULT '2000-01-01 00:00:00',
  timestamp_1_null TIMESTAMP(1) NULL,
  time_1 TIME(1) NOT NULL,
  time_1_null TIME(1) NULL,
  timestamp_2 TIMESTAMP(2) NOT NULL DEFAULT '2000-01-01 00:00:00',
  timestamp_2_null TIMESTAMP(2) NULL,
  time_2 TIME(2) NOT NULL,
  time_2_null TIME(2) NULL,
  timestamp_3 TIMESTAMP(3) NOT NULL DEFAULT '2000-01-01 00:00:00',
  timestamp_3_null TIMESTAMP(3) NULL,
  time_3 TIME(3) NOT NULL,
  time_3_null TIME(3) NULL,
  timestamp_4 TIMESTAMP(4) NOT NULL DEFAULT '2000-01-01 00:00:00',
  timestamp_4_null TIMESTAMP(4) NULL,
  time_4 TIME(4) NOT NULL,
  time_4_null TIME(4) NULL,
  timestamp_5 TIMESTAMP(5) NOT NULL DEFAULT '2000-01-01 00:00:00',
  timestamp_5_null TIMESTAMP(5) NULL,
  time_5 TIME(5) NOT NULL,
  time_5_null TIME(5) NULL,
  timestamp_6 TIMESTAMP(6) NOT NULL DEFAULT '2000-01-01 00:00:00',
  timestamp_6_null TIMESTAMP(6) NULL,
  time_6 TIME(6) NOT NULL,
  time_6_null TIME(6) NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='TIMESTAMP and TIME of all precisions';

CREATE TABLE texts (
  id INT UNSIGNED NOT NULL,
  char_0 CHAR(0) NOT NULL,
  char_0_null CHAR(0) NULL,
  char_1 CHAR(1) NOT NULL,
  char_1_null CHAR(1) NULL,
  char_10 CHAR(10) NOT NULL,
  char_10_null CHAR(10) NULL,
  char_255 CHAR(255) NOT NULL,
  char_255_null CHAR(255) NULL,
  varchar_20 VARCHAR(20) NOT NULL,
  varchar_20_null VARCHAR(20) NULL,
  varchar_63 VARCHAR(63) NOT NULL,
  varchar_63_null VARCHAR(63) NULL,
  varchar_64 VARCHAR(64) NOT NULL,
  varchar_64_null VARCHAR(64) NULL,
  varchar_300 VARCHAR(300) NOT NULL,
  varchar_300_null VARCHAR(300) NULL,
  tiny_text TINYTEXT NOT NULL,
  tiny_text_null TINYTEXT NULL,
  plain_text TEXT NOT NULL,
  plain_text_null TEXT NULL,
  medium_text MEDIUMTEXT NOT NULL,
  medium_text_null MEDIUMTEXT NULL,
  long_text LONGTEXT NOT NULL,
  long_text_null LONGTEXT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='text in utf8mb4';

CREATE TABLE ascii_texts (
  id INT UNSIGNED NOT NULL,
  char_0 CHAR(0) NOT NULL,
  char_0_null CHAR(0) NULL,
  char_1 CHAR(1) NOT NULL,
  char_1_null CHAR(1) NULL,
  char_10 CHAR(10) NOT NULL,
  char_10_null CHAR(10) NULL,
  char_255 CHAR(255) NOT NULL,
  char_255_null CHAR(255) NULL,
  varchar_20 VARCHAR(20) NOT NULL,
  varchar_20_null VARCHAR(20) NULL,
  varchar_300 VARCHAR(300) NOT NULL,
  varchar_300_null VARCHAR(300) NULL,
  tiny_text TINYTEXT NOT NULL,
  tiny_text_null TINYTEXT NULL,
  plain_text TEXT NOT NULL,
  plain_text_null TEXT NULL,
  medium_text MEDIUMTEXT NOT NULL,
  medium_text_null MEDIUMTEXT NULL,
  long_text LONGTEXT NOT NULL,
  long_text_null LONGTEXT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=ascii COLLATE=ascii_bin COMMENT='text in ascii';

CREATE TABLE byte_strings (
  id INT UNSIGNED NOT NULL,
  binary_1 BINARY(1) NOT NULL,
  binary_1_null BINARY(1) NULL,
  binary_16 BINARY(16) NOT NULL,
  binary_16_null BINARY(16) NULL,
  binary_255 BINARY(255) NOT NULL,
  binary_255_null BINARY(255) NULL,
  varbinary_10 VARBINARY(10) NOT NULL,
  varbinary_10_null VARBINARY(10) NULL,
  varbinary_255 VARBINARY(255) NOT NULL,
  varbinary_255_null VARBINARY(255) NULL,
  varbinary_256 VARBINARY(256) NOT NULL,
  varbinary_256_null VARBINARY(256) NULL,
  tiny_blob TINYBLOB NOT NULL,
  tiny_blob_null TINYBLOB NULL,
  plain_blob BLOB NOT NULL,
  plain_blob_null BLOB NULL,
  medium_blob MEDIUMBLOB NOT NULL,
  medium_blob_null MEDIUMBLOB NULL,
  long_blob LONGBLOB NOT NULL,
  long_blob_null LONGBLOB NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='bytes';

CREATE TABLE label_sets (
  id INT UNSIGNED NOT NULL,
  odd ENUM('','plain','it''s','a,b','say "hi"','back\\slash','*/ fn main() {}','naïve','日本','fn','Self','new\nline',' lead','{{ x }}','0','1') NOT NULL,
  odd_null ENUM('','plain','it''s','a,b','say "hi"','back\\slash','*/ fn main() {}','naïve','日本','fn','Self','new\nline',' lead','{{ x }}','0','1') NULL,
  many ENUM(
    'l1','l2','l3','l4','l5','l6','l7','l8','l9','l10',
    'l11','l12','l13','l14','l15','l16','l17','l18','l19','l20',
    'l21','l22','l23','l24','l25','l26','l27','l28','l29','l30',
    'l31','l32','l33','l34','l35','l36','l37','l38','l39','l40',
    'l41','l42','l43','l44','l45','l46','l47','l48','l49','l50',
    'l51','l52','l53','l54','l55','l56','l57','l58','l59','l60',
    'l61','l62','l63','l64','l65','l66','l67','l68','l69','l70',
    'l71','l72','l73','l74','l75','l76','l77','l78','l79','l80',
    'l81','l82','l83','l84','l85','l86','l87','l88','l89','l90',
    'l91','l92','l93','l94','l95','l96','l97','l98','l99','l100',
    'l101','l102','l103','l104','l105','l106','l107','l108','l109','l110',
    'l111','l112','l113','l114','l115','l116','l117','l118','l119','l120',
    'l121','l122','l123','l124','l125','l126','l127','l128','l129','l130',
    'l131','l132','l133','l134','l135','l136','l137','l138','l139','l140',
    'l141','l142','l143','l144','l145','l146','l147','l148','l149','l150',
    'l151','l152','l153','l154','l155','l156','l157','l158','l159','l160',
    'l161','l162','l163','l164','l165','l166','l167','l168','l169','l170',
    'l171','l172','l173','l174','l175','l176','l177','l178','l179','l180',
    'l181','l182','l183','l184','l185','l186','l187','l188','l189','l190',
    'l191','l192','l193','l194','l195','l196','l197','l198','l199','l200',
    'l201','l202','l203','l204','l205','l206','l207','l208','l209','l210',
    'l211','l212','l213','l214','l215','l216','l217','l218','l219','l220',
    'l221','l222','l223','l224','l225','l226','l227','l228','l229','l230',
    'l231','l232','l233','l234','l235','l236','l237','l238','l239','l240',
    'l241','l242','l243','l244','l245','l246','l247','l248','l249','l250',
    'l251','l252','l253','l254','l255','l256','l257','l258','l259','l260',
    'l261','l262','l263','l264','l265','l266','l267','l268','l269','l270',
    'l271','l272','l273','l274','l275','l276','l277','l278','l279','l280',
    'l281','l282','l283','l284','l285','l286','l287','l288','l289','l290',
    'l291','l292','l293','l294','l295','l296','l297','l298','l299','l300') NOT NULL,
  many_null ENUM(
    'l1','l2','l3','l4','l5','l6','l7','l8','l9','l10',
    'l11','l12','l13','l14','l15','l16','l17','l18','l19','l20',
    'l21','l22','l23','l24','l25','l26','l27','l28','l29','l30',
    'l31','l32','l33','l34','l35','l36','l37','l38','l39','l40',
    'l41','l42','l43','l44','l45','l46','l47','l48','l49','l50',
    'l51','l52','l53','l54','l55','l56','l57','l58','l59','l60',
    'l61','l62','l63','l64','l65','l66','l67','l68','l69','l70',
    'l71','l72','l73','l74','l75','l76','l77','l78','l79','l80',
    'l81','l82','l83','l84','l85','l86','l87','l88','l89','l90',
    'l91','l92','l93','l94','l95','l96','l97','l98','l99','l100',
    'l101','l102','l103','l104','l105','l106','l107','l108','l109','l110',
    'l111','l112','l113','l114','l115','l116','l117','l118','l119','l120',
    'l121','l122','l123','l124','l125','l126','l127','l128','l129','l130',
    'l131','l132','l133','l134','l135','l136','l137','l138','l139','l140',
    'l141','l142','l143','l144','l145','l146','l147','l148','l149','l150',
    'l151','l152','l153','l154','l155','l156','l157','l158','l159','l160',
    'l161','l162','l163','l164','l165','l166','l167','l168','l169','l170',
    'l171','l172','l173','l174','l175','l176','l177','l178','l179','l180',
    'l181','l182','l183','l184','l185','l186','l187','l188','l189','l190',
    'l191','l192','l193','l194','l195','l196','l197','l198','l199','l200',
    'l201','l202','l203','l204','l205','l206','l207','l208','l209','l210',
    'l211','l212','l213','l214','l215','l216','l217','l218','l219','l220',
    'l221','l222','l223','l224','l225','l226','l227','l228','l229','l230',
    'l231','l232','l233','l234','l235','l236','l237','l238','l239','l240',
    'l241','l242','l243','l244','l245','l246','l247','l248','l249','l250',
    'l251','l252','l253','l254','l255','l256','l257','l258','l259','l260',
    'l261','l262','l263','l264','l265','l266','l267','l268','l269','l270',
    'l271','l272','l273','l274','l275','l276','l277','l278','l279','l280',
    'l281','l282','l283','l284','l285','l286','l287','l288','l289','l290',
    'l291','l292','l293','l294','l295','l296','l297','l298','l299','l300') NULL,
  one ENUM('only') NOT NULL,
  one_null ENUM('only') NULL,
  set_odd SET('plain','it''s','say "hi"','back\\slash','*/ end','naïve','type') NOT NULL,
  set_odd_null SET('plain','it''s','say "hi"','back\\slash','*/ end','naïve','type') NULL,
  set_1 SET(
    'm1') NOT NULL,
  set_1_null SET(
    'm1') NULL,
  set_8 SET(
    'm1','m2','m3','m4','m5','m6','m7','m8') NOT NULL,
  set_8_null SET(
    'm1','m2','m3','m4','m5','m6','m7','m8') NULL,
  set_16 SET(
    'm1','m2','m3','m4','m5','m6','m7','m8','m9','m10',
    'm11','m12','m13','m14','m15','m16') NOT NULL,
  set_16_null SET(
    'm1','m2','m3','m4','m5','m6','m7','m8','m9','m10',
    'm11','m12','m13','m14','m15','m16') NULL,
  set_17 SET(
    'm1','m2','m3','m4','m5','m6','m7','m8','m9','m10',
    'm11','m12','m13','m14','m15','m16','m17') NOT NULL,
  set_17_null SET(
    'm1','m2','m3','m4','m5','m6','m7','m8','m9','m10',
    'm11','m12','m13','m14','m15','m16','m17') NULL,
  set_24 SET(
    'm1','m2','m3','m4','m5','m6','m7','m8','m9','m10',
    'm11','m12','m13','m14','m15','m16','m17','m18','m19','m20',
    'm21','m22','m23','m24') NOT NULL,
  set_24_null SET(
    'm1','m2','m3','m4','m5','m6','m7','m8','m9','m10',
    'm11','m12','m13','m14','m15','m16','m17','m18','m19','m20',
    'm21','m22','m23','m24') NULL,
  set_25 SET(
    'm1','m2','m3','m4','m5','m6','m7','m8','m9','m10',
    'm11','m12','m13','m14','m15','m16','m17','m18','m19','m20',
    'm21','m22','m23','m24','m25') NOT NULL,
  set_25_null SET(
    'm1','m2','m3','m4','m5','m6','m7','m8','m9','m10',
    'm11','m12','m13','m14','m15','m16','m17','m18','m19','m20',
    'm21','m22','m23','m24','m25') NULL,
  set_32 SET(
    'm1','m2','m3','m4','m5','m6','m7','m8','m9','m10',
    'm11','m12','m13','m14','m15','m16','m17','m18','m19','m20',
    'm21','m22','m23','m24','m25','m26','m27','m28','m29','m30',
    'm31','m32') NOT NULL,
  set_32_null SET(
    'm1','m2','m3','m4','m5','m6','m7','m8','m9','m10',
    'm11','m12','m13','m14','m15','m16','m17','m18','m19','m20',
    'm21','m22','m23','m24','m25','m26','m27','m28','m29','m30',
    'm31','m32') NULL,
  set_33 SET(
    'm1','m2','m3','m4','m5','m6','m7','m8','m9','m10',
    'm11','m12','m13','m14','m15','m16','m17','m18','m19','m20',
    'm21','m22','m23','m24','m25','m26','m27','m28','m29','m30',
    'm31','m32','m33') NOT NULL,
  set_33_null SET(
    'm1','m2','m3','m4','m5','m6','m7','m8','m9','m10',
    'm11','m12','m13','m14','m15','m16','m17','m18','m19','m20',
    'm21','m22','m23','m24','m25','m26','m27','m28','m29','m30',
    'm31','m32','m33') NULL,
  set_40 SET(
    'm1','m2','m3','m4','m5','m6','m7','m8','m9','m10',
    'm11','m12','m13','m14','m15','m16','m17','m18','m19','m20',
    'm21','m22','m23','m24','m25','m26','m27','m28','m29','m30',
    'm31','m32','m33','m34','m35','m36','m37','m38','m39','m40') NOT NULL,
  set_40_null SET(
    'm1','m2','m3','m4','m5','m6','m7','m8','m9','m10',
    'm11','m12','m13','m14','m15','m16','m17','m18','m19','m20',
    'm21','m22','m23','m24','m25','m26','m27','m28','m29','m30',
    'm31','m32','m33','m34','m35','m36','m37','m38','m39','m40') NULL,
  set_64 SET(
    'm1','m2','m3','m4','m5','m6','m7','m8','m9','m10',
    'm11','m12','m13','m14','m15','m16','m17','m18','m19','m20',
    'm21','m22','m23','m24','m25','m26','m27','m28','m29','m30',
    'm31','m32','m33','m34','m35','m36','m37','m38','m39','m40',
    'm41','m42','m43','m44','m45','m46','m47','m48','m49','m50',
    'm51','m52','m53','m54','m55','m56','m57','m58','m59','m60',
    'm61','m62','m63','m64') NOT NULL,
  set_64_null SET(
    'm1','m2','m3','m4','m5','m6','m7','m8','m9','m10',
    'm11','m12','m13','m14','m15','m16','m17','m18','m19','m20',
    'm21','m22','m23','m24','m25','m26','m27','m28','m29','m30',
    'm31','m32','m33','m34','m35','m36','m37','m38','m39','m40',
    'm41','m42','m43','m44','m45','m46','m47','m48','m49','m50',
    'm51','m52','m53','m54','m55','m56','m57','m58','m59','m60',
    'm61','m62','m63','m64') NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='ENUM and SET, up to 64 members and with labels of any text';

CREATE TABLE bits (
  id INT UNSIGNED NOT NULL,
  bit_1 BIT(1) NOT NULL,
  bit_1_null BIT(1) NULL,
  bit_5 BIT(5) NOT NULL,
  bit_5_null BIT(5) NULL,
  bit_8 BIT(8) NOT NULL,
  bit_8_null BIT(8) NULL,
  bit_9 BIT(9) NOT NULL,
  bit_9_null BIT(9) NULL,
  bit_16 BIT(16) NOT NULL,
  bit_16_null BIT(16) NULL,
  bit_17 BIT(17) NOT NULL,
  bit_17_null BIT(17) NULL,
  bit_24 BIT(24) NOT NULL,
  bit_24_null BIT(24) NULL,
  bit_31 BIT(31) NOT NULL,
  bit_31_null BIT(31) NULL,
  bit_32 BIT(32) NOT NULL,
  bit_32_null BIT(32) NULL,
  bit_33 BIT(33) NOT NULL,
  bit_33_null BIT(33) NULL,
  bit_48 BIT(48) NOT NULL,
  bit_48_null BIT(48) NULL,
  bit_57 BIT(57) NOT NULL,
  bit_57_null BIT(57) NULL,
  bit_63 BIT(63) NOT NULL,
  bit_63_null BIT(63) NULL,
  bit_64 BIT(64) NOT NULL,
  bit_64_null BIT(64) NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='BIT of many widths';

-- MariaDB's JSON is text with a check: the tests leave this table out there.
CREATE TABLE documents (
  id INT UNSIGNED NOT NULL,
  doc JSON NOT NULL,
  doc_null JSON NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='JSON (MySQL only)';

-- ---- keys and indexes

CREATE TABLE key_composite (
  part SMALLINT NOT NULL,
  code VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  day DATE NOT NULL,
  size INT NULL,
  label VARCHAR(30) NULL,
  n BIGINT NOT NULL,
  PRIMARY KEY (part, code, day),
  UNIQUE KEY size_label (size, label),
  KEY label_n (label, n),
  KEY day_only (day)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='a key of three columns';

CREATE TABLE key_text (
  name VARCHAR(40) NOT NULL,
  n BIGINT NOT NULL,
  note TEXT NULL,
  PRIMARY KEY (name),
  KEY n (n)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='a text key';

CREATE TABLE key_binary (
  digest BINARY(8) NOT NULL,
  n BIGINT NOT NULL,
  raw VARBINARY(20) NULL,
  PRIMARY KEY (digest),
  UNIQUE KEY raw (raw)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='a binary key';

CREATE TABLE key_unique (
  filler VARCHAR(10) NULL,
  code INT NOT NULL,
  region CHAR(2) NOT NULL,
  n BIGINT NULL,
  UNIQUE KEY region_code (region, code)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='no primary key, but a unique one';

CREATE TABLE indexed (
  id BIGINT NOT NULL,
  email VARCHAR(60) NULL,
  group_id INT NULL,
  score DECIMAL(8,2) NOT NULL,
  serial INT UNSIGNED NOT NULL,
  state ENUM('new','live','gone') NOT NULL,
  seen DATETIME(3) NULL,
  PRIMARY KEY (id),
  UNIQUE KEY email (email),
  UNIQUE KEY serial (serial),
  KEY group_id (group_id),
  KEY group_score (group_id, score),
  KEY state (state),
  KEY seen (seen)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='unique and other indexes, NULL in some';

CREATE TABLE partly (
  skipped_first VARCHAR(30) NULL,
  id INT NOT NULL,
  skipped_point POINT NULL,
  name VARCHAR(30) NOT NULL,
  skipped_blob BLOB NULL,
  skipped_bits BIT(20) NULL,
  amount DECIMAL(12,4) NULL,
  skipped_set SET('a','b') NULL,
  tag ENUM('x','y') NOT NULL,
  skipped_last DATETIME(6) NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='columns between the mirrored ones are left out';

CREATE TABLE json_parts (
  skipped_first JSON NULL,
  id INT NOT NULL,
  doc JSON NULL,
  skipped JSON NULL,
  other JSON NOT NULL,
  note VARCHAR(30) NOT NULL,
  made VARCHAR(100) AS (LEFT(JSON_UNQUOTE(JSON_EXTRACT(doc, '$.a')), 20)) VIRTUAL,
  skipped_last JSON NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='JSON columns between others that are left out (MySQL only)';

-- ---- what the tests of consistency write to

CREATE TABLE account_a (
  id INT NOT NULL,
  balance BIGINT NOT NULL,
  note VARCHAR(40) NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='half of the money';

CREATE TABLE account_b (
  id INT NOT NULL,
  balance BIGINT NOT NULL,
  note VARCHAR(40) NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='the other half';

CREATE TABLE fire_a (
  id INT UNSIGNED NOT NULL,
  n BIGINT NOT NULL,
  tag VARCHAR(40) NOT NULL,
  PRIMARY KEY (id),
  KEY tag (tag)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='under fire: integer key';

CREATE TABLE fire_b (
  k VARBINARY(12) NOT NULL,
  n BIGINT NOT NULL,
  body TEXT NULL,
  PRIMARY KEY (k)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='under fire: binary key';

CREATE TABLE fire_c (
  x INT NOT NULL,
  y INT NOT NULL,
  n BIGINT NOT NULL,
  u INT NULL,
  PRIMARY KEY (x, y),
  UNIQUE KEY u (u),
  KEY n (n)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='under fire: composite key, and rows that change it';

CREATE TABLE big (
  id INT NOT NULL,
  n INT NOT NULL,
  filler VARCHAR(200) NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='transactions of many rows';

CREATE TABLE marker (
  id INT NOT NULL,
  n BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='shows how far the mirror is';

CREATE TABLE plain_log (
  id INT NOT NULL AUTO_INCREMENT,
  note VARCHAR(60) NOT NULL,
  PRIMARY KEY (id)
) ENGINE=MyISAM DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='an engine without transactions';

CREATE TABLE audit (
  id INT NOT NULL AUTO_INCREMENT,
  account INT NOT NULL,
  change_by BIGINT NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='filled by a trigger';

CREATE TABLE unmirrored (id INT NOT NULL AUTO_INCREMENT, note VARCHAR(60), PRIMARY KEY (id)) ENGINE=InnoDB;

CREATE TRIGGER account_a_audit AFTER UPDATE ON account_a FOR EACH ROW
  INSERT INTO audit (account, change_by) SELECT NEW.id, NEW.balance - OLD.balance FROM DUAL WHERE NEW.note = 'audited';

-- ---- columns that are held as something else than their own type

CREATE TABLE choices (
  id INT UNSIGNED NOT NULL,
  flag TINYINT(1) NOT NULL,
  flag_null TINYINT(1) NULL,
  raw VARCHAR(20) CHARACTER SET sjis COLLATE sjis_bin NOT NULL,
  code VARCHAR(20) NOT NULL,
  code_null VARCHAR(20) NULL,
  type ENUM('plain', 'New York') NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY by_code (code),
  KEY by_raw (raw, flag_null)
);

-- ---- tables whose definitions change under load

CREATE TABLE ddl_a (
  id INT NOT NULL,
  n INT NULL,
  s VARCHAR(20) NULL,
  e ENUM('x', 'y', 'z') NULL,
  at DATETIME(3) NULL,
  u BIGINT UNSIGNED NOT NULL DEFAULT 7,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE ddl_b (
  id INT NOT NULL,
  b1 INT NULL,
  b2 INT NULL,
  b3 INT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE ddl_p (
  id INT NOT NULL,
  v INT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
PARTITION BY RANGE (id) (
  PARTITION p0 VALUES LESS THAN (50),
  PARTITION p1 VALUES LESS THAN (100),
  PARTITION p2 VALUES LESS THAN MAXVALUE
);
