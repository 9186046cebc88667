-- What nobody sees, by what Unicode says of each character; and previews counted before the work that they take.

create or replace function private.unseen_characters()
returns text
language sql
immutable
set search_path = ''
as $$
  -- Controls but tab and line breaks, marks of format that are not seen, what shows nothing where it is not supported, private
  -- use, what is no character, planes that have none, jamo that are not assigned, and letters that are blank.
  select '\u0001-\u0008\u000b-\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b\u200e-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud7c7-\ud7ca\ud7fc-\ud7ff\ue000-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffc\ufffe-\uffff\U0001107f\U00013430-\U00013455\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U0001fffe-\U0001ffff\U0002fffe-\U0002ffff\U0003fffe-\U0010ffff'::text;
$$;

-- What is stored already, so that no later edit of the row meets it.
update public.hub_assets a
set title = coalesce(private.as_one_line(a.title), 'Untitled')
where private.has_odd_characters(a.title);
update public.hub_profiles p
set display_name = private.as_one_line(p.display_name)
where private.has_odd_characters(p.display_name);
update public.prompt_templates t set name = coalesce(private.as_one_line(t.name), 'Untitled') where private.has_odd_characters(t.name);
update public.custom_components c set name = coalesce(private.as_one_line(c.name), 'Untitled') where private.has_odd_characters(c.name);
update public.orchestrator_configs o set name = coalesce(private.as_one_line(o.name), 'Untitled') where private.has_odd_characters(o.name);
update public.ai_model_settings s set name = coalesce(private.as_one_line(s.name), 'Untitled') where private.has_odd_characters(s.name);

create function private.begin_preview(user_id uuid, hourly_limit integer)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  perform private.begin_write(begin_preview.user_id);
  perform private.limit_calls(begin_preview.user_id, 'previews', begin_preview.hourly_limit);
end;
$$;
comment on function private.begin_preview is 'The work of hub_begin_preview.';
revoke execute on function private.begin_preview from public, anon, authenticated, service_role;
grant execute on function private.begin_preview to service_role;

create function public.hub_begin_preview(user_id uuid, hourly_limit integer)
returns void
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.begin_preview(hub_begin_preview.user_id, hub_begin_preview.hourly_limit);
$$;
comment on function public.hub_begin_preview is 'For hub-publish: counts a preview of a user before anything is read or scanned for it; hub_publish is then given no limit. Raises PT401 invalid_credential, PT403 banned, PT429 rate_limited.';
revoke execute on function public.hub_begin_preview from public, anon, authenticated, service_role;
grant execute on function public.hub_begin_preview to service_role;
