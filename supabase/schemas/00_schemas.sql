-- Code and tables that no client reaches live in `private`: PostgREST exposes `public` only. Policies name functions of
-- `private`, and functions of `public` call them; each is granted by name.
create schema private;
comment on schema private is 'Internal: never exposed over the API.';
revoke all on schema private from public, anon, authenticated, service_role;
grant usage on schema private to anon, authenticated, service_role;
