-- Each row is the health of a key with one model: its block for that model alone, under the rules of api_key_health. Without a row,
-- no failure of the key with the model is known.
create table public.api_key_model_health (
  user_api_key_id uuid not null,
  model text not null,
  blocked_until timestamptz,
  consecutive_failures integer not null default 0,
  rate_blocked_until timestamptz,
  reason text,
  reason_code text,
  reason_since timestamptz,
  caused_by_log_id uuid,
  last_failure_at timestamptz,
  last_reported_at timestamptz,
  reset_at timestamptz,
  constraint api_key_model_health_pkey primary key (user_api_key_id, model),
  constraint api_key_model_health_user_api_key_id_fkey foreign key (user_api_key_id) references public.user_api_keys (id) on delete cascade,
  constraint api_key_model_health_model_check check (model ~ '^[^[:cntrl:]]{1,128}$'),
  constraint api_key_model_health_consecutive_failures_check check (consecutive_failures between 0 and 1000000000)
) with (fillfactor = 50);
comment on table public.api_key_model_health is 'Blocks of a key for one model, at most 200 rows per key. A column that api_key_health also has means the same here, for the one model. Reset one block with: update api_key_model_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ... and model = ...; a reset of the key in api_key_health resets all models of the key.';
comment on column public.api_key_model_health.model is 'Name of the model, in lower case and without the prefix models/: the form in which get-active-key passes it to lease_api_key.';
comment on column public.api_key_model_health.caused_by_log_id is 'The id of the usage log row of the report that set reason. Not a foreign key. Pruning keeps that log row while the block lasts.';
comment on column public.api_key_model_health.reset_at is 'When an operator last reset the block of the key for the model. A report on a lease that was issued before this time is stale.';
alter table public.api_key_model_health enable row level security;
revoke all on table public.api_key_model_health from public, anon, authenticated, service_role;
grant select, insert, update, delete on table public.api_key_model_health to service_role;

create policy api_key_model_health_service_all on public.api_key_model_health for all to service_role using (true) with check (true);

create function private.api_key_model_health_before_insert()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  -- Callers may invent any number of model names, so a new row replaces an old one when the key has 200 rows: first a row without a
  -- block, then the row whose block ends first.
  delete from public.api_key_model_health m
  where m.user_api_key_id = new.user_api_key_id
    and m.model in (
      select other.model
      from public.api_key_model_health other
      where other.user_api_key_id = new.user_api_key_id and other.model <> new.model
      order by other.blocked_until desc nulls last
      offset 199
    );
  return new;
end;
$$;
comment on function private.api_key_model_health_before_insert is 'Keeps at most 200 rows for a key: before an insert, deletes first the rows without a block, then those whose block ends first.';
revoke execute on function private.api_key_model_health_before_insert from public, anon, authenticated, service_role;

create trigger api_key_model_health_before_insert
before insert on public.api_key_model_health
for each row execute function private.api_key_model_health_before_insert();

create function private.api_key_model_health_before_update()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
declare
  lengthened constant boolean := new.blocked_until > greatest(old.blocked_until, clock_timestamp());
begin
  if (new.user_api_key_id, new.model) is distinct from (old.user_api_key_id, old.model) then
    raise exception using errcode = 'PT422', message = 'health_row_is_bound', detail = '{"column": "user_api_key_id, model"}';
  elsif new.blocked_until is null then
    new.reset_at := clock_timestamp();
  end if;
  new.rate_blocked_until := case when new.blocked_until is not null then least(new.rate_blocked_until, new.blocked_until) end;
  -- The stored reason explains the block before the edit, so a longer block gets a new reason, and a reset block has none.
  if lengthened or new.blocked_until is null then
    new.reason := case when lengthened then 'blocked_by_operator' end;
    new.reason_code := null;
    new.reason_since := case when lengthened then clock_timestamp() end;
    new.caused_by_log_id := null;
  end if;
  return new;
end;
$$;
comment on function private.api_key_model_health_before_update is 'Does for a row of api_key_model_health what private.api_key_health_before_update does for the row of a key, and stores the time of a reset in reset_at. Raises PT422 health_row_is_bound when the edit would move the row to another key or model.';
revoke execute on function private.api_key_model_health_before_update from public, anon, authenticated, service_role;

-- Fires only on edits by hand: a report always changes last_reported_at.
create trigger api_key_model_health_before_update
before update of blocked_until, user_api_key_id, model on public.api_key_model_health
for each row
when (old.last_reported_at is not distinct from new.last_reported_at)
execute function private.api_key_model_health_before_update();

-- Copies the block of a key for one model to the key row. The key row alone must show whether the key may be leased: a lease that
-- has waited for the lock of the key row sees the newest version of that row, but of no other row.
create function private.copy_model_block_to_key()
returns trigger
language plpgsql
volatile
-- SECURITY DEFINER, because Auth deletes an account with a role that has no rights on these tables, and this trigger then runs as
-- that role.
security definer
set search_path = ''
as $$
declare
  edited constant public.api_key_model_health := case tg_op when 'DELETE' then old else new end;
  ends timestamptz := case when tg_op <> 'DELETE' then new.blocked_until end;
  at timestamptz;
  key public.user_api_keys;
  before timestamptz;
