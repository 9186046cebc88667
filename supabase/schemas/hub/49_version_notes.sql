-- The notes of a creator on a version: a label and what changed. Both are public.
create function private.check_version_notes(inout label text, inout changelog text)
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  faults jsonb := '[]';
begin
  -- Checks sizes first: normalising a long run of combining marks takes quadratic time.
  if octet_length(check_version_notes.label) > 400 or char_length(private.clean(check_version_notes.label)) > 32 then
    faults := faults || private.fault('label', 'too_big', 'must be at most 32 characters');
  elsif private.has_breaks_or_invisible(private.clean(check_version_notes.label)) then
    faults := faults || private.fault('label', 'invalid_text', 'must be one line without invisible characters');
  end if;
  if octet_length(check_version_notes.changelog) > 40000 or char_length(private.clean(check_version_notes.changelog)) > 4000 then
    faults := faults || private.fault('changelog', 'too_big', 'must be at most 4000 characters');
  elsif private.has_invisible_characters(private.clean(check_version_notes.changelog)) then
    faults := faults || private.fault('changelog', 'invalid_text', 'must be without invisible characters');
  end if;
  perform private.refuse_faults(faults);
  label := private.clean(check_version_notes.label);
  changelog := private.clean(check_version_notes.changelog);
end;
$$;
comment on function private.check_version_notes is 'Checks label and changelog and returns them as they are stored; empty ones are null. Raises PT422 validation_failed.';
revoke execute on function private.check_version_notes from public, anon, authenticated, service_role;

create function private.write_version_notes(
  asset_id uuid,
  version integer,
  label text,
  changelog text,
  keeps_missing boolean default false
)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  update public.hub_asset_versions v
  set label = coalesce(write_version_notes.label, case when keeps_missing then v.label end),
    changelog = coalesce(write_version_notes.changelog, case when keeps_missing then v.changelog end)
  where v.asset_id = write_version_notes.asset_id and v.version = write_version_notes.version;
exception
  when unique_violation then
    raise exception using errcode = 'PT409', message = 'label_taken';
end;
$$;
comment on function private.write_version_notes is 'Writes label and changelog of a version; with keeps_missing, a null leaves the stored value as it is. Raises PT409 label_taken.';
revoke execute on function private.write_version_notes from public, anon, authenticated, service_role;
