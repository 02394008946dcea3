-- Demo schema of mysql-mirror: an ad server's tables, and the tables that field reports of
-- binlog users describe (short_table, long_table, user, document, sbtest1).
--
-- The same file runs on MySQL 8.0 and later and on MariaDB 10.11 and later, and gives the same
-- columns on both. Load it with demo/data.sql after it. It drops nothing.

SET NAMES utf8mb4;
SET time_zone = '+00:00';
SET sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION';

CREATE DATABASE IF NOT EXISTS ads CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
USE ads;

-- Not mirrored: feeds the INSERT ... SELECT statements of data.sql.
CREATE TABLE numbers (
  n int NOT NULL,
  PRIMARY KEY (n)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE advertiser (
  id int unsigned NOT NULL AUTO_INCREMENT,
  name varchar(120) COLLATE utf8mb4_unicode_ci NOT NULL COMMENT 'As it stands on the invoice',
  email varchar(190) NOT NULL,
  country char(2) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'ISO 3166-1 alpha-2',
  status enum('active','paused','blocked') NOT NULL DEFAULT 'active',
  flags set('agency','direct','self-service','no credit') NOT NULL DEFAULT '',
  founded year DEFAULT NULL,
  rating float DEFAULT NULL COMMENT '0 to 5; NULL: not rated yet',
  logo blob DEFAULT NULL,
  note text DEFAULT NULL COMMENT 'Free text. It''s "shown" as is: */ /* // \\ `tick` {{ braces }} ${x}',
  created_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
  PRIMARY KEY (id),
  UNIQUE KEY email (email),
  KEY country_status (country, status)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='Who pays for the campaigns';

CREATE TABLE account (
  advertiser_id int unsigned NOT NULL,
  currency char(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'EUR',
  balance decimal(18,4) NOT NULL DEFAULT 0.0000,
  reserved decimal(18,4) NOT NULL DEFAULT 0.0000,
  credit_limit decimal(10,0) DEFAULT NULL,
  lifetime_spend decimal(38,12) NOT NULL DEFAULT 0.000000000000 COMMENT 'More digits than a 128-bit decimal of 28 holds',
  version bigint unsigned NOT NULL DEFAULT 0,
  PRIMARY KEY (advertiser_id),
  CONSTRAINT account_advertiser FOREIGN KEY (advertiser_id) REFERENCES advertiser (id) ON DELETE RESTRICT ON UPDATE RESTRICT
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='Money: one account for each advertiser';

CREATE TABLE ledger (
  advertiser_id int unsigned NOT NULL,
  entry int unsigned NOT NULL COMMENT 'From 1, without gaps, for each account',
  kind enum('deposit','spend','refund','correction') NOT NULL,
  amount decimal(18,4) NOT NULL COMMENT 'Negative takes from the balance',
  reference binary(16) NOT NULL COMMENT 'UUID; trailing zero bytes are part of it',
  booked_at datetime(6) NOT NULL,
  text varchar(255) DEFAULT NULL,
  PRIMARY KEY (advertiser_id, entry),
  UNIQUE KEY reference (reference),
  KEY booked_at (booked_at),
  CONSTRAINT ledger_account FOREIGN KEY (advertiser_id) REFERENCES account (advertiser_id) ON DELETE RESTRICT ON UPDATE RESTRICT
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE campaign (
  id int unsigned NOT NULL AUTO_INCREMENT,
  advertiser_id int unsigned NOT NULL,
  name varchar(100) NOT NULL,
  status enum('draft','active','paused','finished') NOT NULL DEFAULT 'draft',
  `type` enum('cpm','cpc','cpa','fixed price') NOT NULL DEFAULT 'cpm' COMMENT 'A Rust keyword as a column name',
  budget decimal(14,2) NOT NULL,
  spent decimal(14,2) NOT NULL DEFAULT 0.00,
  bid_micros bigint NOT NULL DEFAULT 0 COMMENT 'Millionths of the currency; negative: a rebate',
  pacing double NOT NULL DEFAULT 1,
  priority tinyint NOT NULL DEFAULT 0,
  frequency_cap tinyint unsigned DEFAULT NULL,
  start_date date NOT NULL,
  end_date date DEFAULT NULL,
  daily_from time NOT NULL DEFAULT '00:00:00',
  daily_until time(3) DEFAULT NULL,
  days set('mon','tue','wed','thu','fri','sat','sun') NOT NULL DEFAULT 'mon,tue,wed,thu,fri',
  external_id varbinary(32) DEFAULT NULL,
  changed_at datetime(3) NOT NULL COMMENT 'fn main() {\n    panic!("quoted \\"code\\"")\n}\n*/ #[doc = ''injected'']',
  PRIMARY KEY (id),
  UNIQUE KEY advertiser_name (advertiser_id, name),
  UNIQUE KEY external_id (external_id),
  KEY status_priority (status, priority),
  KEY start_date (start_date),
  CONSTRAINT campaign_advertiser FOREIGN KEY (advertiser_id) REFERENCES advertiser (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE banner (
  id bigint unsigned NOT NULL AUTO_INCREMENT,
  campaign_id int unsigned NOT NULL,
  name varchar(100) NOT NULL,
  status enum('active','paused','rejected') NOT NULL DEFAULT 'active',
  format enum('300x250','728x90','half page','größe','it''s, "odd"','back\\slash','') NOT NULL DEFAULT '300x250',
  width smallint unsigned NOT NULL,
  height smallint unsigned NOT NULL,
  offset_x smallint NOT NULL DEFAULT 0,
  weight mediumint NOT NULL DEFAULT 100,
  features bit(12) NOT NULL DEFAULT b'0',
  ctr float NOT NULL DEFAULT 0,
  click_url varchar(2000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  alt tinytext NOT NULL,
  html mediumtext DEFAULT NULL,
  thumbnail tinyblob DEFAULT NULL,
  image mediumblob DEFAULT NULL,
  checksum binary(20) NOT NULL,
  extra longtext DEFAULT NULL COMMENT '{"json": "as text, the same on both servers"}',
  created_at datetime NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY campaign_name (campaign_id, name),
  KEY campaign_status (campaign_id, status),
  KEY checksum (checksum),
  CONSTRAINT banner_campaign FOREIGN KEY (campaign_id) REFERENCES campaign (id) ON DELETE RESTRICT ON UPDATE RESTRICT
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE slot (
  id smallint unsigned NOT NULL,
  site varchar(80) NOT NULL,
  path varchar(80) NOT NULL DEFAULT '/',
  `match` varchar(40) DEFAULT NULL COMMENT 'Another keyword',
  floor_price decimal(10,6) NOT NULL DEFAULT 0.000000,
  position tinyint unsigned DEFAULT NULL,
  daily_requests int unsigned NOT NULL DEFAULT 0,
  is_mobile tinyint(1) NOT NULL DEFAULT 0,
  settings json DEFAULT NULL COMMENT 'Not mirrored: its type differs between the servers',
  PRIMARY KEY (id),
  UNIQUE KEY site_path (site, path),
  KEY position (position)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='Places where banners are shown';

CREATE TABLE campaign_slot (
  campaign_id int unsigned NOT NULL,
  slot_id smallint unsigned NOT NULL,
  share decimal(5,4) NOT NULL DEFAULT 1.0000,
  since date NOT NULL,
  PRIMARY KEY (campaign_id, slot_id),
  KEY slot_id (slot_id),
  CONSTRAINT campaign_slot_campaign FOREIGN KEY (campaign_id) REFERENCES campaign (id) ON DELETE RESTRICT ON UPDATE RESTRICT,
  CONSTRAINT campaign_slot_slot FOREIGN KEY (slot_id) REFERENCES slot (id) ON DELETE RESTRICT ON UPDATE RESTRICT
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='Many to many';

CREATE TABLE targeting (
  campaign_id int unsigned NOT NULL,
  attribute enum('country','language','device','hour','keyword') NOT NULL,
  value varchar(64) NOT NULL,
  negative tinyint(1) NOT NULL DEFAULT 0,
  bid_factor decimal(6,3) NOT NULL DEFAULT 1.000,
  PRIMARY KEY (campaign_id, attribute, value),
  KEY attribute_value (attribute, value),
  CONSTRAINT targeting_campaign FOREIGN KEY (campaign_id) REFERENCES campaign (id) ON DELETE RESTRICT ON UPDATE RESTRICT
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE daily_stats (
  day date NOT NULL,
  campaign_id int unsigned NOT NULL,
  impressions bigint unsigned NOT NULL DEFAULT 0,
  clicks int unsigned NOT NULL DEFAULT 0,
  revenue decimal(30,10) NOT NULL DEFAULT 0.0000000000,
  ctr double GENERATED ALWAYS AS (case when impressions = 0 then 0 else clicks / impressions end) VIRTUAL COMMENT 'Not mirrored: computed by the server',
  PRIMARY KEY (day, campaign_id),
  KEY campaign_id (campaign_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `user` (
  id int unsigned NOT NULL AUTO_INCREMENT,
  name varchar(64) NOT NULL,
  email varchar(190) NOT NULL,
  status enum('active','inactive','banned') NOT NULL DEFAULT 'active',
  karma mediumint NOT NULL DEFAULT 0,
  born date DEFAULT NULL,
  avatar_hash binary(16) DEFAULT NULL,
  last_login datetime DEFAULT NULL,
  created_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (id),
  UNIQUE KEY email (email),
  KEY name (name),
  KEY status (status)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE document (
  id mediumint unsigned NOT NULL AUTO_INCREMENT,
  body mediumblob NOT NULL,
  digest binary(20) NOT NULL,
  last_change int unsigned NOT NULL DEFAULT 0,
  last_check int unsigned NOT NULL DEFAULT 0,
  PRIMARY KEY (id),
  KEY digest (digest)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='Large rows of which only last_check changes';

CREATE TABLE short_table (
  id int NOT NULL AUTO_INCREMENT,
  field1 int NOT NULL,
  field2 int NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE long_table (
  id int NOT NULL AUTO_INCREMENT,
  field1 timestamp NOT NULL DEFAULT '2000-01-01 00:00:00',
  field2 timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  field3 enum('a','b','c') NOT NULL DEFAULT 'a',
  field4 enum('a','b','c') NOT NULL DEFAULT 'a',
  field5 varchar(255) NOT NULL,
  field6 int NOT NULL,
  field7 int NOT NULL,
  field8 text NOT NULL,
  field9 set('a','b','c') NOT NULL DEFAULT 'a',
  field10 int unsigned NOT NULL DEFAULT 2,
  field11 double NOT NULL DEFAULT 1.0,
  field12 double NOT NULL DEFAULT 0.0,
  field13 int NOT NULL,
  field14 int NOT NULL,
  field15 int NOT NULL,
  field16 text NOT NULL,
  field17 varchar(255) NOT NULL,
  field18 varchar(255) NOT NULL,
  field19 enum('a','b','c') NOT NULL DEFAULT 'a',
  field20 int NOT NULL DEFAULT 10,
  field21 double NOT NULL,
  field22 double NOT NULL DEFAULT 1.0,
  field23 double NOT NULL DEFAULT 1.0,
  field24 double NOT NULL DEFAULT 1.0,
  field25 text NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE sbtest1 (
  id int NOT NULL AUTO_INCREMENT,
  k int NOT NULL DEFAULT 0,
  c char(120) NOT NULL DEFAULT '',
  pad char(60) NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  KEY k_1 (k)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
