-- Demo data of mysql-mirror: a few thousand rows, the same on every server and on every run.
-- Load it once, after demo/schema.sql.

SET NAMES utf8mb4;
SET time_zone = '+00:00';
SET sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION';
USE ads;

START TRANSACTION;

INSERT INTO numbers (n)
SELECT a.d + 10 * b.d + 100 * c.d + 1
FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4
      UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) AS a
CROSS JOIN (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4
      UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) AS b
CROSS JOIN (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4
      UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) AS c
ORDER BY 1;

INSERT INTO advertiser (id, name, email, country, status, flags, founded, rating, logo, note, created_at, updated_at)
SELECT n, CONCAT('Advertiser ', n), CONCAT('contact', n, '@example.org'),
       ELT(1 + n % 5, 'DE', 'FR', 'NL', 'PL', 'SE'),
       1 + n % 3,
       n % 16,
       IF(n % 7 = 0, NULL, 1950 + n),
       IF(n % 4 = 0, NULL, (n % 50) * 0.1e0),
       IF(n % 3 = 0, NULL, UNHEX(SHA2(CONCAT('logo', n), 256))),
       IF(n % 2 = 0, NULL, CONCAT('Note ', n, ': "quoted", it''s fine, back\\slash, grüße 😀')),
       TIMESTAMPADD(HOUR, n, '2024-01-01 00:00:00'),
       TIMESTAMPADD(MICROSECOND, n * 7000, '2024-06-01 00:00:00.000')
FROM numbers WHERE n <= 60 ORDER BY n;

INSERT INTO account (advertiser_id, currency, balance, reserved, credit_limit, lifetime_spend, version)
SELECT n, ELT(1 + n % 3, 'EUR', 'USD', 'PLN'), 1000.0000 + n, 0.0000,
       IF(n % 5 = 0, NULL, n * 100),
       n * 1234567890123.000000000001,
       n
FROM numbers WHERE n <= 60 ORDER BY n;

INSERT INTO ledger (advertiser_id, entry, kind, amount, reference, booked_at, text)
SELECT 1 + (n - 1) % 60, 1 + (n - 1) DIV 60,
       1 + n % 4,
       IF(n % 4 = 1, -1, 1) * n * 0.2500,
       UNHEX(LPAD(RPAD(HEX(n), 8, '0'), 32, LEFT(SHA2(CONCAT('entry', n), 256), 32))),
       TIMESTAMPADD(MICROSECOND, n * 1000001, '2024-02-01 00:00:00.000000'),
       IF(n % 3 = 0, NULL, CONCAT('Entry ', n))
FROM numbers WHERE n <= 600 ORDER BY n;

INSERT INTO campaign (id, advertiser_id, name, status, `type`, budget, spent, bid_micros, pacing, priority,
                      frequency_cap, start_date, end_date, daily_from, daily_until, days, external_id, changed_at)
SELECT n, 1 + (n - 1) % 60, CONCAT('Campaign ', n),
       1 + n % 4, 1 + n % 4,
       n * 100.50, n * 0.75,
       (n - 100) * 1000001,
       1 + n / 7e0,
       n % 256 - 128,
       IF(n % 6 = 0, NULL, n % 256),
       ADDDATE('2024-01-01', n), IF(n % 3 = 0, NULL, ADDDATE('2025-01-01', n)),
       SEC_TO_TIME(n * 60), IF(n % 4 = 0, NULL, '23:59:59.999'),
       n % 128,
       IF(n % 2 = 0, NULL, UNHEX(LEFT(SHA2(CONCAT('external', n), 256), 2 + 2 * (4 + n % 28)))),
       TIMESTAMPADD(MICROSECOND, n * 1000, '2024-03-01 12:00:00.000')
FROM numbers WHERE n <= 200 ORDER BY n;

INSERT INTO banner (id, campaign_id, name, status, format, width, height, offset_x, weight, features, ctr,
                    click_url, alt, html, thumbnail, image, checksum, extra, created_at)
SELECT n, 1 + (n - 1) % 200, CONCAT('Banner ', n),
       1 + n % 3, 1 + n % 7,
       300 + n % 500, 50 + n % 600, n % 200 - 100, n * 13 - 4000, n % 4096,
       n / 1000e0,
       CONCAT('https://example.org/click?banner=', n),
       CONCAT('Bild ', n, ' – größer'),
       IF(n % 5 = 0, NULL, CONCAT('<a href="#', n, '">', REPEAT('x', n % 300), '</a>')),
       IF(n % 4 = 0, NULL, LEFT(UNHEX(SHA2(CONCAT('thumb', n), 256)), n % 32)),
       IF(n % 10 = 0, REPEAT(UNHEX(SHA2(CONCAT('image', n), 256)), 20), NULL),
       LEFT(UNHEX(SHA2(CONCAT('banner', n), 256)), 20),
       IF(n % 3 = 0, NULL, CONCAT('{"n": ', n, ', "tags": ["a", "b"]}')),
       TIMESTAMPADD(MINUTE, n, '2024-03-01 00:00:00')
