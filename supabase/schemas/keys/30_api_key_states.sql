-- The view in which operators look first for the state of a key. It computes the state from ready_at, as leases do, so that the
-- view and the leases agree.
create view public.api_key_states
with (security_invoker = true)
as
select
  k.id as user_api_key_id,
  k.user_id,
  k.key_name,
  k.provider,
  k.priority,
  k.usage_count,
  case
    when k.ready_at <= clock_timestamp() then 'available'
    when not k.is_active or k.unusable_reason is not null then 'disabled'
    else 'cooling_down'
  end as state,
  case
    when k.is_active and k.unusable_reason is null and k.ready_at > clock_timestamp() and isfinite(k.ready_at)
    then ceil(extract(epoch from k.ready_at - clock_timestamp()))::bigint
  end as seconds_left,
  h.consecutive_failures,
  case
    when k.ready_at <= clock_timestamp() then null
    when k.is_active and k.unusable_reason is not null then k.unusable_reason
    else concat_ws(' ', h.reason, h.reason_code)
  end as why,
  case
    when k.ready_at <= clock_timestamp() then null
    when k.is_active and k.unusable_reason is not null then k.unusable_since
    else h.reason_since
  end as since,
  case when k.ready_at > clock_timestamp() then h.reason_log_id end as caused_by_log_id,
  h.last_outcome,
  h.last_error_code,
  h.last_effect,
  h.last_reported_at,
  k.sealed_kid,
  k.account,
  case
    when k.limited_models is not null then array(
      select l.model from unnest(k.limited_models, k.limited_until) l (model, ends) where l.ends > clock_timestamp() order by l.model
    )
  end as limited_models,
  k.key_hint,
  k.fingerprint
from public.user_api_keys k
join public.api_key_health h on h.user_api_key_id = k.id;
comment on view public.api_key_states is 'For operators: one row per key with its state, why it has this state, since when and for how many more seconds, and the models that the key is limited for (api_key_model_health has the details). A key that is sealed to a pair that is not live shows as available here although no call leases it, because only the functions know the live pairs.';
revoke all on table public.api_key_states from public, anon, authenticated, service_role;
grant select on table public.api_key_states to service_role;

-- Without this trigger Postgres would answer every write with "cannot insert into view", even to a client without rights, because
-- Postgres checks whether a view can be written before it checks rights.
create function private.refuse_state_edit()
returns trigger
language plpgsql
volatile
set search_path = ''
as $$
begin
  raise exception using
    errcode = 'PT422',
    message = 'api_key_states is for reading: edit user_api_keys, api_key_health or api_key_model_health',
    detail = '{"code": "read_only"}';
end;
$$;
comment on function private.refuse_state_edit is 'Refuses every write to the view api_key_states; the message names the tables to edit instead. Raises PT422 read_only.';
revoke execute on function private.refuse_state_edit from public, anon, authenticated, service_role;

create trigger api_key_states_read_only
instead of insert or update or delete on public.api_key_states
for each row execute function private.refuse_state_edit();
