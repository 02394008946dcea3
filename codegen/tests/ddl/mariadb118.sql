-- case11.en_t
CREATE TABLE `en_t` (
  `id` int(11) NOT NULL,
  `e` enum('a,b','it''s','(x)','back\\slash','`tick`','per%cent','3D','','größe','New York','NewYork') DEFAULT NULL,
  `s` set('r','w','x y','q''q') NOT NULL DEFAULT '',
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case15.ch_t
CREATE TABLE `ch_t` (
  `id` int(11) NOT NULL,
  `c63` char(63) DEFAULT NULL,
  `c64` char(64) DEFAULT NULL,
  `c255` char(255) DEFAULT NULL,
  `v63` varchar(63) DEFAULT NULL,
  `v64` varchar(64) DEFAULT NULL,
  `b255` binary(255) DEFAULT NULL,
  `tag` varchar(4) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case16.bin_t
CREATE TABLE `bin_t` (
  `k` binary(4) NOT NULL,
  `v` varbinary(4) DEFAULT NULL,
  `c` char(4) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `n` int(11) DEFAULT NULL,
  PRIMARY KEY (`k`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case18.cs_t
CREATE TABLE `cs_t` (
  `id` int(11) NOT NULL,
  `l` varchar(10) CHARACTER SET latin1 COLLATE latin1_swedish_ci DEFAULT NULL,
  `g` varchar(10) CHARACTER SET gbk COLLATE gbk_chinese_ci DEFAULT NULL,
  `u` char(4) CHARACTER SET utf16 COLLATE utf16_uca1400_ai_ci DEFAULT NULL,
  `c` char(4) CHARACTER SET ucs2 COLLATE ucs2_uca1400_ai_ci DEFAULT NULL,
  `s` varchar(10) CHARACTER SET sjis COLLATE sjis_japanese_ci DEFAULT NULL,
  `t3` text CHARACTER SET utf8mb3 COLLATE utf8mb3_uca1400_ai_ci DEFAULT NULL,
  `e` enum('é','ü') CHARACTER SET latin1 COLLATE latin1_swedish_ci DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case20.jo_t
CREATE TABLE `jo_t` (
  `id` int(11) NOT NULL,
  `j` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`j`)),
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case23.mj_t
CREATE TABLE `mj_t` (
  `id` int(11) NOT NULL,
  `j` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`j`)),
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case25.vec_other
CREATE TABLE `vec_other` (
  `id` int(11) NOT NULL,
  `v` vector(2) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case25.vec_t
CREATE TABLE `vec_t` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `v` vector(3) DEFAULT NULL,
  `tag` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case27.mc_t
CREATE TABLE `mc_t` (
  `id` int(11) NOT NULL,
  `a` varchar(500) /*M!100301 COMPRESSED*/ DEFAULT NULL,
  `b` text /*M!100301 COMPRESSED*/ DEFAULT NULL,
  `c` blob /*M!100301 COMPRESSED*/ DEFAULT NULL,
  `z` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case29.gen_t
CREATE TABLE `gen_t` (
  `id` int(11) NOT NULL,
  `qty` int(11) DEFAULT NULL,
  `vg` int(11) GENERATED ALWAYS AS (`qty` * 2) VIRTUAL,
  `u` tinyint(3) unsigned DEFAULT NULL,
  `sg` varchar(20) GENERATED ALWAYS AS (concat('q',`qty`)) STORED,
  `tag` varchar(5) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case31.inv_t
CREATE TABLE `inv_t` (
  `a` int(11) NOT NULL,
  `hid` varchar(8) DEFAULT 'h0' INVISIBLE,
  `b` int(11) DEFAULT NULL,
  PRIMARY KEY (`a`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case31.invpk
CREATE TABLE `invpk` (
  `k` int(11) NOT NULL AUTO_INCREMENT INVISIBLE,
  `v` int(11) DEFAULT NULL,
  PRIMARY KEY (`k`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case33.img2_t
CREATE TABLE `img2_t` (
  `id` int(11) NOT NULL,
  `s` varchar(9) NOT NULL DEFAULT 'a''b',
  `de` decimal(10,3) NOT NULL DEFAULT -1.500,
  `en` enum('x','y') NOT NULL DEFAULT 'y',
  `se` set('p','q') DEFAULT 'p,q',
  `bi` bit(5) DEFAULT b'101',
  `bn` binary(3) DEFAULT x'7a0000',
  `da` date DEFAULT '2031-02-03',
  `ti` time(2) DEFAULT '-00:00:01.50',
  `ye` year(4) DEFAULT 2031,
  `fl` float DEFAULT 0.1,
  `ub` bigint(20) unsigned DEFAULT 18446744073709551615,
  `nn` int(11) NOT NULL,
  `ts` timestamp NOT NULL DEFAULT '2031-02-03 04:05:06',
  `l` varchar(5) CHARACTER SET latin1 COLLATE latin1_swedish_ci DEFAULT 'é',
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case33.img_t
CREATE TABLE `img_t` (
  `id` int(11) NOT NULL,
  `a` int(11) DEFAULT NULL,
  `b` int(11) NOT NULL DEFAULT 7,
  `c` text DEFAULT NULL,
  `d` timestamp(6) NOT NULL DEFAULT current_timestamp(6) ON UPDATE current_timestamp(6),
  `e1` int(11) DEFAULT NULL,
  `e2` int(11) DEFAULT NULL,
  `e3` int(11) DEFAULT NULL,
  `e4` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case36.nopk
CREATE TABLE `nopk` (
  `k` int(11) DEFAULT NULL,
  `v` varchar(5) DEFAULT NULL,
  `u` int(11) DEFAULT NULL,
  UNIQUE KEY `u` (`u`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case36b.uqpk
CREATE TABLE `uqpk` (
  `k` int(11) NOT NULL,
  `v` varchar(5) DEFAULT NULL,
  `n` int(11) DEFAULT NULL,
  `u` int(11) NOT NULL,
  UNIQUE KEY `b_good` (`u`,`k`),
  UNIQUE KEY `a_nullable` (`n`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case38.bi_t
CREATE TABLE `bi_t` (
  `k` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `n` int(11) DEFAULT NULL,
  PRIMARY KEY (`k`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case38.ci_t
CREATE TABLE `ci_t` (
  `k` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL,
  `n` int(11) DEFAULT NULL,
  PRIMARY KEY (`k`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case46.kid
CREATE TABLE `kid` (
  `id` int(11) NOT NULL,
  `pid` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `pid` (`pid`),
  CONSTRAINT `kid_ibfk_1` FOREIGN KEY (`pid`) REFERENCES `par` (`id`) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case46.kid2
CREATE TABLE `kid2` (
  `id` int(11) NOT NULL,
  `pid` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `pid` (`pid`),
  CONSTRAINT `kid2_ibfk_1` FOREIGN KEY (`pid`) REFERENCES `par` (`id`) ON DELETE SET NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case46.par
CREATE TABLE `par` (
  `id` int(11) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case49.part_t
CREATE TABLE `part_t` (
  `id` int(11) NOT NULL,
  `d` date NOT NULL,
  PRIMARY KEY (`id`,`d`),
  KEY `k` (`d`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci
 PARTITION BY RANGE (year(`d`))
(PARTITION `p0` VALUES LESS THAN (2030) ENGINE = InnoDB,
 PARTITION `pm` VALUES LESS THAN MAXVALUE ENGINE = InnoDB)

-- case49.tr_t
CREATE TABLE `tr_t` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `v` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case53.vc2_t
CREATE TABLE `vc2_t` (
  `a` int(11) NOT NULL,
  `h` int(11) DEFAULT NULL INVISIBLE,
  PRIMARY KEY (`a`),
  KEY `k` (`a`) IGNORED
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci
 PARTITION BY HASH (`a`)
PARTITIONS 2

-- case53.vc_t
CREATE TABLE `vc_t` (
  `a` int(11) NOT NULL,
  `b` int(11) DEFAULT NULL,
  `c` int(11) DEFAULT NULL INVISIBLE,
  `d` int(11) DEFAULT NULL,
  UNIQUE KEY `a` (`a`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- case55.dx_t
CREATE TABLE `dx_t` (
  `id` int(11) NOT NULL DEFAULT 0,
  `n` int(11) DEFAULT -1,
  `d` decimal(10,2) DEFAULT 0.00,
  `ex` varchar(60) DEFAULT concat('(',uuid(),')'),
  `dt` date DEFAULT curdate(),
  `j` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT '{"a":")"}' CHECK (json_valid(`j`)),
  `b` bit(3) DEFAULT b'101',
  `bin` binary(3) DEFAULT x'610062',
  `y` year(4) DEFAULT 2031,
  `ts` timestamp(6) NOT NULL DEFAULT current_timestamp(6) ON UPDATE current_timestamp(6),
  `st` varchar(9) DEFAULT NULL CHECK (`st` in ('a','b)') and `st` <> 'CONSTRAINT'),
  `g` int(11) GENERATED ALWAYS AS ((`n` + 1) * 2) VIRTUAL,
  PRIMARY KEY (`id`),
  CONSTRAINT `chk,1` CHECK (`n` < 10 or `st` = 'PRIMARY KEY (id)')
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- tricky.big5t
CREATE TABLE `big5t` (
  `id` int(11) NOT NULL,
  `a` varchar(9) CHARACTER SET big5 COLLATE big5_chinese_ci DEFAULT NULL,
  `b` varchar(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci DEFAULT NULL,
  `c` enum('a') DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=latin1 COLLATE=latin1_swedish_ci

-- tricky.geo
CREATE TABLE `geo` (
  `id` int(11) NOT NULL,
  `g` geometry NOT NULL,
  `p` point DEFAULT NULL,
  PRIMARY KEY (`id`),
  SPATIAL KEY `sp` (`g`)
) ENGINE=MyISAM DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci MAX_ROWS=100 CHECKSUM=1 ROW_FORMAT=DYNAMIC

-- tricky.kid3
CREATE TABLE `kid3` (
  `id` int(11) NOT NULL,
  `a` int(11) DEFAULT NULL,
  `b` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `fk,1` (`a`,`b`),
  KEY `fk2` (`b`,`a`),
  CONSTRAINT `fk,1` FOREIGN KEY (`a`, `b`) REFERENCES `par2` (`a`, `b`) ON DELETE SET NULL ON UPDATE CASCADE,
  CONSTRAINT `fk2` FOREIGN KEY (`b`, `a`) REFERENCES `par2` (`a`, `b`) ON UPDATE NO ACTION
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- tricky.nasty
CREATE TABLE `nasty` (
  `type` int(11) NOT NULL,
  `self` int(11) DEFAULT NULL,
  `a``b` int(11) DEFAULT NULL COMMENT 'it''s */ "quoted" \\ back\nnewline',
  `sp ace` varchar(10) DEFAULT 'x''y\\z\n',
  `e` enum('*/','"','\n','\\','''','it''s */ fn main(){}') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`type`),
  KEY `k,1` (`a``b`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci COMMENT='tbl */ ''q'' \\ \n end'

-- tricky.nums
CREATE TABLE `nums` (
  `a` tinyint(1) NOT NULL,
  `b` smallint(5) unsigned zerofill DEFAULT NULL,
  `c` mediumint(5) unsigned DEFAULT NULL,
  `d` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `e` bigint(20) unsigned DEFAULT NULL,
  `f` float(7,3) DEFAULT NULL,
  `f2` float unsigned DEFAULT NULL,
  `g` double(10,2) DEFAULT NULL,
  `h` decimal(65,30) unsigned DEFAULT NULL,
  `h2` decimal(10,0) DEFAULT NULL,
  `i` bit(17) DEFAULT b'101',
  `j` year(4) DEFAULT NULL,
  PRIMARY KEY (`d`),
  UNIQUE KEY `ue` (`e`,`b`),
  KEY `k2` (`a`,`c`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- tricky.opts
CREATE TABLE `opts` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `v` varchar(20) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=12345 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci STATS_PERSISTENT=1 KEY_BLOCK_SIZE=4 COMMENT='AUTO_INCREMENT=5 '

-- tricky.par2
CREATE TABLE `par2` (
  `a` int(11) NOT NULL,
  `b` int(11) NOT NULL,
  PRIMARY KEY (`a`,`b`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- tricky.parts
CREATE TABLE `parts` (
  `id` int(11) NOT NULL,
  `d` date NOT NULL,
  PRIMARY KEY (`id`,`d`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci
 PARTITION BY RANGE (year(`d`))
SUBPARTITION BY HASH (`id`)
SUBPARTITIONS 2
(PARTITION `p0` VALUES LESS THAN (2030) ENGINE = InnoDB,
 PARTITION `p m` VALUES LESS THAN MAXVALUE ENGINE = InnoDB)

-- tricky.parts2
CREATE TABLE `parts2` (
  `id` int(11) NOT NULL,
  `c` varchar(9) NOT NULL,
  PRIMARY KEY (`id`,`c`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci
 PARTITION BY LIST  COLUMNS(`c`)
(PARTITION `p0` VALUES IN ('a*/','b)') COMMENT = 'x\'y' ENGINE = InnoDB,
 PARTITION `p1` VALUES IN ('c') ENGINE = InnoDB)

-- tricky.r1
CREATE TABLE `r1` (
  `id` int(11) NOT NULL,
  `u` uuid DEFAULT NULL,
  `i4` inet4 DEFAULT NULL,
  `i6` inet6 DEFAULT NULL,
  `j` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`j`)),
  `c` varchar(50) /*M!100301 COMPRESSED*/ DEFAULT NULL,
  `v` int(11) DEFAULT 5 INVISIBLE,
  PRIMARY KEY (`id`),
  KEY `ign` (`v`) IGNORED
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- tricky.r2
CREATE TABLE `r2` (
  `id` int(11) NOT NULL,
  `x` int(11) DEFAULT (1 + 2),
  `y` int(11) DEFAULT (`x` + 1),
  `s` varchar(60) DEFAULT concat('(',uuid(),')'),
  `d` date DEFAULT (curdate() + interval 1 day),
  `t` varchar(9) DEFAULT (case when `x` > 1 then 'a' else 'b' end),
  `n` int(11) DEFAULT (-`x`),
  `h` varchar(9) DEFAULT 'AB',
  `z` date DEFAULT '2020-01-01',
  PRIMARY KEY (`id`),
  CONSTRAINT `c1` CHECK (`x` > 0 and `s` <> 'a) CHECK (')
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- tricky.r3
CREATE TABLE `r3` (
  `id` int(11) NOT NULL,
  `s` timestamp(6) GENERATED ALWAYS AS ROW START,
  `e` timestamp(6) GENERATED ALWAYS AS ROW END,
  PRIMARY KEY (`id`,`e`),
  PERIOD FOR SYSTEM_TIME (`s`, `e`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci WITH SYSTEM VERSIONING

-- tricky.r4
CREATE TABLE `r4` (
  `id` int(11) NOT NULL,
  `v` int(11) DEFAULT NULL WITHOUT SYSTEM VERSIONING,
  `w` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci WITH SYSTEM VERSIONING
 PARTITION BY SYSTEM_TIME 
(PARTITION `p0` HISTORY ENGINE = InnoDB,
 PARTITION `pn` CURRENT ENGINE = InnoDB)

-- tricky.r5
CREATE TABLE `r5` (
  `id` int(11) DEFAULT NULL,
  `d1` date NOT NULL,
  `d2` date NOT NULL,
  PERIOD FOR `p` (`d1`, `d2`),
  UNIQUE KEY `id` (`id`,`p` WITHOUT OVERLAPS)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- tricky.r6
CREATE TABLE `r6` (
  `id` int(11) NOT NULL,
  `b` text DEFAULT NULL,
  `v` int(11) GENERATED ALWAYS AS (`id` * 2) STORED,
  `w` varchar(5) GENERATED ALWAYS AS (concat('a"b',`id`)) VIRTUAL INVISIBLE,
  `g` point DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `b` (`b`) USING HASH
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci `PAGE_COMPRESSED`='1' `ENCRYPTED`='NO'

-- tricky.r7
CREATE TABLE `r7` (
  `id` int(11) NOT NULL DEFAULT nextval(`tricky`.`sq`),
  `f` double DEFAULT 10000000000,
  `k` decimal(5,2) DEFAULT -1.50,
  `t` timestamp NULL DEFAULT '2000-01-01 00:00:00',
  PRIMARY KEY (`id`),
  KEY `kd` (`f` DESC,`k`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- tricky.r8
CREATE TABLE `r8` (
  `id` int(11) NOT NULL,
  `n` int(11) DEFAULT (`id` * 2) COMMENT 'c' CHECK (`n` > 3),
  `m` varchar(5) CHARACTER SET utf8mb3 COLLATE utf8mb3_bin DEFAULT 'a',
  PRIMARY KEY (`id`)
) ENGINE=Aria DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci PAGE_CHECKSUM=1 TRANSACTIONAL=1

-- tricky.r9
CREATE TABLE `r9` (
  `id` int(11) NOT NULL,
  `v` vector(3) NOT NULL,
  PRIMARY KEY (`id`),
  VECTOR KEY `v` (`v`) `M`='8' `DISTANCE`='cosine'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- tricky.sq
CREATE TABLE `sq` (
  `next_not_cached_value` bigint(21) NOT NULL,
  `minimum_value` bigint(21) NOT NULL,
  `maximum_value` bigint(21) NOT NULL,
  `start_value` bigint(21) NOT NULL COMMENT 'start value when sequences is created or value if RESTART is used',
  `increment` bigint(21) NOT NULL COMMENT 'increment value',
  `cache_size` bigint(21) unsigned NOT NULL,
  `cycle_option` tinyint(1) unsigned NOT NULL COMMENT '0 if no cycles are allowed, 1 if the sequence should begin a new cycle when maximum_value is passed',
  `cycle_count` bigint(21) NOT NULL COMMENT 'How many cycles have been done'
) ENGINE=InnoDB SEQUENCE=1

-- tricky.strs
CREATE TABLE `strs` (
  `a` binary(3) DEFAULT NULL,
  `b` varchar(5) CHARACTER SET utf8mb3 COLLATE utf8mb3_uca1400_ai_ci DEFAULT NULL,
  `c` varchar(9) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL DEFAULT '',
  `d` tinytext DEFAULT NULL,
  `e` mediumtext CHARACTER SET latin1 COLLATE latin1_swedish_ci DEFAULT NULL,
  `f` longblob DEFAULT NULL,
  `g` tinyblob DEFAULT NULL,
  `h` varbinary(300) DEFAULT NULL,
  `i` binary(16) NOT NULL,
  `j` set('a','b','c d') NOT NULL DEFAULT 'a,c d',
  `k` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `l` char(0) DEFAULT NULL,
  PRIMARY KEY (`i`),
  UNIQUE KEY `u1` (`c`),
  KEY `p` (`d`(10)),
  KEY `q` (`c`(4),`i`),
  FULLTEXT KEY `ft` (`k`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- tricky.temps
CREATE TABLE `temps` (
  `id` int(11) NOT NULL,
  `a` date DEFAULT '2000-01-01',
  `b` datetime(3) DEFAULT NULL,
  `c` timestamp(6) NOT NULL DEFAULT current_timestamp(6) ON UPDATE current_timestamp(6),
  `d` timestamp NULL DEFAULT NULL,
  `e` time(2) NOT NULL DEFAULT '-00:00:01.50',
  `f` datetime DEFAULT current_timestamp() ON UPDATE current_timestamp(),
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- tricky.v
CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `v` AS select 1 AS `one`

-- tricky.we`ird tab*/le
CREATE TABLE `we``ird tab*/le` (
  `co"l` int(11) NOT NULL COMMENT 'a',
  PRIMARY KEY (`co"l`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

-- ansi.nasty
CREATE TABLE "nasty" (
  "type" int(11) NOT NULL,
  "self" int(11) DEFAULT NULL,
  "a`b" int(11) DEFAULT NULL COMMENT 'it''s */ "quoted" \\ back\nnewline',
  "sp ace" varchar(10) DEFAULT 'x''y\\z\n',
  "e" enum('*/','"','\n','\\','''','it''s */ fn main(){}') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY ("type"),
  KEY "k,1" ("a`b")
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci COMMENT='tbl */ ''q'' \\ \n end'

-- ansi.parts2
CREATE TABLE "parts2" (
  "id" int(11) NOT NULL,
  "c" varchar(9) NOT NULL,
  PRIMARY KEY ("id","c")
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci
 PARTITION BY LIST  COLUMNS("c")
(PARTITION "p0" VALUES IN ('a*/','b)') COMMENT = 'x\'y' ENGINE = InnoDB,
 PARTITION "p1" VALUES IN ('c') ENGINE = InnoDB)

-- ansi.temps
CREATE TABLE "temps" (
  "id" int(11) NOT NULL,
  "a" date DEFAULT '2000-01-01',
  "b" datetime(3) DEFAULT NULL,
  "c" timestamp(6) NOT NULL DEFAULT current_timestamp(6) ON UPDATE current_timestamp(6),
  "d" timestamp NULL DEFAULT NULL,
  "e" time(2) NOT NULL DEFAULT '-00:00:01.50',
  "f" datetime DEFAULT current_timestamp() ON UPDATE current_timestamp(),
  PRIMARY KEY ("id")
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_ai_ci

