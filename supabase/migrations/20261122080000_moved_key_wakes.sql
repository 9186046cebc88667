-- A key whose block was over and that no hand-out had woken yet kept asleep when it was moved to another priority: for half a
-- second at most its new tier did not look for such keys, and served others before it.

create or replace function private.user_api_keys_before_update()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
declare
  replaced constant boolean := new.api_key_encrypted is distinct from old.api_key_encrypted;
  resealed constant boolean := coalesce(current_setting('keyhub.resealing', true), '') = 'on';
  enabled constant boolean := new.is_active and not old.is_active;
  given_away constant boolean := new.user_id is distinct from old.user_id;
  -- A hand-out clears a block that is over.
  woken constant boolean := new.cooling_until is null and old.cooling_until <= clock_timestamp();
  joins boolean;
begin
  -- Direct edits only: the trigger of api_key_health writes these columns from one level deeper.
  if pg_trigger_depth() = 1 then
    new.cooling_until := case when woken then null else old.cooling_until end;
    new.generation := old.generation;
  end if;
  new.provider := nullif(lower(btrim(new.provider)), '');

  if replaced then
    perform private.refuse_unsealed_key(new.api_key_encrypted);
  end if;
  if replaced or given_away then
    new.unusable_reason := null;
  end if;
  if new.unusable_reason is null then
    new.unusable_since := null;
  end if;
  if enabled or given_away or (replaced and not resealed) then
    new.generation := old.generation + 1;
    new.cooling_until := null;
  end if;

  -- Into a tier it did not serve: enabled, repaired, or of another priority or owner.
  joins := new.is_active and new.unusable_reason is null
    and (enabled or old.unusable_reason is not null or given_away or new.priority <> old.priority);
  if joins and new.usage_count = old.usage_count then
    new.usage_count := coalesce(private.least_usage_count(new.user_id, new.priority, new.id), new.usage_count);
  end if;
  -- Awake at once when its block is over: the tier's next look for such keys may have been put off before it came.
  if joins and new.cooling_until <= clock_timestamp() then
    new.cooling_until := null;
  end if;
  if pg_trigger_depth() = 1 and not woken then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end;
$$;