begin
  if tg_op = 'UPDATE' and old.blocked_until is not distinct from new.blocked_until then
    return null;
  end if;
  select k.* into key from public.user_api_keys k where k.id = edited.user_api_key_id for no key update;
  at := clock_timestamp();
  before := key.limited_until[array_position(key.limited_models, edited.model)];
  -- A block that is reset or deleted ends now in the copy. The next lease for the model finds the block expired and levels the key.
  ends := coalesce(ends, least(before, at));
  update public.user_api_keys k
  set (limited_models, limited_until) = (
    select array_agg(l.model), array_agg(l.until)
    from (
      select o.model, o.until
      from unnest(key.limited_models, key.limited_until) o (model, until)
      -- When 200 models are listed, drops the expired blocks of other models: perhaps nobody asks for these models again, so that
      -- no lease would remove them from the list.
      where o.model <> edited.model and (o.until > at or cardinality(key.limited_models) < 200)
      union all
      select edited.model, ends where ends > at or before is not null
    ) l
  )
  where k.id = key.id and (ends > at or before is not null);
  if ends < before then
    update private.api_key_tiers t set model_marks = '{}' where t.user_id = key.user_id and t.priority = key.priority;
  end if;
  return null;
end;
$$;
comment on function private.copy_model_block_to_key is 'Copies the end of the block of a key for a model to limited_until in the key row. When the block ends earlier than before, also deletes the model marks of the tier, because a key before a mark may now be free.';
revoke execute on function private.copy_model_block_to_key from public, anon, authenticated, service_role;

create trigger api_key_model_health_copy_block
after insert or delete or update of blocked_until on public.api_key_model_health
for each row execute function private.copy_model_block_to_key();

create function private.forget_model_blocks()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  if tg_op = 'TRUNCATE' then
    update public.user_api_keys k
    set limited_until = array_fill(clock_timestamp(), array[cardinality(k.limited_models)])
    where k.limited_models is not null;
    update private.api_key_tiers t set model_marks = '{}' where t.model_marks <> '{}';
  else
    delete from public.api_key_model_health m where m.user_api_key_id = new.id;
  end if;
  return null;
end;
$$;
comment on function private.forget_model_blocks is 'Deletes the rows of api_key_model_health of a key that is reset, replaced, enabled or given away. After a TRUNCATE of that table, ends the blocks for models in all key rows.';
revoke execute on function private.forget_model_blocks from public, anon, authenticated, service_role;

create trigger user_api_keys_52_forget_model_blocks
after update of generation, cooling_until, api_key_encrypted, is_active, user_id on public.user_api_keys
for each row when (new.generation > old.generation)
execute function private.forget_model_blocks();
create trigger api_key_model_health_forget_on_truncate
after truncate on public.api_key_model_health
for each statement execute function private.forget_model_blocks();

-- Raises the usage_count of keys whose block for a model is over. They got fewer leases during that block, like keys during a
-- cooldown (see user_api_keys_before_write), and would otherwise get all leases for the model now.
create function private.level_for_model(user_id uuid, priority integer, model text, at timestamptz)
returns void
language sql
volatile
set search_path = ''
as $$
  -- With the setting keyhub.levelling, the trigger user_api_keys_before_write accepts the update. Without it, the trigger would
  -- undo the changes of limited_models, limited_until and skipped_count.
  select set_config('keyhub.levelling', 'on', true);
  update public.user_api_keys k
  -- A usage_count rises by at most 1000000 here, because refuse_huge_usage_count may refuse a larger rise.
  set usage_count = k.usage_count + greatest(least(least_free.usage_count - k.usage_count, 1000000), 0),
    skipped_count = k.skipped_count + greatest(least(least_free.usage_count - k.usage_count, 1000000), 0),
    limited_models = nullif(array_remove(k.limited_models, level_for_model.model), '{}'),
    limited_until = nullif(
      k.limited_until[: array_position(k.limited_models, level_for_model.model) - 1]
        || k.limited_until[array_position(k.limited_models, level_for_model.model) + 1 :],
      '{}'
    )
  from (
    select coalesce((
      select f.usage_count
      from public.user_api_keys f
      where f.user_id = level_for_model.user_id
        and f.priority = level_for_model.priority
        and f.is_ready
        and (f.limited_models is null or level_for_model.model <> all (f.limited_models))
        and (f.usage_count, f.id) >= (
          select t.low_water_count, t.low_water_id
          from private.api_key_tiers t
          where t.user_id = level_for_model.user_id and t.priority = level_for_model.priority
        )
      order by f.usage_count, f.id
      limit 1
    ), 0) as usage_count
  ) least_free
  where k.id in (
    select over.id
    from public.user_api_keys over
    where over.user_id = level_for_model.user_id
      and over.priority = level_for_model.priority
      and over.is_ready
      and over.limited_until[array_position(over.limited_models, level_for_model.model)] <= level_for_model.at
    order by over.usage_count, over.id
    limit 64
    for no key update skip locked
  );
  select set_config('keyhub.levelling', '', true);
$$;
comment on function private.level_for_model is 'Levels at most 64 keys of a tier whose block for the model is over: raises their usage_count to the least usage_count of the ready keys that were free for the model, and removes the model from limited_models. Skips locked keys, so it never waits.';
revoke execute on function private.level_for_model from public, anon, authenticated, service_role;
grant execute on function private.level_for_model to service_role;