FROM numbers WHERE n <= 1000 ORDER BY n;

INSERT INTO slot (id, site, path, `match`, floor_price, position, daily_requests, is_mobile, settings)
SELECT n, CONCAT('site', 1 + n % 10, '.example.org'), CONCAT('/section/', n),
       IF(n % 4 = 0, NULL, CONCAT('*', n, '*')),
       n * 0.000125, IF(n % 5 = 0, NULL, n % 8), n * 100000, n % 2,
       IF(n % 3 = 0, NULL, CONCAT('{"refresh": ', n, '}'))
FROM numbers WHERE n <= 80 ORDER BY n;

INSERT INTO campaign_slot (campaign_id, slot_id, share, since)
SELECT c.n, 1 + (c.n * 7 + k.n * 11) % 80, k.n * 0.2500, ADDDATE('2024-01-01', c.n)
FROM numbers AS c CROSS JOIN numbers AS k WHERE c.n <= 200 AND k.n <= 4 ORDER BY c.n, k.n;

INSERT INTO targeting (campaign_id, attribute, value, negative, bid_factor)
SELECT c.n, k.n,
       ELT(k.n, ELT(1 + c.n % 5, 'DE', 'FR', 'NL', 'PL', 'SE'), ELT(1 + c.n % 3, 'de', 'fr', 'pl'),
           ELT(1 + c.n % 3, 'phone', 'tablet', 'desktop'), CAST(c.n % 24 AS CHAR), CONCAT('Schlüsselwort ', c.n)),
       c.n % 2, 1.000 + c.n * 0.005
FROM numbers AS c CROSS JOIN numbers AS k WHERE c.n <= 200 AND k.n <= 5 ORDER BY c.n, k.n;

INSERT INTO daily_stats (day, campaign_id, impressions, clicks, revenue)
SELECT ADDDATE('2024-04-01', d.n), c.n, c.n * 1000 + d.n, c.n + d.n, c.n * d.n * 0.0000001234
FROM numbers AS d CROSS JOIN numbers AS c WHERE d.n <= 7 AND c.n <= 100 ORDER BY d.n, c.n;

INSERT INTO `user` (id, name, email, status, karma, born, avatar_hash, last_login, created_at)
SELECT n, CONCAT('user', 1 + n % 250), CONCAT('user', n, '@example.net'), 1 + n % 3, n * 1000 - 250000,
       IF(n % 4 = 0, NULL, ADDDATE('1970-01-01', n * 17)),
       IF(n % 5 = 0, NULL, LEFT(UNHEX(SHA2(CONCAT('avatar', n), 256)), 16)),
       IF(n % 6 = 0, NULL, TIMESTAMPADD(MINUTE, n * 31, '2024-05-01 00:00:00')),
       TIMESTAMPADD(SECOND, n * 4001, '2023-01-01 00:00:00')
FROM numbers WHERE n <= 500 ORDER BY n;

INSERT INTO document (id, body, digest, last_change, last_check)
SELECT n, REPEAT(UNHEX(SHA2(CONCAT('body', n), 256)), 1 + n * 25 % 2500),
       IF(n % 16 = 0, UNHEX(RPAD(HEX(n), 40, '0')), LEFT(UNHEX(SHA2(CONCAT('body', n), 256)), 20)),
       1700000000 + n, 1710000000 + n
FROM numbers WHERE n <= 100 ORDER BY n;

INSERT INTO short_table (id, field1, field2)
SELECT n, 1, 2 FROM numbers ORDER BY n;

INSERT INTO long_table (id, field2, field5, field6, field7, field8, field13, field14, field15, field16,
                        field17, field18, field21, field25)
SELECT n, '2024-01-01 00:00:00', 'short_string', 0, 0, '', 0, 0, 0, '', '', '', 0, 'another_short_string'
FROM numbers WHERE n <= 500 ORDER BY n;

INSERT INTO sbtest1 (id, k, c, pad)
SELECT n, n * 7919 % 1000, RPAD(CONCAT(n, '-', n * 31), 119, '-0123456789'), RPAD(CONCAT(n), 59, '-0123456789')
FROM numbers ORDER BY n;

COMMIT;
