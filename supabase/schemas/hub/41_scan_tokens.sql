-- A publisher confirms the findings of the scan with a token. The token is bound to the user and the content, so it confirms
-- nothing else, and it expires by the clock of the database.
create table private.hub_scan_tokens (
  user_id uuid not null,
  content_sha256 text not null,
  token_sha256 text not null,
  expires_at timestamptz not null,
  constraint hub_scan_tokens_pkey primary key (user_id, content_sha256, token_sha256),
  constraint hub_scan_tokens_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint hub_scan_tokens_content_sha256_check check (content_sha256 ~ '^[0-9a-f]{64}$'),
  constraint hub_scan_tokens_token_sha256_check check (token_sha256 ~ '^[0-9a-f]{64}$')
);
comment on table private.hub_scan_tokens is 'Tokens for confirming the findings of a scan, at most the newest ten for each user and content. Only the hash of a token is stored.';
alter table private.hub_scan_tokens enable row level security;
revoke all on table private.hub_scan_tokens from public, anon, authenticated, service_role;
grant select on table private.hub_scan_tokens to service_role;

create index hub_scan_tokens_expires_at_idx on private.hub_scan_tokens (user_id, expires_at);

create policy hub_scan_tokens_service_select on private.hub_scan_tokens for select to service_role using (true);

create function private.offer_scan_token(user_id uuid, content_sha256 text, seconds integer)
returns text
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  token constant text := 'kh_scan_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
begin
  perform private.begin_write(offer_scan_token.user_id);
  delete from private.hub_scan_tokens t
  where t.user_id = offer_scan_token.user_id and t.expires_at <= clock_timestamp();
  delete from private.hub_scan_tokens t
  where t.user_id = offer_scan_token.user_id
    and t.content_sha256 = offer_scan_token.content_sha256
    and t.token_sha256 not in (
      select n.token_sha256
      from private.hub_scan_tokens n
      where n.user_id = offer_scan_token.user_id and n.content_sha256 = offer_scan_token.content_sha256
      order by n.expires_at desc
      limit 9
    );
  insert into private.hub_scan_tokens (user_id, content_sha256, token_sha256, expires_at)
  values (
    offer_scan_token.user_id,
    offer_scan_token.content_sha256,
    encode(sha256(convert_to(token, 'UTF8')), 'hex'),
    clock_timestamp() + make_interval(secs => offer_scan_token.seconds)
  );
  return token;
end;
$$;
comment on function private.offer_scan_token is 'Makes a token with which this user may publish this content in spite of the findings, valid for the given seconds. Raises PT403 banned.';
revoke execute on function private.offer_scan_token from public, anon, authenticated, service_role;
grant execute on function private.offer_scan_token to service_role;

create function private.is_confirmed(user_id uuid, content_sha256 text, scan_token text)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select exists (
    select from private.hub_scan_tokens t
    where t.user_id = is_confirmed.user_id
      and t.content_sha256 = is_confirmed.content_sha256
      and t.token_sha256 = encode(sha256(convert_to(is_confirmed.scan_token, 'UTF8')), 'hex')
      and t.expires_at > clock_timestamp()
  );
$$;
comment on function private.is_confirmed is 'Returns whether scan_token is a token of this user for this content and has not expired.';
revoke execute on function private.is_confirmed from public, anon, authenticated, service_role;

create function public.hub_offer_scan_token(user_id uuid, content_sha256 text, seconds integer)
returns text
language sql
volatile
security invoker
set search_path = ''
as $$
  select private.offer_scan_token(
    hub_offer_scan_token.user_id, hub_offer_scan_token.content_sha256, hub_offer_scan_token.seconds
  );
$$;
comment on function public.hub_offer_scan_token is 'For hub-publish: makes a token with which this user may publish this content in spite of the findings. Raises PT403 banned.';
revoke execute on function public.hub_offer_scan_token from public, anon, authenticated, service_role;
grant execute on function public.hub_offer_scan_token to service_role;
