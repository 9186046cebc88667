-- Code and tables that no client reaches live in `private`: PostgREST exposes `public` only.
create schema private;
comment on schema private is 'Internal: never exposed over the API.';
revoke all on schema private from public, anon, authenticated, service_role;
grant usage on schema private to service_role;
