SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.lock_for_report (
  user_id uuid,
  key_id  uuid,
  reach   text,
  model   text
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  own public.user_api_keys;
  next_id uuid;
  key_ids uuid[] := array[lock_for_report.key_id];
  most_ms constant integer := 300;
  left_ms integer := most_ms;
  first_held_at timestamptz;
begin
  -- Takes the advisory lock of the key, so that the calls that wait for this key run one after another: see lease_api_key.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(lock_for_report.key_id, 0));
  if lock_for_report.reach <> 'health' then
    -- A TRUNCATE of a health table locks the key rows afterwards. These two reads wait for such a TRUNCATE while this call holds no
    -- key row yet, so the two cannot deadlock.
    perform from public.api_key_health h where h.user_api_key_id = lock_for_report.key_id;
    perform from public.api_key_model_health m where m.user_api_key_id = lock_for_report.key_id limit 1;
    select k.* into own from public.user_api_keys k where k.id = lock_for_report.key_id and k.user_id = lock_for_report.user_id;
    if own.account is null or lock_for_report.reach = 'key' then
      perform from public.user_api_keys k where k.id = lock_for_report.key_id for no key update;
    else
      -- This is the only place where a call waits for a row while it holds others. Each such call takes the lock of the account and
      -- then the keys of the account in the order of their ids. (Starting with its own key would cause a livelock.) Once the call
      -- holds a key, all its waits together may take .3 s. The last one may take twice its timeout, because Postgres counts the queue
      -- for a row and the holder of the row separately. So the call gives up after about .6 s, and an operator who edits many keys in
      -- another order never meets the deadlock detector, which runs after a wait of 1 s.
      perform pg_catalog.pg_advisory_xact_lock(
        pg_catalog.hashtextextended(concat_ws(' ', own.user_id, own.provider, own.account), 2)
      );
      key_ids := '{}';
      for next_id in
        select k.id
        from public.user_api_keys k
        where k.user_id = own.user_id and k.account = own.account and k.provider is not distinct from own.provider
        order by k.id
      loop
        -- A timeout of 0 would mean none.
        perform set_config('lock_timeout', greatest(left_ms, 1)::text, true);
        perform from public.user_api_keys k
        -- Skips keys that an edit disabled or moved out of the account meanwhile: the edit is treated as earlier than this report.
        where k.id = next_id and (k.id = own.id or k.is_active and k.user_id = own.user_id and k.account = own.account)
        for no key update;
        if found then
          key_ids := key_ids || next_id;
        end if;
        first_held_at := coalesce(first_held_at, clock_timestamp());
        left_ms := most_ms - 1000 * extract(epoch from clock_timestamp() - first_held_at);
      end loop;
    end if;
  end if;

  -- Never waits for a locked health row, because an operator's reset locks the health row before the key row.
  if exists (
    select h.user_api_key_id from public.api_key_health h where h.user_api_key_id = any (key_ids)
    except
    select held.user_api_key_id
    from (
      select h.user_api_key_id from public.api_key_health h where h.user_api_key_id = any (key_ids) for no key update skip locked
    ) held
  ) or lock_for_report.model is not null and exists (
    select m.user_api_key_id
    from public.api_key_model_health m
    where m.user_api_key_id = any (key_ids) and m.model = lock_for_report.model
    except
    select held.user_api_key_id
    from (
      select m.user_api_key_id
      from public.api_key_model_health m
      where m.user_api_key_id = any (key_ids) and m.model = lock_for_report.model
      for no key update skip locked
    ) held
  ) then
    raise exception using errcode = 'lock_not_available', message = 'lock_conflict';
  end if;
  return key_ids;
end;
$function$;
