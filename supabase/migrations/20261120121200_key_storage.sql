-- How the tables that change with every call are stored. Measured by: npm run bench -- bloat.

-- usage_count is indexed, so that each hand-out writes a new version of the key's row and a new entry of each of its
-- indexes, wherever the version stands: room on the pages would save nothing. What helps is vacuum: by a fiftieth of a
-- large pool, and as often as it comes for a small one. No plan depends on what hand-outs change, and analyzing after
-- every few hundred would only make every session plan anew.
alter table public.user_api_keys set (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_analyze_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.2
);

-- No index covers what a report changes. With room on its page the new version needs no entry in any index, and the old
-- one is cleared away by the next report on that page, without vacuum.
alter table public.api_key_health set (
  fillfactor = 50,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_analyze_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.2
);

-- Each report leaves the version behind that the hand-out wrote. A twentieth of a long log is many rows already.
alter table public.api_key_usage_log set (
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_insert_scale_factor = 0.1
);
