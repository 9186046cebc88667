-- The source tables: the rows that users edit. Only the owner reads them; readers of the hub get snapshots.
-- hub_asset_id and is_public are mirrors of the registry row; only triggers write them.
-- source_text is the file of another tool that the row was read from, source_format the id of its format in the core package.

create table public.prompt_templates (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null default auth.uid(),
  name text not null,
  description text,
  content text not null default '',
  variables jsonb not null default '[]',
  source_format text,
  source_text text,
  hub_asset_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint prompt_templates_pkey primary key (id),
  constraint prompt_templates_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint prompt_templates_hub_asset_id_fkey foreign key (hub_asset_id) references public.hub_assets (id) on delete set null,
  constraint prompt_templates_name_check check (char_length(name) between 1 and 120),
  constraint prompt_templates_variables_check check (jsonb_typeof(variables) in ('array', 'object')),
  constraint prompt_templates_size_check check (octet_length(content) <= 262144 and octet_length(variables::text) <= 262144),
  constraint prompt_templates_source_check check (
    (source_format is null) = (source_text is null) and source_format ~ '^[a-z0-9-]{1,40}$' and octet_length(source_text) <= 1048576
  )
);
comment on table public.prompt_templates is 'Prompt templates of a user''s workspace.';

create table public.custom_components (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null default auth.uid(),
  name text not null,
  description text,
  source text not null default '',
  props_schema jsonb not null default '{}',
  source_format text,
  source_text text,
  is_public boolean not null default false,
  hub_asset_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint custom_components_pkey primary key (id),
  constraint custom_components_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint custom_components_hub_asset_id_fkey foreign key (hub_asset_id) references public.hub_assets (id) on delete set null,
  constraint custom_components_name_check check (char_length(name) between 1 and 120),
  constraint custom_components_props_schema_check check (jsonb_typeof(props_schema) = 'object'),
  constraint custom_components_size_check check (octet_length(source) <= 524288 and octet_length(props_schema::text) <= 524288),
  constraint custom_components_source_check check (
    (source_format is null) = (source_text is null) and source_format ~ '^[a-z0-9-]{1,40}$' and octet_length(source_text) <= 1048576
  )
);
comment on table public.custom_components is 'View components of a user''s workspace.';

create table public.orchestrator_configs (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null default auth.uid(),
  name text not null,
  description text,
  tags text[] not null default '{}',
  nodes jsonb not null default '[]',
  edges jsonb not null default '[]',
  stage_configs jsonb not null default '[]',
  source_format text,
  source_text text,
  is_public boolean not null default false,
  hub_asset_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint orchestrator_configs_pkey primary key (id),
  constraint orchestrator_configs_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint orchestrator_configs_hub_asset_id_fkey foreign key (hub_asset_id) references public.hub_assets (id) on delete set null,
  constraint orchestrator_configs_name_check check (char_length(name) between 1 and 120),
  constraint orchestrator_configs_shape_check check (
    jsonb_typeof(nodes) = 'array' and jsonb_typeof(edges) = 'array' and jsonb_typeof(stage_configs) = 'array'
  ),
  constraint orchestrator_configs_size_check check (
    octet_length(nodes::text) + octet_length(edges::text) + octet_length(stage_configs::text) <= 1048576
  ),
  constraint orchestrator_configs_source_check check (
    (source_format is null) = (source_text is null) and source_format ~ '^[a-z0-9-]{1,40}$' and octet_length(source_text) <= 1048576
  )
);
comment on table public.orchestrator_configs is 'Orchestrations of a user''s workspace: nodes [{id, type, position: {x, y}, data}], edges [{id, source, target}], stage_configs [{id, node_id, name, prompt_template_id?, component_id?, ai_model_setting_id?, settings}].';

create table public.ai_model_settings (
  id uuid not null default gen_random_uuid(),
  user_id uuid not null default auth.uid(),
  name text not null,
  model_id text,
  temperature double precision,
  top_p double precision,
  top_k integer,
  max_output_tokens integer,
  thinking_level text,
  thinking_budget integer,
  generate_content_api text,
  organization_code text,
  api_key text,
  pricing jsonb,
  extra jsonb,
  source_format text,
  source_text text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint ai_model_settings_pkey primary key (id),
  constraint ai_model_settings_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint ai_model_settings_name_check check (char_length(name) between 1 and 120),
  -- Published content is JSON, which has neither infinity nor NaN. NaN sorts above infinity, so this comparison excludes NaN as
  -- well.
  constraint ai_model_settings_finite_check check (abs(temperature) < 'infinity' and abs(top_p) < 'infinity'),
  constraint ai_model_settings_size_check check (
    octet_length(concat(model_id, thinking_level, generate_content_api, organization_code, api_key)) <= 16384
    and octet_length(pricing::text) <= 16384
  ),
  constraint ai_model_settings_extra_check check (jsonb_typeof(extra) = 'object' and octet_length(extra::text) <= 16384),
  constraint ai_model_settings_source_check check (
    (source_format is null) = (source_text is null) and source_format ~ '^[a-z0-9-]{1,40}$' and octet_length(source_text) <= 1048576
  )
);
comment on table public.ai_model_settings is 'AI presets of a user''s workspace. Only the columns on the allow-list of the core package are published.';

