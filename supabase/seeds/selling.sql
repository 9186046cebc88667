-- One listing for sale, for a fresh stack of `npm start`, whose payment provider on loopback takes the account below as one that it
-- has opened. `supabase start` has no provider, and does not run this file; twice is harmless.
--
-- sha256 is that of the payload's RFC 8785 form; tests/db/hub/seed.test.ts checks it.
do $seed$
declare
  payload constant jsonb := $json${"name":"Answers to complaints","content":"Write an answer to this complaint.\n\n- Say first what went wrong, in one sentence and without an excuse.\n- Offer what {{company}} does about it, with a date.\n- Promise nothing that is not in the notes.\n- End with the name of who takes care of it.\n\nNotes: {{notes}}\n\nComplaint: {{complaint}}","variables":[{"name":"company"},{"name":"notes"},{"name":"complaint"}]}$json$;
  creator constant uuid := (select u.id from auth.users u where u.email = 'ada-lindqvist@keyhub.local');
  ref uuid;
begin
  if creator is null or exists (select from public.hub_assets a where a.slug = 'answers-to-complaints') then
    return;
  end if;
  insert into public.hub_payout_accounts (user_id, provider, account_id, charges_enabled)
  values (creator, 'loopback', 'acct_demo', true)
  on conflict do nothing;
  insert into public.prompt_templates (user_id, name, content, variables)
  values (creator, payload ->> 'name', payload ->> 'content', payload -> 'variables')
  returning id into ref;
  perform private.publish_snapshot(
    user_id => creator,
    asset_type => 'template',
    ref_id => ref,
    slug => 'answers-to-complaints',
    title => payload ->> 'name',
    description => 'Answers that take a complaint seriously and promise only what can be kept.',
    tags => array['support', 'content-creation'],
    license => 'paid',
    price_cents => 500,
    teaser => 'Give it the complaint and your notes. It answers in four steps: what went wrong, what you do about it, by when, and who.',
    payload => payload,
    sha256 => '5a7a39ff4d37ea3fe5db15ff65ada73f7a2ab9d5e8161ffb92297b3720d3dd72'
  );
end
$seed$;
