-- case11.en_t
CREATE TABLE `en_t` (
  `id` int(11) NOT NULL,
  `e` enum('a,b','it''s','(x)','back\\slash','`tick`','per%cent','3D','','größe','New York','NewYork') DEFAULT NULL,
  `s` set('r','w','x y','q''q') NOT NULL DEFAULT '',
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

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
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- case16.bin_t
CREATE TABLE `bin_t` (
  `k` binary(4) NOT NULL,
  `v` varbinary(4) DEFAULT NULL,
  `c` char(4) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  `n` int(11) DEFAULT NULL,
  PRIMARY KEY (`k`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- case18.cs_t
CREATE TABLE `cs_t` (
  `id` int(11) NOT NULL,
  `l` varchar(10) CHARACTER SET latin1 DEFAULT NULL,
  `g` varchar(10) CHARACTER SET gbk DEFAULT NULL,
  `u` char(4) CHARACTER SET utf16 DEFAULT NULL,
  `c` char(4) CHARACTER SET ucs2 DEFAULT NULL,
  `s` varchar(10) CHARACTER SET sjis DEFAULT NULL,
  `t3` text CHARACTER SET utf8,
  `e` enum('é','ü') CHARACTER SET latin1 DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- case33.img2_t
CREATE TABLE `img2_t` (
  `id` int(11) NOT NULL,
  `s` varchar(9) NOT NULL DEFAULT 'a''b',
  `de` decimal(10,3) NOT NULL DEFAULT '-1.500',
  `en` enum('x','y') NOT NULL DEFAULT 'y',
  `se` set('p','q') DEFAULT 'p,q',
  `bi` bit(5) DEFAULT b'101',
  `bn` binary(3) DEFAULT 'z\0\0',
  `da` date DEFAULT '2031-02-03',
  `ti` time(2) DEFAULT '-00:00:01.50',
  `ye` year(4) DEFAULT '2031',
  `fl` float DEFAULT '0.1',
  `ub` bigint(20) unsigned DEFAULT '18446744073709551615',
  `nn` int(11) NOT NULL,
  `ts` timestamp NOT NULL DEFAULT '2031-02-03 04:05:06',
  `l` varchar(5) CHARACTER SET latin1 DEFAULT 'é',
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- case33.img_t
CREATE TABLE `img_t` (
  `id` int(11) NOT NULL,
  `a` int(11) DEFAULT NULL,
  `b` int(11) NOT NULL DEFAULT '7',
  `c` text,
  `d` timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  `e1` int(11) DEFAULT NULL,
  `e2` int(11) DEFAULT NULL,
  `e3` int(11) DEFAULT NULL,
  `e4` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- case36.nopk
CREATE TABLE `nopk` (
  `k` int(11) DEFAULT NULL,
  `v` varchar(5) DEFAULT NULL,
  `u` int(11) DEFAULT NULL,
  UNIQUE KEY `u` (`u`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- case36b.uqpk
CREATE TABLE `uqpk` (
  `k` int(11) NOT NULL,
  `v` varchar(5) DEFAULT NULL,
  `n` int(11) DEFAULT NULL,
  `u` int(11) NOT NULL,
  UNIQUE KEY `b_good` (`u`,`k`),
  UNIQUE KEY `a_nullable` (`n`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- case38.bi_t
CREATE TABLE `bi_t` (
  `k` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  `n` int(11) DEFAULT NULL,
  PRIMARY KEY (`k`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- case38.ci_t
CREATE TABLE `ci_t` (
  `k` varchar(20) NOT NULL,
  `n` int(11) DEFAULT NULL,
  PRIMARY KEY (`k`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- case46.kid
CREATE TABLE `kid` (
  `id` int(11) NOT NULL,
  `pid` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `pid` (`pid`),
  CONSTRAINT `kid_ibfk_1` FOREIGN KEY (`pid`) REFERENCES `par` (`id`) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- case46.kid2
CREATE TABLE `kid2` (
  `id` int(11) NOT NULL,
  `pid` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `pid` (`pid`),
  CONSTRAINT `kid2_ibfk_1` FOREIGN KEY (`pid`) REFERENCES `par` (`id`) ON DELETE SET NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- case46.par
CREATE TABLE `par` (
  `id` int(11) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- case49.part_t
CREATE TABLE `part_t` (
  `id` int(11) NOT NULL,
  `d` date NOT NULL,
  PRIMARY KEY (`id`,`d`),
  KEY `k` (`d`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
/*!50100 PARTITION BY RANGE (YEAR(d))
(PARTITION p0 VALUES LESS THAN (2030) ENGINE = InnoDB,
 PARTITION pm VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */

-- case49.tr_t
CREATE TABLE `tr_t` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `v` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- case53.vc2_t
CREATE TABLE `vc2_t` (
  `a` int(11) NOT NULL,
  `h` int(11) DEFAULT NULL,
  PRIMARY KEY (`a`),
  KEY `k` (`a`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
/*!50100 PARTITION BY HASH (a)
PARTITIONS 2 */

-- case53.vc_t
CREATE TABLE `vc_t` (
  `a` int(11) NOT NULL,
  `b` int(11) DEFAULT NULL,
  `d` int(11) DEFAULT NULL,
  UNIQUE KEY `a` (`a`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- tricky.big5t
CREATE TABLE `big5t` (
  `id` int(11) NOT NULL,
  `a` varchar(9) CHARACTER SET big5 DEFAULT NULL,
  `b` varchar(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci DEFAULT NULL,
  `c` enum('a') DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=latin1

-- tricky.geo
CREATE TABLE `geo` (
  `id` int(11) NOT NULL,
  `g` geometry NOT NULL,
  `p` point DEFAULT NULL,
  PRIMARY KEY (`id`),
  SPATIAL KEY `sp` (`g`)
) ENGINE=MyISAM DEFAULT CHARSET=utf8mb4 MAX_ROWS=100 CHECKSUM=1 ROW_FORMAT=DYNAMIC

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
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- tricky.m5
CREATE TABLE `m5` (
  `v` int(11) DEFAULT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- tricky.m6
CREATE TABLE `m6` (
  `a` int(11) NOT NULL,
  `n` int(11) DEFAULT NULL,
  UNIQUE KEY `y_a` (`a`),
  UNIQUE KEY `z_n` (`n`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- tricky.nasty
CREATE TABLE `nasty` (
  `type` int(11) NOT NULL,
  `self` int(11) DEFAULT NULL,
  `a``b` int(11) DEFAULT NULL COMMENT 'it''s */ "quoted" \\ back\nnewline',
  `sp ace` varchar(10) DEFAULT 'x''y\\z\n',
  `e` enum('*/','"','\n','\\','''','it''s */ fn main(){}') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL,
  PRIMARY KEY (`type`),
  KEY `k,1` (`a``b`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='tbl */ ''q'' \\ \n end'

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
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- tricky.opts
CREATE TABLE `opts` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `v` varchar(20) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=12345 DEFAULT CHARSET=utf8mb4 STATS_PERSISTENT=1 KEY_BLOCK_SIZE=4 COMMENT='AUTO_INCREMENT=5 '

-- tricky.par2
CREATE TABLE `par2` (
  `a` int(11) NOT NULL,
  `b` int(11) NOT NULL,
  PRIMARY KEY (`a`,`b`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- tricky.parts
CREATE TABLE `parts` (
  `id` int(11) NOT NULL,
  `d` date NOT NULL,
  PRIMARY KEY (`id`,`d`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
/*!50100 PARTITION BY RANGE (YEAR(d))
SUBPARTITION BY HASH (id)
SUBPARTITIONS 2
(PARTITION p0 VALUES LESS THAN (2030) ENGINE = InnoDB,
 PARTITION `p m` VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */

-- tricky.parts2
CREATE TABLE `parts2` (
  `id` int(11) NOT NULL,
  `c` varchar(9) NOT NULL,
  PRIMARY KEY (`id`,`c`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
/*!50500 PARTITION BY LIST  COLUMNS(c)
(PARTITION p0 VALUES IN ('a*/','b)') COMMENT = 'x\'y' ENGINE = InnoDB,
 PARTITION p1 VALUES IN ('c') ENGINE = InnoDB) */

-- tricky.strs
CREATE TABLE `strs` (
  `a` binary(3) DEFAULT NULL,
  `b` varchar(5) CHARACTER SET utf8 DEFAULT NULL,
  `c` varchar(9) CHARACTER SET ascii NOT NULL DEFAULT '',
  `d` tinytext,
  `e` mediumtext CHARACTER SET latin1,
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
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- tricky.temps
CREATE TABLE `temps` (
  `id` int(11) NOT NULL,
  `a` date DEFAULT '2000-01-01',
  `b` datetime(3) DEFAULT NULL,
  `c` timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  `d` timestamp NULL DEFAULT NULL,
  `e` time(2) NOT NULL DEFAULT '-00:00:01.50',
  `f` datetime DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

-- tricky.v
CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `v` AS select 1 AS `one`

-- tricky.we`ird tab*/le
CREATE TABLE `we``ird tab*/le` (
  `co"l` int(11) NOT NULL COMMENT 'a',
  PRIMARY KEY (`co"l`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4

