-- Settings that the operators of a hub edit in the dashboard: one row.
create table public.hub_settings (
  id boolean not null default true,
  min_reporter_age interval not null default interval '0',
  contact_url text,
  currency text not null default 'USD',
  fee_bps integer not null default 3000,
  verified_fee_bps integer not null default 2000,
  constraint hub_settings_pkey primary key (id),
  constraint hub_settings_one_row_check check (id),
  constraint hub_settings_min_reporter_age_check check (min_reporter_age between interval '0' and interval '365 days'),
  constraint hub_settings_contact_url_check check (
    private.is_https_url(contact_url) or (char_length(contact_url) <= 320 and contact_url ~ '^mailto:[^\s@<>"]+@[^\s@<>"?]+$')
  ),
  constraint hub_settings_currency_check check (currency ~ '^[A-Z]{3}$'),
  constraint hub_settings_fees_check check (
    fee_bps >= 0 and fee_bps <= 10000 and verified_fee_bps >= 0 and verified_fee_bps <= 10000
  )
);
comment on table public.hub_settings is 'Settings of the hub, for operators: one row.';
comment on column public.hub_settings.min_reporter_age is 'The age of an account from which its reports count. A report of a younger account is stored but does not count towards hiding a listing.';
comment on column public.hub_settings.contact_url is 'Where people without an account report that a listing copies a work of theirs: an https or mailto address that the pages show.';
comment on column public.hub_settings.currency is 'The currency of new prices (ISO 4217). Existing listings and orders keep their currency.';
comment on column public.hub_settings.fee_bps is 'The platform''s share of a sale by a creator who is not verified, in hundredths of a percent. Existing orders keep their share.';
comment on column public.hub_settings.verified_fee_bps is 'The platform''s share of a sale by a verified creator, in hundredths of a percent. Existing orders keep their share.';
alter table public.hub_settings enable row level security;
revoke all on table public.hub_settings from public, anon, authenticated, service_role;
grant select (contact_url, currency, fee_bps, verified_fee_bps) on table public.hub_settings to anon, authenticated;
grant select on table public.hub_settings to service_role;

create policy hub_settings_select on public.hub_settings for select to anon, authenticated using (true);
create policy hub_settings_service_select on public.hub_settings for select to service_role using (true);

create trigger hub_settings_forbid_truncate
before truncate or delete on public.hub_settings
for each statement execute function private.refuse_change();

create function private.is_old_enough(user_id uuid)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  -- Users cannot change the created_at of their account or profile. A profile is never older than its account, so the time of the
  -- profile cannot make the account look older.
  select coalesce(
    coalesce(
      (select u.created_at from auth.users u where u.id = is_old_enough.user_id),
      (select p.created_at from public.hub_profiles p where p.user_id = is_old_enough.user_id)
    ) <= clock_timestamp() - (select s.min_reporter_age from public.hub_settings s),
    true
  );
$$;
comment on function private.is_old_enough is 'Returns whether an account has reached the age from which its reports count (hub_settings.min_reporter_age).';
revoke execute on function private.is_old_enough from public, anon, authenticated, service_role;
