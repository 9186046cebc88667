import type postgres from "postgres";

/** Lets time pass for one key: moves every timestamp of the key's health and leases back by `seconds`. */
export async function passTime(sql: postgres.Sql, keyId: string, seconds: number): Promise<void> {
  await shiftTime(sql, [keyId], seconds);
}

/** Lets time pass for every key of a pool. */
export async function passPoolTime(sql: postgres.Sql, userId: string, seconds: number): Promise<void> {
  const rows = await sql<{ id: string }[]>`select id from user_api_keys where user_id = ${userId}`;
  await shiftTime(
    sql,
    rows.map(({ id }) => id),
    seconds,
  );
}

async function shiftTime(sql: postgres.Sql, keyIds: string[], seconds: number): Promise<void> {
  await sql.begin(async (tx) => {
    // Triggers are switched off, because they would handle the moved timestamps as an edit by an operator.
    await tx`set local session_replication_role = replica`;
    const back = tx`make_interval(secs => ${seconds})`;
    await tx`
      update api_key_health
      set blocked_until = blocked_until - ${back}, rate_blocked_until = rate_blocked_until - ${back},
        reason_since = reason_since - ${back}, last_failure_at = last_failure_at - ${back},
        last_reported_at = last_reported_at - ${back},
        recent_server_errors = array(select e - ${back} from unnest(recent_server_errors) e)
      where user_api_key_id = any(${keyIds})`;
    await tx`
      update api_key_model_health
      set blocked_until = blocked_until - ${back}, rate_blocked_until = rate_blocked_until - ${back},
        reason_since = reason_since - ${back}, last_failure_at = last_failure_at - ${back},
        last_reported_at = last_reported_at - ${back}, reset_at = reset_at - ${back}
      where user_api_key_id = any(${keyIds})`;
    await tx`
      update user_api_keys
      set cooling_until = cooling_until - ${back}, limited_until = case when limited_until is not null
        then array(select e - ${back} from unnest(limited_until) with ordinality u (e, place) order by place) end
      where id = any(${keyIds})`;
    await tx`
      update private.api_key_tiers t set next_expiry_check_at = next_expiry_check_at - ${back}, model_marks = (
        select coalesce(jsonb_object_agg(key, value || jsonb_build_object('until', (value ->> 'until')::timestamptz - ${back})), '{}')
        from jsonb_each(t.model_marks)
      )
      where t.user_id in (select k.user_id from user_api_keys k where k.id = any(${keyIds}))`;
    await tx`
      update api_key_usage_log
      set issued_at = issued_at - ${back}, reported_at = reported_at - ${back}, blocked_until = blocked_until - ${back}
      where user_api_key_id = any(${keyIds})`;
    await tx`
      update api_key_starvations
      set since = since - ${back}, last_refused_at = last_refused_at - ${back}, soonest_at = soonest_at - ${back},
        ended_at = ended_at - ${back}, alerted_at = alerted_at - ${back}
      where user_id in (select k.user_id from user_api_keys k where k.id = any(${keyIds}))`;
  });
}
