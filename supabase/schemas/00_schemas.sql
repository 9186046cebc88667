-- The schema `private` holds code and tables that no client reaches directly, because PostgREST exposes only `public`. Policies and
-- functions of `public` call functions of `private`. The API roles may therefore use the schema, and each function that they need
-- is granted to them by name.
create schema private;
comment on schema private is 'Internal functions and tables, which the API (PostgREST) never exposes.';
revoke all on schema private from public, anon, authenticated, service_role;
grant usage on schema private to anon, authenticated, service_role;
