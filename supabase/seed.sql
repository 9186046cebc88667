-- Demo content for a fresh stack of `supabase start` (npm start makes its own, with keys sealed to its own pair).
-- A user who owns a pool. Its keys have to be sealed to the pair of the stack's functions, so they are added by hand:
-- npm run seal -- --user 00000000-0000-4000-8000-0000000000d0, then the INSERT of docs/operate/keys.md.
insert into auth.users (
  id, aud, role, email, confirmation_token, recovery_token, email_change_token_new, email_change, created_at, updated_at
)
values (
  '00000000-0000-4000-8000-0000000000d0', 'authenticated', 'authenticated', 'demo-pool@keyhub.local', '', '', '', '', now(), now()
)
on conflict do nothing;
