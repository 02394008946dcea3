-- case11.en_t
CREATE TABLE `en_t` (
  `id` int NOT NULL,
  `e` enum('a,b','it''s','(x)','back\\slash','`tick`','per%cent','3D','','größe','New York','NewYork') DEFAULT NULL,
  `s` set('r','w','x y','q''q') NOT NULL DEFAULT '',
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case15.ch_t
CREATE TABLE `ch_t` (
  `id` int NOT NULL,
  `c63` char(63) DEFAULT NULL,
  `c64` char(64) DEFAULT NULL,
  `c255` char(255) DEFAULT NULL,
  `v63` varchar(63) DEFAULT NULL,
  `v64` varchar(64) DEFAULT NULL,
  `b255` binary(255) DEFAULT NULL,
  `tag` varchar(4) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case16.bin_t
CREATE TABLE `bin_t` (
  `k` binary(4) NOT NULL,
  `v` varbinary(4) DEFAULT NULL,
  `c` char(4) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `n` int DEFAULT NULL,
  PRIMARY KEY (`k`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case18.cs_t
CREATE TABLE `cs_t` (
  `id` int NOT NULL,
  `l` varchar(10) CHARACTER SET latin1 COLLATE latin1_swedish_ci DEFAULT NULL,
  `g` varchar(10) CHARACTER SET gbk COLLATE gbk_chinese_ci DEFAULT NULL,
  `u` char(4) CHARACTER SET utf16 COLLATE utf16_general_ci DEFAULT NULL,
  `c` char(4) CHARACTER SET ucs2 COLLATE ucs2_general_ci DEFAULT NULL,
  `s` varchar(10) CHARACTER SET sjis COLLATE sjis_japanese_ci DEFAULT NULL,
  `t3` text CHARACTER SET utf8mb3 COLLATE utf8mb3_general_ci,
  `e` enum('é','ü') CHARACTER SET latin1 COLLATE latin1_swedish_ci DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case20.jo_t
CREATE TABLE `jo_t` (
  `id` int NOT NULL,
  `j` json DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case23.mj_t
CREATE TABLE `mj_t` (
  `id` int NOT NULL,
  `j` json DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case25.vec_other
CREATE TABLE `vec_other` (
  `id` int NOT NULL,
  `v` vector(2) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case25.vec_t
CREATE TABLE `vec_t` (
  `id` int NOT NULL AUTO_INCREMENT,
  `v` vector(3) DEFAULT NULL,
  `tag` int DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case29.gen_t
CREATE TABLE `gen_t` (
  `id` int NOT NULL,
  `qty` int DEFAULT NULL,
  `vg` int GENERATED ALWAYS AS ((`qty` * 2)) VIRTUAL,
  `u` tinyint unsigned DEFAULT NULL,
  `sg` varchar(20) GENERATED ALWAYS AS (concat(_utf8mb4'q',`qty`)) STORED,
  `tag` varchar(5) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case31.inv_t
CREATE TABLE `inv_t` (
  `a` int NOT NULL,
  `hid` varchar(8) DEFAULT 'h0' /*!80023 INVISIBLE */,
  `b` int DEFAULT NULL,
  PRIMARY KEY (`a`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case31.invpk
CREATE TABLE `invpk` (
  `k` int NOT NULL AUTO_INCREMENT /*!80023 INVISIBLE */,
  `v` int DEFAULT NULL,
  PRIMARY KEY (`k`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case33.img2_t
CREATE TABLE `img2_t` (
  `id` int NOT NULL,
  `s` varchar(9) NOT NULL DEFAULT 'a''b',
  `de` decimal(10,3) NOT NULL DEFAULT '-1.500',
  `en` enum('x','y') NOT NULL DEFAULT 'y',
  `se` set('p','q') DEFAULT 'p,q',
  `bi` bit(5) DEFAULT b'101',
  `bn` binary(3) DEFAULT 'z\0\0',
  `da` date DEFAULT '2031-02-03',
  `ti` time(2) DEFAULT '-00:00:01.50',
  `ye` year DEFAULT '2031',
  `fl` float DEFAULT '0.1',
  `ub` bigint unsigned DEFAULT '18446744073709551615',
  `nn` int NOT NULL,
  `ts` timestamp NOT NULL DEFAULT '2031-02-03 04:05:06',
  `l` varchar(5) CHARACTER SET latin1 COLLATE latin1_swedish_ci DEFAULT 'é',
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case33.img_t
CREATE TABLE `img_t` (
  `id` int NOT NULL,
  `a` int DEFAULT NULL,
  `b` int NOT NULL DEFAULT '7',
  `c` text,
  `d` timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  `e1` int DEFAULT NULL,
  `e2` int DEFAULT NULL,
  `e3` int DEFAULT NULL,
  `e4` int DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case36.nopk
CREATE TABLE `nopk` (
  `k` int DEFAULT NULL,
  `v` varchar(5) DEFAULT NULL,
  `u` int DEFAULT NULL,
  UNIQUE KEY `u` (`u`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case36b.uqpk
CREATE TABLE `uqpk` (
  `k` int NOT NULL,
  `v` varchar(5) DEFAULT NULL,
  `n` int DEFAULT NULL,
  `u` int NOT NULL,
  UNIQUE KEY `b_good` (`u`,`k`),
  UNIQUE KEY `a_nullable` (`n`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case38.bi_t
CREATE TABLE `bi_t` (
  `k` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `n` int DEFAULT NULL,
  PRIMARY KEY (`k`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case38.ci_t
CREATE TABLE `ci_t` (
  `k` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL,
  `n` int DEFAULT NULL,
  PRIMARY KEY (`k`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case46.kid
CREATE TABLE `kid` (
  `id` int NOT NULL,
  `pid` int DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `pid` (`pid`),
  CONSTRAINT `kid_ibfk_1` FOREIGN KEY (`pid`) REFERENCES `par` (`id`) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case46.kid2
CREATE TABLE `kid2` (
  `id` int NOT NULL,
  `pid` int DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `pid` (`pid`),
  CONSTRAINT `kid2_ibfk_1` FOREIGN KEY (`pid`) REFERENCES `par` (`id`) ON DELETE SET NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case46.par
CREATE TABLE `par` (
  `id` int NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case49.part_t
CREATE TABLE `part_t` (
  `id` int NOT NULL,
  `d` date NOT NULL,
  PRIMARY KEY (`id`,`d`),
  KEY `k` (`d`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci
/*!50100 PARTITION BY RANGE (year(`d`))
(PARTITION p0 VALUES LESS THAN (2030) ENGINE = InnoDB,
 PARTITION pm VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */

-- case49.tr_t
CREATE TABLE `tr_t` (
  `id` int NOT NULL AUTO_INCREMENT,
  `v` int DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case53.vc2_t
CREATE TABLE `vc2_t` (
  `a` int NOT NULL,
  `h` int DEFAULT NULL /*!80023 INVISIBLE */,
  PRIMARY KEY (`a`),
  KEY `k` (`a`) /*!80000 INVISIBLE */
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci
/*!50100 PARTITION BY HASH (`a`)
PARTITIONS 2 */

-- case53.vc_t
CREATE TABLE `vc_t` (
  `a` int NOT NULL,
  `b` int DEFAULT NULL,
  `d` int DEFAULT NULL,
  UNIQUE KEY `a` (`a`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- case55.dx_t
CREATE TABLE `dx_t` (
  `id` int NOT NULL DEFAULT '0',
  `n` int DEFAULT '-1',
  `d` decimal(10,2) DEFAULT '0.00',
  `ex` varchar(60) DEFAULT (concat(_utf8mb4'(',uuid(),_utf8mb4')')),
  `dt` date DEFAULT (curdate()),
  `j` json DEFAULT (_utf8mb4'{"a":")"}'),
  `b` bit(3) DEFAULT b'101',
  `bin` binary(3) DEFAULT 'a\0b',
  `y` year DEFAULT '2031',
  `ts` timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  `st` varchar(9) DEFAULT NULL,
  `g` int GENERATED ALWAYS AS (((`n` + 1) * 2)) VIRTUAL,
  PRIMARY KEY (`id`),
  CONSTRAINT `chk,1` CHECK (((`n` < 10) or (`st` = _utf8mb4'PRIMARY KEY (id)'))),
  CONSTRAINT `dx_t_chk_1` CHECK (((`st` in (_utf8mb4'a',_utf8mb4'b)')) and (`st` <> _utf8mb4'CONSTRAINT')))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- tricky.big5t
CREATE TABLE `big5t` (
  `id` int NOT NULL,
  `a` varchar(9) CHARACTER SET big5 COLLATE big5_chinese_ci DEFAULT NULL,
  `b` varchar(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci DEFAULT NULL,
  `c` enum('a') CHARACTER SET latin1 COLLATE latin1_swedish_ci DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=latin1

-- tricky.geo
CREATE TABLE `geo` (
  `id` int NOT NULL,
  `g` geometry NOT NULL,
  `p` point DEFAULT NULL,
  PRIMARY KEY (`id`),
  SPATIAL KEY `sp` (`g`)
) ENGINE=MyISAM DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci MAX_ROWS=100 CHECKSUM=1 ROW_FORMAT=DYNAMIC

-- tricky.kid3
CREATE TABLE `kid3` (
  `id` int NOT NULL,
  `a` int DEFAULT NULL,
  `b` int DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `fk,1` (`a`,`b`),
  KEY `fk2` (`b`,`a`),
  CONSTRAINT `fk,1` FOREIGN KEY (`a`, `b`) REFERENCES `par2` (`a`, `b`) ON DELETE SET NULL ON UPDATE CASCADE,
  CONSTRAINT `fk2` FOREIGN KEY (`b`, `a`) REFERENCES `par2` (`a`, `b`) ON DELETE RESTRICT
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- tricky.m1
CREATE TABLE `m1` (
  `id` int NOT NULL,
  `j` json DEFAULT NULL,
  `v` int DEFAULT NULL /*!80023 INVISIBLE */,
  PRIMARY KEY (`id`),
  KEY `fx` ((cast(json_unquote(json_extract(`j`,_utf8mb4'$.a')) as char(10) charset utf8mb4)))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- tricky.m2
CREATE TABLE `m2` (
  `id` int NOT NULL,
  `j` json DEFAULT (json_array()),
  `f` float DEFAULT ((rand() * rand())),
  `c` varchar(30) DEFAULT (concat(_utf8mb4'a)',_utf8mb4'b(',_utf8mb4'it\'s')),
  `d` date DEFAULT ((curdate() + interval 1 year)),
  `n` int NOT NULL DEFAULT '5',
  PRIMARY KEY (`id`),
  KEY `inv` (`n`) COMMENT 'c''x' /*!80000 INVISIBLE */,
  KEY `fx` ((abs(`n`)) DESC,`d`),
  KEY `mv` ((cast(json_extract(`j`,_utf8mb4'$.z') as unsigned array))),
  CONSTRAINT `c2` CHECK ((`c` <> _utf8mb4'a) CHECK (')),
  CONSTRAINT `m2_chk_1` CHECK ((`n` > 0)) /*!80016 NOT ENFORCED */
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci COMMENT='x'

-- tricky.m3
CREATE TABLE `m3` (
  `id` int NOT NULL,
  `g` point NOT NULL /*!80003 SRID 4326 */,
  `t` varchar(20) GENERATED ALWAYS AS (concat(_utf8mb4'x',`id`)) STORED NOT NULL COMMENT 'gen',
  PRIMARY KEY (`id`),
  SPATIAL KEY `g` (`g`),
  FULLTEXT KEY `ft` (`t`) /*!50100 WITH PARSER `ngram` */ 
) /*!50100 TABLESPACE `innodb_system` */ ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- tricky.m4
CREATE TABLE `m4` (
  `id` int NOT NULL /*!50606 STORAGE DISK */ /*!50606 COLUMN_FORMAT FIXED */,
  `v` vector(3) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- tricky.m5
CREATE TABLE `m5` (
  `my_row_id` bigint unsigned NOT NULL AUTO_INCREMENT /*!80023 INVISIBLE */,
  `v` int DEFAULT NULL,
  PRIMARY KEY (`my_row_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- tricky.m6
CREATE TABLE `m6` (
  `a` int NOT NULL,
  `n` int DEFAULT NULL,
  UNIQUE KEY `y_a` (`a`),
  UNIQUE KEY `z_n` (`n`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- tricky.m7
CREATE TABLE `m7` (
  `x` int NOT NULL DEFAULT '0'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- tricky.nasty
CREATE TABLE `nasty` (
  `type` int NOT NULL,
  `self` int DEFAULT NULL,
  `a``b` int DEFAULT NULL COMMENT 'it''s */ "quoted" \\ back\nnewline',
  `sp ace` varchar(10) DEFAULT 'x''y\\z\n',
  `e` enum('*/','"','\n','\\','''','it''s */ fn main(){}') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`type`),
  KEY `k,1` (`a``b`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci COMMENT='tbl */ ''q'' \\ \n end'

-- tricky.nums
CREATE TABLE `nums` (
  `a` tinyint(1) NOT NULL,
  `b` smallint(5) unsigned zerofill DEFAULT NULL,
  `c` mediumint unsigned DEFAULT NULL,
  `d` int unsigned NOT NULL AUTO_INCREMENT,
  `e` bigint unsigned DEFAULT NULL,
  `f` float(7,3) DEFAULT NULL,
  `f2` float unsigned DEFAULT NULL,
  `g` double(10,2) DEFAULT NULL,
  `h` decimal(65,30) unsigned DEFAULT NULL,
  `h2` decimal(10,0) DEFAULT NULL,
  `i` bit(17) DEFAULT b'101',
  `j` year DEFAULT NULL,
  PRIMARY KEY (`d`),
  UNIQUE KEY `ue` (`e`,`b`),
  KEY `k2` (`a`,`c`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- tricky.opts
CREATE TABLE `opts` (
  `id` int NOT NULL AUTO_INCREMENT,
  `v` varchar(20) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=12345 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci STATS_PERSISTENT=1 KEY_BLOCK_SIZE=4 COMMENT='AUTO_INCREMENT=5 '

-- tricky.par2
CREATE TABLE `par2` (
  `a` int NOT NULL,
  `b` int NOT NULL,
  PRIMARY KEY (`a`,`b`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- tricky.parts
CREATE TABLE `parts` (
  `id` int NOT NULL,
  `d` date NOT NULL,
  PRIMARY KEY (`id`,`d`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci
/*!50100 PARTITION BY RANGE (year(`d`))
SUBPARTITION BY HASH (`id`)
SUBPARTITIONS 2
(PARTITION p0 VALUES LESS THAN (2030) ENGINE = InnoDB,
 PARTITION `p m` VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */

-- tricky.parts2
CREATE TABLE `parts2` (
  `id` int NOT NULL,
  `c` varchar(9) NOT NULL,
  PRIMARY KEY (`id`,`c`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci
/*!50500 PARTITION BY LIST  COLUMNS(c)
(PARTITION p0 VALUES IN ('a*/','b)') COMMENT = 'x\'y' ENGINE = InnoDB,
 PARTITION p1 VALUES IN ('c') ENGINE = InnoDB) */

-- tricky.strs
CREATE TABLE `strs` (
  `a` binary(3) DEFAULT NULL,
  `b` varchar(5) CHARACTER SET utf8mb3 COLLATE utf8mb3_general_ci DEFAULT NULL,
  `c` varchar(9) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL DEFAULT '',
  `d` tinytext,
  `e` mediumtext CHARACTER SET latin1 COLLATE latin1_swedish_ci,
  `f` longblob,
  `g` tinyblob,
  `h` varbinary(300) DEFAULT NULL,
  `i` binary(16) NOT NULL,
  `j` set('a','b','c d') NOT NULL DEFAULT 'a,c d',
  `k` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  `l` char(0) DEFAULT NULL,
  PRIMARY KEY (`i`),
  UNIQUE KEY `u1` (`c`),
  KEY `p` (`d`(10)),
  KEY `q` (`c`(4),`i`),
  FULLTEXT KEY `ft` (`k`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- tricky.temps
CREATE TABLE `temps` (
  `id` int NOT NULL,
  `a` date DEFAULT '2000-01-01',
  `b` datetime(3) DEFAULT NULL,
  `c` timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  `d` timestamp NULL DEFAULT NULL,
  `e` time(2) NOT NULL DEFAULT '-00:00:01.50',
  `f` datetime DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- tricky.v
CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`127.0.0.1` SQL SECURITY DEFINER VIEW `v` AS select 1 AS `one`

-- tricky.we`ird tab*/le
CREATE TABLE `we``ird tab*/le` (
  `co"l` int NOT NULL COMMENT 'a',
  PRIMARY KEY (`co"l`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

-- ansi.nasty
CREATE TABLE "nasty" (
  "type" int NOT NULL,
  "self" int DEFAULT NULL,
  "a`b" int DEFAULT NULL COMMENT 'it''s */ "quoted" \\ back\nnewline',
  "sp ace" varchar(10) DEFAULT 'x''y\\z\n',
  "e" enum('*/','"','\n','\\','''','it''s */ fn main(){}') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY ("type"),
  KEY "k,1" ("a`b")
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci COMMENT='tbl */ ''q'' \\ \n end'

-- ansi.parts2
CREATE TABLE "parts2" (
  "id" int NOT NULL,
  "c" varchar(9) NOT NULL,
  PRIMARY KEY ("id","c")
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci
/*!50500 PARTITION BY LIST  COLUMNS(c)
(PARTITION p0 VALUES IN ('a*/','b)') COMMENT = 'x\'y' ENGINE = InnoDB,
 PARTITION p1 VALUES IN ('c') ENGINE = InnoDB) */

-- ansi.temps
CREATE TABLE "temps" (
  "id" int NOT NULL,
  "a" date DEFAULT '2000-01-01',
  "b" datetime(3) DEFAULT NULL,
  "c" timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  "d" timestamp NULL DEFAULT NULL,
  "e" time(2) NOT NULL DEFAULT '-00:00:01.50',
  "f" datetime DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY ("id")
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