create index prompt_templates_user_id_idx on public.prompt_templates (user_id);
create index prompt_templates_hub_asset_id_idx on public.prompt_templates (hub_asset_id) where hub_asset_id is not null;
create index custom_components_user_id_idx on public.custom_components (user_id);
create index custom_components_hub_asset_id_idx on public.custom_components (hub_asset_id) where hub_asset_id is not null;
create index orchestrator_configs_user_id_idx on public.orchestrator_configs (user_id);
create index orchestrator_configs_hub_asset_id_idx on public.orchestrator_configs (hub_asset_id) where hub_asset_id is not null;
create index ai_model_settings_user_id_idx on public.ai_model_settings (user_id);

alter table public.prompt_templates enable row level security;
alter table public.custom_components enable row level security;
alter table public.orchestrator_configs enable row level security;
alter table public.ai_model_settings enable row level security;
revoke all on table public.prompt_templates from public, anon, authenticated, service_role;
revoke all on table public.custom_components from public, anon, authenticated, service_role;
revoke all on table public.orchestrator_configs from public, anon, authenticated, service_role;
revoke all on table public.ai_model_settings from public, anon, authenticated, service_role;
grant select, delete on table public.prompt_templates to authenticated;
grant select, delete on table public.custom_components to authenticated;
grant select, delete on table public.orchestrator_configs to authenticated;
grant select, delete on table public.ai_model_settings to authenticated;
grant select on table public.prompt_templates, public.custom_components, public.orchestrator_configs, public.ai_model_settings to service_role;

-- Clients cannot set the id: a conflict would disclose that another user has a row with this id.
grant
  insert (user_id, name, description, content, variables, source_format, source_text),
  update (name, description, content, variables, source_format, source_text)
on table public.prompt_templates to authenticated;
grant
  insert (user_id, name, description, source, props_schema, source_format, source_text),
  update (name, description, source, props_schema, source_format, source_text)
on table public.custom_components to authenticated;
grant
  insert (user_id, name, description, tags, nodes, edges, stage_configs, source_format, source_text),
  update (name, description, tags, nodes, edges, stage_configs, source_format, source_text)
on table public.orchestrator_configs to authenticated;
grant
  insert (user_id, name, model_id, temperature, top_p, top_k, max_output_tokens, thinking_level, thinking_budget, generate_content_api, organization_code, api_key, pricing, extra, source_format, source_text),
  update (name, model_id, temperature, top_p, top_k, max_output_tokens, thinking_level, thinking_budget, generate_content_api, organization_code, api_key, pricing, extra, source_format, source_text)
on table public.ai_model_settings to authenticated;

create policy prompt_templates_select on public.prompt_templates for select to authenticated using (user_id = (select auth.uid()));
create policy prompt_templates_insert on public.prompt_templates for insert to authenticated
with check (user_id = (select auth.uid()) and (select private.is_member()));
create policy prompt_templates_update on public.prompt_templates for update to authenticated
using (user_id = (select auth.uid()) and (select private.is_member())) with check (user_id = (select auth.uid()));
create policy prompt_templates_delete on public.prompt_templates for delete to authenticated
using (user_id = (select auth.uid()) and (select private.is_member()));
create policy prompt_templates_service_select on public.prompt_templates for select to service_role using (true);

create policy custom_components_select on public.custom_components for select to authenticated using (user_id = (select auth.uid()));
create policy custom_components_insert on public.custom_components for insert to authenticated
with check (user_id = (select auth.uid()) and (select private.is_member()));
create policy custom_components_update on public.custom_components for update to authenticated
using (user_id = (select auth.uid()) and (select private.is_member())) with check (user_id = (select auth.uid()));
create policy custom_components_delete on public.custom_components for delete to authenticated
using (user_id = (select auth.uid()) and (select private.is_member()));
create policy custom_components_service_select on public.custom_components for select to service_role using (true);

create policy orchestrator_configs_select on public.orchestrator_configs for select to authenticated using (user_id = (select auth.uid()));
create policy orchestrator_configs_insert on public.orchestrator_configs for insert to authenticated
with check (user_id = (select auth.uid()) and (select private.is_member()));
create policy orchestrator_configs_update on public.orchestrator_configs for update to authenticated
using (user_id = (select auth.uid()) and (select private.is_member())) with check (user_id = (select auth.uid()));
create policy orchestrator_configs_delete on public.orchestrator_configs for delete to authenticated
using (user_id = (select auth.uid()) and (select private.is_member()));
create policy orchestrator_configs_service_select on public.orchestrator_configs for select to service_role using (true);

create policy ai_model_settings_select on public.ai_model_settings for select to authenticated using (user_id = (select auth.uid()));
create policy ai_model_settings_insert on public.ai_model_settings for insert to authenticated
with check (user_id = (select auth.uid()) and (select private.is_member()));
create policy ai_model_settings_update on public.ai_model_settings for update to authenticated
using (user_id = (select auth.uid()) and (select private.is_member())) with check (user_id = (select auth.uid()));
create policy ai_model_settings_delete on public.ai_model_settings for delete to authenticated
using (user_id = (select auth.uid()) and (select private.is_member()));
create policy ai_model_settings_service_select on public.ai_model_settings for select to service_role using (true);
