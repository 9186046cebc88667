SET local check_function_bodies = off;

CREATE SCHEMA "private";

CREATE EXTENSION IF NOT EXISTS "fuzzystrmatch" SCHEMA "extensions";

CREATE TABLE "private"."api_key_breakers" (
  "user_id"  uuid   NOT NULL,
  "provider" text   NOT NULL,
  "key_ids"  uuid[] NOT NULL DEFAULT '{}'::uuid[],
  CONSTRAINT "api_key_breakers_pkey" PRIMARY KEY (user_id, PROVIDER)
);

ALTER TABLE "private"."api_key_breakers"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."api_key_log_pruning" (
  "only_row"  boolean NOT NULL DEFAULT true,
  "next_page" bigint  NOT NULL DEFAULT 0,
  CONSTRAINT "api_key_log_pruning_only_row_check" CHECK (only_row),
  CONSTRAINT "api_key_log_pruning_pkey" PRIMARY KEY (only_row)
);

ALTER TABLE "private"."api_key_log_pruning"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."api_key_tiers" (
  "user_id"              uuid                     NOT NULL,
  "priority"             integer                  NOT NULL,
  "low_water_count"      bigint                   NOT NULL,
  "low_water_id"         uuid                     NOT NULL,
  "next_expiry_check_at" timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp WITH time zone,
  "model_marks"          jsonb                    NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT "api_key_tiers_pkey" PRIMARY KEY (user_id, priority)
);

ALTER TABLE "private"."api_key_tiers"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."api_key_tiers"
  SET (fillfactor=50);

CREATE TABLE "private"."hub_allowed_content" (
  "user_id"  uuid NOT NULL,
  "asset_id" uuid NOT NULL,
  CONSTRAINT "hub_allowed_content_pkey" PRIMARY KEY (user_id, asset_id)
);

ALTER TABLE "private"."hub_allowed_content"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."hub_bans" (
  "user_id"    uuid                     NOT NULL,
  "reason"     text,
  "banned_by"  uuid,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "hub_bans_pkey" PRIMARY KEY (user_id),
  CONSTRAINT "hub_bans_reason_check" CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 1000)))
);

ALTER TABLE "private"."hub_bans"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."hub_calls" (
  "id"      bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "user_id" uuid                     NOT NULL,
  "kind"    text                     NOT NULL,
  "at"      timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT "hub_calls_kind_check" CHECK ((kind = ANY (ARRAY['previews'::text, 'imports'::text, 'edits'::text, 'pictures'::text, 'checkouts'::text]))),
  CONSTRAINT "hub_calls_pkey" PRIMARY KEY (id)
);

ALTER TABLE "private"."hub_calls"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."hub_copies" (
  "asset_id"          uuid    NOT NULL,
  "sha256"            text,
  "dismissed_version" integer,
  CONSTRAINT "hub_copies_pkey" PRIMARY KEY (asset_id),
  CONSTRAINT "hub_copies_sha256_check" CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
);

ALTER TABLE "private"."hub_copies"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."hub_creators" (
  "user_id"          uuid                     NOT NULL,
  "names"            text                     NOT NULL,
  "published_assets" integer                  NOT NULL DEFAULT 0,
  "total_installs"   bigint                   NOT NULL DEFAULT 0,
  "total_stars"      bigint                   NOT NULL DEFAULT 0,
  "listed_at"        timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT "hub_creators_pkey" PRIMARY KEY (user_id)
);

ALTER TABLE "private"."hub_creators"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."hub_documents" (
  "asset_id"   uuid     NOT NULL,
  "popularity" smallint NOT NULL,
  "title_key"  text     NOT NULL,
  "document"   tsvector NOT NULL,
  CONSTRAINT "hub_documents_pkey" PRIMARY KEY (asset_id)
);

ALTER TABLE "private"."hub_documents"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."hub_former_names" (
  "name_key"    text                     NOT NULL,
  "username"    text                     NOT NULL,
  "user_id"     uuid                     NOT NULL,
  "given_up_at" timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT "hub_former_names_pkey" PRIMARY KEY (name_key)
);

ALTER TABLE "private"."hub_former_names"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."hub_idempotent_responses" (
  "user_id"         uuid                     NOT NULL,
  "endpoint"        text                     NOT NULL,
  "idempotency_key" text                     NOT NULL,
  "request_sha256"  text                     NOT NULL,
  "answer"          jsonb                    NOT NULL,
  "created_at"      timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT "hub_idempotent_responses_endpoint_check" CHECK ((endpoint = ANY (ARRAY['hub-publish'::text, 'hub-import'::text]))),
  CONSTRAINT "hub_idempotent_responses_idempotency_key_check" CHECK (((char_length(idempotency_key) >= 1) AND (char_length(idempotency_key) <= 255))),
  CONSTRAINT "hub_idempotent_responses_pkey" PRIMARY KEY (user_id, endpoint, idempotency_key),
  CONSTRAINT "hub_idempotent_responses_request_sha256_check" CHECK ((request_sha256 ~ '^[0-9a-f]{64}$'::text))
);

ALTER TABLE "private"."hub_idempotent_responses"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."hub_listing_tags" (
  "asset_id"           uuid                     NOT NULL,
  "tag"                text                     COLLATE pg_catalog."C" NOT NULL,
  "published_at"       timestamp with time zone NOT NULL,
  "content_updated_at" timestamp with time zone,
  "install_count"      integer                  NOT NULL,
  "star_count"         integer                  NOT NULL,
  "tag_bits"           bigint                   NOT NULL,
  CONSTRAINT "hub_listing_tags_pkey" PRIMARY KEY (asset_id, TAG)
);

ALTER TABLE "private"."hub_listing_tags"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."hub_moderation" (
  "asset_id"         uuid                     NOT NULL,
  "open_reports"     integer                  NOT NULL DEFAULT 0,
  "counting_reports" integer                  NOT NULL DEFAULT 0,
  "reviewed_version" integer                  NOT NULL DEFAULT 0,
  "reviewed_at"      timestamp with time zone,
  CONSTRAINT "hub_moderation_counts_check" CHECK (((counting_reports >= 0) AND (counting_reports <= open_reports))),
  CONSTRAINT "hub_moderation_pkey" PRIMARY KEY (asset_id)
);

ALTER TABLE "private"."hub_moderation"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."hub_overwritten" (
  "id"          bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "asset_id"    uuid                     NOT NULL,
  "at"          timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  "content"     jsonb                    NOT NULL,
  "attribution" jsonb                    NOT NULL,
  "sha256"      text,
  CONSTRAINT "hub_overwritten_pkey" PRIMARY KEY (id)
);

ALTER TABLE "private"."hub_overwritten"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."hub_scan_tokens" (
  "user_id"        uuid                     NOT NULL,
  "content_sha256" text                     NOT NULL,
  "token_sha256"   text                     NOT NULL,
  "expires_at"     timestamp with time zone NOT NULL,
  CONSTRAINT "hub_scan_tokens_content_sha256_check" CHECK ((content_sha256 ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT "hub_scan_tokens_pkey" PRIMARY KEY (user_id, content_sha256, token_sha256),
  CONSTRAINT "hub_scan_tokens_token_sha256_check" CHECK ((token_sha256 ~ '^[0-9a-f]{64}$'::text))
);

ALTER TABLE "private"."hub_scan_tokens"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."hub_snapshots" (
  "name"    text                     NOT NULL,
  "value"   jsonb,
  "made_at" timestamp with time zone NOT NULL,
  CONSTRAINT "hub_snapshots_pkey" PRIMARY KEY (name)
);

ALTER TABLE "private"."hub_snapshots"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."hub_words" (
  "word"     text   COLLATE pg_catalog."C" NOT NULL,
  "slips"    text[] NOT NULL,
  "added_by" uuid
);

ALTER TABLE "private"."hub_words"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."ledger" (
  "id"           bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "provider"     text                     NOT NULL,
  "event_id"     text                     NOT NULL,
  "order_id"     uuid                     NOT NULL,
  "account"      text                     NOT NULL,
  "kind"         text                     NOT NULL,
  "amount_cents" integer                  NOT NULL,
  "currency"     text                     NOT NULL,
  "creator_id"   uuid                     NOT NULL,
  "asset_id"     uuid                     NOT NULL,
  "at"           timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT "ledger_account_check" CHECK ((account = ANY (ARRAY['buyer'::text, 'platform'::text, 'creator'::text, 'provider_fee'::text]))),
  CONSTRAINT "ledger_amount_check" CHECK ((amount_cents <> 0)),
  CONSTRAINT "ledger_kind_check" CHECK ((kind = ANY (ARRAY['sale'::text, 'refund'::text, 'dispute'::text, 'provider_fee'::text]))),
  CONSTRAINT "ledger_pkey" PRIMARY KEY (id)
);

ALTER TABLE "private"."ledger"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."orders" (
  "id"           uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "buyer_id"     uuid                     NOT NULL,
  "creator_id"   uuid                     NOT NULL,
  "asset_id"     uuid                     NOT NULL,
  "title"        text                     NOT NULL,
  "provider"     text                     NOT NULL,
  "account_id"   text                     NOT NULL,
  "price_cents"  integer                  NOT NULL,
  "currency"     text                     NOT NULL,
  "fee_bps"      integer                  NOT NULL,
  "fee_cents"    integer                  NOT NULL,
  "state"        text                     NOT NULL DEFAULT 'open'::text,
  "checkout_id"  text,
  "checkout_url" text,
  "payment_id"   text,
  "created_at"   timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  "expires_at"   timestamp with time zone NOT NULL DEFAULT (clock_timestamp() + '01:00:00'::interval),
  "paid_at"      timestamp with time zone,
  "delivered_at" timestamp with time zone,
  CONSTRAINT "orders_buyer_check" CHECK ((buyer_id <> creator_id)),
  CONSTRAINT "orders_currency_check" CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT "orders_fee_check" CHECK (((fee_bps >= 0) AND (fee_bps <= 10000) AND (fee_cents = ((((price_cents)::bigint * fee_bps) + 5000) / 10000)))),
  CONSTRAINT "orders_pkey" PRIMARY KEY (id),
  CONSTRAINT "orders_price_cents_check" CHECK (((price_cents >= 100) AND (price_cents <= 100000))),
  CONSTRAINT "orders_state_check" CHECK ((state = ANY (ARRAY['open'::text, 'expired'::text, 'paid'::text, 'disputed'::text, 'lost'::text, 'refunded'::text])))
);

ALTER TABLE "private"."orders"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."organization_invitations" (
  "id"              uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "organization_id" uuid                     NOT NULL,
  "email_hash"      text,
  "role"            text                     NOT NULL DEFAULT 'member'::text,
  "token_sha256"    text                     NOT NULL,
  "invited_by"      uuid,
  "created_at"      timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  "expires_at"      timestamp with time zone NOT NULL,
  "max_uses"        integer                  NOT NULL DEFAULT 1,
  "used"            integer                  NOT NULL DEFAULT 0,
  "revoked_at"      timestamp with time zone,
  CONSTRAINT "organization_invitations_pkey" PRIMARY KEY (id),
  CONSTRAINT "organization_invitations_role_check" CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text]))),
  CONSTRAINT "organization_invitations_token_sha256_key" UNIQUE (token_sha256),
  CONSTRAINT "organization_invitations_uses_check" CHECK (((max_uses >= 1) AND (max_uses <= 1000) AND (used >= 0) AND (used <= max_uses)))
);

ALTER TABLE "private"."organization_invitations"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."payment_events" (
  "provider"           text                     NOT NULL,
  "event_id"           text                     NOT NULL,
  "kind"               text                     NOT NULL,
  "order_id"           uuid,
  "object_id"          text,
  "amount_cents"       integer,
  "currency"           text,
  "provider_fee_cents" integer                  NOT NULL DEFAULT 0,
  "outcome"            text                     NOT NULL,
  "received_at"        timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT "payment_events_fee_check" CHECK ((provider_fee_cents >= 0)),
  CONSTRAINT "payment_events_kind_check"
    CHECK
    ((kind = ANY (ARRAY['paid'::text, 'expired'::text, 'refunded'::text, 'refund_failed'::text, 'disputed'::text, 'dispute_won'::text, 'dispute_lost'::text, 'account'::text]))),
  CONSTRAINT "payment_events_object_check" CHECK (((outcome <> 'applied'::text) OR (object_id IS NOT NULL))),
  CONSTRAINT "payment_events_outcome_check" CHECK ((outcome = ANY (ARRAY['applied'::text, 'mismatch'::text, 'unknown'::text]))),
  CONSTRAINT "payment_events_pkey" PRIMARY KEY (PROVIDER, event_id)
);

ALTER TABLE "private"."payment_events"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."shelf_documents" (
  "asset_id"        uuid     NOT NULL,
  "organization_id" uuid     NOT NULL,
  "title_key"       text     NOT NULL,
  "document"        tsvector NOT NULL,
  CONSTRAINT "shelf_documents_pkey" PRIMARY KEY (asset_id)
);

ALTER TABLE "private"."shelf_documents"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."workspace_usage" (
  "user_id"    uuid    NOT NULL,
  "row_count"  integer NOT NULL DEFAULT 0,
  "byte_count" bigint  NOT NULL DEFAULT 0,
  CONSTRAINT "workspace_usage_pkey" PRIMARY KEY (user_id)
);

ALTER TABLE "private"."workspace_usage"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."ai_model_settings" (
  "id"                   uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "name"                 text                     NOT NULL,
  "model_id"             text,
  "temperature"          double precision,
  "top_p"                double precision,
  "top_k"                integer,
  "max_output_tokens"    integer,
  "thinking_level"       text,
  "thinking_budget"      integer,
  "generate_content_api" text,
  "organization_code"    text,
  "api_key"              text,
  "pricing"              jsonb,
  "extra"                jsonb,
  "source_format"        text,
  "source_text"          text,
  "created_at"           timestamp with time zone NOT NULL DEFAULT now(),
  "updated_at"           timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "ai_model_settings_extra_check" CHECK (((jsonb_typeof(extra) = 'object'::text) AND (octet_length((extra)::text) <= 16384))),
  CONSTRAINT "ai_model_settings_finite_check" CHECK (((abs(temperature) < 'Infinity'::double precision) AND (abs(top_p) < 'Infinity'::double precision))),
  CONSTRAINT "ai_model_settings_name_check" CHECK (((char_length(name) >= 1) AND (char_length(name) <= 120))),
  CONSTRAINT "ai_model_settings_pkey" PRIMARY KEY (id),
  CONSTRAINT "ai_model_settings_size_check"
    CHECK (((octet_length(concat(model_id, thinking_level, generate_content_api, organization_code, api_key)) <= 16384) AND (octet_length((pricing)::text) <= 16384))),
  CONSTRAINT "ai_model_settings_source_check"
    CHECK ((((source_format IS NULL) = (source_text IS NULL)) AND (source_format ~ '^[a-z0-9-]{1,40}$'::text) AND (octet_length(source_text) <= 1048576))),
  "user_id"              uuid                     NOT NULL DEFAULT auth.uid()
);

ALTER TABLE "public"."ai_model_settings"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."ai_model_settings" FROM "anon";

CREATE TABLE "public"."api_key_agents" (
  "id"         uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "user_id"    uuid                     NOT NULL,
  "name"       text                     NOT NULL,
  "token_hash" text                     NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  "revoked_at" timestamp with time zone,
  CONSTRAINT "api_key_agents_name_check" CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  CONSTRAINT "api_key_agents_pkey" PRIMARY KEY (id),
  CONSTRAINT "api_key_agents_token_hash_check" CHECK ((token_hash ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT "api_key_agents_token_hash_key" UNIQUE (token_hash)
);

ALTER TABLE "public"."api_key_agents"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."api_key_agents" FROM "anon", "authenticated";

CREATE TABLE "public"."api_key_alerts" (
  "id"              uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "user_id"         uuid                     NOT NULL,
  "provider"        text,
  "kind"            text                     NOT NULL,
  "user_api_key_id" uuid,
  "key_name"        text,
  "detail"          jsonb                    NOT NULL DEFAULT '{}'::jsonb,
  "created_at"      timestamp with time zone NOT NULL DEFAULT now(),
  "sent_at"         timestamp with time zone,
  "claimed_until"   timestamp with time zone,
  CONSTRAINT "api_key_alerts_detail_check" CHECK ((jsonb_typeof(detail) = 'object'::text)),
  CONSTRAINT "api_key_alerts_kind_check"
    CHECK ((kind = ANY (ARRAY['pool_starved'::text, 'pool_recovered'::text, 'key_disabled'::text, 'key_unopenable'::text, 'many_at_once'::text]))),
  CONSTRAINT "api_key_alerts_pkey" PRIMARY KEY (id)
);

ALTER TABLE "public"."api_key_alerts"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."api_key_alerts" FROM "anon", "authenticated";

CREATE TABLE "public"."api_key_deleted" (
  "id"          uuid                     NOT NULL,
  "user_id"     uuid                     NOT NULL,
  "key_name"    text                     NOT NULL,
  "key_hint"    text,
  "fingerprint" text,
  "provider"    text,
  "deleted_at"  timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "api_key_deleted_pkey" PRIMARY KEY (id)
);

ALTER TABLE "public"."api_key_deleted"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."api_key_deleted" FROM "anon", "authenticated";

CREATE TABLE "public"."api_key_health" (
  "user_api_key_id"      uuid                       NOT NULL,
  "blocked_until"        timestamp with time zone,
  "consecutive_failures" integer                    NOT NULL DEFAULT 0,
  "rate_blocked_until"   timestamp with time zone,
  "reason"               text,
  "reason_code"          text,
  "reason_since"         timestamp with time zone,
  "reason_log_id"        uuid,
  "last_failure_at"      timestamp with time zone,
  "recent_server_errors" timestamp with time zone[] NOT NULL DEFAULT '{}'::timestamp WITH time zone[],
  "last_reported_at"     timestamp with time zone,
  "last_outcome"         text,
  "last_error_code"      text,
  "last_effect"          text,
  CONSTRAINT "api_key_health_consecutive_failures_check" CHECK (((consecutive_failures >= 0) AND (consecutive_failures <= 1000000000))),
  CONSTRAINT "api_key_health_pkey" PRIMARY KEY (user_api_key_id)
);

ALTER TABLE "public"."api_key_health"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."api_key_health"
  SET (autovacuum_analyze_scale_factor=0.2, autovacuum_analyze_threshold=10000, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500, fillfactor=50);

REVOKE ALL ON TABLE "public"."api_key_health" FROM "anon", "authenticated";

CREATE TABLE "public"."api_key_model_health" (
  "user_api_key_id"      uuid                     NOT NULL,
  "model"                text                     NOT NULL,
  "blocked_until"        timestamp with time zone,
  "consecutive_failures" integer                  NOT NULL DEFAULT 0,
  "rate_blocked_until"   timestamp with time zone,
  "reason"               text,
  "reason_code"          text,
  "reason_since"         timestamp with time zone,
  "caused_by_log_id"     uuid,
  "last_failure_at"      timestamp with time zone,
  "last_reported_at"     timestamp with time zone,
  "reset_at"             timestamp with time zone,
  CONSTRAINT "api_key_model_health_consecutive_failures_check" CHECK (((consecutive_failures >= 0) AND (consecutive_failures <= 1000000000))),
  CONSTRAINT "api_key_model_health_model_check" CHECK ((model ~ '^[^[:cntrl:]]{1,128}$'::text)),
  CONSTRAINT "api_key_model_health_pkey" PRIMARY KEY (user_api_key_id, model)
);

ALTER TABLE "public"."api_key_model_health"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."api_key_model_health"
  SET (fillfactor=50);

REVOKE ALL ON TABLE "public"."api_key_model_health" FROM "anon", "authenticated";

CREATE TABLE "public"."api_key_starvations" (
  "id"              uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "user_id"         uuid                     NOT NULL,
  "provider"        text,
  "model"           text,
  "since"           timestamp with time zone NOT NULL,
  "last_refused_at" timestamp with time zone NOT NULL,
  "refusals"        integer                  NOT NULL DEFAULT 1,
  "soonest_at"      timestamp with time zone,
  "ended_at"        timestamp with time zone,
  "alerted_at"      timestamp with time zone,
  CONSTRAINT "api_key_starvations_pkey" PRIMARY KEY (id)
);

ALTER TABLE "public"."api_key_starvations"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."api_key_starvations" FROM "anon", "authenticated";

CREATE TABLE "public"."api_key_usage_log" (
  "id"                   uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "user_api_key_id"      uuid                     NOT NULL,
  "user_id"              uuid                     NOT NULL,
  "agent_id"             uuid,
  "key_generation"       integer                  NOT NULL,
  "issued_at"            timestamp with time zone,
  "reported_at"          timestamp with time zone,
  "outcome"              text,
  "error_code"           text,
  "effect"               text,
  "state_before"         text,
  "state_after"          text,
  "blocked_until"        timestamp with time zone,
  "consecutive_failures" integer,
  "hint"                 text,
  "dead"                 boolean,
  "model"                text,
  "scope"                text,
  CONSTRAINT "api_key_usage_log_event_check" CHECK (((issued_at IS NOT NULL) OR (reported_at IS NOT NULL))),
  CONSTRAINT "api_key_usage_log_pkey" PRIMARY KEY (id),
  CONSTRAINT "api_key_usage_log_report_check" CHECK ((((reported_at IS NULL) = (outcome IS NULL)) AND ((reported_at IS NULL) = (effect IS NULL))))
);

ALTER TABLE "public"."api_key_usage_log"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."api_key_usage_log"
  SET (autovacuum_vacuum_insert_scale_factor=0.1, autovacuum_vacuum_scale_factor=0.05);

REVOKE ALL ON TABLE "public"."api_key_usage_log" FROM "anon", "authenticated";

CREATE TABLE "public"."custom_components" (
  "id"            uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "name"          text                     NOT NULL,
  "description"   text,
  "source"        text                     NOT NULL DEFAULT ''::text,
  "props_schema"  jsonb                    NOT NULL DEFAULT '{}'::jsonb,
  "source_format" text,
  "source_text"   text,
  "is_public"     boolean                  NOT NULL DEFAULT false,
  "hub_asset_id"  uuid,
  "created_at"    timestamp with time zone NOT NULL DEFAULT now(),
  "updated_at"    timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "custom_components_name_check" CHECK (((char_length(name) >= 1) AND (char_length(name) <= 120))),
  CONSTRAINT "custom_components_pkey" PRIMARY KEY (id),
  CONSTRAINT "custom_components_props_schema_check" CHECK ((jsonb_typeof(props_schema) = 'object'::text)),
  CONSTRAINT "custom_components_size_check" CHECK (((octet_length(source) <= 524288) AND (octet_length((props_schema)::text) <= 524288))),
  CONSTRAINT "custom_components_source_check"
    CHECK ((((source_format IS NULL) = (source_text IS NULL)) AND (source_format ~ '^[a-z0-9-]{1,40}$'::text) AND (octet_length(source_text) <= 1048576))),
  "user_id"       uuid                     NOT NULL DEFAULT auth.uid()
);

ALTER TABLE "public"."custom_components"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."custom_components" FROM "anon";

CREATE TABLE "public"."hub_admins" (
  "user_id"    uuid                     NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "hub_admins_pkey" PRIMARY KEY (user_id)
);

ALTER TABLE "public"."hub_admins"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."hub_admins" FROM "anon";

CREATE TABLE "public"."hub_appeals" (
  "id"          uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "event_id"    bigint                   NOT NULL,
  "asset_id"    uuid,
  "user_id"     uuid                     NOT NULL,
  "body"        text                     NOT NULL,
  "created_at"  timestamp with time zone NOT NULL DEFAULT now(),
  "state"       text                     NOT NULL DEFAULT 'open'::text,
  "answer"      text,
  "resolved_at" timestamp with time zone,
  CONSTRAINT "hub_appeals_answer_check" CHECK (((char_length(answer) >= 1) AND (char_length(answer) <= 2000))),
  CONSTRAINT "hub_appeals_body_check" CHECK (((char_length(body) >= 1) AND (char_length(body) <= 2000))),
  CONSTRAINT "hub_appeals_event_id_key" UNIQUE (event_id),
  CONSTRAINT "hub_appeals_pkey" PRIMARY KEY (id),
  CONSTRAINT "hub_appeals_state_check" CHECK ((state = ANY (ARRAY['open'::text, 'accepted'::text, 'rejected'::text])))
);

ALTER TABLE "public"."hub_appeals"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."hub_appeals" FROM "anon";

CREATE TABLE "public"."hub_asset_versions" (
  "asset_id"        uuid                     NOT NULL,
  "version"         integer                  NOT NULL,
  "payload"         jsonb                    NOT NULL,
  "sha256"          text                     NOT NULL,
  "license"         text                     NOT NULL,
  "scan"            jsonb,
  "created_at"      timestamp with time zone NOT NULL DEFAULT now(),
  "label"           text,
  "changelog"       text,
  "yanked_at"       timestamp with time zone,
  "yank_reason"     text,
  "is_open"         boolean                  NOT NULL DEFAULT false,
  "organization_id" uuid,
  CONSTRAINT "hub_asset_versions_changelog_check" CHECK (((char_length(changelog) >= 1) AND (char_length(changelog) <= 4000))),
  CONSTRAINT "hub_asset_versions_label_check" CHECK (((char_length(label) >= 1) AND (char_length(label) <= 32))),
  CONSTRAINT "hub_asset_versions_label_key" UNIQUE (asset_id, label),
  CONSTRAINT "hub_asset_versions_license_check" CHECK ((license = ANY (ARRAY['cc0'::text, 'cc-by'::text, 'platform-free'::text, 'paid'::text]))),
  CONSTRAINT "hub_asset_versions_payload_check" CHECK ((jsonb_typeof(payload) = 'object'::text)),
  CONSTRAINT "hub_asset_versions_pkey" PRIMARY KEY (asset_id, VERSION),
  CONSTRAINT "hub_asset_versions_scan_check" CHECK ((jsonb_typeof(scan) = 'object'::text)),
  CONSTRAINT "hub_asset_versions_sha256_check" CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT "hub_asset_versions_version_check" CHECK ((version >= 1)),
  CONSTRAINT "hub_asset_versions_yank_check" CHECK ((((yank_reason IS NULL) OR (yanked_at IS
    NOT NULL)) AND ((char_length(yank_reason) >= 1) AND (char_length(yank_reason) <= 500))))
);

ALTER TABLE "public"."hub_asset_versions"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."hub_assets" (
  "id"                 uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "asset_type"         text                     NOT NULL,
  "ref_id"             uuid                     NOT NULL,
  "creator_id"         uuid,
  "slug"               text                     NOT NULL,
  "title"              text                     NOT NULL,
  "description"        text,
  "tags"               text[]                   NOT NULL DEFAULT '{}'::text[],
  "thumbnail_url"      text,
  "source_asset_id"    uuid,
  "parent_asset_id"    uuid,
  "remix_depth"        integer                  NOT NULL DEFAULT 0,
  "is_public"          boolean                  NOT NULL DEFAULT false,
  "published_at"       timestamp with time zone,
  "is_hidden"          boolean                  NOT NULL DEFAULT false,
  "license"            text                     NOT NULL DEFAULT 'platform-free'::text,
  "price_cents"        integer                  NOT NULL DEFAULT 0,
  "currency"           text,
  "teaser"             text,
  "payment_product_id" text,
  "install_count"      integer                  NOT NULL DEFAULT 0,
  "star_count"         integer                  NOT NULL DEFAULT 0,
  "created_at"         timestamp with time zone NOT NULL DEFAULT now(),
  "updated_at"         timestamp with time zone NOT NULL DEFAULT now(),
  "current_version"    integer                  NOT NULL DEFAULT 0,
  "attribution"        jsonb,
  "hidden_reason"      text,
  "hidden_at"          timestamp with time zone,
  "hidden_by_ban"      boolean                  NOT NULL DEFAULT false,
  "content_updated_at" timestamp with time zone,
  "deleted_at"         timestamp with time zone,
  "pinned_version"     integer,
  "organization_id"    uuid,
  "shared_at"          timestamp with time zone,
  "picture"            text,
  "is_visible"         boolean                  GENERATED ALWAYS AS ((is_public AND (NOT is_hidden) AND (NOT hidden_by_ban) AND (deleted_at IS NULL))) STORED NOT NULL,
  "is_shared"          boolean                  GENERATED ALWAYS AS (((organization_id IS NOT NULL) AND (NOT is_public) AND (shared_at IS
    NOT NULL) AND (NOT is_hidden) AND (NOT hidden_by_ban) AND (deleted_at IS NULL))) STORED NOT NULL,
  CONSTRAINT "hub_assets_attribution_check" CHECK (((jsonb_typeof(attribution) = 'object'::text) AND (octet_length((attribution)::text) <= 262144))),
  CONSTRAINT "hub_assets_counts_check" CHECK (((install_count >= 0) AND (star_count >= 0))),
  CONSTRAINT "hub_assets_currency_check" CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT "hub_assets_current_version_check" CHECK ((current_version >= 0)),
  CONSTRAINT "hub_assets_description_check" CHECK (((char_length(description) >= 1) AND (char_length(description) <= 2000))),
  CONSTRAINT "hub_assets_hidden_check" CHECK (((is_hidden = (hidden_at IS NOT NULL)) AND (is_hidden = (hidden_reason IS NOT NULL)))),
  CONSTRAINT "hub_assets_hidden_reason_check"
    CHECK
    ((hidden_reason = ANY (ARRAY['reports'::text, 'moderator'::text, 'organization_reports'::text, 'organization'::text, 'spam'::text, 'inappropriate'::text, 'copyright'::text,
    'malicious_code'::text, 'other'::text, 'removed'::text]))),
  CONSTRAINT "hub_assets_license_check" CHECK ((license = ANY (ARRAY['cc0'::text, 'cc-by'::text, 'platform-free'::text, 'paid'::text]))),
  CONSTRAINT "hub_assets_lineage_check" CHECK (((remix_depth >= 0) AND ((parent_asset_id IS NULL) OR (remix_depth >= 1)) AND (source_asset_id <> id) AND (parent_asset_id <> id))),
  CONSTRAINT "hub_assets_paid_check" CHECK (((NOT is_public) OR (license <> 'paid'::text) OR ((price_cents > 0) AND (currency IS NOT NULL) AND (teaser IS NOT NULL)))),
  CONSTRAINT "hub_assets_pinned_version_check" CHECK ((pinned_version >= 1)),
  CONSTRAINT "hub_assets_pkey" PRIMARY KEY (id),
  CONSTRAINT "hub_assets_price_cents_check" CHECK (((price_cents = 0) OR ((license = 'paid'::text) AND ((price_cents >= 100) AND (price_cents <= 100000))))),
  CONSTRAINT "hub_assets_public_check" CHECK (((NOT is_public) OR ((published_at IS NOT NULL) AND (current_version >= 1) AND (deleted_at IS NULL)))),
  CONSTRAINT "hub_assets_removed_check" CHECK (((hidden_reason <> 'removed'::text) OR (deleted_at IS NOT NULL))),
  CONSTRAINT "hub_assets_shared_check" CHECK (((shared_at IS NULL) OR ((organization_id IS NOT NULL) AND (current_version >= 1) AND (NOT is_public) AND (deleted_at IS NULL)))),
  CONSTRAINT "hub_assets_slug_check" CHECK (((char_length(slug) <= 80) AND (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text))),
  CONSTRAINT "hub_assets_slug_key" UNIQUE (slug),
  CONSTRAINT "hub_assets_source_item_key" UNIQUE (asset_type, ref_id),
  CONSTRAINT "hub_assets_teaser_check" CHECK (((char_length(teaser) >= 1) AND (char_length(teaser) <= 2000))),
  CONSTRAINT "hub_assets_title_check" CHECK (((char_length(title) >= 1) AND (char_length(title) <= 120)))
);

ALTER TABLE "public"."hub_assets"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."hub_bundle_items" (
  "asset_id"    uuid    NOT NULL,
  "version"     integer NOT NULL,
  "position"    integer NOT NULL,
  "asset_type"  text    NOT NULL,
  "ref_id"      uuid    NOT NULL,
  "title"       text    NOT NULL,
  "payload"     jsonb   NOT NULL,
  "sha256"      text    NOT NULL,
  "license"     text    NOT NULL,
  "attribution" jsonb,
  CONSTRAINT "hub_bundle_items_attribution_check" CHECK ((jsonb_typeof(attribution) = 'object'::text)),
  CONSTRAINT "hub_bundle_items_license_check" CHECK ((license = ANY (ARRAY['cc0'::text, 'cc-by'::text, 'platform-free'::text, 'paid'::text]))),
  CONSTRAINT "hub_bundle_items_payload_check" CHECK ((jsonb_typeof(payload) = 'object'::text)),
  CONSTRAINT "hub_bundle_items_pkey" PRIMARY KEY (asset_id, VERSION, "position"),
  CONSTRAINT "hub_bundle_items_position_check" CHECK ((("position" >= 1) AND ("position" <= 50))),
  CONSTRAINT "hub_bundle_items_sha256_check" CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT "hub_bundle_items_title_check" CHECK (((char_length(title) >= 1) AND (char_length(title) <= 120)))
);

ALTER TABLE "public"."hub_bundle_items"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."hub_events" (
  "id"          bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "at"          timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  "actor_id"    uuid,
  "action"      text                     NOT NULL,
  "asset_id"    uuid,
  "user_id"     uuid,
  "report_id"   uuid,
  "note"        text,
  "public_note" text,
  "details"     jsonb                    NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT "hub_events_action_check"
    CHECK
    ((action = ANY (ARRAY['published'::text, 'same_content'::text, 'content_allowed'::text, 'unpublished'::text, 'republished'::text, 'yanked'::text, 'unyanked'::text,
    'deleted'::text,
    'hidden'::text,
    'restored'::text,
    'removed'::text,
    'erased'::text,
    'report_resolved'::text,
    'banned'::text,
    'unbanned'::text,
    'admin_added'::text,
    'admin_removed'::text, 'appealed'::text, 'appeal_accepted'::text, 'appeal_rejected'::text, 'refund_requested'::text, 'creator_verified'::text, 'creator_unverified'::text]))),
  CONSTRAINT "hub_events_pkey" PRIMARY KEY (id)
);

ALTER TABLE "public"."hub_events"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."hub_events" FROM "anon";

CREATE TABLE "public"."hub_featured" (
  "asset_id"   uuid                     NOT NULL,
  "position"   integer                  NOT NULL DEFAULT 0,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "hub_featured_pkey" PRIMARY KEY (asset_id)
);

ALTER TABLE "public"."hub_featured"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."hub_follows" (
  "creator_id"  uuid                     NOT NULL,
  "followed_at" timestamp with time zone NOT NULL DEFAULT now(),
  "user_id"     uuid                     NOT NULL DEFAULT auth.uid(),
  CONSTRAINT "hub_follows_pkey" PRIMARY KEY (user_id, creator_id)
);

ALTER TABLE "public"."hub_follows"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."hub_follows" FROM "anon";

CREATE TABLE "public"."hub_imports" (
  "id"         uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "asset_id"   uuid                     NOT NULL,
  "user_id"    uuid                     NOT NULL,
  "version"    integer                  NOT NULL,
  "mode"       text                     NOT NULL,
  "created"    jsonb                    NOT NULL DEFAULT '[]'::jsonb,
  "counts"     boolean                  NOT NULL DEFAULT false,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "hub_imports_created_check" CHECK ((jsonb_typeof(created) = 'array'::text)),
  CONSTRAINT "hub_imports_mode_check" CHECK ((mode = ANY (ARRAY['use'::text, 'remix'::text]))),
  CONSTRAINT "hub_imports_pkey" PRIMARY KEY (id),
  CONSTRAINT "hub_imports_version_check" CHECK ((version >= 1))
);

ALTER TABLE "public"."hub_imports"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."hub_imports" FROM "anon";

CREATE TABLE "public"."hub_payout_accounts" (
  "user_id"         uuid                     NOT NULL,
  "provider"        text                     NOT NULL,
  "account_id"      text                     NOT NULL,
  "charges_enabled" boolean                  NOT NULL DEFAULT false,
  "reported_at"     timestamp with time zone,
  "created_at"      timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT "hub_payout_accounts_account_key" UNIQUE (PROVIDER, account_id),
  CONSTRAINT "hub_payout_accounts_pkey" PRIMARY KEY (user_id)
);

ALTER TABLE "public"."hub_payout_accounts"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."hub_payout_accounts" FROM "anon";

CREATE TABLE "public"."hub_pictures" (
  "asset_id"   uuid                     NOT NULL,
  "media_type" text                     NOT NULL,
  "bytes"      bytea                    NOT NULL,
  "sha256"     text                     GENERATED ALWAYS AS (encode(sha256(bytes), 'hex'::text)) STORED NOT NULL,
  "width"      integer                  NOT NULL,
  "height"     integer                  NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT "hub_pictures_bytes_check" CHECK (((octet_length(bytes) >= 1) AND (octet_length(bytes) <= 1048576))),
  CONSTRAINT "hub_pictures_height_check" CHECK (((height >= 1) AND (height <= 4096))),
  CONSTRAINT "hub_pictures_media_type_check" CHECK ((media_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text]))),
  CONSTRAINT "hub_pictures_pkey" PRIMARY KEY (asset_id),
  CONSTRAINT "hub_pictures_width_check" CHECK (((width >= 1) AND (width <= 4096)))
);

ALTER TABLE "public"."hub_pictures"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."hub_profiles" (
  "user_id"      uuid                     NOT NULL,
  "username"     text                     NOT NULL,
  "display_name" text,
  "avatar_url"   text,
  "created_at"   timestamp with time zone NOT NULL DEFAULT now(),
  "verified_at"  timestamp with time zone,
  CONSTRAINT "hub_profiles_pkey" PRIMARY KEY (user_id),
  CONSTRAINT "hub_profiles_username_check" CHECK ((username ~ '^[A-Za-z0-9][A-Za-z0-9_-]{1,28}[A-Za-z0-9]$'::text))
);

ALTER TABLE "public"."hub_profiles"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."hub_purchases" (
  "id"             uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "order_id"       uuid                     NOT NULL,
  "user_id"        uuid                     NOT NULL,
  "asset_id"       uuid                     NOT NULL,
  "price_cents"    integer                  NOT NULL,
  "currency"       text                     NOT NULL,
  "purchased_at"   timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  "revoked_at"     timestamp with time zone,
  "revoked_reason" text,
  CONSTRAINT "hub_purchases_order_id_key" UNIQUE (order_id),
  CONSTRAINT "hub_purchases_pkey" PRIMARY KEY (id),
  CONSTRAINT "hub_purchases_revoked_check"
    CHECK ((((revoked_at IS NULL) = (revoked_reason IS NULL)) AND (revoked_reason = ANY (ARRAY['refunded'::text, 'disputed'::text, 'lost'::text, 'operator'::text]))))
);

ALTER TABLE "public"."hub_purchases"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."hub_purchases" FROM "anon";

CREATE TABLE "public"."hub_receipts" (
  "asset_id"   uuid                     NOT NULL,
  "version"    integer                  NOT NULL,
  "redactions" jsonb                    NOT NULL DEFAULT '[]'::jsonb,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "hub_receipts_pkey" PRIMARY KEY (asset_id, VERSION),
  CONSTRAINT "hub_receipts_redactions_check" CHECK ((jsonb_typeof(redactions) = 'array'::text))
);

ALTER TABLE "public"."hub_receipts"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."hub_receipts" FROM "anon";

CREATE TABLE "public"."hub_reports" (
  "id"          uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "asset_id"    uuid                     NOT NULL,
  "reason"      text                     NOT NULL,
  "details"     text,
  "created_at"  timestamp with time zone NOT NULL DEFAULT now(),
  "resolved"    boolean                  NOT NULL DEFAULT false,
  "resolved_by" uuid,
  "version"     integer                  NOT NULL DEFAULT 0,
  "outcome"     text,
  "note"        text,
  "counts"      boolean                  NOT NULL DEFAULT true,
  "work_url"    text,
  "work_holder" text,
  CONSTRAINT "hub_reports_details_check" CHECK (((char_length(details) >= 1) AND (char_length(details) <= 1000) AND ((reason <> 'other'::text) OR (details IS NOT NULL)))),
  CONSTRAINT "hub_reports_note_check" CHECK ((char_length(note) <= 1000)),
  CONSTRAINT "hub_reports_outcome_check" CHECK (((outcome = ANY (ARRAY['upheld'::text, 'dismissed'::text])) AND (resolved = (outcome IS NOT NULL)))),
  CONSTRAINT "hub_reports_pkey" PRIMARY KEY (id),
  CONSTRAINT "hub_reports_reason_check" CHECK ((reason = ANY (ARRAY['spam'::text, 'inappropriate'::text, 'copyright'::text, 'malicious_code'::text, 'other'::text]))),
  "reporter_id" uuid                     DEFAULT auth.uid()
);

ALTER TABLE "public"."hub_reports"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."hub_reports" FROM "anon";

CREATE TABLE "public"."hub_settings" (
  "id"               boolean  NOT NULL DEFAULT true,
  "min_reporter_age" interval NOT NULL DEFAULT '00:00:00'::interval,
  "contact_url"      text,
  "currency"         text     NOT NULL DEFAULT 'USD'::text,
  "fee_bps"          integer  NOT NULL DEFAULT 3000,
  "verified_fee_bps" integer  NOT NULL DEFAULT 2000,
  CONSTRAINT "hub_settings_currency_check" CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT "hub_settings_fees_check" CHECK (((fee_bps >= 0) AND (fee_bps <= 10000) AND (verified_fee_bps >= 0) AND (verified_fee_bps <= 10000))),
  CONSTRAINT "hub_settings_min_reporter_age_check" CHECK (((min_reporter_age >= '00:00:00'::interval) AND (min_reporter_age <= '365 days'::interval))),
  CONSTRAINT "hub_settings_one_row_check" CHECK (id),
  CONSTRAINT "hub_settings_pkey" PRIMARY KEY (id)
);

ALTER TABLE "public"."hub_settings"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."hub_stars" (
  "asset_id"   uuid                     NOT NULL,
  "starred_at" timestamp with time zone NOT NULL DEFAULT now(),
  "user_id"    uuid                     NOT NULL DEFAULT auth.uid(),
  CONSTRAINT "hub_stars_pkey" PRIMARY KEY (asset_id, user_id)
);

ALTER TABLE "public"."hub_stars"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."hub_stars" FROM "anon";

CREATE TABLE "public"."orchestrator_configs" (
  "id"            uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "name"          text                     NOT NULL,
  "description"   text,
  "tags"          text[]                   NOT NULL DEFAULT '{}'::text[],
  "nodes"         jsonb                    NOT NULL DEFAULT '[]'::jsonb,
  "edges"         jsonb                    NOT NULL DEFAULT '[]'::jsonb,
  "stage_configs" jsonb                    NOT NULL DEFAULT '[]'::jsonb,
  "source_format" text,
  "source_text"   text,
  "is_public"     boolean                  NOT NULL DEFAULT false,
  "hub_asset_id"  uuid,
  "created_at"    timestamp with time zone NOT NULL DEFAULT now(),
  "updated_at"    timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "orchestrator_configs_name_check" CHECK (((char_length(name) >= 1) AND (char_length(name) <= 120))),
  CONSTRAINT "orchestrator_configs_pkey" PRIMARY KEY (id),
  CONSTRAINT "orchestrator_configs_shape_check"
    CHECK (((jsonb_typeof(nodes) = 'array'::text) AND (jsonb_typeof(edges) = 'array'::text) AND (jsonb_typeof(stage_configs) = 'array'::text))),
  CONSTRAINT "orchestrator_configs_size_check" CHECK ((((octet_length((nodes)::text) + octet_length((edges)::text)) + octet_length((stage_configs)::text)) <= 1048576)),
  CONSTRAINT "orchestrator_configs_source_check"
    CHECK ((((source_format IS NULL) = (source_text IS NULL)) AND (source_format ~ '^[a-z0-9-]{1,40}$'::text) AND (octet_length(source_text) <= 1048576))),
  "user_id"       uuid                     NOT NULL DEFAULT auth.uid()
);

ALTER TABLE "public"."orchestrator_configs"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."orchestrator_configs" FROM "anon";

CREATE TABLE "public"."organization_members" (
  "organization_id" uuid                     NOT NULL,
  "user_id"         uuid                     NOT NULL,
  "role"            text                     NOT NULL DEFAULT 'member'::text,
  "created_at"      timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "organization_members_pkey" PRIMARY KEY (organization_id, user_id),
  CONSTRAINT "organization_members_role_check" CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text])))
);

ALTER TABLE "public"."organization_members"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."organization_members" FROM "anon";

CREATE TABLE "public"."organizations" (
  "id"         uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "slug"       text                     NOT NULL,
  "name"       text                     NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "organizations_name_check" CHECK (((char_length(name) >= 1) AND (char_length(name) <= 80))),
  CONSTRAINT "organizations_pkey" PRIMARY KEY (id),
  CONSTRAINT "organizations_slug_check" CHECK (((char_length(slug) >= 3) AND (char_length(slug) <= 40) AND (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text)))
);

ALTER TABLE "public"."organizations"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."organizations" FROM "anon";

CREATE TABLE "public"."prompt_templates" (
  "id"            uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "name"          text                     NOT NULL,
  "description"   text,
  "content"       text                     NOT NULL DEFAULT ''::text,
  "variables"     jsonb                    NOT NULL DEFAULT '[]'::jsonb,
  "source_format" text,
  "source_text"   text,
  "hub_asset_id"  uuid,
  "created_at"    timestamp with time zone NOT NULL DEFAULT now(),
  "updated_at"    timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "prompt_templates_name_check" CHECK (((char_length(name) >= 1) AND (char_length(name) <= 120))),
  CONSTRAINT "prompt_templates_pkey" PRIMARY KEY (id),
  CONSTRAINT "prompt_templates_size_check" CHECK (((octet_length(content) <= 262144) AND (octet_length((variables)::text) <= 262144))),
  CONSTRAINT "prompt_templates_source_check"
    CHECK ((((source_format IS NULL) = (source_text IS NULL)) AND (source_format ~ '^[a-z0-9-]{1,40}$'::text) AND (octet_length(source_text) <= 1048576))),
  CONSTRAINT "prompt_templates_variables_check" CHECK ((jsonb_typeof(variables) = ANY (ARRAY['array'::text, 'object'::text]))),
  "user_id"       uuid                     NOT NULL DEFAULT auth.uid()
);

ALTER TABLE "public"."prompt_templates"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."prompt_templates" FROM "anon";

CREATE TABLE "public"."user_api_keys" (
  "id"                uuid                       NOT NULL DEFAULT gen_random_uuid(),
  "user_id"           uuid                       NOT NULL,
  "key_name"          text                       NOT NULL,
  "api_key_encrypted" text                       NOT NULL,
  "priority"          integer                    NOT NULL DEFAULT 0,
  "provider"          text,
  "is_active"         boolean                    NOT NULL DEFAULT true,
  "usage_count"       bigint                     NOT NULL DEFAULT 0,
  "generation"        integer                    NOT NULL DEFAULT 1,
  "cooling_until"     timestamp with time zone,
  "unusable_reason"   text,
  "unusable_since"    timestamp with time zone,
  "sealed_kid"        text                       GENERATED ALWAYS AS (split_part(api_key_encrypted, '.'::text, 3)) STORED,
  "ready_at"          timestamp with time zone   GENERATED ALWAYS AS (
CASE
    WHEN (is_active AND (unusable_reason IS NULL)) THEN COALESCE(cooling_until, '-infinity'::timestamp WITH time zone)
    ELSE 'infinity'::timestamp WITH time zone
END) STORED,
  "is_ready"          boolean                    GENERATED ALWAYS AS ((is_active AND (unusable_reason IS NULL) AND (cooling_until IS NULL))) STORED,
  "created_at"        timestamp with time zone   NOT NULL DEFAULT now(),
  "updated_at"        timestamp with time zone   NOT NULL DEFAULT now(),
  "settings"          jsonb                      NOT NULL DEFAULT '{}'::jsonb,
  "account"           text,
  "limited_models"    text[],
  "limited_until"     timestamp with time zone[],
  "skipped_count"     bigint                     NOT NULL DEFAULT 0,
  "fingerprint"       text,
  "key_hint"          text,
  CONSTRAINT "user_api_keys_account_check" CHECK ((account ~ '^[^[:cntrl:]]{1,200}$'::text)),
  CONSTRAINT "user_api_keys_generation_check" CHECK ((generation >= 1)),
  CONSTRAINT "user_api_keys_key_name_check" CHECK (((char_length(key_name) >= 1) AND (char_length(key_name) <= 200))),
  CONSTRAINT "user_api_keys_limited_check" CHECK ((NOT (cardinality(limited_models) IS DISTINCT FROM cardinality(limited_until)))),
  CONSTRAINT "user_api_keys_pkey" PRIMARY KEY (id),
  CONSTRAINT "user_api_keys_provider_check" CHECK ((provider ~ '^[a-z0-9][a-z0-9._-]{0,62}$'::text)),
  CONSTRAINT "user_api_keys_usage_count_check" CHECK (((usage_count >= 0) AND (usage_count <= '4000000000000000000'::bigint)))
);

ALTER TABLE "public"."user_api_keys"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."user_api_keys"
  SET (autovacuum_analyze_scale_factor=0.2, autovacuum_analyze_threshold=10000, autovacuum_vacuum_scale_factor=0.02);

REVOKE ALL ON TABLE "public"."user_api_keys" FROM "anon", "authenticated";

REVOKE ALL ON SEQUENCE "public"."hub_events_id_seq" FROM "anon";

REVOKE ALL ON SEQUENCE "public"."hub_events_id_seq" FROM "authenticated";

REVOKE ALL ON SEQUENCE "public"."hub_events_id_seq" FROM "service_role";

CREATE TYPE "private"."creator_change" AS (
  "creator_id" uuid,
  "listings"   integer,
  "installs"   integer,
  "stars"      integer
);

CREATE TYPE "private"."key_report" AS (
  "outcome"                text,
  "rule"                   text,
  "error_code"             text,
  "base_seconds"           double precision,
  "cap_seconds"            double precision,
  "jitter"                 double precision,
  "hint_given"             boolean,
  "hint_seconds"           double precision,
  "hint_at"                timestamp WITH time zone,
  "hint_cap_seconds"       double precision,
  "error_threshold"        integer,
  "window_seconds"         double precision,
  "reset_after_seconds"    double precision,
  "breaker_most"           integer,
  "breaker_window_seconds" double precision,
  "breaker_quiet_seconds"  double precision,
  "cause"                  text,
  "issued_at"              timestamp WITH time zone,
  "key_generation"         integer,
  "dead"                   boolean,
  "model"                  text,
  "same_answer_as"         uuid,
  "scope"                  text
);

CREATE TYPE "private"."key_state" AS (
  "is_active"            boolean,
  "is_usable"            boolean,
  "generation"           integer,
  "blocked_until"        timestamp WITH time zone,
  "rate_blocked_until"   timestamp WITH time zone,
  "consecutive_failures" integer,
  "last_failure_at"      timestamp WITH time zone,
  "recent_server_errors" timestamp WITH time zone[],
  "reason"               text,
  "reason_code"          text,
  "reason_since"         timestamp WITH time zone,
  "state_before"         text,
  "state_after"          text,
  "effect"               text,
  "hint"                 text
);

CREATE TYPE "private"."offer" AS (
  "price_cents" integer,
  "currency"    text,
  "teaser"      text,
  "provider"    text
);

CREATE TYPE "private"."search_plan" AS (
  "title_key"      text,
  "matches"        tsquery,
  "likes"          tsquery,
  "titled"         tsquery,
  "titled_exactly" tsquery,
  "parts"          tsquery[],
  "creators"       tsquery
);

CREATE TYPE "private"."search_request" AS (
  "q"         text,
  "types"     text[],
  "tags"      text[],
  "license"   text,
  "creator"   text,
  "sort"      text,
  "list"      jsonb,
  "place"     jsonb,
  "page_size" integer
);

CREATE OR REPLACE FUNCTION private.accept_invitation (
  token text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  sha256_of_token constant text := encode(sha256(convert_to(left(accept_invitation.token, 200), 'UTF8')), 'hex');
  live private.organization_invitations;
  joined jsonb;
begin
  perform private.begin_organization_write();
  -- Locks the organization whatever the state of the invitation: whether it is still valid is checked under this lock.
  perform private.lock_organization((
    select i.organization_id from private.organization_invitations i where i.token_sha256 = sha256_of_token
  ));
  select jsonb_build_object('id', o.id, 'slug', o.slug, 'name', o.name) into joined
  from private.organization_invitations i
  join public.organizations o on o.id = i.organization_id
  where i.token_sha256 = sha256_of_token and private.is_member_of(caller, i.organization_id);
  if found then
    -- The link was used before: the caller is a member and stays one.
    return joined;
  end if;
  live := private.live_invitation(accept_invitation.token);
  if live.id is null then
    raise exception using errcode = 'PT404', message = 'invitation_not_found';
  end if;
  if live.email_hash is not null and not exists (
    select from auth.users u where u.id = caller and private.email_hash(live.id, u.email::text) = live.email_hash
  ) then
    raise exception using errcode = 'PT403', message = 'other_address';
  end if;
  perform private.refuse_more('members', (
    select count(*) from public.organization_members m where m.organization_id = live.organization_id
  ), 10000);
  insert into public.organization_members (organization_id, user_id, role) values (live.organization_id, caller, live.role);
  update private.organization_invitations i set used = i.used + 1 where i.id = live.id;
  return private.organization_card(live.organization_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.add_api_key (
  key_name text,
  sealed   text,
  provider text,
  account  text,
  priority integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  owner constant uuid := private.key_owner();
  name constant text := btrim(add_api_key.key_name);
  made public.user_api_keys;
begin
  if char_length(name) not between 1 and 200 or name ~ '[[:cntrl:]]' then
    perform private.refuse_faults(private.fault('key_name', 'invalid_text', 'must be one line of 1 to 200 characters'));
  end if;
  perform private.limit_own_rows(owner, 'keys', 200);
  insert into public.user_api_keys (user_id, key_name, api_key_encrypted, provider, account, priority)
  values (owner, name, add_api_key.sealed, add_api_key.provider, add_api_key.account, coalesce(add_api_key.priority, 0))
  returning * into made;
  return jsonb_build_object('id', made.id, 'name', made.key_name, 'hint', made.key_hint);
end;
$function$;

CREATE OR REPLACE FUNCTION private.add_to_creators (
  changes private.creator_change[]
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Goes in the order of ids, so that two statements with listings of several creators do not deadlock. A creator whose profile is
  -- deleted has no row.
  insert into private.hub_creators as t (user_id, names, published_assets, total_installs, total_stars)
  select c.creator_id, private.name_keys(p.username, p.display_name), c.listings, c.installs, c.stars
  from (
    select u.creator_id, sum(u.listings) as listings, sum(u.installs) as installs, sum(u.stars) as stars
    from unnest(add_to_creators.changes) u
    where u.creator_id is not null
    group by u.creator_id
    having sum(u.listings) <> 0 or sum(u.installs) <> 0 or sum(u.stars) <> 0
  ) c
  join public.hub_profiles p on p.user_id = c.creator_id
  order by c.creator_id
  on conflict (user_id) do update
  set published_assets = t.published_assets + excluded.published_assets,
    total_installs = t.total_installs + excluded.total_installs,
    total_stars = t.total_stars + excluded.total_stars;
$function$;

CREATE OR REPLACE FUNCTION private.adds_secret (
  before text,
  after  text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- A match that was already in the text, such as a placeholder, discloses nothing new.
  select private.looks_secret(adds_secret.after) and exists (
    select
    from private.searched_forms(adds_secret.after) r
    cross join private.secret_patterns() p
    cross join lateral regexp_matches(r.form, '(' || p.pattern || ')', 'g') m (found)
    where not exists (
      select from private.searched_forms(coalesce(adds_secret.before, '')) b
      where strpos(b.form, regexp_replace(m.found[1], '^[^A-Za-z0-9]|[^A-Za-z0-9]$', '', 'g')) > 0
    )
  );
$function$;

CREATE OR REPLACE FUNCTION private.alert_once (
  user_id       uuid,
  provider      text,
  kind          text,
  key_id        uuid,
  detail        jsonb,
  quiet_seconds double precision
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into public.api_key_alerts (user_id, provider, kind, user_api_key_id, key_name, detail, created_at)
  select alert_once.user_id, alert_once.provider, alert_once.kind, alert_once.key_id, k.key_name, alert_once.detail, clock_timestamp()
  from public.user_api_keys k
  where k.id = alert_once.key_id
    and not exists (
      select
      from public.api_key_alerts a
      where a.user_id = alert_once.user_id
        and a.provider is not distinct from alert_once.provider
        and a.kind = alert_once.kind
        and a.created_at > clock_timestamp() - make_interval(secs => alert_once.quiet_seconds)
    );
$function$;

CREATE OR REPLACE FUNCTION private.alert_starvation (
  starvation public.api_key_starvations,
  kind       text,
  detail     jsonb                      DEFAULT '{}'::jsonb
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into public.api_key_alerts (user_id, provider, kind, detail, created_at)
  values (
    (alert_starvation.starvation).user_id, (alert_starvation.starvation).provider, alert_starvation.kind,
    jsonb_build_object(
      'model', (alert_starvation.starvation).model,
      'since', (alert_starvation.starvation).since,
      'soonest_at', (alert_starvation.starvation).soonest_at
    ) || alert_starvation.detail,
    clock_timestamp()
  );
$function$;

CREATE OR REPLACE FUNCTION private.all_sources()
  RETURNS TABLE (
    user_id uuid,
    source  jsonb
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select t.user_id, to_jsonb(t) from public.prompt_templates t
  union all
  select c.user_id, to_jsonb(c) from public.custom_components c
  union all
  select o.user_id, to_jsonb(o) from public.orchestrator_configs o
  union all
  select s.user_id, to_jsonb(s) from public.ai_model_settings s;
$function$;

CREATE OR REPLACE FUNCTION private.allow_content (
  asset_id uuid,
  username text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  allowed uuid;
begin
  perform private.require_admin();
  select p.user_id into allowed
  from public.hub_profiles p
  where private.username_key(p.username) = private.username_key(allow_content.username)
    and lower(p.username) = lower(allow_content.username);
  if allowed is null then
    raise exception using errcode = 'PT404', message = 'user_not_found';
  end if;
  perform from public.hub_assets a where a.id = allow_content.asset_id and a.deleted_at is null for key share;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  insert into private.hub_allowed_content (user_id, asset_id) values (allowed, allow_content.asset_id) on conflict do nothing;
  if found then
    insert into public.hub_events (actor_id, action, asset_id, user_id)
    values ((select auth.uid()), 'content_allowed', allow_content.asset_id, allowed);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.api_key_health_before_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  lengthened constant boolean := new.blocked_until > greatest(old.blocked_until, clock_timestamp());
begin
  if new.user_api_key_id is distinct from old.user_api_key_id then
    raise exception using errcode = 'PT422', message = 'health_row_is_bound', detail = '{"column": "user_api_key_id"}';
  end if;
  if new.blocked_until is null then
    new.rate_blocked_until := null;
    new.recent_server_errors := '{}';
  elsif new.blocked_until is distinct from old.blocked_until then
    -- The block was moved by hand: the end of the rate block moves with it, but never past the block itself.
    new.rate_blocked_until := least(new.rate_blocked_until, new.blocked_until);
  end if;
  -- The stored reason explains the block before the edit, not the new one.
  if lengthened
    or new.blocked_until is null and (select k.is_active from public.user_api_keys k where k.id = new.user_api_key_id)
  then
    new.reason := case when lengthened then 'blocked_by_operator' end;
    new.reason_code := null;
    new.reason_since := case when lengthened then clock_timestamp() end;
    new.reason_log_id := null;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.api_key_model_health_before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- Callers may invent names of models, so old rows make room: first those without a block, then those whose block ends first.
  delete from public.api_key_model_health m
  where m.user_api_key_id = new.user_api_key_id
    and m.model in (
      select other.model
      from public.api_key_model_health other
      where other.user_api_key_id = new.user_api_key_id and other.model <> new.model
      order by other.blocked_until desc nulls last
      offset 199
    );
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.api_key_model_health_before_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  lengthened constant boolean := new.blocked_until > greatest(old.blocked_until, clock_timestamp());
begin
  if (new.user_api_key_id, new.model) is distinct from (old.user_api_key_id, old.model) then
    raise exception using errcode = 'PT422', message = 'health_row_is_bound', detail = '{"column": "user_api_key_id, model"}';
  elsif new.blocked_until is null then
    new.reset_at := clock_timestamp();
  end if;
  new.rate_blocked_until := case when new.blocked_until is not null then least(new.rate_blocked_until, new.blocked_until) end;
  -- The stored reason explains the block before the edit, not the new one.
  if lengthened or new.blocked_until is null then
    new.reason := case when lengthened then 'blocked_by_operator' end;
    new.reason_code := null;
    new.reason_since := case when lengthened then clock_timestamp() end;
    new.caused_by_log_id := null;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.appeal (
  asset_id uuid,
  body     text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  said constant text := private.clean(appeal.body);
  asset public.hub_assets;
  decision bigint;
  made uuid;
begin
  if caller is null or not private.is_member() then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
  if said is null then
    perform private.refuse_faults(private.fault('body', 'required', 'is required'));
  elsif char_length(said) > 2000 then
    perform private.refuse_faults(private.fault('body', 'too_big', 'must be at most 2000 characters'));
  end if;
  -- A banned user may appeal.
  perform private.begin_write(caller, allow_banned => true);
  if appeal.asset_id is null then
    -- The lock of the profile keeps the ban from being lifted meanwhile.
    if not private.is_banned(caller) then
      raise exception using errcode = 'PT409', message = 'not_banned';
    end if;
  else
    select a.* into asset
    from public.hub_assets a
    where a.id = appeal.asset_id and a.creator_id = caller
    for no key update;
    if not found then
      raise exception using errcode = 'PT404', message = 'asset_not_found';
    end if;
    if not asset.is_hidden then
      raise exception using errcode = 'PT409', message = 'not_hidden';
    end if;
  end if;
  select e.id into decision
  from public.hub_events e
  where e.user_id = caller and e.asset_id is not distinct from appeal.asset_id and e.action in ('hidden', 'removed', 'banned')
  order by e.id desc
  limit 1;
  insert into public.hub_appeals (event_id, asset_id, user_id, body)
  values (decision, appeal.asset_id, caller, said)
  on conflict (event_id) do nothing
  returning hub_appeals.id into made;
  if made is null then
    raise exception using errcode = 'PT409', message = 'already_appealed';
  end if;
  return made;
end;
$function$;

CREATE OR REPLACE FUNCTION private.apply_account_event (
  provider        text,
  event_id        text,
  account_id      text,
  charges_enabled boolean,
  at              timestamp with time zone
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  owner uuid;
begin
  select a.user_id into owner
  from public.hub_payout_accounts a
  where a.provider = apply_account_event.provider and a.account_id = apply_account_event.account_id
  for no key update;
  insert into private.payment_events (provider, event_id, kind, object_id, outcome)
  values (
    apply_account_event.provider, apply_account_event.event_id, 'account', apply_account_event.account_id,
    case when owner is null then 'unknown' else 'applied' end
  )
  on conflict on constraint payment_events_pkey do nothing;
  if not found then
    return '{"outcome": "duplicate"}';
  end if;
  update public.hub_payout_accounts a
  set charges_enabled = apply_account_event.charges_enabled, reported_at = apply_account_event.at
  where a.user_id = owner
    -- Events arrive in any sequence: an older one is ignored.
    and (a.reported_at is null or a.reported_at <= apply_account_event.at);
  return jsonb_build_object('outcome', case when owner is null then 'unknown' else 'applied' end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.apply_payment_event (
  provider           text,
  event_id           text,
  kind               text,
  order_id           uuid,
  object_id          text    DEFAULT NULL::text,
  amount_cents       integer DEFAULT NULL::integer,
  currency           text    DEFAULT NULL::text,
  provider_fee_cents integer DEFAULT 0,
  payment_id         text    DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  ordered constant private.orders := private.lock_order(apply_payment_event.order_id);
  verdict constant text := case
    when ordered.id is null then 'unknown'
    when apply_payment_event.kind = 'expired' then 'applied'
    when apply_payment_event.provider <> ordered.provider then 'mismatch'
    when upper(apply_payment_event.currency) is distinct from ordered.currency then 'mismatch'
    when apply_payment_event.kind = 'paid' and apply_payment_event.amount_cents is distinct from ordered.price_cents then 'mismatch'
    when (apply_payment_event.amount_cents between 1 and ordered.price_cents) is not true then 'mismatch'
    else 'applied'
  end;
begin
  insert into private.payment_events (
    provider, event_id, kind, order_id, object_id, amount_cents, currency, provider_fee_cents, outcome
  )
  values (
    apply_payment_event.provider, apply_payment_event.event_id, apply_payment_event.kind, apply_payment_event.order_id,
    apply_payment_event.object_id, apply_payment_event.amount_cents, upper(apply_payment_event.currency),
    apply_payment_event.provider_fee_cents, verdict
  )
  on conflict on constraint payment_events_pkey do nothing;
  if not found then
    return jsonb_build_object('outcome', 'duplicate', 'undelivered', private.is_undelivered(ordered.id));
  end if;
  if verdict = 'applied' then
    if apply_payment_event.payment_id is not null then
      update private.orders o set payment_id = apply_payment_event.payment_id where o.id = ordered.id and o.payment_id is null;
    end if;
    perform private.settle_order(ordered.id, apply_payment_event.provider, apply_payment_event.event_id);
  end if;
  return jsonb_build_object('outcome', verdict, 'undelivered', private.is_undelivered(ordered.id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.apply_report (
  user_id  uuid,
  agent_id uuid,
  key_id   uuid,
  lease    public.api_key_usage_log,
  report   private.key_report
)
  RETURNS public.api_key_usage_log
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  -- The keys that the report may change: the key, or all keys of its account, which share its limits.
  key_ids uuid[];
  health public.api_key_health;
  limited public.api_key_model_health;
  key public.user_api_keys;
  at timestamptz;
  key_state private.key_state;
  model_state private.key_state;
  after private.key_state;
  -- The keys of this pool and provider that other reports have just disabled.
  disabled_ids uuid[];
  about_model constant text := case when report.scope = 'model' or report.rule = 'success' then report.model end;
  log public.api_key_usage_log;
begin
  key_ids := private.lock_for_report(
    apply_report.user_id,
    apply_report.key_id,
    case
      -- Only a failure can block or disable a key. A report that inserts a new log row locks the key as well: the insert happens
      -- before the key's deletion or not at all.
      when report.rule in ('success', 'ignore') and lease.id is not null then 'health'
      when report.rule = 'escalate' or report.scope = 'account' then 'account'
      else 'key'
    end,
    about_model
  );
  -- Read after locking: an edit that resets or disables a key writes both rows, so that either all of the edit is visible here or
  -- nothing.
  select k.* into key from public.user_api_keys k where k.id = apply_report.key_id and k.user_id = apply_report.user_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'lease_not_found';
  end if;
  select h.* into health from public.api_key_health h where h.user_api_key_id = key.id;
  select m.* into limited from public.api_key_model_health m where m.user_api_key_id = key.id and m.model = about_model;
  if cardinality(key_ids) > 1 then
    -- The keys of an account share one count: a success of any of them has ended the outage.
    select min(h.consecutive_failures) into health.consecutive_failures
    from public.api_key_health h
    where h.user_api_key_id = any (key_ids);
    select min(m.consecutive_failures) into limited.consecutive_failures
    from public.api_key_model_health m
    where m.user_api_key_id = any (key_ids) and m.model = about_model;
  end if;

  at := clock_timestamp();
  report.issued_at := coalesce(lease.issued_at, at);
  report.key_generation := lease.key_generation;
  report.cause := report.outcome;
  key_state := row(
    key.is_active, key.unusable_reason is null, key.generation, health.blocked_until, health.rate_blocked_until,
    health.consecutive_failures, health.last_failure_at, health.recent_server_errors, health.reason, health.reason_code,
    health.reason_since, null, null, null, null
  );
  model_state := row(
    key.is_active, key.unusable_reason is null,
    -- If the lease was issued before an operator's reset of the model, a huge generation makes the report stale.
    case when report.issued_at < limited.reset_at then 2147483647 else key.generation end,
    limited.blocked_until, limited.rate_blocked_until, coalesce(limited.consecutive_failures, 0), limited.last_failure_at,
    health.recent_server_errors, limited.reason, limited.reason_code, limited.reason_since, null, null, null, null
  );
  after := private.next_state(case report.scope when 'model' then model_state else key_state end, report, at);

  if after.effect = 'disabled' and report.breaker_most is not null then
    -- Two keys that die within a minute may really be dead; a third one more probably means that a network refuses all of them.
    disabled_ids := private.recently_disabled_keys(apply_report.user_id, key.provider, report.breaker_window_seconds);
    at := clock_timestamp();
    if cardinality(disabled_ids) >= report.breaker_most then
      report.rule := 'cool';
      report.cause := 'many_at_once';
    end if;
    after := private.next_state(key_state, report, at);
  elsif report.rule = 'success' and limited.model is not null then
    -- A success ends the outage of its model, too.
    model_state := private.next_state(model_state, report, at);
    update public.api_key_model_health m
    set consecutive_failures = 0, last_reported_at = at
    where m.user_api_key_id = key.id and m.model = about_model and model_state.effect = 'recovered';
    if after.effect = 'none' then
      after.effect := model_state.effect;
    end if;
  end if;

  update public.api_key_usage_log l
  set (
    reported_at, outcome, error_code, effect, state_before, state_after, blocked_until, consecutive_failures, hint, model, scope, dead
  ) = row(
    at, report.outcome, report.error_code, after.effect, after.state_before, after.state_after,
    case when after.blocked_until > at then after.blocked_until end, after.consecutive_failures, after.hint,
    report.model, report.scope, report.dead
  )
  where l.id = lease.id
    -- The lease is not reported yet. With this condition the plan cannot use the index of all open leases, which looks cheaper
    -- than the primary key while there are few of them.
    and l.outcome is null
  returning l.* into log;
  if not found then
    -- The lease was reported, released or pruned meanwhile: the caller must read it again.
    if lease.id is not null then
      raise exception using errcode = 'lock_not_available', message = 'lock_conflict';
    end if;
    insert into public.api_key_usage_log (
      user_api_key_id, user_id, agent_id, key_generation, reported_at, outcome, error_code, effect, state_before,
      state_after, blocked_until, consecutive_failures, hint, model, scope, dead
    )
    values (
      key.id, apply_report.user_id, apply_report.agent_id, key.generation, at, report.outcome, report.error_code,
      after.effect, after.state_before, after.state_after,
      case when after.blocked_until > at then after.blocked_until end, after.consecutive_failures, after.hint,
      report.model, report.scope, report.dead
    )
    returning * into log;
  end if;

  if after.effect = 'disabled' then
    update public.user_api_keys k set is_active = false where k.id = key.id;
    update private.api_key_breakers b
    set key_ids = disabled_ids || key.id
    -- Keys that serve any provider are counted as a group of their own.
    where b.user_id = apply_report.user_id and b.provider = coalesce(key.provider, '') and disabled_ids is not null;
    perform private.alert_once(
      apply_report.user_id, key.provider, 'key_disabled', key.id, jsonb_build_object('error_code', report.error_code), 0
    );
  end if;
  if report.scope = 'model' then
    if after.effect = 'cooled' then
      insert into public.api_key_model_health (user_api_key_id, model)
      select id, about_model from unnest(key_ids) id
      on conflict do nothing;
      update public.api_key_model_health m
      set blocked_until = after.blocked_until,
        rate_blocked_until = after.rate_blocked_until,
        consecutive_failures = after.consecutive_failures,
        last_failure_at = after.last_failure_at,
        reason = after.reason,
        reason_code = after.reason_code,
        reason_since = case when m.blocked_until > at and m.user_api_key_id <> key.id then m.reason_since else after.reason_since end,
        caused_by_log_id = log.id,
        last_reported_at = at
      where m.model = about_model
        and m.user_api_key_id = any (key_ids)
        -- Another key of the account keeps a block that is longer.
        and (m.user_api_key_id = key.id or m.blocked_until is null or m.blocked_until < after.blocked_until);
    end if;
    -- A report on a model changes only the recent server errors of the key itself.
    key_state.recent_server_errors := after.recent_server_errors;
    after := key_state;
  end if;
  -- A trigger of this table copies the block to the key's row, which leases read (11_api_key_health.sql).
  update public.api_key_health h
  set blocked_until = after.blocked_until,
    rate_blocked_until = after.rate_blocked_until,
    consecutive_failures = after.consecutive_failures,
    recent_server_errors = after.recent_server_errors,
    last_failure_at = after.last_failure_at,
    reason = after.reason,
    reason_code = after.reason_code,
    reason_since = case when h.blocked_until > at and h.user_api_key_id <> key.id then h.reason_since else after.reason_since end,
    reason_log_id = case when after.effect in ('cooled', 'disabled') then log.id else h.reason_log_id end,
    last_reported_at = at,
    last_outcome = report.outcome,
    last_error_code = report.error_code,
    last_effect = log.effect
  where h.user_api_key_id = key.id
    or after.effect = 'cooled'
      and h.user_api_key_id = any (key_ids)
      and (h.blocked_until is null or h.blocked_until < after.blocked_until);
  if report.cause = 'many_at_once' then
    perform private.alert_once(
      apply_report.user_id,
      key.provider,
      report.cause,
      key.id,
      jsonb_build_object('error_code', report.error_code, 'disabled_key_ids', disabled_ids),
      report.breaker_quiet_seconds
    );
  end if;
  return log;
end;
$function$;

CREATE OR REPLACE FUNCTION private.as_one_line (
  value text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select private.clean(private.remove_invisible(regexp_replace(as_one_line.value, '[\t\n\r\u0085\u2028\u2029]+', ' ', 'g')));
$function$;

CREATE OR REPLACE FUNCTION private.asset_card (
  asset public.hub_assets
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'id', (asset_card.asset).id,
    'slug', (asset_card.asset).slug,
    'asset_type', (asset_card.asset).asset_type,
    'title', (asset_card.asset).title,
    'description', (asset_card.asset).description,
    'tags', (asset_card.asset).tags,
    'thumbnail_url', (asset_card.asset).thumbnail_url,
    'picture', (asset_card.asset).picture,
    'license', (asset_card.asset).license,
    'price_cents', (asset_card.asset).price_cents,
    'currency', (asset_card.asset).currency,
    'creator', private.creator((asset_card.asset).creator_id),
    'install_count', (asset_card.asset).install_count,
    'star_count', (asset_card.asset).star_count,
    'published_at', coalesce((asset_card.asset).published_at, (asset_card.asset).shared_at),
    'content_updated_at', (asset_card.asset).content_updated_at,
    'remix_depth', (asset_card.asset).remix_depth
  );
$function$;

CREATE OR REPLACE FUNCTION private.asset_cards (
  asset_ids       uuid[],
  organization_id uuid   DEFAULT NULL::uuid
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
begin
  return (
    with listings as materialized (
      select a.id, a.slug, a.asset_type, a.title, a.description, a.tags, a.thumbnail_url, a.picture, a.license, a.price_cents, a.currency,
        a.creator_id, a.install_count, a.star_count, coalesce(a.published_at, a.shared_at) as published_at, a.content_updated_at,
        a.remix_depth, w.place
      from unnest(asset_cards.asset_ids) with ordinality w (id, place)
      join public.hub_assets a on a.id = w.id
      where case when asset_cards.organization_id is null then a.is_visible else a.is_shared and a.organization_id = asset_cards.organization_id end
    )
    select coalesce(json_agg(row_to_json(r) order by a.place), '[]')
    from listings a
    left join private.creators(array(select l.creator_id from listings l where l.creator_id is not null)) c on c.user_id = a.creator_id
    cross join lateral (
      select a.id, a.slug, a.asset_type, a.title, a.description, a.tags, a.thumbnail_url, a.picture, a.license, a.price_cents, a.currency,
        c.card as creator,
        a.install_count, a.star_count, a.published_at, a.content_updated_at, a.remix_depth
    ) r
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.asset_for_admin (
  asset_id   uuid,
  with_stars boolean DEFAULT false
)
  RETURNS public.hub_assets
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset public.hub_assets;
begin
  perform private.require_admin();
  -- Resolved reports refer to the admin's account, which comes first in the lock order.
  perform from auth.users u where u.id = (select auth.uid()) for key share;
  if asset_for_admin.with_stars then
    select a.* into asset from public.hub_assets a where a.id = asset_for_admin.asset_id;
    perform private.lock_source(asset.asset_type, asset.ref_id, asset.creator_id);
    perform private.lock_with_stars(asset.id);
  end if;
  select a.* into asset
  from public.hub_assets a
  where a.id = asset_for_admin.asset_id and a.deleted_at is null
  for no key update;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return asset;
end;
$function$;

CREATE OR REPLACE FUNCTION private.asset_types()
  RETURNS text[]
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select '{orchestration,template,component,ai_preset}'::text[];
$function$;

CREATE OR REPLACE FUNCTION private.ban_creator (
  user_id     uuid,
  reason      text,
  public_note text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.require_admin();
  if char_length(ban_creator.reason) > 1000 then
    perform private.refuse_faults(private.fault('reason', 'too_big', 'must be at most 1000 characters'));
  end if;
  perform private.set_audit_note(null, ban_creator.public_note);
  perform from auth.users u where u.id = (select auth.uid()) for key share;
  perform from auth.users u where u.id = ban_creator.user_id for key share;
  if not found then
    raise exception using errcode = 'PT404', message = 'user_not_found';
  end if;
  insert into private.hub_bans (user_id, reason, banned_by)
  values (ban_creator.user_id, private.clean(ban_creator.reason), (select auth.uid()))
  on conflict do nothing;
  perform private.set_audit_note(null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.begin_checkout (
  user_id      uuid,
  listing      text,
  provider     text,
  hourly_limit integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset public.hub_assets;
  seller public.hub_payout_accounts;
  ordered private.orders;
  bps integer;
begin
  perform private.begin_write(begin_checkout.user_id);
  select a.* into asset from public.hub_assets a where a.id = private.find_asset(begin_checkout.listing) and a.is_visible;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if asset.creator_id = begin_checkout.user_id then
    raise exception using errcode = 'PT422', message = 'own_asset';
  end if;
  select p.* into seller
  from public.hub_payout_accounts p
  where p.user_id = asset.creator_id and p.provider = begin_checkout.provider and p.charges_enabled;
  if asset.license <> 'paid' or not found then
    raise exception using errcode = 'PT409', message = 'not_for_sale';
  end if;
  if exists (
    select from public.hub_purchases p
    where p.user_id = begin_checkout.user_id and p.asset_id = asset.id and p.revoked_at is null
  ) then
    raise exception using errcode = 'PT409', message = 'already_purchased';
  end if;
  select case when p.verified_at is null then s.fee_bps else s.verified_fee_bps end into bps
  from public.hub_settings s
  left join public.hub_profiles p on p.user_id = asset.creator_id;

  select o.* into ordered
  from private.orders o
  where o.buyer_id = begin_checkout.user_id and o.asset_id = asset.id and o.state = 'open';
  if found and (
    (ordered.price_cents, ordered.currency, ordered.fee_bps, ordered.provider, ordered.account_id)
      <> (asset.price_cents, asset.currency, bps, seller.provider, seller.account_id)
    -- The payment page of the order is about to close, or was never made.
    or ordered.expires_at < clock_timestamp() + case when ordered.checkout_id is null then interval '50 minutes' else interval '2 minutes' end
  ) then
    perform private.apply_payment_event('keyhub', 'replaced:' || ordered.id, 'expired', ordered.id, 'checkout');
    ordered := null;
  end if;
  if ordered.id is null then
    perform private.limit_calls(begin_checkout.user_id, 'checkouts', begin_checkout.hourly_limit);
    insert into private.orders (
      buyer_id, creator_id, asset_id, title, provider, account_id, price_cents, currency, fee_bps, fee_cents
    )
    values (
      begin_checkout.user_id, asset.creator_id, asset.id, asset.title, seller.provider, seller.account_id, asset.price_cents,
      asset.currency, bps, (asset.price_cents::bigint * bps + 5000) / 10000
    )
    returning * into ordered;
  end if;
  return jsonb_build_object(
    'order_id', ordered.id, 'title', ordered.title, 'price_cents', ordered.price_cents, 'currency', ordered.currency,
    'fee_cents', ordered.fee_cents, 'account_id', ordered.account_id, 'product_id', asset.payment_product_id,
    'expires_at', ordered.expires_at, 'checkout_url', ordered.checkout_url
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.begin_onboarding (
  user_id    uuid,
  provider   text,
  account_id text
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  held text;
begin
  perform private.begin_write(begin_onboarding.user_id);
  if begin_onboarding.account_id is not null then
    insert into public.hub_payout_accounts as a (user_id, provider, account_id)
    values (begin_onboarding.user_id, begin_onboarding.provider, begin_onboarding.account_id)
    -- The stored account is of another provider: the hub has changed its provider since.
    on conflict on constraint hub_payout_accounts_pkey do update
    set provider = excluded.provider, account_id = excluded.account_id, charges_enabled = false, reported_at = null
    where a.provider <> excluded.provider;
  end if;
  select a.account_id into held
  from public.hub_payout_accounts a
  where a.user_id = begin_onboarding.user_id and a.provider = begin_onboarding.provider;
  return held;
end;
$function$;

CREATE OR REPLACE FUNCTION private.begin_organization_write (
  organization_id uuid DEFAULT NULL::uuid
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  held text;
begin
  if caller is null or not private.is_member() then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
  perform private.begin_write(caller);
  if begin_organization_write.organization_id is null then
    return null;
  end if;
  perform private.lock_organization(begin_organization_write.organization_id);
  select m.role into held
  from public.organization_members m
  where m.organization_id = begin_organization_write.organization_id and m.user_id = caller;
  if held is null then
    raise exception using errcode = 'PT404', message = 'organization_not_found';
  end if;
  return held;
end;
$function$;

CREATE OR REPLACE FUNCTION private.begin_preview (
  user_id      uuid,
  hourly_limit integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.begin_write(begin_preview.user_id);
  -- A preview is counted before any work is done.
  perform private.limit_calls(begin_preview.user_id, 'previews', begin_preview.hourly_limit);
end;
$function$;

CREATE OR REPLACE FUNCTION private.begin_refund (
  order_id     uuid,
  amount_cents integer,
  reason       text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  ordered private.orders;
  refunded integer;
begin
  -- Only admins and operators may learn whether an order exists.
  if not (private.is_admin() or private.is_operator()) then
    raise exception using errcode = 'PT404', message = 'order_not_found';
  end if;
  if private.clean(begin_refund.reason) is null then
    perform private.refuse_faults(private.fault('reason', 'required', 'is required'));
  end if;
  select o.* into ordered from private.orders o where o.id = begin_refund.order_id for no key update;
  if not found then
    raise exception using errcode = 'PT404', message = 'order_not_found';
  end if;
  select j.refunded_cents into refunded from private.judge_order(ordered.id) j;
  if ordered.state not in ('paid', 'refunded') or ordered.payment_id is null or refunded >= ordered.price_cents then
    raise exception using errcode = 'PT409', message = 'not_refundable';
  end if;
  if (coalesce(begin_refund.amount_cents, ordered.price_cents - refunded) between 1 and ordered.price_cents - refunded) is not true then
    perform private.refuse_faults(private.fault(
      'amount_cents', 'invalid_value', 'must be 1 to ' || (ordered.price_cents - refunded) || ', what is left of the payment'
    ));
  end if;
  perform private.set_audit_note(begin_refund.reason);
  perform private.log_event(
    'refund_requested', ordered.asset_id, ordered.creator_id,
    details => jsonb_build_object('order_id', ordered.id, 'amount_cents', coalesce(begin_refund.amount_cents, ordered.price_cents - refunded))
  );
  return jsonb_build_object(
    'order_id', ordered.id, 'payment_id', ordered.payment_id, 'price_cents', ordered.price_cents, 'currency', ordered.currency,
    'amount_cents', coalesce(begin_refund.amount_cents, ordered.price_cents - refunded)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.begin_write (
  user_id      uuid,
  allow_banned boolean DEFAULT false
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The lock of the profile serializes the writes of a user, and serializes each write with a ban of that user.
  loop
    perform from public.hub_profiles p where p.user_id = begin_write.user_id for no key update;
    exit when found;
    if not exists (select from auth.users u where u.id = begin_write.user_id) then
      -- auth.uid() is null when an edge function writes for a user. The user's token was still valid then, but the account is
      -- deleted.
      if (select auth.uid()) is null then
        raise exception using errcode = 'PT401', message = 'invalid_credential';
      end if;
      raise exception using errcode = '42501', message = 'permission denied';
    end if;
    -- A user without a profile gets one on the first write.
    perform private.make_profile(begin_write.user_id, null);
  end loop;
  -- Lock order: the deletion of an account locks this row first and the profile later, so this lock must not wait. It is taken
  -- after the profile's lock: if writers held it while they wait for the profile, two of them could block the deletion by taking
  -- turns.
  perform from auth.users u where u.id = begin_write.user_id for key share skip locked;
  if not found then
    raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "the account is being deleted"}';
  end if;
  if begin_write.allow_banned then
    return;
  end if;
  if private.is_banned(begin_write.user_id) then
    raise exception using errcode = 'PT403', message = 'banned';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.categories()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(private.snapshot('categories', '30 minutes'), private.estimate_categories(5000));
$function$;

CREATE OR REPLACE FUNCTION private.check_importable (
  user_id  uuid,
  asset_id uuid,
  version  integer,
  sha256   text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  source public.hub_assets;
  content public.hub_asset_versions;
  has_content boolean;
begin
  select a.* into source from public.hub_assets a where a.id = check_importable.asset_id;
  select v.* into content
  from public.hub_asset_versions v
  where v.asset_id = source.id and v.version = check_importable.version and v.sha256 = check_importable.sha256;
  select source.id in (select private.paid_content(check_importable.user_id)) into has_content;
  if content.version is null or (
    (source.deleted_at is null and source.creator_id = check_importable.user_id)
    or (content.license = 'paid' and has_content)
    or private.is_seen_by(source, check_importable.user_id)
      and (content.organization_id is null or private.is_member_of(check_importable.user_id, content.organization_id))
  ) is not true then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if content.license = 'paid' and not has_content then
    raise exception using errcode = 'PT403', message = 'purchase_required';
  end if;
  if content.yanked_at is not null then
    raise exception using errcode = 'PT409', message = 'version_yanked';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_key_settings()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  new.settings := coalesce(new.settings, '{}');
  if jsonb_typeof(new.settings) <> 'object'
    or new.settings - array['base_url', 'organization', 'project'] <> '{}'
    or exists (
      select
      from jsonb_each(new.settings) s
      where jsonb_typeof(s.value) <> 'string'
        or private.looks_secret(s.value #>> '{}')
        or char_length(s.value #>> '{}') > case s.key when 'base_url' then 2048 else 200 end
        or s.value #>> '{}' !~ case s.key
          -- No user info, no query, no fragment.
          when 'base_url' then '^https://[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?(/[A-Za-z0-9._~%:@!$&''()*+,;=/-]*)?$'
          else '^[^[:space:][:cntrl:]]([^[:cntrl:]]*[^[:space:][:cntrl:]])?$'
        end
    )
  then
    -- The settings may contain a secret, so the message does not repeat them.
    raise exception using
      errcode = 'PT422',
      message = 'settings may hold base_url (https, without user info, query or fragment), organization and project (at most 200 characters each), and nothing secret',
      detail = '{"code": "settings_not_valid"}';
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_offer (
  user_id     uuid,
  license     text,
  price_cents integer,
  currency    text,
  teaser      text
)
  RETURNS private.offer
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  faults jsonb := '[]';
  shown constant text := private.clean(check_offer.teaser);
  own constant text := (select s.currency from public.hub_settings s);
  account public.hub_payout_accounts;
begin
  if check_offer.license <> 'paid' then
    return row(0, null, null, null)::private.offer;
  end if;
  if (check_offer.price_cents between 100 and 100000) is not true then
    faults := faults || private.fault('price_cents', 'invalid_value', 'must be 100 to 100000');
  end if;
  if coalesce(check_offer.currency, own) <> own then
    faults := faults || private.fault('currency', 'invalid_value', 'must be ' || own);
  end if;
  if shown is null then
    faults := faults || private.fault('teaser', 'required', 'is required');
  elsif char_length(shown) > 2000 then
    faults := faults || private.fault('teaser', 'too_big', 'must be at most 2000 characters');
  elsif private.has_invisible_characters(shown) then
    faults := faults || private.fault('teaser', 'invalid_text', 'must be without invisible characters');
  end if;
  perform private.refuse_faults(faults);
  select a.* into account from public.hub_payout_accounts a where a.user_id = check_offer.user_id and a.charges_enabled;
  if not found then
    raise exception using errcode = 'PT422', message = 'payout_account_required';
  end if;
  return row(check_offer.price_cents, own, shown, account.provider)::private.offer;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_version_notes (
  INOUT label text,
  INOUT changelog text
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.clean (
  value text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- A text of joiners and variation selectors alone counts as empty.
  return case
    when clean.value ~ ('[^\s\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\u200c\u200d\ufe0e\ufe0f' || private.invisible_characters() || ']')
    then btrim(clean.value, E' \t\n\r\f\u000b\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000')
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.clear_audit_note()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- After upholding reports, the RPC hides the asset and logs this with the same note, so the note stays until then.
  if tg_table_name = 'hub_reports' then
    if exists (select from changed c where c.outcome = 'upheld') then
      return null;
    end if;
  end if;
  perform set_config('keyhub.note', '', true);
  perform set_config('keyhub.public_note', '', true);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.close_appeals()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_table_name = 'hub_bans' then
    if not exists (select from auth.users u where u.id = old.user_id) then
      -- The account is being deleted: its appeals go with it.
      return null;
    end if;
    update public.hub_appeals p set state = 'accepted' where p.user_id = old.user_id and p.asset_id is null and p.state = 'open';
  elsif new.is_hidden then
    -- The listing is removed for good. This is a new decision, with its own appeal.
    update public.hub_appeals p set state = 'rejected' where p.asset_id = new.id and p.state = 'open';
  else
    update public.hub_appeals p set state = 'accepted' where p.asset_id = new.id and p.state = 'open';
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.close_links (
  organization_id uuid,
  user_id         uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update private.organization_invitations i
  set revoked_at = clock_timestamp()
  where i.organization_id = close_links.organization_id and i.revoked_at is null
    -- An invitation for the address of somebody else is not revoked, because it does not let this user in.
    and (
      i.email_hash is null or i.invited_by = close_links.user_id
      or exists (select from auth.users u where u.id = close_links.user_id and private.email_hash(i.id, u.email::text) = i.email_hash)
    );
end;
$function$;

CREATE OR REPLACE FUNCTION private.close_reports (
  asset_ids uuid[],
  outcome   text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.lock_reports(close_reports.asset_ids, null);
  update public.hub_reports r
  set resolved = true, outcome = close_reports.outcome, note = nullif(current_setting('keyhub.note', true), '')
  where r.asset_id = any (close_reports.asset_ids) and not r.resolved;
end;
$function$;

CREATE OR REPLACE FUNCTION private.compare_creators()
  RETURNS TABLE (
    user_id uuid,
    counter text,
    stored  integer,
    counted integer
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with held as (
    select a.creator_id as user_id, count(*) as listings, sum(a.install_count) as installs, sum(a.star_count) as stars
    from public.hub_assets a
    where a.is_visible and a.creator_id is not null
    group by a.creator_id
  )
  select coalesce(h.user_id, c.user_id), v.counter, coalesce(v.stored, 0)::integer, coalesce(v.counted, 0)::integer
  from held h
  full join private.hub_creators c on c.user_id = h.user_id
  cross join lateral (
    values
      ('creator_listings', c.published_assets::bigint, h.listings),
      ('creator_installs', c.total_installs, h.installs::bigint),
      ('creator_stars', c.total_stars, h.stars::bigint)
  ) v (counter, stored, counted);
$function$;

CREATE OR REPLACE FUNCTION private.compare_usage()
  RETURNS TABLE (
    user_id uuid,
    counter text,
    stored  integer,
    counted integer
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with held as (
    select s.user_id, count(*)::integer as rows, (sum(private.source_bytes(s.source))::bigint / 1024)::integer as kilobytes
    from private.all_sources() s
    group by s.user_id
  )
  select coalesce(h.user_id, u.user_id), c.counter, coalesce(c.stored, 0), coalesce(c.counted, 0)
  from held h
  full join private.workspace_usage u on u.user_id = h.user_id
  cross join lateral (
    values
      ('workspace_rows', u.row_count, h.rows),
      ('workspace_kilobytes', (u.byte_count / 1024)::integer, h.kilobytes)
  ) c (counter, stored, counted);
$function$;

CREATE OR REPLACE FUNCTION private.content_of (
  asset_type text,
  source     jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  columns text[];
  -- The columns that are left out when they are null, as in a payload.
  optional constant text[] := '{extra,source_format,source_text}';
begin
  if content_of.asset_type = 'template' then
    columns := '{description,content,variables}';
  elsif content_of.asset_type = 'component' then
    columns := '{description,source,props_schema}';
  elsif content_of.asset_type = 'orchestration' then
    columns := '{nodes,edges,stage_configs}';
  elsif content_of.asset_type = 'ai_preset' then
    columns := '{model_id,temperature,top_p,top_k,max_output_tokens,thinking_level,thinking_budget,generate_content_api}';
  else
    perform private.refuse_asset_type(content_of.asset_type);
  end if;
  return (
    select jsonb_object_agg(c.name, content_of.source -> c.name)
    from unnest(columns || optional) c (name)
    where not (c.name = any (optional) and coalesce(content_of.source -> c.name, 'null') = 'null')
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.content_sha256 (
  asset_type text,
  source     jsonb
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select encode(sha256(convert_to(private.content_of(content_sha256.asset_type, content_sha256.source)::text, 'UTF8')), 'hex');
$function$;

CREATE OR REPLACE FUNCTION private.copy_block_to_key()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  -- At trigger depth 1 somebody edited this very row; at a greater depth, an edit of the key has already raised the generation.
  reset constant boolean := new.blocked_until is null
    and new.last_reported_at is not distinct from old.last_reported_at
    and pg_trigger_depth() = 1;
  live constant timestamptz := case
    -- A block that an operator moves into the past ends at once. A report copies the end of its block as it is, even when it has
    -- passed, because clearing it would lock the tier of the key.
    when new.blocked_until > clock_timestamp() or new.last_reported_at is distinct from old.last_reported_at
    then new.blocked_until
  end;
begin
  update public.user_api_keys k
  set cooling_until = live, generation = k.generation + reset::integer
  where k.id = new.user_api_key_id
    and (reset or k.cooling_until is distinct from live);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.copy_model_block_to_key()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  edited constant public.api_key_model_health := case tg_op when 'DELETE' then old else new end;
  ends timestamptz := case when tg_op <> 'DELETE' then new.blocked_until end;
  at timestamptz;
  key public.user_api_keys;
  before timestamptz;
begin
  if tg_op = 'UPDATE' and old.blocked_until is not distinct from new.blocked_until then
    return null;
  end if;
  select k.* into key from public.user_api_keys k where k.id = edited.user_api_key_id for no key update;
  at := clock_timestamp();
  before := key.limited_until[array_position(key.limited_models, edited.model)];
  -- A block that is reset ends now; the next lease for the model finds it expired and levels the key.
  ends := coalesce(ends, least(before, at));
  update public.user_api_keys k
  set (limited_models, limited_until) = (
    select array_agg(l.model), array_agg(l.until)
    from (
      select o.model, o.until
      from unnest(key.limited_models, key.limited_until) o (model, until)
      -- When 200 models are listed, drops the expired blocks of other models, because nobody may ask for those models again.
      where o.model <> edited.model and (o.until > at or cardinality(key.limited_models) < 200)
      union all
      select edited.model, ends where ends > at or before is not null
    ) l
  )
  where k.id = key.id and (ends > at or before is not null);
  if ends < before then
    update private.api_key_tiers t set model_marks = '{}' where t.user_id = key.user_id and t.priority = key.priority;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.copy_rows (
  user_id  uuid,
  rows     jsonb,
  asset_id uuid,
  version  integer,
  sha256   text,
  mode     text,
  pinned   boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  source public.hub_assets;
  created jsonb;
begin
  if copy_rows.asset_id is not null then
    select a.* into source from public.hub_assets a where a.id = copy_rows.asset_id;
  end if;
  perform private.lock_origins(copy_rows.asset_id, copy_rows.rows);
  created := private.insert_copies(
    copy_rows.user_id, copy_rows.rows, copy_rows.rows #>> '{0,id}', source, copy_rows.mode,
    case when copy_rows.pinned then copy_rows.version end
  );
  if copy_rows.asset_id is null then
    return created;
  end if;
  -- This insert comes last, because counting locks the listing: concurrent imports of the same listing wait here, and only until
  -- the commit.
  insert into public.hub_imports (asset_id, user_id, version, mode, created)
  select source.id, copy_rows.user_id, copy_rows.version, copy_rows.mode, created where source.id is not null;
  perform private.check_importable(copy_rows.user_id, copy_rows.asset_id, copy_rows.version, copy_rows.sha256);
  return created;
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_categories()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Only visible listings have documents.
  select jsonb_agg(jsonb_build_object('tag', t.tag, 'kind', t.kind, 'count', c.listings) order by t.place)
  from private.suggested_tags() t
  cross join lateral (
    select count(*) as listings
    from private.hub_documents d
    where d.document @@ ('''=tag:' || t.tag || '''')::tsquery
  ) c;
$function$;

CREATE OR REPLACE FUNCTION private.count_creators()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    perform private.add_to_creators(array(
      select row(n.creator_id, 1, n.install_count, n.star_count)::private.creator_change from added n where n.is_visible
    ));
  elsif tg_op = 'DELETE' then
    perform private.add_to_creators(array(
      select row(o.creator_id, -1, -o.install_count, -o.star_count)::private.creator_change from removed o where o.is_visible
    ));
  else
    perform private.add_to_creators(array(
      select row(n.creator_id, 1, n.install_count, n.star_count)::private.creator_change from added n where n.is_visible
      union all
      select row(o.creator_id, -1, -o.install_count, -o.star_count)::private.creator_change from removed o where o.is_visible
    ));
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_installs()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  started constant timestamptz := clock_timestamp();
  locked bigint;
begin
  if tg_op = 'INSERT' then
    -- The import that counts is chosen under the lock of the asset.
    perform from public.hub_assets a where a.id in (select n.asset_id from added n) order by a.id for no key update;
    with first as (
      select distinct on (n.asset_id, n.user_id) n.id, n.asset_id
      from added n
      join public.hub_assets a on a.id = n.asset_id
      -- The creator's own import is not counted.
      where n.user_id is distinct from a.creator_id
        and not exists (
          select from public.hub_imports i
          where i.asset_id = n.asset_id and i.user_id = n.user_id and i.counts
        )
      order by n.asset_id, n.user_id, n.id
    ),
    counted as (
      update public.hub_imports i set counts = true from first f where i.id = f.id
    )
    update public.hub_assets a
    set install_count = a.install_count + c.users
    from (select f.asset_id, count(*)::integer as users from first f group by f.asset_id) c
    where a.id = c.asset_id;
  else
    -- A counted row was deleted. Another row of the same user takes its place, so all rows of that user are locked. A concurrent
    -- delete holds such a row and then waits for the asset; this loop therefore does not wait for rows while it holds the lock of
    -- the asset: on a lock conflict it releases all locks and takes them again.
    loop
      begin
        perform from public.hub_assets a where a.id in (select o.asset_id from removed o) order by a.id for no key update;
        select count(*) into locked from (
          select from public.hub_imports i
          where (i.asset_id, i.user_id) in (select o.asset_id, o.user_id from removed o where o.counts)
          for no key update skip locked
        ) h;
        exit when locked = (
          select count(*) from public.hub_imports i
          where (i.asset_id, i.user_id) in (select o.asset_id, o.user_id from removed o where o.counts)
        );
        raise exception using errcode = 'KH001', message = 'lock_conflict';
      exception
        when sqlstate 'KH001' then
          if clock_timestamp() > started + interval '5 seconds' then
            raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "lock conflict on an import, retries exhausted"}';
          end if;
          perform pg_sleep(0.01);
      end;
    end loop;
    -- A user with other imports of the asset is still counted, by the oldest of them.
    with lost as (
      select o.asset_id, o.user_id from removed o where o.counts
    ),
    oldest as (
      select distinct on (i.asset_id, i.user_id) i.id
      from lost l
      join public.hub_imports i on i.asset_id = l.asset_id and i.user_id = l.user_id
      order by i.asset_id, i.user_id, i.created_at, i.id
    ),
    heirs as (
      update public.hub_imports i set counts = true from oldest o where i.id = o.id
      returning i.asset_id, i.user_id
    )
    update public.hub_assets a
    set install_count = a.install_count - g.users
    from (
      select l.asset_id, count(*)::integer as users
      from lost l
      -- Another import of the same user counts instead of the deleted one.
      where not exists (select from heirs h where h.asset_id = l.asset_id and h.user_id = l.user_id)
      group by l.asset_id
    ) g
    where a.id = g.asset_id;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_reports()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  threshold constant integer := 5;
  reached uuid[];
begin
  if tg_op = 'INSERT' then
    -- The asset is locked before its moderation row.
    perform from public.hub_assets a where a.id in (select n.asset_id from added n) order by a.id for no key update;
    -- Re-check under the lock: the asset may have become invisible after row level security was checked.
    if exists (select from added n join public.hub_assets a on a.id = n.asset_id where not private.is_seen_by(a, n.reporter_id)) then
      raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "hub_reports"';
    end if;
    if exists (
      select from public.hub_reports r
      join public.hub_assets a on a.id = r.asset_id and a.deleted_at is null
      where r.reporter_id in (select n.reporter_id from added n) and not r.resolved
      group by r.reporter_id
      having count(*) > 20
    ) then
      raise exception using errcode = 'PT409', message = 'too_many_open_reports';
    end if;
    with moved as (
      update private.hub_moderation m
      set open_reports = m.open_reports + d.open, counting_reports = m.counting_reports + d.counting
      from (
        select n.asset_id, count(*)::integer as open, count(*) filter (where n.counts)::integer as counting
        from added n
        group by n.asset_id
      ) d
      where m.asset_id = d.asset_id
      returning m.asset_id, m.counting_reports
    )
    select array_agg(m.asset_id) into reached from moved m where m.counting_reports >= threshold;
    update public.hub_assets a
    -- An organization decides itself about the listings on its shelf.
    set is_hidden = true, hidden_reason = case when a.is_shared then 'organization_reports' else 'reports' end
    where a.id = any (reached) and not a.is_hidden;
    return null;
  end if;

  perform from private.hub_moderation m where m.asset_id in (select o.asset_id from removed o) order by m.asset_id for no key update;
  if tg_op = 'UPDATE' then
    update private.hub_moderation m
    set open_reports = m.open_reports - d.open, counting_reports = m.counting_reports - d.counting
    from (
      select
        o.asset_id,
        count(*) filter (where n.resolved)::integer as open,
        count(*) filter (where o.counts and (n.resolved or not n.counts))::integer as counting
      from removed o
      join added n on n.id = o.id
      where not o.resolved
      group by o.asset_id
    ) d
    where m.asset_id = d.asset_id and (d.open <> 0 or d.counting <> 0);
  else
    update private.hub_moderation m
    set open_reports = m.open_reports - d.open, counting_reports = m.counting_reports - d.counting
    from (
      select o.asset_id, count(*)::integer as open, count(*) filter (where o.counts)::integer as counting
      from removed o
      where not o.resolved
      group by o.asset_id
    ) d
    where m.asset_id = d.asset_id;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_source_usage()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    perform private.count_usage(
      array_agg(n.user_id), array_agg(1), array_agg(private.source_bytes(to_jsonb(n)))
    ) from after_rows n;
  elsif tg_op = 'DELETE' then
    perform private.count_usage(
      array_agg(o.user_id), array_agg(-1), array_agg(-private.source_bytes(to_jsonb(o)))
    ) from before_rows o;
  else
    perform private.count_usage(array_agg(c.user_id), array_agg(c.rows), array_agg(c.bytes))
    from (
      select n.user_id, 1 as rows, private.source_bytes(to_jsonb(n)) as bytes from after_rows n
      union all
      select o.user_id, -1, -private.source_bytes(to_jsonb(o)) from before_rows o
    ) c;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_stars()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    -- Assets are locked in the order of their ids.
    perform from public.hub_assets a where a.id in (select s.asset_id from added s) order by a.id for no key update;
    -- Re-check under the lock: the asset may have become invisible after row level security was checked.
    if exists (select from added s join public.hub_assets a on a.id = s.asset_id where not private.is_seen_by(a, s.user_id)) then
      raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "hub_stars"';
    end if;
    update public.hub_assets a
    set star_count = a.star_count + s.stars
    from (select n.asset_id, count(*)::integer as stars from added n group by n.asset_id) s
    where a.id = s.asset_id;
  else
    perform from public.hub_assets a where a.id in (select s.asset_id from removed s) order by a.id for no key update;
    update public.hub_assets a
    set star_count = a.star_count - s.stars
    from (select o.asset_id, count(*)::integer as stars from removed o group by o.asset_id) s
    where a.id = s.asset_id;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_trending (
  most integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET jit TO 'off'
  AS $function$
begin
  return (
    with acts as (
      -- Counts one act of each kind for each user and listing.
      select distinct l.kind, l.asset_id, l.user_id
      from (
        (
          select 'star' as kind, s.asset_id, s.user_id
          from public.hub_stars s
          where s.starred_at > now() - interval '7 days'
          order by s.starred_at desc
          limit count_trending.most
        )
        union all
        (
          select 'import', i.asset_id, i.user_id
          from public.hub_imports i
          where i.created_at > now() - interval '7 days'
          order by i.created_at desc
          limit count_trending.most
        )
        union all
        (
          select 'remix', r.parent_asset_id, r.creator_id
          from public.hub_assets r
          where r.is_visible and r.published_at > now() - interval '7 days'
          order by r.published_at desc, r.id desc
          limit count_trending.most
        )
      ) l
      where l.asset_id is not null and l.user_id is not null
    ),
    counted as (
      select a.id, coalesce(a.creator_id, a.id) as creator, a.published_at,
        sum(case c.kind when 'import' then 3 when 'star' then 2 else 5 end) as weight
      from acts c
      join public.hub_assets a on a.id = c.asset_id
      where a.is_visible
        -- The creator's own acts do not count.
        and c.user_id is distinct from a.creator_id
      group by a.id
    ),
    scored as (
      select c.id, c.creator,
        ln(1 + c.weight)::float8
          * greatest(0.25, power(2::float8, - extract(epoch from now() - c.published_at)::float8 / 86400 / 14)) as score
      from counted c
    ),
    ranked as (
      select s.*, row_number() over (partition by s.creator order by s.score desc, s.id) as of_creator from scored s
    ),
    -- The first twenty places hold at most two listings of one creator; further listings of that creator come after these places.
    first as (
      select r.id from ranked r where r.of_creator <= 2 order by r.score desc, r.id limit 20
    ),
    placed as (
      select r.id, r.score, f.id is not null as is_first
      from ranked r
      left join first f on f.id = r.id
      where f.id is not null or (select count(*) from first) = 20
      order by f.id is not null desc, r.score desc, r.id
      limit 120
    )
    select coalesce(jsonb_agg(p.id order by p.is_first desc, p.score desc, p.id), '[]') from placed p
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_usage (
  user_ids    uuid[],
  row_counts  integer[],
  byte_counts bigint[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  most_rows constant integer := 2000;
  most_bytes constant bigint := 100 * 1024 * 1024;
  step record;
  held private.workspace_usage;
begin
  -- Goes in the order of ids, so that two statements that concern several accounts cannot deadlock here.
  for step in
    select s.user_id, sum(s.rows)::integer as rows, sum(s.bytes)::bigint as bytes
    from unnest(count_usage.user_ids, count_usage.row_counts, count_usage.byte_counts) s (user_id, rows, bytes)
    group by s.user_id
    having sum(s.rows) <> 0 or sum(s.bytes) <> 0
    order by s.user_id
  loop
    update private.workspace_usage u
    set row_count = u.row_count + step.rows, byte_count = u.byte_count + step.bytes
    where u.user_id = step.user_id
    returning u.* into held;
    if not found and step.rows > 0 then
      insert into private.workspace_usage as u (user_id, row_count, byte_count)
      values (step.user_id, step.rows, step.bytes)
      on conflict (user_id) do update
      set row_count = u.row_count + excluded.row_count, byte_count = u.byte_count + excluded.byte_count
      returning u.* into held;
    end if;
    -- A change that makes the workspace smaller is never refused.
    if step.rows > 0 and held.row_count > most_rows then
      perform private.refuse_usage('workspace_rows', most_rows);
    elsif step.bytes > 0 and held.byte_count > most_bytes then
      perform private.refuse_usage('workspace_bytes', most_bytes);
    end if;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.create_organization (
  name text,
  slug text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  made public.organizations;
begin
  perform private.begin_organization_write();
  perform private.refuse_more('organizations', (
    select count(*) from public.organization_members m where m.user_id = caller and m.role = 'owner'
  ), 20);
  insert into public.organizations (name, slug)
  values (create_organization.name, create_organization.slug)
  returning * into made;
  insert into public.organization_members (organization_id, user_id, role) values (made.id, caller, 'owner');
  return jsonb_build_object('id', made.id, 'slug', made.slug, 'name', made.name);
end;
$function$;

CREATE OR REPLACE FUNCTION private.creator (
  user_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select jsonb_build_object('username', p.username, 'avatar_url', p.avatar_url, 'verified', p.verified_at is not null)
  from public.hub_profiles p
  where p.user_id = creator.user_id and not private.is_banned(p.user_id);
$function$;

CREATE OR REPLACE FUNCTION private.creator_by_name (
  username text
)
  RETURNS uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select p.user_id
  from public.hub_profiles p
  -- The first condition uses the index; the second compares the exact name.
  where private.username_key(p.username) = private.username_key(creator_by_name.username)
    and lower(p.username) = lower(creator_by_name.username)
    and not private.is_banned(p.user_id)
  union all
  -- While a name that was given up is kept, nobody else can own it.
  select p.user_id
  from private.hub_former_names f
  join public.hub_profiles p on p.user_id = f.user_id
  where f.name_key = private.username_key(creator_by_name.username)
    and lower(f.username) = lower(creator_by_name.username)
    and f.given_up_at > clock_timestamp() - interval '180 days'
    and not private.is_banned(p.user_id);
$function$;

CREATE OR REPLACE FUNCTION private.creator_cards (
  user_ids uuid[]
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(jsonb_build_object(
    'username', p.username,
    'display_name', p.display_name,
    'avatar_url', p.avatar_url,
    'verified', p.verified_at is not null,
    'member_since', p.created_at,
    'published_assets', t.published_assets,
    'total_installs', t.total_installs,
    'total_stars', t.total_stars
  ) order by u.place), '[]')
  from unnest(creator_cards.user_ids) with ordinality u (user_id, place)
  join public.hub_profiles p on p.user_id = u.user_id
  join private.hub_creators t on t.user_id = u.user_id;
$function$;

CREATE OR REPLACE FUNCTION private.creator_totals (
  user_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'published_assets', coalesce(sum(c.published_assets), 0),
    'total_installs', coalesce(sum(c.total_installs), 0),
    'total_stars', coalesce(sum(c.total_stars), 0)
  )
  from private.hub_creators c
  where c.user_id = creator_totals.user_id;
$function$;

CREATE OR REPLACE FUNCTION private.creators (
  user_ids uuid[]
)
  RETURNS TABLE (
    user_id uuid,
    card    json
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
begin
  return query
  select p.user_id, json_build_object('username', p.username, 'avatar_url', p.avatar_url, 'verified', p.verified_at is not null)
  from public.hub_profiles p
  where p.user_id = any (creators.user_ids)
    and not exists (select from private.hub_bans b where b.user_id = p.user_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.creators_page (
  q      text,
  sort   text,
  place  jsonb,
  wanted integer
)
  RETURNS TABLE (
    user_id uuid,
    key     text
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  column_name constant text := case creators_page.sort
    when 'most_installed' then 'total_installs' when 'most_starred' then 'total_stars' when 'newest' then 'listed_at'
  end;
begin
  return query execute format(
    'select t.user_id, t.%1$I::text
    from private.hub_creators t
    where t.published_assets > 0
      and ($1 is null or t.names like $1)
      and ($2 is null or (t.%1$I, t.user_id) < ($2::%2$s, $3::uuid))
    order by t.%1$I desc, t.user_id desc
    limit $4',
    column_name, case column_name when 'listed_at' then 'timestamptz' else 'bigint' end
  )
  using '%' || private.name_key(creators_page.q) || '%', creators_page.place ->> 'key', creators_page.place ->> 'id', creators_page.wanted;
end;
$function$;

CREATE OR REPLACE FUNCTION private.delete_asset (
  asset_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.own_listing(delete_asset.asset_id, with_stars => true);
begin
  -- Buyers keep what they paid for: the listing is only unpublished.
  if exists (select from public.hub_purchases p where p.asset_id = asset.id and p.revoked_at is null) then
    update public.hub_assets a set is_public = false where a.id = asset.id and a.is_public;
    return;
  end if;
  update public.hub_assets a set deleted_at = clock_timestamp() where a.id = asset.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.delete_unpublished_listings()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform from public.hub_assets a
  where a.asset_type = tg_argv[0] and a.ref_id in (select r.id from removed r) and a.published_at is null and a.current_version = 0
  order by a.id
  for update;
  delete from public.hub_assets a
  -- A published listing stays when its source is deleted.
  where a.asset_type = tg_argv[0] and a.ref_id in (select r.id from removed r) and a.published_at is null and a.current_version = 0;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.deliver (
  ordered private.orders
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- This call is serialized with the creator's deletion of the listing: either the deletion finds the purchase, or nothing is left
  -- to deliver.
  perform from public.hub_assets a where a.id = ordered.asset_id and a.deleted_at is null for share;
  if not found or not exists (select from auth.users u where u.id = ordered.buyer_id) then
    return;
  end if;
  -- A buyer who has paid twice gets the listing once; the second payment is due back.
  if exists (
    select from public.hub_purchases p
    where p.user_id = ordered.buyer_id and p.asset_id = ordered.asset_id and p.revoked_at is null
  ) then
    return;
  end if;
  insert into public.hub_purchases (order_id, user_id, asset_id, price_cents, currency)
  values (ordered.id, ordered.buyer_id, ordered.asset_id, ordered.price_cents, ordered.currency)
  on conflict on constraint hub_purchases_order_id_key do update
  set revoked_at = null, revoked_reason = null
  -- Only a purchase that a dispute revoked comes back; one that an operator revoked by hand stays revoked.
  where hub_purchases.revoked_reason = 'disputed';
  update private.orders o set delivered_at = clock_timestamp() where o.id = ordered.id and o.delivered_at is null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.describe_copy (
  user_id   uuid,
  into_copy uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  answer jsonb;
begin
  select jsonb_build_object(
    'asset_id', r.asset_id,
    'rows', jsonb_agg(jsonb_build_object('asset_type', r.item_type, 'ref_id', r.item_ref_id, 'id', r.source_id))
  ) into answer
  from private.rows_of_copy(describe_copy.user_id, describe_copy.into_copy) r
  group by r.asset_id;
  if answer is null then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return answer;
end;
$function$;

CREATE OR REPLACE FUNCTION private.directory (
  q         text,
  sort      text,
  cursor    text,
  page_size integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  wanted constant text := nullif(btrim(directory.q), '');
  ordered constant text := coalesce(directory.sort, 'most_installed');
  list constant jsonb := to_jsonb('creators ' || md5(jsonb_build_array(wanted, ordered)::text));
  place jsonb;
  ids uuid[];
  keys text[];
  faults jsonb := '[]';
begin
  if octet_length(directory.q) > 400 then
    faults := faults || private.fault('q', 'too_big', 'must be at most 100 characters');
  end if;
  if ordered not in ('most_installed', 'most_starred', 'newest') then
    faults := faults || private.fault('sort', 'invalid_value', 'must be one of most_installed, most_starred, newest');
  end if;
  perform private.refuse_faults(faults);
  perform private.judge_page_size(directory.page_size);
  if directory.cursor is not null then
    place := private.from_cursor(left(directory.cursor, 2001), list);
    if not coalesce(
      pg_input_is_valid(place ->> 'id', 'uuid')
      and pg_input_is_valid(place ->> 'key', case ordered when 'newest' then 'timestamptz' else 'bigint' end), false)
    then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
  end if;
  -- A name that consists only of signs has an empty key and matches nobody.
  if wanted is null or private.name_key(wanted) <> '' then
    select array_agg(p.user_id), array_agg(p.key) into ids, keys
    from private.creators_page(wanted, ordered, place, coalesce(directory.page_size, 24) + 1) p;
  end if;
  return jsonb_build_object(
    'items', private.creator_cards(ids[:coalesce(directory.page_size, 24)]),
    'next_cursor', case
      when cardinality(ids) > coalesce(directory.page_size, 24)
      then private.to_cursor(jsonb_build_object(
        'list', list, 'key', keys[coalesce(directory.page_size, 24)], 'id', ids[coalesce(directory.page_size, 24)]
      ))
    end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.dismiss_update (
  asset_id uuid,
  version  integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  copy constant public.hub_assets := private.own_copy(dismiss_update.asset_id);
begin
  if not exists (
    select from public.hub_assets s
    where s.id = (copy.attribution #>> '{parent,id}')::uuid and dismiss_update.version between 1 and s.current_version
  ) then
    perform private.refuse_faults(private.fault('version', 'unknown', 'is no version of the original'));
  end if;
  insert into private.hub_copies as c (asset_id, dismissed_version)
  values (copy.id, dismiss_update.version)
  on conflict on constraint hub_copies_pkey do update set dismissed_version = greatest(c.dismissed_version, excluded.dismissed_version);
end;
$function$;

CREATE OR REPLACE FUNCTION private.drop_edited_source()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  not_read constant text[] := '{description,source_format,source_text}';
begin
  if private.content_of(tg_argv[0], to_jsonb(new)) - not_read <> private.content_of(tg_argv[0], to_jsonb(old)) - not_read then
    new.source_format := null;
    new.source_text := null;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.due_lines (
  order_id uuid
)
  RETURNS TABLE (
    kind         text,
    account      text,
    amount_cents integer
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select l.kind, l.account, l.amount
  from private.orders o
  cross join lateral private.judge_order(o.id) j
  -- The platform returns its share in proportion to the refund: for the whole price, exactly the whole share.
  cross join lateral (values ((o.fee_cents::bigint * j.refunded_cents / o.price_cents)::integer)) s (fee_back)
  cross join lateral (
    values
      ('sale', 'buyer', -o.price_cents),
      ('sale', 'platform', o.fee_cents),
      ('sale', 'creator', o.price_cents - o.fee_cents),
      ('refund', 'buyer', j.refunded_cents),
      ('refund', 'platform', -s.fee_back),
      ('refund', 'creator', s.fee_back - j.refunded_cents),
      -- The platform is the seller, so it bears what a dispute takes.
      ('dispute', 'buyer', j.disputed_cents),
      ('dispute', 'platform', -j.disputed_cents),
      ('provider_fee', 'platform', -j.provider_fee_cents),
      ('provider_fee', 'provider_fee', j.provider_fee_cents)
  ) l (kind, account, amount)
  where o.id = due_lines.order_id and j.state not in ('open', 'expired') and l.amount <> 0;
$function$;

CREATE OR REPLACE FUNCTION private.edit_version (
  asset_id  uuid,
  version   integer,
  label     text,
  changelog text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  old constant public.hub_asset_versions := private.own_version(edit_version.asset_id, edit_version.version);
  notes record;
begin
  select * into notes from private.check_version_notes(edit_version.label, edit_version.changelog);
  perform private.refuse_secret('label', old.label, notes.label);
  perform private.refuse_secret('changelog', old.changelog, notes.changelog);
  perform private.write_version_notes(old.asset_id, old.version, notes.label, notes.changelog);
end;
$function$;

CREATE OR REPLACE FUNCTION private.email_hash (
  id    uuid,
  email text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select encode(sha256(convert_to(email_hash.id::text || ':' || lower(btrim(email_hash.email)), 'UTF8')), 'hex');
$function$;

CREATE OR REPLACE FUNCTION private.end_starvations (
  user_id uuid,
  key_id  uuid,
  model   text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  ended public.api_key_starvations;
begin
  for ended in
    update public.api_key_starvations s
    set ended_at = clock_timestamp()
    where s.id in (
      select o.id
      from public.api_key_starvations o
      join public.user_api_keys k on k.id = end_starvations.key_id
      where o.user_id = end_starvations.user_id
        and o.ended_at is null
        and (o.provider is null or k.provider is null or o.provider = k.provider)
        and (o.model is null or o.model = end_starvations.model)
      -- Skips rows that another lease is ending.
      for update of o skip locked
    )
    returning s.*
  loop
    if ended.alerted_at is not null then
      perform private.alert_starvation(ended, 'pool_recovered', jsonb_build_object('ended_at', ended.ended_at, 'refusals', ended.refusals));
    end if;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.enforce_hourly_limit (
  kind         text,
  recent       timestamp with time zone[],
  hourly_limit integer
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if cardinality(enforce_hourly_limit.recent) >= enforce_hourly_limit.hourly_limit then
    raise exception using
      errcode = 'PT429',
      message = 'rate_limited',
      detail = jsonb_build_object(
        'limit', enforce_hourly_limit.kind,
        'per_hour', enforce_hourly_limit.hourly_limit,
        'retry_after', greatest(1, ceil(extract(
          epoch from enforce_hourly_limit.recent[enforce_hourly_limit.hourly_limit] + interval '1 hour' - clock_timestamp()
        )))
      )::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.estimate_categories (
  most integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET jit TO 'off'
  AS $function$
begin
  return (
    -- Ids are random, so the tags of the first ones are a fair sample. When the sample holds all tags, the counts are exact.
    with sample as (
      select t.tag
      from private.hub_listing_tags t
      order by t.asset_id, t.tag
      limit estimate_categories.most
    ),
    counted as materialized (
      select s.tag, count(*) as listings from sample s group by s.tag
    ),
    size as (
      select case
        when sum(c.listings) = estimate_categories.most then greatest(
          1, (select p.reltuples from pg_catalog.pg_class p where p.oid = 'private.hub_listing_tags'::regclass) / estimate_categories.most
        )
        else 1
      end as scale
      from counted c
    )
    select jsonb_agg(
      jsonb_build_object('tag', t.tag, 'kind', t.kind, 'count', round((coalesce(c.listings, 0) * z.scale)::numeric)) order by t.place
    )
    from private.suggested_tags() t
    cross join size z
    left join counted c on c.tag = t.tag
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.fault (
  path    text,
  code    text,
  message text
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_array(jsonb_build_object('path', fault.path, 'code', fault.code, 'message', fault.message));
$function$;

CREATE OR REPLACE FUNCTION private.feature_asset (
  asset_id   uuid,
  "position" integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.asset_for_admin(feature_asset.asset_id);
begin
  if not asset.is_visible then
    raise exception using errcode = 'PT409', message = 'not_visible';
  end if;
  insert into public.hub_featured (asset_id, position)
  values (asset.id, coalesce(feature_asset.position, (select 1 + max(f.position) from public.hub_featured f), 1))
  on conflict on constraint hub_featured_pkey do update
  set position = coalesce(feature_asset.position, public.hub_featured.position);
end;
$function$;

CREATE OR REPLACE FUNCTION private.find_asset (
  id_or_slug text
)
  RETURNS uuid
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- No slug has the form of an id.
  select a.id
  from public.hub_assets a
  where a.slug = lower(find_asset.id_or_slug)
    or a.id = case
      when find_asset.id_or_slug ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then find_asset.id_or_slug::uuid
    end
  order by a.slug = lower(find_asset.id_or_slug)
  limit 1;
$function$;

CREATE OR REPLACE FUNCTION private.first_attempt (
  organization_id uuid
)
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case when first_attempt.organization_id is null then 0 else 9 end;
$function$;

CREATE OR REPLACE FUNCTION private.fold (
  value text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- Wide letters become ordinary ones; case, accents and vowel marks of Arabic are dropped. The text is composed again, so that
  -- Hangul and the marks of Japanese stay whole. ae, oe and ue count as umlauts, except before a vowel; with this rule the
  -- beginning of a word, once folded, still begins the folded word.
  return regexp_replace(replace(replace(replace(translate(
    normalize(
      regexp_replace(
        normalize(lower(normalize(fold.value, nfkc) collate pg_catalog.pg_c_utf8), nfd),
        '[\u0300-\u036f\u0640\u064b-\u065f\u200b-\u200f\u00ad\ufe00-\ufe0f]', '', 'g'
      ),
      nfc
    ),
    'øđłıðħŧ’‘ʼ', 'odlidht'''''''
  ), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), '([aou])e(?![aeiou])', '\1', 'g');
end;
$function$;

CREATE OR REPLACE FUNCTION private.following (
  cursor    text,
  page_size integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  size constant integer := coalesce(following.page_size, 24);
  place jsonb;
  ids uuid[];
  times timestamptz[];
begin
  if following.cursor is not null then
    place := private.from_cursor(left(following.cursor, 2001), '"following"');
    if not coalesce(pg_input_is_valid(place ->> 'at', 'timestamptz') and pg_input_is_valid(place ->> 'id', 'uuid'), false) then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
  end if;
  select array_agg(p.id), array_agg(p.published_at) into ids, times from private.following_page(caller, place, size + 1) p;
  return jsonb_build_object(
    'ids', coalesce(to_jsonb(ids[:size]), '[]'),
    'next_cursor', case
      when cardinality(ids) > size then private.to_cursor(jsonb_build_object('list', 'following', 'at', times[size], 'id', ids[size]))
    end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.following_page (
  user_id uuid,
  place   jsonb,
  wanted  integer
)
  RETURNS TABLE (
    id           uuid,
    published_at timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Reads at most one page of each creator, in the order of the index.
  select n.id, n.published_at
  from public.hub_follows f
  cross join lateral (
    select a.id, a.published_at
    from public.hub_assets a
    where a.creator_id = f.creator_id and a.is_visible
      and (a.published_at, a.id) < (
        coalesce((following_page.place ->> 'at')::timestamptz, 'infinity'),
        coalesce((following_page.place ->> 'id')::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      )
    order by a.published_at desc, a.id desc
    limit following_page.wanted
  ) n
  where f.user_id = following_page.user_id
  order by n.published_at desc, n.id desc
  limit following_page.wanted;
$function$;

CREATE OR REPLACE FUNCTION private.forget_deleted_key()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from public.api_key_usage_log l where l.user_api_key_id = old.id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.forget_model_blocks()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'TRUNCATE' then
    update public.user_api_keys k
    set limited_until = array_fill(clock_timestamp(), array[cardinality(k.limited_models)])
    where k.limited_models is not null;
    update private.api_key_tiers t set model_marks = '{}' where t.model_marks <> '{}';
  else
    delete from public.api_key_model_health m where m.user_api_key_id = new.id;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.former_owner (
  name_key text
)
  RETURNS uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select f.user_id
  from private.hub_former_names f
  where f.name_key = former_owner.name_key and f.given_up_at > clock_timestamp() - interval '180 days';
$function$;

CREATE OR REPLACE FUNCTION private.free_names (
  user_id uuid,
  rows    jsonb
)
  RETURNS TABLE (
    place bigint,
    name  text
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with wanted as (
    select r.place, r.value ->> 'asset_type' as asset_type, t.name,
      left(regexp_replace(t.name, ' \([0-9]{1,6}\)$', ''), 100) as base
    from jsonb_array_elements(free_names.rows) with ordinality r (value, place)
    cross join lateral (select private.as_one_line(r.value ->> 'title') as name) t
  ),
  mine as (
    select o.asset_type, o.name, left(regexp_replace(o.name, ' \([0-9]{1,6}\)$', ''), 100) as base,
      coalesce(substring(o.name from ' \(([0-9]{1,6})\)$')::integer, 1) as number
    from private.own_names(free_names.user_id) o
    where o.asset_type in (select w.asset_type from wanted w)
  ),
  judged as (
    select w.*,
      row_number() over (partition by w.asset_type, w.name order by w.place) > 1
      or (w.asset_type, w.name) in (select m.asset_type, m.name from mine m) as is_taken
    from wanted w
  ),
  used as (
    select m.asset_type, m.base, max(m.number) as last from mine m group by m.asset_type, m.base
  )
  select j.place,
    case
      when j.is_taken
      then j.base || ' (' || (
        coalesce(u.last, 1) + row_number() over (partition by j.asset_type, j.base, j.is_taken order by j.place)
      ) || ')'
      else j.name
    end
  from judged j
  left join used u on u.asset_type = j.asset_type and u.base = j.base;
$function$;

CREATE OR REPLACE FUNCTION private.from_cursor (
  cursor text,
  list   jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  place jsonb;
begin
  begin
    place := convert_from(
      decode(rpad(translate(from_cursor.cursor, '-_', '+/'), 4 * ((char_length(from_cursor.cursor) + 3) / 4), '='), 'base64'),
      'UTF8'
    )::jsonb;
  exception
    when data_exception or program_limit_exceeded then null;
  end;
  if place -> 'list' is distinct from from_cursor.list then
    raise exception using errcode = 'PT400', message = 'malformed_cursor';
  end if;
  return place;
end;
$function$;

CREATE OR REPLACE FUNCTION private.get_response (
  user_id         uuid,
  endpoint        text,
  idempotency_key text,
  request_sha256  text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  stored private.hub_idempotent_responses;
begin
  if get_response.idempotency_key is null then
    return null;
  end if;
  select h.* into stored
  from private.hub_idempotent_responses h
  where h.user_id = get_response.user_id
    and h.endpoint = get_response.endpoint
    and h.idempotency_key = get_response.idempotency_key
    and h.created_at > clock_timestamp() - interval '24 hours';
  if stored.request_sha256 <> get_response.request_sha256 then
    raise exception using errcode = 'PT422', message = 'idempotency_key_reused';
  end if;
  return stored.answer;
end;
$function$;

CREATE OR REPLACE FUNCTION private.has_breaks_or_invisible (
  value text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select has_breaks_or_invisible.value ~ '[\t\n\r]' or private.has_invisible_characters(has_breaks_or_invisible.value);
$function$;

CREATE OR REPLACE FUNCTION private.has_invisible_characters (
  value text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- The first pattern is cheap and rules out most texts.
  select has_invisible_characters.value ~ ('[\u200c\u200d\ufe0e\ufe0f' || private.invisible_characters() || ']')
    and has_invisible_characters.value ~ private.invisible_pattern();
$function$;

CREATE OR REPLACE FUNCTION private.has_many_acts()
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  SET jit TO 'off'
  AS $function$
begin
  return exists (select from public.hub_stars s where s.starred_at > now() - interval '7 days' offset 100)
    or exists (select from public.hub_imports i where i.created_at > now() - interval '7 days' offset 100)
    or exists (select from public.hub_assets a where a.is_visible and a.published_at > now() - interval '7 days' offset 100);
end;
$function$;

CREATE OR REPLACE FUNCTION private.hide_asset (
  asset_id    uuid,
  note        text,
  public_note text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.asset_for_admin(hide_asset.asset_id);
begin
  if not (asset.is_visible or asset.is_shared) then
    raise exception using errcode = 'PT409', message = 'not_visible';
  end if;
  if private.clean(hide_asset.note) is null then
    perform private.refuse_faults(private.fault('note', 'required', 'is required'));
  end if;
  perform private.set_audit_note(hide_asset.note, hide_asset.public_note);
  update public.hub_assets a set is_hidden = true, hidden_reason = 'moderator' where a.id = asset.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_admins_before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- hub_bans_before_insert takes the same advisory lock, so that making a user an admin and banning that user happen one after the
  -- other.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(new.user_id, 2));
  if private.is_banned(new.user_id) then
    raise exception using errcode = 'PT409', message = 'user_is_banned', detail = '{"hint": "select hub_unban_creator(user_id) first"}';
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_appeals_apply()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.log_event(
    case when tg_op = 'INSERT' then 'appealed' else 'appeal_' || new.state end,
    new.asset_id,
    new.user_id,
    details => jsonb_build_object('event_id', new.event_id)
  );
  if new.state = 'accepted' then
    if new.asset_id is null then
      delete from private.hub_bans b where b.user_id = new.user_id;
    else
      update public.hub_assets a set is_hidden = false where a.id = new.asset_id and a.is_hidden;
    end if;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_appeals_before_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if (new.id, new.event_id, new.asset_id, new.user_id, new.body, new.created_at)
    is distinct from (old.id, old.event_id, old.asset_id, old.user_id, old.body, old.created_at) then
    raise exception using errcode = 'PT409', message = 'append_only', detail = '{"table": "hub_appeals", "hint": "edit state and answer only"}';
  end if;
  if new.state is distinct from old.state then
    if old.state <> 'open' then
      raise exception using errcode = 'PT409', message = 'appeal_resolved';
    end if;
    new.resolved_at := clock_timestamp();
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_begin_edit()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  editor constant uuid := (select auth.uid());
begin
  -- An owner's edit takes its locks in the order of all writers.
  if editor is not null then
    perform private.begin_write(editor);
    perform from public.hub_assets a where a.creator_id = editor order by a.id for no key update;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_check_text()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  edited constant boolean := (select auth.uid()) is not null;
  before public.hub_assets;
  sent_tags constant text[] := new.tags;
  faults jsonb := '[]';
  secrets jsonb := '[]';
begin
  if tg_op = 'UPDATE' then
    before := old;
  end if;
  -- Checks the sizes first: normalising a long run of combining marks takes quadratic time and cannot be cancelled.
  if octet_length(new.title) > 4000 then
    faults := faults || private.fault('title', 'invalid_length', 'must be 1 to 120 visible characters');
  end if;
  if octet_length(new.description) > 40000 then
    faults := faults || private.fault('description', 'too_big', 'must be at most 2000 visible characters');
  end if;
  if cardinality(new.tags) > 100 or octet_length(array_to_string(new.tags, '')) > 20000
    or exists (select from unnest(new.tags) u (tag) where octet_length(u.tag) > 1000)
  then
    faults := faults || private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -');
  end if;
  if octet_length(new.thumbnail_url) > 4000 then
    faults := faults || private.fault('thumbnail_url', 'invalid_format', 'must be an https address of at most 2048 characters');
  end if;
  perform private.refuse_faults(faults);

  if tg_op = 'INSERT' or new.title is distinct from before.title then
    new.title := private.clean(new.title);
    if new.title is null or char_length(new.title) not between 1 and 120 then
      faults := faults || private.fault('title', 'invalid_length', 'must be 1 to 120 visible characters');
    elsif private.has_breaks_or_invisible(new.title) then
      faults := faults || private.fault('title', 'invalid_text', 'must be one line without invisible characters');
    end if;
  end if;
  if tg_op = 'INSERT' or new.description is distinct from before.description then
    new.description := private.clean(new.description);
    if char_length(new.description) > 2000 then
      faults := faults || private.fault('description', 'too_big', 'must be at most 2000 visible characters');
    elsif private.has_invisible_characters(new.description) then
      faults := faults || private.fault('description', 'invalid_text', 'must be without invisible characters');
    elsif new.description is null and coalesce(new.published_at, new.shared_at) is not null and before.description is not null then
      faults := faults || private.fault('description', 'required', 'is required');
    end if;
  end if;
  if tg_op = 'INSERT' or new.tags is distinct from before.tags then
    new.tags := private.normalize_tags(new.tags);
    if new.tags is null or not private.tags_are_valid(new.tags)
      or exists (select from unnest(new.tags) u (tag) where private.has_breaks_or_invisible(u.tag) or u.tag ~ '[\u200c\u200d\ufe0e\ufe0f]')
    then
      faults := faults || private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -');
    end if;
  end if;
  if tg_op = 'INSERT' or new.thumbnail_url is distinct from before.thumbnail_url then
    new.thumbnail_url := private.clean(new.thumbnail_url);
    if not private.is_https_url(new.thumbnail_url) then
      faults := faults || private.fault('thumbnail_url', 'invalid_format', 'must be an https address of at most 2048 characters');
    end if;
  end if;
  perform private.refuse_faults(faults);
  -- Applies only to titles that readers see: a copy keeps the title of its original until it is published.
  if (new.is_public or new.shared_at is not null or new.published_at is not null) and (coalesce(before.published_at, before.shared_at) is null or new.title is distinct from before.title)
    and private.mixes_scripts(new.title)
  then
    raise exception using errcode = 'PT422', message = 'mixed_script', detail = '{"path": "title"}';
  end if;

  -- The rest is only for edits by clients: edge functions have already removed secrets by more exact rules, which leave
  -- placeholders in the text.
  if not edited then
    return new;
  end if;
  if private.adds_secret(before.title, new.title) then
    secrets := secrets || private.fault('title', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.description, new.description) then
    secrets := secrets || private.fault('description', 'secret_detected', 'looks like a secret');
  end if;
  -- Also checks the tags as sent: some secrets do not match their pattern in lower case.
  if private.adds_secret(array_to_string(before.tags, ' '), array_to_string(sent_tags, ' '))
    or private.adds_secret(array_to_string(before.tags, ' '), array_to_string(new.tags, ' '))
  then
    secrets := secrets || private.fault('tags', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.thumbnail_url, new.thumbnail_url) then
    secrets := secrets || private.fault('thumbnail_url', 'secret_detected', 'looks like a secret');
  end if;
  if secrets <> '[]' then
    raise exception using errcode = 'PT422', message = 'secret_detected', detail = jsonb_build_object('errors', secrets)::text;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_derive_picture()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Ignores the picture that the statement wrote: the column follows from hub_pictures.
  new.picture := (select p.sha256 from public.hub_pictures p where p.asset_id = new.id);
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_guard()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'UPDATE' then
    if (new.id, new.asset_type, new.ref_id) is distinct from (old.id, old.asset_type, old.ref_id) then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["id", "asset_type", "ref_id"]}';
    end if;
    -- Refuses a new creator, because install_count depends on the creator. creator_id becomes null with the account and never
    -- changes otherwise.
    if new.creator_id is not null and new.creator_id is distinct from old.creator_id then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["creator_id"]}';
    end if;
    if old.attribution is not null
      and new.attribution is distinct from old.attribution
      and not private.keeps_origins(old.attribution, new.attribution)
      and not (new.is_public and private.keeps_origins(private.public_attribution(old.attribution, old.creator_id), new.attribution))
    then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["attribution"]}';
    end if;
    -- Lineage is set when a copy is made or first published. Later a reference can only become null, when its asset is erased.
    if (old.current_version > 0 or old.published_at is not null) and (
      new.remix_depth <> old.remix_depth
      or (new.source_asset_id is not null and new.source_asset_id is distinct from old.source_asset_id)
      or (new.parent_asset_id is not null and new.parent_asset_id is distinct from old.parent_asset_id)
    ) then
      raise exception using errcode = 'PT409', message = 'asset_is_fixed', detail = '{"columns": ["source_asset_id", "parent_asset_id", "remix_depth"]}';
    end if;
    -- published_at is never cleared: an asset without it counts as not published, and the next publication would change its slug.
    new.published_at := coalesce(new.published_at, old.published_at);
  end if;

  if new.deleted_at is not null then
    new.is_public := false;
  end if;
  if new.is_public then
    new.organization_id := null;
    new.published_at := coalesce(new.published_at, clock_timestamp());
    new.content_updated_at := coalesce(new.content_updated_at, new.published_at);
  end if;
  if new.is_public or new.deleted_at is not null or new.organization_id is null then
    new.shared_at := null;
  end if;
  if not new.is_hidden then
    new.hidden_at := null;
    new.hidden_reason := null;
  else
    new.hidden_at := coalesce(new.hidden_at, clock_timestamp());
    new.hidden_reason := coalesce(new.hidden_reason, 'moderator');
  end if;
  -- For an asset without a creator the ban cannot be looked up, so the old value stays.
  if new.creator_id is not null then
    -- The value comes from the bans, whatever the statement wrote.
    new.hidden_by_ban := private.is_banned(new.creator_id);
  elsif tg_op = 'UPDATE' then
    new.hidden_by_ban := old.hidden_by_ban;
  end if;
  if tg_op = 'UPDATE' then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_guard_counters()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    new.star_count := 0;
    new.install_count := 0;
  elsif pg_trigger_depth() = 1 then
    new.star_count := old.star_count;
    new.install_count := old.install_count;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_have_content()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if exists (
    select from public.hub_assets a
    where a.id = new.id
      and (a.is_public or a.shared_at is not null)
      and not exists (
        select from public.hub_asset_versions v
        where v.asset_id = a.id and v.version = a.current_version and v.organization_id is not distinct from a.organization_id
      )
  ) then
    raise exception using
      errcode = 'PT409',
      message = 'version_missing',
      detail = '{"hint": "the current version of a listing is stored, and for the same readers; publishing makes one"}';
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_index()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not new.is_visible then
    delete from private.hub_documents d where d.asset_id = new.id;
    delete from private.hub_listing_tags t where t.asset_id = new.id;
  elsif tg_op = 'UPDATE' and old.is_visible and (new.title, new.description, new.tags, new.creator_id, new.license)
    is not distinct from (old.title, old.description, old.tags, old.creator_id, old.license)
  then
    update private.hub_documents d set popularity = private.popularity(new)
    where d.asset_id = new.id and d.popularity <> private.popularity(new);
    update private.hub_listing_tags t
    set published_at = new.published_at, content_updated_at = new.content_updated_at, install_count = new.install_count, star_count = new.star_count
    where t.asset_id = new.id and (t.published_at, t.content_updated_at, t.install_count, t.star_count)
      is distinct from (new.published_at, new.content_updated_at, new.install_count, new.star_count);
  else
    perform private.index_asset(new);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_index_shelf()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  made private.hub_documents;
begin
  if not new.is_shared then
    delete from private.shelf_documents d where d.asset_id = new.id;
  elsif tg_op = 'INSERT' or not old.is_shared or (new.title, new.description, new.tags, new.organization_id)
    is distinct from (old.title, old.description, old.tags, old.organization_id)
  then
    made := private.make_document(new);
    insert into private.shelf_documents (asset_id, organization_id, title_key, document)
    values (new.id, new.organization_id, made.title_key, made.document)
    on conflict on constraint shelf_documents_pkey do update
    set organization_id = excluded.organization_id, title_key = excluded.title_key, document = excluded.document;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_limit_edits()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  editor constant uuid := (select auth.uid());
begin
  if editor is not null then
    perform private.limit_calls(editor, 'edits', 600);
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_log()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'DELETE' then
    perform private.log_event('erased', old.id, old.creator_id, details => jsonb_build_object('slug', old.slug, 'asset_type', old.asset_type));
    return null;
  end if;
  if tg_op = 'INSERT' then
    if new.current_version > 0 then
      perform private.log_event('published', new.id, new.creator_id, details => jsonb_build_object('version', new.current_version));
    end if;
    return null;
  end if;
  -- Making an older version current again, by its owner or an operator, is not a new publication.
  if new.current_version > old.current_version and new.content_updated_at is distinct from old.content_updated_at then
    perform private.log_event('published', new.id, new.creator_id, details => jsonb_build_object('version', new.current_version));
  elsif (new.is_public or new.shared_at is not null) and not (old.is_public or old.shared_at is not null) then
    perform private.log_event('republished', new.id, new.creator_id);
  elsif (old.is_public or old.shared_at is not null) and not (new.is_public or new.shared_at is not null) and new.deleted_at is null then
    perform private.log_event('unpublished', new.id, new.creator_id);
  end if;
  if new.deleted_at is not null and old.deleted_at is null then
    perform private.log_event(case when new.hidden_reason = 'removed' then 'removed' else 'deleted' end, new.id, new.creator_id,
      details => jsonb_build_object('version', new.current_version));
  elsif new.is_hidden and (not old.is_hidden or new.hidden_reason <> old.hidden_reason) then
    perform private.log_event('hidden', new.id, new.creator_id,
      details => jsonb_build_object('reason', new.hidden_reason, 'version', new.current_version),
      -- The threshold hides the listing, not the user who sent the last report.
      by_system => new.hidden_reason in ('reports', 'organization_reports'));
  end if;
  if old.is_hidden and not new.is_hidden then
    perform private.log_event('restored', new.id, new.creator_id);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_on_restore()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.close_reports(array[new.id], 'dismissed');
  update private.hub_moderation m
  set reviewed_version = new.current_version, reviewed_at = clock_timestamp()
  where m.asset_id = new.id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_assets_on_tombstone()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if new.hidden_reason = 'removed' then
    perform private.close_reports(array[new.id], 'upheld');
  end if;
  -- A tombstone has no stars and no content.
  delete from public.hub_stars s where s.asset_id = new.id;
  delete from public.hub_featured f where f.asset_id = new.id;
  delete from public.hub_bundle_items i where i.asset_id = new.id;
  delete from public.hub_asset_versions v where v.asset_id = new.id;
  delete from public.hub_receipts r where r.asset_id = new.id;
  delete from public.hub_pictures p where p.asset_id = new.id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_bans_apply()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  assets uuid[];
  locked uuid[];
  reports uuid[];
begin
  -- A running publication holds this lock. Either it commits first and its asset is found below, or it runs after the ban and is
  -- refused.
  perform from public.hub_profiles p where p.user_id = new.user_id for no key update;
  assets := array(select a.id from public.hub_assets a where a.creator_id = new.user_id order by a.id for no key update);
  locked := private.lock_reports(assets, new.user_id);
  reports := array(
    select r.id
    from public.hub_reports r
    where r.id = any (locked) and not r.resolved and (r.asset_id = any (assets) or (r.reporter_id = new.user_id and r.counts))
  );
  perform from private.hub_moderation m
  where m.asset_id in (select r.asset_id from public.hub_reports r where r.id = any (reports))
  order by m.asset_id
  for no key update;

  -- hub_assets_guard computes the value from the bans.
  update public.hub_assets a set hidden_by_ban = true where a.id = any (assets);
  update public.hub_reports r
  set resolved = r.asset_id = any (assets),
    outcome = case when r.asset_id = any (assets) then 'upheld' end,
    note = case when r.asset_id = any (assets) then new.reason else r.note end,
    -- Open reports of a banned user are not counted.
    counts = r.counts and r.asset_id = any (assets)
  where r.id = any (reports);
  perform private.log_event('banned', user_id => new.user_id, details => jsonb_build_object('reason', new.reason));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_bans_before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if new.user_id = (select auth.uid()) then
    raise exception using errcode = 'PT422', message = 'cannot_ban_self';
  end if;
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(new.user_id, 2));
  if exists (select from public.hub_admins a where a.user_id = new.user_id) then
    raise exception using errcode = 'PT422', message = 'cannot_ban_admin';
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_bans_before_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if new.user_id <> old.user_id then
    raise exception using errcode = 'PT409', message = 'append_only', detail = '{"table": "hub_bans", "hint": "delete the ban and insert another"}';
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_bans_lift()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The ban is also deleted together with its account; in that case the assets stay hidden.
  if exists (select from auth.users u where u.id = old.user_id) then
    perform from public.hub_profiles p where p.user_id = old.user_id for no key update;
    perform from public.hub_assets a where a.creator_id = old.user_id order by a.id for no key update;
    update public.hub_assets a set hidden_by_ban = false where a.creator_id = old.user_id;
    perform private.log_event('unbanned', user_id => old.user_id);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_follows_before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- When the row is for another user or the caller has no account, row level security refuses it later, and no error here may
  -- disclose anything.
  if (select auth.uid()) is not null and (new.user_id is distinct from (select auth.uid()) or not private.is_member()) then
    return new;
  end if;
  perform private.begin_write(new.user_id);
  if new.creator_id = new.user_id then
    perform private.refuse_faults(private.fault('creator_id', 'invalid_value', 'must be somebody else'));
  end if;
  if exists (select from public.hub_follows f where f.user_id = new.user_id and f.creator_id = new.creator_id) then
    return null;
  end if;
  -- The count is exact, because begin_write serializes a user's writes.
  if (select count(*) from public.hub_follows f where f.user_id = new.user_id) >= 1000 then
    raise exception using errcode = 'PT422', message = 'limit_reached', detail = '{"limit": "follows", "most": 1000}';
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_imports_before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    new.counts := false;
  elsif (new.asset_id, new.user_id) is distinct from (old.asset_id, old.user_id) then
    raise exception using errcode = 'PT409', message = 'append_only', detail = '{"table": "hub_imports"}';
  elsif pg_trigger_depth() = 1 then
    new.counts := old.counts;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_pictures_refresh_asset()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The values written here do not matter: the trigger hub_assets_derive_picture sets the right one.
  if tg_op <> 'INSERT' then
    update public.hub_assets a set picture = null where a.id = old.asset_id;
  end if;
  if tg_op <> 'DELETE' then
    update public.hub_assets a set picture = new.sha256 where a.id = new.asset_id;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_profiles_before_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Refuses to delete the profile of an existing user, because the user's listings would lose their creator. The cascade from
  -- auth.users runs after the user is deleted, so it is allowed.
  if exists (select from auth.users u where u.id = old.user_id) then
    raise exception using
      errcode = 'PT409',
      message = 'append_only',
      detail = '{"table": "hub_profiles", "verb": "delete", "hint": "delete the user, or update the profile"}';
  end if;
  return old;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_profiles_before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  before public.hub_profiles;
  faults jsonb := '[]';
  secrets jsonb := '[]';
  renamed boolean := false;
  reshown boolean := false;
begin
  if tg_op = 'UPDATE' and new.user_id = (select auth.uid()) and private.is_banned(new.user_id) then
    raise exception using errcode = 'PT403', message = 'banned';
  end if;
  if tg_op = 'UPDATE' then
    before := old;
  end if;
  if tg_op = 'INSERT' or new.username is distinct from before.username then
    new.username := private.clean(new.username);
    if new.username is null or new.username !~ '^[A-Za-z0-9][A-Za-z0-9_-]{1,28}[A-Za-z0-9]$' then
      faults := faults || private.fault('username', 'invalid_format', 'must be 3 to 30 letters (a to z), digits, _ or -');
    end if;
  end if;
  if tg_op = 'INSERT' or new.display_name is distinct from before.display_name then
    new.display_name := private.clean(new.display_name);
    if char_length(new.display_name) > 80 then
      faults := faults || private.fault('display_name', 'invalid_format', 'must be at most 80 visible characters');
    elsif private.has_breaks_or_invisible(new.display_name) then
      faults := faults || private.fault('display_name', 'invalid_text', 'must be one line without invisible characters');
    elsif new.display_name ~ '[\u2705\u2611\u2713\u2714\u221a\u237b\u2bbd\U0001f5f8\U0001f5f9\U0001fbb1]' then
      -- A check mark would suggest that the creator is verified.
      faults := faults || private.fault('display_name', 'invalid_text', 'must be without check marks');
    end if;
  end if;
  if tg_op = 'INSERT' or new.avatar_url is distinct from before.avatar_url then
    new.avatar_url := private.clean(new.avatar_url);
    if not private.is_https_url(new.avatar_url) then
      faults := faults || private.fault('avatar_url', 'invalid_format', 'must be an https address of at most 2048 characters');
    end if;
  end if;
  perform private.refuse_faults(faults);

  if private.adds_secret(before.username, new.username) then
    secrets := secrets || private.fault('username', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.display_name, new.display_name) then
    secrets := secrets || private.fault('display_name', 'secret_detected', 'looks like a secret');
  end if;
  if private.adds_secret(before.avatar_url, new.avatar_url) then
    secrets := secrets || private.fault('avatar_url', 'secret_detected', 'looks like a secret');
  end if;
  if secrets <> '[]' then
    raise exception using errcode = 'PT422', message = 'secret_detected', detail = jsonb_build_object('errors', secrets)::text;
  end if;

  if tg_op = 'UPDATE' then
    renamed := private.username_key(new.username) <> private.username_key(old.username);
    reshown := coalesce(private.name_key(new.display_name), '') is distinct from coalesce(private.name_key(old.display_name), '');
    -- When two users want one name at the same time, the second waits for the advisory lock and then finds the name taken here, so
    -- that the unique index raises no error of its own. The locks are always taken in the same order, so that two users who want
    -- the same two names do not deadlock.
    perform pg_catalog.pg_advisory_xact_lock(l.lock)
    from (
      select pg_catalog.hashtextextended(k.name_key, 4) as lock
      from (values (renamed, private.username_key(new.username)), (reshown, private.name_key(new.display_name))) k (wanted, name_key)
      where k.wanted and k.name_key is not null
      order by 1
    ) l;
  end if;
  if renamed then
    if private.is_reserved_name(private.username_key(new.username)) or exists (
      select from public.hub_profiles p
      where private.username_key(p.username) = private.username_key(new.username) and p.user_id <> new.user_id
    ) then
      raise exception using errcode = 'PT409', message = 'username_taken';
    end if;
    -- Former names are checked after the profiles: a name that is being given up at this moment is found in one of the two tables.
    if private.former_owner(private.username_key(new.username)) <> new.user_id then
      raise exception using errcode = 'PT409', message = 'username_taken';
    end if;
  end if;
  if reshown and private.name_key(new.display_name) <> '' and (
    private.is_reserved_name(private.name_key(new.display_name))
    or private.former_owner(private.name_key(new.display_name)) <> new.user_id
    or exists (
      select from public.hub_profiles p
      where private.username_key(p.username) = private.name_key(new.display_name) and p.user_id <> new.user_id
    )
    or exists (
      select from public.hub_profiles p
      where p.display_name is not null and private.name_key(p.display_name) = private.name_key(new.display_name) and p.user_id <> new.user_id
    )
  ) then
    raise exception using errcode = 'PT409', message = 'display_name_taken';
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_reports_before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset public.hub_assets;
  earlier public.hub_reports;
  faults jsonb := '[]';
begin
  -- When the row is for another user or the caller has no account, row level security refuses it later, and no error here may
  -- disclose anything.
  if (select auth.uid()) is not null and (new.reporter_id is distinct from (select auth.uid()) or not private.is_member()) then
    return new;
  end if;
  new.details := private.clean(new.details);
  if new.reason is null or new.reason not in ('spam', 'inappropriate', 'copyright', 'malicious_code', 'other') then
    perform private.refuse_faults(private.fault('reason', 'invalid_value', 'must be "spam" or "inappropriate" or "copyright" or "malicious_code" or "other"'));
  end if;
  if char_length(new.details) > 1000 then
    perform private.refuse_faults(private.fault('details', 'too_big', 'must be at most 1000 characters'));
  end if;
  new.work_url := private.clean(new.work_url);
  new.work_holder := private.clean(new.work_holder);
  if not private.is_https_url(new.work_url) then
    faults := faults || private.fault('work_url', 'invalid_format', 'must be an https address of at most 2048 characters');
  end if;
  if char_length(new.work_holder) > 200 or private.has_breaks_or_invisible(new.work_holder) then
    faults := faults || private.fault('work_holder', 'invalid_length', 'must be 1 to 200 visible characters');
  end if;
  if new.reason <> 'copyright' and coalesce(new.work_url, new.work_holder) is not null then
    faults := faults || private.fault('work_url', 'unexpected', 'is of a report for copyright');
  end if;
  perform private.refuse_faults(faults);
  if new.reason = 'other' and new.details is null then
    raise exception using errcode = 'PT422', message = 'details_required';
  end if;
  if new.reporter_id is not null then
    perform private.begin_write(new.reporter_id);
  end if;

  select a.* into asset from public.hub_assets a where a.id = new.asset_id;
  if asset.creator_id = new.reporter_id then
    raise exception using errcode = 'PT422', message = 'own_asset';
  end if;
  select r.* into earlier
  from public.hub_reports r
  where r.asset_id = new.asset_id and r.reporter_id = new.reporter_id and not r.resolved;
  if found then
    if earlier.counts or earlier.version >= asset.current_version or not private.is_seen_by(asset, new.reporter_id) then
      raise exception using errcode = 'PT409', message = 'already_reported';
    end if;
    -- The earlier report did not count and is about an older version: it is dismissed, and the new one replaces it.
    perform from public.hub_assets a where a.id = new.asset_id for no key update;
    update public.hub_reports r set resolved = true, outcome = 'dismissed' where r.id = earlier.id;
  end if;

  new.created_at := clock_timestamp();
  new.resolved := false;
  new.resolved_by := null;
  new.outcome := null;
  new.note := null;
  new.version := coalesce(asset.current_version, 0);
  new.counts := new.reporter_id is not null and private.is_old_enough(new.reporter_id) and not private.joined_after_restore(new.reporter_id, new.asset_id, new.version) and not exists (
    select from public.hub_reports r
    where r.asset_id = new.asset_id
      and r.reporter_id = new.reporter_id
      and r.resolved
      and (
        -- A reporter whose report was dismissed on a version counts again on the next one.
        r.outcome = 'dismissed' and r.version = new.version
        -- The asset was restored with this version: reports made before, whatever their outcome, have been reviewed.
        or exists (
          select from private.hub_moderation m where m.asset_id = new.asset_id and m.reviewed_version >= new.version
        )
      )
  );
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_reports_before_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if (new.id, new.asset_id, new.version) is distinct from (old.id, old.asset_id, old.version)
    or (new.reporter_id is not null and new.reporter_id is distinct from old.reporter_id)
    or (old.resolved and not new.resolved)
  then
    raise exception using errcode = 'PT409', message = 'report_is_fixed';
  end if;
  if new.resolved and not old.resolved then
    new.outcome := coalesce(new.outcome, 'dismissed');
    new.resolved_by := coalesce(new.resolved_by, (select auth.uid()));
    -- A dismissal covers the version that is current now, except when the reporter replaces an older report.
    if new.outcome = 'dismissed' and (new.resolved_by = old.reporter_id) is not true then
      select greatest(old.version, a.current_version) into new.version
      from public.hub_assets a
      where a.id = old.asset_id;
    end if;
  end if;
  -- counts may become false but never true. A report of a deleted account does not count.
  new.counts := new.counts and old.counts and new.reporter_id is not null;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_stars_before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- When the row is for another user or the caller has no account, row level security refuses it later, and no error here may
  -- disclose anything.
  if (select auth.uid()) is not null and (new.user_id is distinct from (select auth.uid()) or not private.is_member()) then
    return new;
  end if;
  perform private.begin_write(new.user_id);
  if exists (select from public.hub_stars s where s.asset_id = new.asset_id and s.user_id = new.user_id)
    and exists (select from public.hub_assets a where a.id = new.asset_id and private.is_seen_by(a, new.user_id))
  then
    -- The star exists already: starring is idempotent, also for an insert without "on conflict". The lock of begin_write excludes
    -- a race.
    return null;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hub_stars_before_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if (new.asset_id, new.user_id) is distinct from (old.asset_id, old.user_id) then
    raise exception using errcode = 'PT409', message = 'append_only', detail = '{"table": "hub_stars", "hint": "delete the star and insert another"}';
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.import_asset (
  user_id         uuid,
  rows            jsonb,
  mode            text,
  asset_id        uuid    DEFAULT NULL::uuid,
  version         integer DEFAULT NULL::integer,
  sha256          text    DEFAULT NULL::text,
  attribution     jsonb   DEFAULT NULL::jsonb,
  warnings        jsonb   DEFAULT '[]'::jsonb,
  dry_run         boolean DEFAULT false,
  hourly_limit    integer DEFAULT NULL::integer,
  idempotency_key text    DEFAULT NULL::text,
  request_sha256  text    DEFAULT NULL::text,
  pinned          boolean DEFAULT false,
  into_copy       uuid    DEFAULT NULL::uuid,
  overwrite       boolean DEFAULT false
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  answer jsonb;
  created jsonb;
begin
  -- This call is serialized with a ban: either the ban waits for this lock, or this call finds the ban. begin_write also refuses a
  -- token whose account is deleted.
  perform private.begin_write(import_asset.user_id);
  answer := private.get_response(
    import_asset.user_id, 'hub-import', import_asset.idempotency_key, import_asset.request_sha256
  );
  if answer is not null then
    return answer;
  end if;
  perform private.limit_calls(
    import_asset.user_id, case when import_asset.dry_run then 'previews' else 'imports' end, import_asset.hourly_limit
  );
  begin
    created := case
      when import_asset.into_copy is null then private.copy_rows(
        import_asset.user_id, import_asset.rows, import_asset.asset_id, import_asset.version, import_asset.sha256, import_asset.mode,
        import_asset.pinned
      )
      else private.update_copy(
        import_asset.user_id, import_asset.rows, import_asset.asset_id, import_asset.version, import_asset.sha256,
        import_asset.pinned, import_asset.into_copy, import_asset.overwrite
      )
    end;
    if import_asset.dry_run then
      raise exception using errcode = 'KH002', message = 'only a plan';
    end if;
  exception
    when sqlstate 'KH002' then
      -- The new rows were rolled back, so their ids have no meaning.
      select jsonb_agg(c.value || '{"id": null, "hub_asset_id": null}' order by c.place) into created
      from jsonb_array_elements(created) with ordinality c (value, place);
  end;
  answer := jsonb_build_object(
    'stored', 'cloud',
    'created', created,
    'attribution', import_asset.attribution,
    'warnings', import_asset.warnings || (
      select coalesce(jsonb_agg(jsonb_build_object(
        'code', 'name_taken',
        'message', 'There is an item of that name already; the new one has another.',
        'wanted', r.value -> 'title',
        'title', created -> (r.place - 1)::integer -> 'title'
      ) order by r.place), '[]')
      from jsonb_array_elements(import_asset.rows) with ordinality r (value, place)
      where import_asset.into_copy is null
        and private.as_one_line(r.value ->> 'title') <> created -> (r.place - 1)::integer ->> 'title'
    )
  );
  if import_asset.dry_run then
    return answer || '{"dry_run": true}';
  end if;
  perform private.store_response(
    import_asset.user_id, 'hub-import', import_asset.idempotency_key, import_asset.request_sha256, answer
  );
  return answer;
end;
$function$;

CREATE OR REPLACE FUNCTION private.index_asset (
  asset public.hub_assets
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  most constant integer := 5000;
  made private.hub_documents := private.make_document(index_asset.asset);
  -- Pairs of characters (of scripts without spaces) are not looked up, because a query uses them as they are.
  unknown constant text[] := array(
    select l.lexeme
    from unnest(tsvector_to_array(made.document)) l (lexeme)
    where l.lexeme ~ '^[^=~].{2}' and not exists (select from private.hub_words k where k.word = l.lexeme collate pg_catalog."C")
  );
  room integer := cardinality(unknown);
  new_word text;
begin
  if room > 0 and (index_asset.asset).creator_id is not null then
    room := most - (select count(*) from (select from private.hub_words k where k.added_by = (index_asset.asset).creator_id limit most) k);
  end if;
  foreach new_word in array unknown[:room] loop
    insert into private.hub_words (word, slips, added_by)
    select new_word, array(
      select s.slip
      from unnest(private.slips(new_word)) s (slip)
      -- A form that many words share distinguishes nothing, and every misspelled query would have to read these words.
      where (select count(*) from (select from private.hub_words k where k.slips @> array[s.slip] limit 64) k) < 64
    ), (index_asset.asset).creator_id;
  end loop;
  if cardinality(unknown) > room then
    -- An index of words keeps each word that it ever held. A word that no other listing has and that this account may not add
    -- therefore stays out of it.
    made.document := ts_delete(made.document, unknown[room + 1:] || array(select l.lexeme from unnest(made.document) l where l.lexeme like '~%'));
  end if;
  insert into private.hub_documents (asset_id, popularity, title_key, document)
  values (made.asset_id, made.popularity, made.title_key, made.document)
  on conflict (asset_id) do update
  set popularity = excluded.popularity, title_key = excluded.title_key, document = excluded.document;
  delete from private.hub_listing_tags t where t.asset_id = made.asset_id;
  insert into private.hub_listing_tags (asset_id, tag, published_at, content_updated_at, install_count, star_count, tag_bits)
  select distinct made.asset_id, t.tag, (index_asset.asset).published_at, (index_asset.asset).content_updated_at,
    (index_asset.asset).install_count, (index_asset.asset).star_count, private.tag_bits((index_asset.asset).tags)
  from unnest((index_asset.asset).tags) t (tag);
end;
$function$;

CREATE OR REPLACE FUNCTION private.insert_copies (
  user_id        uuid,
  rows           jsonb,
  main_id        text,
  source         public.hub_assets,
  mode           text,
  pinned_version integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
<<copy>>
declare
  names text[];
  registry_ids uuid[];
begin
  select array_agg(n.name order by n.place), array_agg(gen_random_uuid()) into names, registry_ids
  from private.free_names(insert_copies.user_id, insert_copies.rows) n;

  if exists (
    select from jsonb_array_elements(insert_copies.rows) r (value)
    where (r.value ->> 'asset_type' = any (private.asset_types())) is not true
  ) then
    perform private.refuse_asset_type(null);
  end if;

  -- Registry rows come first: source rows look up their mirrors when they are inserted.
  insert into public.hub_assets (
    id, asset_type, ref_id, creator_id, slug, title, description, tags, license,
    source_asset_id, parent_asset_id, remix_depth, attribution, pinned_version
  )
  select copy.registry_ids[r.place], r.value ->> 'asset_type', (r.value ->> 'id')::uuid, insert_copies.user_id,
    'copy-' || replace(gen_random_uuid()::text, '-', ''), copy.names[r.place], private.remove_invisible(r.value ->> 'description'),
    array(select t.tag from jsonb_array_elements_text(r.value -> 'tags') with ordinality t (tag, n) order by t.n),
    r.value ->> 'license', root.id,
    -- In a kit only the main row has a parent. A copy in mode "use" gets its parent when it is published.
    case when is_remix then source.id end,
    case when is_remix and source.id is not null then source.remix_depth + 1 else 0 end,
    nullif(r.value -> 'attribution', 'null'),
    insert_copies.pinned_version
  from jsonb_array_elements(insert_copies.rows) with ordinality r (value, place)
  cross join lateral (
    values (r.value ->> 'id' = insert_copies.main_id and insert_copies.mode = 'remix')
  ) m (is_remix)
  left join public.hub_assets root on root.id = (r.value #>> '{attribution,root,id}')::uuid
  order by r.place;

  perform private.insert_sources(insert_copies.user_id, insert_copies.rows, copy.names);
  if source.id is not null then
    insert into private.hub_copies (asset_id, sha256)
    select copy.registry_ids[r.place],
      private.content_sha256(r.value ->> 'asset_type', private.source_row(r.value ->> 'asset_type', (r.value ->> 'id')::uuid))
    from jsonb_array_elements(insert_copies.rows) with ordinality r (value, place);
  end if;

  return (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'asset_type', r.value -> 'asset_type',
        'table', r.value -> 'table',
        'id', r.value -> 'id',
        'hub_asset_id', copy.registry_ids[r.place],
        'title', copy.names[r.place]
      )
      order by r.place
    ), '[]')
    from jsonb_array_elements(insert_copies.rows) with ordinality r (value, place)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.insert_listing (
  creator_id      uuid,
  asset_type      text,
  ref_id          uuid,
  slug            text,
  title           text,
  description     text,
  tags            text[],
  thumbnail_url   text,
  license         text,
  organization_id uuid,
  offer           private.offer
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  made uuid;
  new_id constant uuid := gen_random_uuid();
begin
  for attempt in 1..30 loop
    insert into public.hub_assets (
      id, price_cents, currency, teaser, payment_product_id,
      asset_type, ref_id, creator_id, slug, title, description, tags, thumbnail_url, license,
      organization_id, is_public, current_version, published_at, shared_at, content_updated_at
    )
    values (
      new_id, (insert_listing.offer).price_cents, (insert_listing.offer).currency, (insert_listing.offer).teaser,
      private.product_id(insert_listing.offer, new_id),
      insert_listing.asset_type, insert_listing.ref_id, insert_listing.creator_id,
      private.nth_slug(insert_listing.slug, private.first_attempt(insert_listing.organization_id) + attempt),
      insert_listing.title, insert_listing.description, insert_listing.tags, insert_listing.thumbnail_url, insert_listing.license,
      insert_listing.organization_id, insert_listing.organization_id is null, 1,
      case when insert_listing.organization_id is null then clock_timestamp() end,
      case when insert_listing.organization_id is not null then clock_timestamp() end,
      clock_timestamp()
    )
    -- The insert waits for a concurrent transaction that inserts the same slug.
    on conflict on constraint hub_assets_slug_key do nothing
    returning id into made;
    exit when made is not null;
  end loop;
  return made;
end;
$function$;

CREATE OR REPLACE FUNCTION private.insert_sources (
  user_id uuid,
  rows    jsonb,
  names   text[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if insert_sources.rows @> '[{"asset_type": "template"}]' then
    insert into public.prompt_templates (id, user_id, name, description, content, variables, source_format, source_text)
    select (r.value ->> 'id')::uuid, insert_sources.user_id, insert_sources.names[r.place], c.description, coalesce(c.content, ''), coalesce(c.variables, '[]'),
      c.source_format, c.source_text
    from jsonb_array_elements(insert_sources.rows) with ordinality r (value, place)
    cross join lateral jsonb_to_record(r.value -> 'columns') as c (description text, content text, variables jsonb, source_format text, source_text text)
    where r.value ->> 'asset_type' = 'template'
    order by r.place;
  end if;
  if insert_sources.rows @> '[{"asset_type": "component"}]' then
    insert into public.custom_components (id, user_id, name, description, source, props_schema, source_format, source_text)
    select (r.value ->> 'id')::uuid, insert_sources.user_id, insert_sources.names[r.place], c.description, coalesce(c.source, ''), coalesce(c.props_schema, '{}'),
      c.source_format, c.source_text
    from jsonb_array_elements(insert_sources.rows) with ordinality r (value, place)
    cross join lateral jsonb_to_record(r.value -> 'columns') as c (description text, source text, props_schema jsonb, source_format text, source_text text)
    where r.value ->> 'asset_type' = 'component'
    order by r.place;
  end if;
  if insert_sources.rows @> '[{"asset_type": "orchestration"}]' then
    insert into public.orchestrator_configs (id, user_id, name, description, tags, nodes, edges, stage_configs, source_format, source_text)
    select (r.value ->> 'id')::uuid, insert_sources.user_id, insert_sources.names[r.place], r.value ->> 'description',
      array(select t.tag from jsonb_array_elements_text(r.value -> 'tags') with ordinality t (tag, n) order by t.n),
      coalesce(c.nodes, '[]'), coalesce(c.edges, '[]'), coalesce(c.stage_configs, '[]'), c.source_format, c.source_text
    from jsonb_array_elements(insert_sources.rows) with ordinality r (value, place)
    cross join lateral jsonb_to_record(r.value -> 'columns') as c (nodes jsonb, edges jsonb, stage_configs jsonb, source_format text, source_text text)
    where r.value ->> 'asset_type' = 'orchestration'
    order by r.place;
  end if;
  if insert_sources.rows @> '[{"asset_type": "ai_preset"}]' then
    insert into public.ai_model_settings (
      id, user_id, name, model_id, temperature, top_p, top_k, max_output_tokens, thinking_level, thinking_budget, generate_content_api,
      extra, source_format, source_text
    )
    select (r.value ->> 'id')::uuid, insert_sources.user_id, insert_sources.names[r.place], c.model_id, c.temperature, c.top_p, c.top_k,
      c.max_output_tokens, c.thinking_level, c.thinking_budget, c.generate_content_api, c.extra, c.source_format, c.source_text
    from jsonb_array_elements(insert_sources.rows) with ordinality r (value, place)
    cross join lateral jsonb_to_record(r.value -> 'columns') as c (
      model_id text, temperature double precision, top_p double precision, top_k integer, max_output_tokens integer,
      thinking_level text, thinking_budget integer, generate_content_api text, extra jsonb, source_format text, source_text text
    )
    where r.value ->> 'asset_type' = 'ai_preset'
    order by r.place;
  end if;
  perform private.refuse_asset_type(r.value ->> 'asset_type')
  from jsonb_array_elements(insert_sources.rows) r (value)
  where (r.value ->> 'asset_type' in ('template', 'component', 'orchestration', 'ai_preset')) is not true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.invisible_characters()
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Control characters except tab and line breaks, invisible format characters, characters that are shown as nothing where they
  -- are not supported, private use, noncharacters, planes without characters, unassigned jamo, and blank letters.
  select '\u0001-\u0008\u000b-\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b\u200e-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud7c7-\ud7ca\ud7fc-\ud7ff\ue000-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffc\ufffe-\uffff\U0001107f\U00013430-\U00013455\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U0001fffe-\U0001ffff\U0002fffe-\U0002ffff\U0003fffe-\U0010ffff'::text;
$function$;

CREATE OR REPLACE FUNCTION private.invisible_pattern()
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Invisible characters are allowed in these places: a joiner within words of some scripts, a zero width joiner also between two
  -- emoji, and a variation selector after a symbol or in a keycap.
  select '[' || private.invisible_characters() || ']'
    || '|(?<![\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\u1b00-\u1b7f\ua8e0-\ua8ff\ua980-\ua9df\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefe\U00011000-\U00011fff\U0001e900-\U0001e95f])\u200c'
    || '|(?<![\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\u1b00-\u1b7f\ua8e0-\ua8ff\ua980-\ua9df\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefe\U00011000-\U00011fff\U0001e900-\U0001e95f\u2190-\u23ff\u2600-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f])\u200d'
    || '|(?<=[\u2190-\u23ff\u2600-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f])\u200d(?![\u2190-\u23ff\u2600-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff])'
    || '|(?<![#*0-9\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff])[\ufe0e\ufe0f]'
    || '|(?<=[#*0-9])[\ufe0e\ufe0f](?!\u20e3)';
$function$;

CREATE OR REPLACE FUNCTION private.invitation (
  token text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  found_name constant text := (
    select o.name from public.organizations o where o.id = (private.live_invitation(invitation.token)).organization_id
  );
begin
  if found_name is null then
    raise exception using errcode = 'PT404', message = 'invitation_not_found';
  end if;
  return jsonb_build_object('name', found_name);
end;
$function$;

CREATE OR REPLACE FUNCTION private.invite_member (
  organization_id uuid,
  role            text,
  email           text,
  days            integer,
  max_uses        integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  held constant text := private.begin_organization_write(invite_member.organization_id);
  address constant text := private.clean(invite_member.email);
  -- Two random uuids carry 244 bits of the server's strong randomness.
  token constant text := 'kh_invite_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  id constant uuid := gen_random_uuid();
  expires constant timestamptz := clock_timestamp() + coalesce(invite_member.days, 7) * interval '1 day';
  faults jsonb := '[]';
begin
  perform private.refuse_role(held, '{owner,admin}');
  if coalesce(invite_member.role, 'member') not in ('admin', 'member') then
    faults := faults || private.fault('role', 'invalid_value', 'must be "admin" or "member"');
  end if;
  if char_length(address) > 320 or address !~ '^[^\s@]+@[^\s@]+$' then
    faults := faults || private.fault('email', 'invalid_format', 'must be an e-mail address');
  end if;
  if coalesce(invite_member.days, 7) not between 1 and 90 then
    faults := faults || private.fault('days', 'invalid_value', 'must be from 1 to 90');
  end if;
  if coalesce(invite_member.max_uses, 1) not between 1 and (case when address is null then 1000 else 1 end) then
    faults := faults || private.fault('max_uses', 'invalid_value', 'must be from 1 to 1000, and 1 for one address');
  end if;
  perform private.refuse_faults(faults);
  -- Only an owner may decide who becomes an admin.
  if invite_member.role = 'admin' then
    perform private.refuse_role(held, '{owner}');
  end if;
  perform private.refuse_more('invitations', (
    select count(*)
    from private.organization_invitations i
    where i.organization_id = invite_member.organization_id
      and i.revoked_at is null and i.used < i.max_uses and i.expires_at > clock_timestamp()
  ), 100);
  insert into private.organization_invitations (id, organization_id, email_hash, role, token_sha256, invited_by, expires_at, max_uses)
  values (
    id, invite_member.organization_id, case when address is not null then private.email_hash(id, address) end,
    coalesce(invite_member.role, 'member'), encode(sha256(convert_to(token, 'UTF8')), 'hex'), (select auth.uid()), expires,
    coalesce(invite_member.max_uses, 1)
  );
  return jsonb_build_object('id', id, 'token', token, 'expires_at', expires);
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_admin()
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (select from public.hub_admins a where a.user_id = (select auth.uid()));
$function$;

CREATE OR REPLACE FUNCTION private.is_banned (
  user_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (select from private.hub_bans b where b.user_id = is_banned.user_id);
$function$;

CREATE OR REPLACE FUNCTION private.is_confirmed (
  user_id        uuid,
  content_sha256 text,
  scan_token     text
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (
    select from private.hub_scan_tokens t
    where t.user_id = is_confirmed.user_id
      and t.content_sha256 = is_confirmed.content_sha256
      and t.token_sha256 = encode(sha256(convert_to(is_confirmed.scan_token, 'UTF8')), 'hex')
      and t.expires_at > clock_timestamp()
  );
$function$;

CREATE OR REPLACE FUNCTION private.is_current_content (
  asset_id uuid,
  version  integer,
  sha256   text,
  license  text,
  items    jsonb
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (
    select from public.hub_asset_versions v
    where v.asset_id = is_current_content.asset_id
      and v.version = is_current_content.version
      and v.sha256 = is_current_content.sha256
      and v.license = is_current_content.license
  )
  and (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        -- These members of an item are compared: a change of any of them makes a new version of the kit.
        'asset_type', i.asset_type, 'ref_id', i.ref_id, 'sha256', i.sha256, 'title', i.title, 'license', i.license
      )
      order by i.position
    ), '[]')
    from public.hub_bundle_items i
    where i.asset_id = is_current_content.asset_id and i.version = is_current_content.version
  ) = (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'asset_type', i.item -> 'asset_type', 'ref_id', i.item -> 'ref_id', 'sha256', i.item -> 'sha256',
        'title', i.item -> 'title', 'license', i.item -> 'license'
      )
      order by i.position
    ), '[]')
    from jsonb_array_elements(is_current_content.items) with ordinality as i (item, position)
  );
$function$;

CREATE OR REPLACE FUNCTION private.is_https_url (
  value text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select char_length(is_https_url.value) <= 2048
    and is_https_url.value ~ '^https://[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?([/?#][!#-;=?-\[\]_a-z~]*)?$';
$function$;

CREATE OR REPLACE FUNCTION private.is_member()
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- A Supabase anonymous session has the role authenticated, but no account: it is treated as signed out (Lite).
  select (select auth.uid()) is not null and coalesce((select auth.jwt()) ->> 'is_anonymous', 'false') <> 'true';
$function$;

CREATE OR REPLACE FUNCTION private.is_member_of (
  user_id         uuid,
  organization_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (
    select from public.organization_members m
    where m.organization_id = is_member_of.organization_id and m.user_id = is_member_of.user_id
  );
$function$;

CREATE OR REPLACE FUNCTION private.is_old_enough (
  user_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Users can set neither of the two times. The profile may be newer than the account, but not older.
  select coalesce(
    coalesce(
      (select u.created_at from auth.users u where u.id = is_old_enough.user_id),
      (select p.created_at from public.hub_profiles p where p.user_id = is_old_enough.user_id)
    ) <= clock_timestamp() - (select s.min_reporter_age from public.hub_settings s),
    true
  );
$function$;

CREATE OR REPLACE FUNCTION private.is_operator()
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- SECURITY DEFINER does not change the setting "role". API requests run as anon, authenticated or service_role, and none of
  -- them is a member of the role that owns this schema.
  select pg_catalog.pg_has_role(
    coalesce(nullif(current_setting('role', true), 'none'), session_user)::name,
    n.nspowner,
    'member'
  )
  from pg_catalog.pg_namespace n
  where n.nspname = 'private';
$function$;

CREATE OR REPLACE FUNCTION private.is_own_shared (
  origin     jsonb,
  creator_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select coalesce(
    is_own_shared.origin ->> 'organization_id' is not null and is_own_shared.origin ->> 'creator_id' = is_own_shared.creator_id::text, false
  );
$function$;

CREATE OR REPLACE FUNCTION private.is_reserved_name (
  key text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Also compares the reserved words spelled with rn instead of m. Treating rn like m in all names would refuse too many of them.
  select exists (
    select
    from unnest('{anonymous,api,deleted,help,hub,mod,"null",operator,owner,root,security,system,undefined}'::text[]) word
    cross join lateral (values (word), (replace(word, 'm', 'rn'))) s (spelling)
    where private.username_key(spelling) = is_reserved_name.key
  ) or exists (
    select
    from unnest('{keyhub,admin,official,support,moderator,staff}'::text[]) beginning
    cross join lateral (values (beginning), (replace(beginning, 'm', 'rn'))) s (spelling)
    where starts_with(is_reserved_name.key, private.username_key(spelling))
  );
$function$;

CREATE OR REPLACE FUNCTION private.is_seen_by (
  asset   public.hub_assets,
  user_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select (is_seen_by.asset).is_visible
    or ((is_seen_by.asset).is_shared and private.is_member_of(is_seen_by.user_id, (is_seen_by.asset).organization_id));
$function$;

CREATE OR REPLACE FUNCTION private.is_unchanged (
  payload     jsonb,
  attribution jsonb
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with origins as (
    select (o.origin ->> 'id')::uuid as asset_id, (o.origin ->> 'version')::integer as version
    from private.origins(is_unchanged.attribution) o
  )
  select exists (
    select from origins o
    join public.hub_asset_versions v on v.asset_id = o.asset_id and v.version = o.version
    where v.payload - 'name' = is_unchanged.payload - 'name'
  )
  or exists (
    select from origins o
    join public.hub_bundle_items i on i.asset_id = o.asset_id and i.version = o.version
    where i.payload - 'name' = is_unchanged.payload - 'name'
  );
$function$;

CREATE OR REPLACE FUNCTION private.is_undelivered (
  order_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (
    select from private.orders o
    left join public.hub_purchases p on p.order_id = o.id
    where o.id = is_undelivered.order_id
      and o.state = 'paid'
      -- A delivered purchase is deleted with the account of its buyer: then no money is due back.
      and (o.delivered_at is null or p.revoked_reason = 'disputed')
  );
$function$;

CREATE OR REPLACE FUNCTION private.issue_my_agent_token (
  name text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  owner constant uuid := private.key_owner();
  wanted constant text := btrim(issue_my_agent_token.name);
  token text;
begin
  if char_length(wanted) not between 1 and 100 or wanted ~ '[[:cntrl:]]' then
    perform private.refuse_faults(private.fault('name', 'invalid_text', 'must be one line of 1 to 100 characters'));
  end if;
  perform private.limit_own_rows(owner, 'agents', 50);
  token := public.issue_agent_token(owner, wanted);
  return jsonb_build_object(
    'token', token,
    'id', (select a.id from public.api_key_agents a where a.token_hash = encode(sha256(convert_to(token, 'UTF8')), 'hex'))
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.joined_after_restore (
  user_id  uuid,
  asset_id uuid,
  version  integer
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Users can set neither of the two times. The profile may be newer than the account, but not older.
  select exists (
    select from private.hub_moderation m
    where m.asset_id = joined_after_restore.asset_id
      -- An account that joined after the restore counts again on the next version.
      and m.reviewed_version >= joined_after_restore.version
      and m.reviewed_at < coalesce(
        (select u.created_at from auth.users u where u.id = joined_after_restore.user_id),
        (select p.created_at from public.hub_profiles p where p.user_id = joined_after_restore.user_id)
      )
  );
$function$;

CREATE OR REPLACE FUNCTION private.joined_attribution (
  before jsonb,
  after  jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select joined_attribution.after || coalesce((
    select jsonb_build_object('via', coalesce(joined_attribution.after -> 'via', '[]') || jsonb_agg(b.origin))
    from private.origins(joined_attribution.before) b
    where b.origin ->> 'id' not in (select a.origin ->> 'id' from private.origins(joined_attribution.after) a)
    having count(*) > 0
  ), '{}');
$function$;

CREATE OR REPLACE FUNCTION private.judge_order (
  order_id uuid
)
  RETURNS TABLE (
    state              text,
    refunded_cents     integer,
    disputed_cents     integer,
    provider_fee_cents integer,
    refund_failed      boolean
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with told as (
    select
      e.object_id,
      bool_or(e.kind = 'paid') as paid,
      bool_or(e.kind = 'expired') as expired,
      bool_or(e.kind = 'refunded') as refunded,
      bool_or(e.kind = 'refund_failed') as failed,
      bool_or(e.kind in ('disputed', 'dispute_lost')) as disputed,
      bool_or(e.kind = 'dispute_won') as won,
      bool_or(e.kind = 'dispute_lost') as lost,
      max(e.amount_cents) as amount,
      max(e.provider_fee_cents) as fee
    from private.payment_events e
    where e.order_id = judge_order.order_id and e.outcome = 'applied'
    group by e.object_id
  ),
  summed as (
    select
      coalesce(bool_or(t.paid), false) as paid,
      coalesce(bool_or(t.expired), false) as expired,
      coalesce(bool_or(t.lost), false) as lost,
      coalesce(bool_or(t.disputed and not t.won and not t.lost), false) as disputed,
      coalesce(bool_or(t.refunded and t.failed), false) as refund_failed,
      coalesce(sum(t.amount) filter (where t.refunded), 0) as attempted,
      coalesce(sum(t.amount) filter (where t.refunded and not t.failed), 0) as refunded,
      coalesce(sum(t.amount) filter (where t.disputed and (t.lost or not t.won)), 0) as taken,
      coalesce(sum(t.fee), 0) as fees
    from told t
  )
  select
    case
      when not s.paid then case when s.expired then 'expired' else 'open' end
      when s.attempted >= o.price_cents then 'refunded'
      when s.lost then 'lost'
      when s.disputed then 'disputed'
      else 'paid'
    end,
    case when s.paid then least(s.refunded, o.price_cents) else 0 end::integer,
    case when s.paid then s.taken else 0 end::integer,
    case when s.paid then s.fees else 0 end::integer,
    s.refund_failed
  from private.orders o, summed s
  where o.id = judge_order.order_id;
$function$;

CREATE OR REPLACE FUNCTION private.judge_page_size (
  page_size integer
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if judge_page_size.page_size not between 1 and 100 then
    perform private.refuse_faults(private.fault('page_size', 'invalid_value', 'must be from 1 to 100'));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.keep_deleted_key()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into public.api_key_deleted (id, user_id, key_name, key_hint, fingerprint, provider)
  select old.id, old.user_id, old.key_name, old.key_hint, old.fingerprint, old.provider
  from auth.users u
  where u.id = old.user_id
  -- A key with the same id was deleted before and added again.
  on conflict (id) do update
  set (user_id, key_name, key_hint, fingerprint, provider, deleted_at) =
    row(excluded.user_id, excluded.key_name, excluded.key_hint, excluded.fingerprint, excluded.provider, now());
  if not found then
    -- The account is being deleted as well.
    delete from public.api_key_usage_log l where l.user_api_key_id = old.id;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.keep_former_name()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.hub_former_names as f (name_key, username, user_id)
  values (private.username_key(old.username), old.username, old.user_id)
  on conflict (name_key) do update
  set username = excluded.username, user_id = excluded.user_id, given_up_at = excluded.given_up_at;
  if tg_op = 'UPDATE' then
    delete from private.hub_former_names f where f.name_key = private.username_key(new.username);
    -- Keeps at most five former names of each user, so that nobody can take many names from others by renaming again and again.
    delete from private.hub_former_names f
    where f.name_key in (
      select o.name_key from private.hub_former_names o where o.user_id = old.user_id order by o.given_up_at desc, o.name_key offset 5
    );
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.keep_overwritten (
  asset_id    uuid,
  content     jsonb,
  attribution jsonb,
  sha256      text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.hub_overwritten (asset_id, content, attribution, sha256)
  values (keep_overwritten.asset_id, keep_overwritten.content, keep_overwritten.attribution, keep_overwritten.sha256);
  delete from private.hub_overwritten o
  where o.asset_id = keep_overwritten.asset_id
    and o.id not in (
      select n.id from private.hub_overwritten n where n.asset_id = keep_overwritten.asset_id order by n.id desc limit 10
    );
end;
$function$;

CREATE OR REPLACE FUNCTION private.keep_owner()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  changed uuid;
begin
  for changed in
    select distinct c.organization_id from changed_members c order by c.organization_id
  loop
    -- The organization itself was deleted.
    continue when not private.lock_organization(changed);
    if not exists (select from public.organization_members m where m.organization_id = changed) then
      -- An organization without members is closed.
      delete from public.organizations o where o.id = changed;
    elsif not exists (select from public.organization_members m where m.organization_id = changed and m.role = 'owner') then
      update public.organization_members m
      set role = 'owner'
      where m.organization_id = changed and m.user_id = (
        select h.user_id
        from public.organization_members h
        where h.organization_id = changed
        order by h.role = 'admin' desc, h.created_at, h.user_id
        limit 1
      );
    end if;
  end loop;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.keeps_origins (
  before jsonb,
  after  jsonb
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select (before #> '{root,id}', before #> '{parent,id}', before -> 'claimed')
    is not distinct from (after #> '{root,id}', after #> '{parent,id}', after -> 'claimed')
    and not exists (
      select b.origin ->> 'id' from private.origins(keeps_origins.before) b
      except
      select a.origin ->> 'id' from private.origins(keeps_origins.after) a
    );
$function$;

CREATE OR REPLACE FUNCTION private.key_caller (
  token_hash text,
  user_id    uuid,
  OUT        pool_user_id uuid,
  OUT        agent_id uuid
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  at constant timestamptz := clock_timestamp();
begin
  if key_caller.token_hash is not null then
    select a.user_id, a.id into key_caller.user_id, agent_id
    from public.api_key_agents a
    where a.token_hash = key_caller.token_hash
      and (a.revoked_at is null or a.revoked_at > at);
  end if;
  select u.id into pool_user_id
  from auth.users u
  where u.id = key_caller.user_id
    -- An owner who is banned from signing in, or deleted, leases nothing.
    and (u.banned_until is null or u.banned_until <= at)
    and u.deleted_at is null;
  if pool_user_id is null then
    raise exception using errcode = 'PT401', message = 'invalid_credential';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.key_owner()
  RETURNS uuid
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
begin
  if caller is null or coalesce((select auth.jwt()) ->> 'is_anonymous', 'false') = 'true' then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
  return caller;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lease_batch (
  user_id     uuid,
  agent_id    uuid,
  priority    integer,
  provider    text,
  live_kids   text[],
  calls       integer,
  model       text,
  start_count bigint,
  start_id    uuid,
  at          timestamp with time zone
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_material TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  answers jsonb;
begin
  with held as (
    select k.id, k.usage_count, k.generation
    from public.user_api_keys k
    where k.user_id = lease_batch.user_id
      and k.priority = lease_batch.priority
      and k.is_ready
      and (k.usage_count, k.id) >= (lease_batch.start_count, lease_batch.start_id)
      and (lease_batch.provider is null or k.provider is null or k.provider = lease_batch.provider)
      and k.sealed_kid = any (lease_batch.live_kids)
      and (lease_batch.model is null or coalesce(k.limited_until[array_position(k.limited_models, lease_batch.model)] <= lease_batch.at, true))
    order by k.usage_count, k.id
    limit lease_batch.calls
    -- A caller that holds the lock of a key must not wait for another key.
    for no key update skip locked
  ),
  -- Leases the keys that single calls one after the other would get: each call takes the least used key, whose count then rises by
  -- one.
  turns as (
    select h.id, h.generation
    from held h, pg_catalog.generate_series(0, lease_batch.calls - 1) more
    order by h.usage_count + more, h.id
    limit lease_batch.calls
  ),
  leases as (
    insert into public.api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at, model)
    select t.id, lease_batch.user_id, lease_batch.agent_id, t.generation, clock_timestamp(), lease_batch.model
    from turns t
    returning id, user_api_key_id, issued_at
  ),
  counted as (
    update private.key_leases k
    set usage_count = k.usage_count + taken.number
    from (select l.user_api_key_id as id, count(*) as number from leases l group by 1) taken
    where k.id = taken.id
    returning k.id, k.lease
  )
  select jsonb_agg(k.lease || jsonb_build_object('lease_id', l.id, 'leased_at', l.issued_at, 'model', lease_batch.model) order by l.place)
  into answers
  from (select l.*, row_number() over () as place from leases l) l
  join counted k on k.id = l.user_api_key_id;
  return answers;
end;
$function$;

CREATE OR REPLACE FUNCTION private.least_usage_count (
  user_id   uuid,
  priority  integer,
  except_id uuid,
  is_ready  boolean
)
  RETURNS bigint
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select k.usage_count
  from public.user_api_keys k
  where k.user_id = least_usage_count.user_id
    and k.priority = least_usage_count.priority
    and k.is_ready = least_usage_count.is_ready
    and k.is_active
    and k.id is distinct from least_usage_count.except_id
    -- Starts at the low-water mark: below it the index is full of dead entries that leases left behind.
    and k.usage_count >= coalesce(
      (
        select t.low_water_count
        from private.api_key_tiers t
        where t.user_id = least_usage_count.user_id
          and t.priority = least_usage_count.priority
          and least_usage_count.is_ready
      ),
      0
    )
  order by k.usage_count, k.id
  limit 1;
$function$;

CREATE OR REPLACE FUNCTION private.leave_organization (
  organization_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  held constant text := private.begin_organization_write(leave_organization.organization_id);
begin
  -- The last member may leave: this closes the organization.
  if held = 'owner' and exists (
    select from public.organization_members m where m.organization_id = leave_organization.organization_id and m.user_id <> caller
  ) then
    perform private.refuse_last_owner(leave_organization.organization_id, caller);
  end if;
  delete from public.organization_members m
  where m.organization_id = leave_organization.organization_id and m.user_id = caller;
end;
$function$;

CREATE OR REPLACE FUNCTION private.led_organization_ids()
  RETURNS SETOF uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  ROWS 5
  SET search_path TO ''
  AS $function$
  select m.organization_id from public.organization_members m where m.user_id = (select auth.uid()) and m.role in ('owner', 'admin');
$function$;

CREATE OR REPLACE FUNCTION private.ledger_adds_up()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if (select sum(l.amount_cents) from private.ledger l where l.provider = new.provider and l.event_id = new.event_id) <> 0 then
    raise exception using errcode = 'PT409', message = 'ledger_unbalanced';
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.level_for_model (
  user_id  uuid,
  priority integer,
  model    text,
  at       timestamp with time zone
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  -- With this setting user_api_keys_before_write accepts the update; without it, the trigger undoes an edit of these columns.
  select set_config('keyhub.levelling', 'on', true);
  update public.user_api_keys k
  -- 1000000 is the most that a count may rise at once: see refuse_huge_usage_count.
  set usage_count = k.usage_count + greatest(least(least_free.usage_count - k.usage_count, 1000000), 0),
    skipped_count = k.skipped_count + greatest(least(least_free.usage_count - k.usage_count, 1000000), 0),
    limited_models = nullif(array_remove(k.limited_models, level_for_model.model), '{}'),
    limited_until = nullif(
      k.limited_until[: array_position(k.limited_models, level_for_model.model) - 1]
        || k.limited_until[array_position(k.limited_models, level_for_model.model) + 1 :],
      '{}'
    )
  from (
    select coalesce((
      select f.usage_count
      from public.user_api_keys f
      where f.user_id = level_for_model.user_id
        and f.priority = level_for_model.priority
        and f.is_ready
        and (f.limited_models is null or level_for_model.model <> all (f.limited_models))
        and (f.usage_count, f.id) >= (
          select t.low_water_count, t.low_water_id
          from private.api_key_tiers t
          where t.user_id = level_for_model.user_id and t.priority = level_for_model.priority
        )
      order by f.usage_count, f.id
      limit 1
    ), 0) as usage_count
  ) least_free
  where k.id in (
    select over.id
    from public.user_api_keys over
    where over.user_id = level_for_model.user_id
      and over.priority = level_for_model.priority
      and over.is_ready
      and over.limited_until[array_position(over.limited_models, level_for_model.model)] <= level_for_model.at
    order by over.usage_count, over.id
    limit 64
    for no key update skip locked
  );
  select set_config('keyhub.levelling', '', true);
$function$;

CREATE OR REPLACE FUNCTION private.lexemes (
  value        text,
  weight       text,
  behind       integer,
  endings_from integer
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  w record;
  place text;
  part text;
  entries text := '';
begin
  for w in select * from private.words(lexemes.value) with ordinality x (whole, parts, is_run, n) loop
    place := ''':' || least(w.n + lexemes.behind, 16383) || lexemes.weight || ' ''';
    entries := entries || array_to_string(w.parts, place) || place || case when w.is_run then right(w.whole, 1) else w.whole end || place;
    continue when w.is_run;
    -- Stores the endings of a compound word, so that a search for its second part finds it.
    foreach part in array w.parts loop
      continue when char_length(part) not between lexemes.endings_from and 40 or part ~ '[0-9]';
      for i in 4..char_length(part) - 3 loop
        entries := entries || '~' || substr(part, i) || place;
      end loop;
    end loop;
  end loop;
  return case when entries <> '' then '''' || left(entries, -1) end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lift_report (
  told public.api_key_usage_log
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  key_ids uuid[];
  at timestamptz;
  keys integer;
  models integer;
  is_limit constant boolean := told.outcome in ('rate_limited', 'quota_exhausted');
begin
  -- The caller holds no lock yet and does not lock its own key. So two calls that lift each other's blocks wait for only one key
  -- each.
  key_ids := private.lock_for_report(
    told.user_id, told.user_api_key_id, case told.effect when 'cooled' then 'account' else 'key' end, told.model
  );
  at := clock_timestamp();
  if told.effect = 'disabled' then
    -- Enabling a key makes its health clean; after the enabling, the key cools down for a minute.
    update public.user_api_keys k
    set is_active = true
    from public.api_key_health h
    where k.id = told.user_api_key_id and h.user_api_key_id = k.id and h.reason_log_id = told.id and not k.is_active;
    if found then
      update public.api_key_health h
      set blocked_until = at + interval '60 s',
        reason = told.outcome,
        reason_code = told.error_code,
        reason_since = at,
        last_reported_at = at,
        last_effect = 'lifted'
      where h.user_api_key_id = told.user_api_key_id;
    end if;
    return found;
  end if;
  update public.api_key_health h
  set blocked_until = null,
    rate_blocked_until = null,
    consecutive_failures = greatest(h.consecutive_failures - is_limit::integer, 0),
    reason = null,
    reason_code = null,
    reason_since = null,
    reason_log_id = null,
    last_reported_at = at,
    last_effect = 'lifted'
  where h.user_api_key_id = any (key_ids)
    -- The block began with that report, and nothing has changed it since.
    and h.reason_log_id = told.id
    and h.reason_since = told.reported_at;
  get diagnostics keys = row_count;
  update public.api_key_model_health m
  set blocked_until = null,
    rate_blocked_until = null,
    consecutive_failures = greatest(m.consecutive_failures - is_limit::integer, 0),
    reason = null,
    reason_code = null,
    reason_since = null,
    caused_by_log_id = null,
    last_reported_at = at
  where m.user_api_key_id = any (key_ids)
    and m.model = told.model
    and m.caused_by_log_id = told.id
    and m.reason_since = told.reported_at;
  get diagnostics models = row_count;
  return keys + models > 0;
end;
$function$;

CREATE OR REPLACE FUNCTION private.limit_calls (
  user_id      uuid,
  kind         text,
  hourly_limit integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  checked_at constant timestamptz := clock_timestamp();
  recent timestamptz[];
begin
  if limit_calls.hourly_limit is null then
    return;
  end if;
  -- A call is counted for one hour.
  delete from private.hub_calls c
  where c.user_id = limit_calls.user_id and c.kind = limit_calls.kind and c.at <= checked_at - interval '1 hour';
  recent := array(
    select c.at
    from private.hub_calls c
    where c.user_id = limit_calls.user_id and c.kind = limit_calls.kind
    order by c.at desc
    limit limit_calls.hourly_limit
  );
  perform private.enforce_hourly_limit(limit_calls.kind, recent, limit_calls.hourly_limit);
  insert into private.hub_calls (user_id, kind) values (limit_calls.user_id, limit_calls.kind);
end;
$function$;

CREATE OR REPLACE FUNCTION private.limit_own_rows (
  owner uuid,
  what  text,
  most  integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  held bigint;
begin
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(limit_own_rows.owner, 4));
  if limit_own_rows.what = 'keys' then
    select count(*) into held from public.user_api_keys k where k.user_id = limit_own_rows.owner;
  else
    select count(*) into held from public.api_key_agents a where a.user_id = limit_own_rows.owner and a.revoked_at is null;
  end if;
  if held >= limit_own_rows.most then
    raise exception using
      errcode = 'PT422',
      message = 'limit_reached',
      detail = jsonb_build_object('limit', limit_own_rows.what, 'most', limit_own_rows.most)::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.limit_publications (
  user_id      uuid,
  hourly_limit integer
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  checked_at constant timestamptz := clock_timestamp();
  recent timestamptz[];
begin
  recent := array(
    select e.at
    from public.hub_events e
    where e.user_id = limit_publications.user_id
      and e.action = 'published'
      and e.at > checked_at - interval '1 hour'
    order by e.at desc
    limit limit_publications.hourly_limit
  );
  perform private.enforce_hourly_limit('publications', recent, limit_publications.hourly_limit);
end;
$function$;

CREATE OR REPLACE FUNCTION private.list_orders (
  q      text,
  state  text,
  cursor text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  page_size constant integer := 50;
  list constant jsonb := jsonb_build_array('orders', list_orders.q, list_orders.state);
  place jsonb;
  rows jsonb;
begin
  perform private.require_admin();
  if list_orders.cursor is not null then
    place := private.from_cursor(list_orders.cursor, list);
    if not pg_input_is_valid(place ->> 'at', 'timestamptz') or not pg_input_is_valid(place ->> 'id', 'uuid') then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
  end if;
  select coalesce(jsonb_agg(to_jsonb(r) order by r.created_at desc, r.id desc), '[]') into rows
  from (
    select o.id, o.state, o.title, a.slug, a.asset_type, o.price_cents, o.currency, o.fee_cents, o.created_at, o.paid_at,
      b.username as buyer, c.username as creator,
      coalesce((
        select sum(l.amount_cents) from private.ledger l where l.order_id = o.id and l.account = 'buyer' and l.kind = 'refund'
      ), 0) as refunded_cents
    from private.orders o
    left join public.hub_assets a on a.id = o.asset_id
    left join public.hub_profiles b on b.user_id = o.buyer_id
    left join public.hub_profiles c on c.user_id = o.creator_id
    where (list_orders.state is null or o.state = list_orders.state)
      and (place is null or (o.created_at, o.id) < ((place ->> 'at')::timestamptz, (place ->> 'id')::uuid))
      and (
        list_orders.q is null
        or o.id::text = lower(list_orders.q)
        or strpos(lower(o.title), lower(list_orders.q)) > 0
        or lower(b.username) = lower(list_orders.q)
        or lower(c.username) = lower(list_orders.q)
      )
    order by o.created_at desc, o.id desc
    limit page_size + 1
  ) r;
  return jsonb_build_object(
    'items', (select coalesce(jsonb_agg(r.value order by r.place), '[]') from jsonb_array_elements(rows) with ordinality r (value, place) where r.place <= page_size),
    'next_cursor', case
      when jsonb_array_length(rows) > page_size
      then private.to_cursor(jsonb_build_object('list', list, 'at', rows -> (page_size - 1) -> 'created_at', 'id', rows -> (page_size - 1) -> 'id'))
    end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.live_invitation (
  token text
)
  RETURNS private.organization_invitations
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select i.*
  from private.organization_invitations i
  where i.token_sha256 = encode(sha256(convert_to(left(live_invitation.token, 200), 'UTF8')), 'hex')
    and i.revoked_at is null
    and i.used < i.max_uses
    and i.expires_at > clock_timestamp();
$function$;

CREATE OR REPLACE FUNCTION private.lock_before_user_deletion()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The user's row is already locked: no new row can refer to it. First come the user's own ban and the bans that the user imposed:
  -- lifting a ban locks the ban and then the assets.
  perform from private.hub_bans b where b.user_id = old.id or b.banned_by = old.id order by b.user_id for update;
  perform from public.hub_profiles p where p.user_id = old.id for update;
  -- Two owners of one organization may delete their accounts at the same time.
  perform from public.organizations o
  where o.id in (select m.organization_id from public.organization_members m where m.user_id = old.id)
  order by o.id
  for update;
  -- Includes the followers of the user: two users who follow each other may delete their accounts at the same time.
  perform from public.hub_follows f
  where f.user_id = old.id or f.creator_id = old.id
  order by f.user_id, f.creator_id
  for update;
  perform private.lock_own_sources(old.id);
  perform from public.hub_stars s where s.user_id = old.id order by s.asset_id, s.user_id for update;
  perform from public.hub_imports i where i.user_id = old.id order by i.asset_id, i.id for update;
  perform from public.hub_assets a
  where a.id in (
    select own.id from public.hub_assets own where own.creator_id = old.id
    union
    -- These listings are on the shelf of an organization that has no other member, so the organization will be closed.
    select s.id
    from public.hub_assets s
    join public.organization_members m on m.organization_id = s.organization_id and m.user_id = old.id
    where not exists (
      select from public.organization_members o where o.organization_id = m.organization_id and o.user_id <> old.id
    )
    union
    select s.asset_id from public.hub_stars s where s.user_id = old.id
    union
    select i.asset_id from public.hub_imports i where i.user_id = old.id
  )
  -- Assets are locked in the order of their ids.
  order by a.id
  for no key update;
  perform private.lock_reports(null, old.id);
  perform from private.hub_moderation m
  where m.asset_id in (select r.asset_id from public.hub_reports r where r.reporter_id = old.id and not r.resolved)
  order by m.asset_id
  for no key update;
  return old;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_caller()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Operators and edge functions have no auth.uid(). Row level security refuses callers without an account.
  if (select auth.uid()) is not null and private.is_member() then
    -- A banned user may still edit the workspace.
    perform private.begin_write((select auth.uid()), allow_banned => true);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_for_report (
  user_id uuid,
  key_id  uuid,
  reach   text,
  model   text
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  own public.user_api_keys;
  next_id uuid;
  key_ids uuid[] := array[lock_for_report.key_id];
  give_up_at timestamptz;
begin
  -- One caller at a time works on a key: see lease_api_key.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(lock_for_report.key_id, 0));
  if lock_for_report.reach <> 'health' then
    -- A TRUNCATE of a health table goes on to lock the keys: wait for it here, while this call holds no key yet.
    perform from public.api_key_health h where h.user_api_key_id = lock_for_report.key_id;
    perform from public.api_key_model_health m where m.user_api_key_id = lock_for_report.key_id limit 1;
    select k.* into own from public.user_api_keys k where k.id = lock_for_report.key_id and k.user_id = lock_for_report.user_id;
    if own.account is null or lock_for_report.reach = 'key' then
      perform from public.user_api_keys k where k.id = lock_for_report.key_id for no key update;
    else
      -- This is the only place where a call waits for a row while it holds others. Each such call takes the account's lock and then
      -- the keys of the account in one order (starting with its own key would cause a livelock). It gives up after .6 s, so that an
      -- operator who edits many keys in another order never meets the deadlock detector.
      perform pg_catalog.pg_advisory_xact_lock(
        pg_catalog.hashtextextended(concat_ws(' ', own.user_id, own.provider, own.account), 2)
      );
      perform set_config('lock_timeout', '300ms', true);
      key_ids := '{}';
      for next_id in
        select k.id
        from public.user_api_keys k
        where k.user_id = own.user_id and k.account = own.account and k.provider is not distinct from own.provider
        order by k.id
      loop
        if clock_timestamp() > give_up_at then
          raise exception using errcode = 'lock_not_available', message = 'lock_conflict';
        end if;
        perform from public.user_api_keys k
        -- Skips keys that were disabled or left the account meanwhile: that edit counts as earlier than this report.
        where k.id = next_id and (k.id = own.id or k.is_active and k.user_id = own.user_id and k.account = own.account)
        for no key update;
        if found then
          key_ids := key_ids || next_id;
        end if;
        give_up_at := coalesce(give_up_at, clock_timestamp() + interval '300 ms');
      end loop;
    end if;
  end if;

  -- Never waits for health rows: an operator's reset locks them before the key.
  if exists (
    select h.user_api_key_id from public.api_key_health h where h.user_api_key_id = any (key_ids)
    except
    select held.user_api_key_id
    from (
      select h.user_api_key_id from public.api_key_health h where h.user_api_key_id = any (key_ids) for no key update skip locked
    ) held
  ) or lock_for_report.model is not null and exists (
    select m.user_api_key_id
    from public.api_key_model_health m
    where m.user_api_key_id = any (key_ids) and m.model = lock_for_report.model
    except
    select held.user_api_key_id
    from (
      select m.user_api_key_id
      from public.api_key_model_health m
      where m.user_api_key_id = any (key_ids) and m.model = lock_for_report.model
      for no key update skip locked
    ) held
  ) then
    raise exception using errcode = 'lock_not_available', message = 'lock_conflict';
  end if;
  return key_ids;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_order (
  order_id uuid
)
  RETURNS private.orders
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  ordered private.orders;
begin
  select o.* into ordered from private.orders o where o.id = lock_order.order_id;
  -- Locks the buyer first, as every write of the buyer does; a deleted buyer makes no writes.
  if exists (select from auth.users u where u.id = ordered.buyer_id) then
    perform private.begin_write(ordered.buyer_id, allow_banned => true);
  end if;
  select o.* into ordered from private.orders o where o.id = lock_order.order_id for no key update;
  return ordered;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_organization (
  organization_id uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform from public.organizations o where o.id = lock_organization.organization_id for no key update;
  return found;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_origins (
  asset_id uuid,
  rows     jsonb
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select from public.hub_assets a
  where a.id in (
    select lock_origins.asset_id
    union
    select (r.value #>> '{attribution,root,id}')::uuid from jsonb_array_elements(lock_origins.rows) r (value)
  )
  -- The lock waits for a transaction that is erasing the root of the import.
  order by a.id
  for key share;
$function$;

CREATE OR REPLACE FUNCTION private.lock_own_sources (
  user_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform from public.prompt_templates t where t.user_id = lock_own_sources.user_id order by t.id for update;
  perform from public.custom_components c where c.user_id = lock_own_sources.user_id order by c.id for update;
  perform from public.orchestrator_configs o where o.user_id = lock_own_sources.user_id order by o.id for update;
  perform from public.ai_model_settings s where s.user_id = lock_own_sources.user_id order by s.id for update;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_reports (
  asset_ids uuid[],
  user_id   uuid
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  wanted uuid[];
  locked uuid[];
begin
  loop
    wanted := array(
      select r.id
      from public.hub_reports r
      where (r.asset_id = any (lock_reports.asset_ids) and not r.resolved)
        or r.reporter_id = lock_reports.user_id
        or r.resolved_by = lock_reports.user_id
    );
    begin
      -- Either all reports are locked, or none of them stays locked.
      locked := array(select r.id from public.hub_reports r where r.id = any (wanted) for no key update skip locked);
      if cardinality(locked) = cardinality(wanted) then
        return locked;
      end if;
      raise exception using errcode = 'KH001', message = 'lock_conflict';
    exception
      when sqlstate 'KH001' then
        -- Lock conflict: the rollback of the inner block has released all locks. Wait for the first report that was locked by
        -- another transaction, release it as well, and retry.
        begin
          perform from public.hub_reports r
          where r.id = (select w.id from unnest(wanted) w (id) where w.id <> all (locked) limit 1)
          for no key update;
          raise exception using errcode = 'KH001', message = 'lock_conflict';
        exception
          when sqlstate 'KH001' then
            null;
        end;
    end;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_source (
  asset_type text,
  ref_id     uuid,
  user_id    uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if lock_source.asset_type = 'template' then
    perform from public.prompt_templates t where t.id = lock_source.ref_id and t.user_id = lock_source.user_id for no key update;
  elsif lock_source.asset_type = 'component' then
    perform from public.custom_components c where c.id = lock_source.ref_id and c.user_id = lock_source.user_id for no key update;
  elsif lock_source.asset_type = 'orchestration' then
    perform from public.orchestrator_configs o where o.id = lock_source.ref_id and o.user_id = lock_source.user_id for no key update;
  elsif lock_source.asset_type = 'ai_preset' then
    perform from public.ai_model_settings s where s.id = lock_source.ref_id and s.user_id = lock_source.user_id for no key update;
  else
    perform private.refuse_asset_type(lock_source.asset_type);
  end if;
  return found;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_with_stars (
  asset_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  started constant timestamptz := clock_timestamp();
  locked bigint;
begin
  -- Lock order: a concurrent unstar locks the star and then waits for the asset. This loop therefore does not wait for stars while
  -- it holds the lock of the asset: on a lock conflict it releases all locks and takes them again.
  loop
    begin
      perform from public.hub_assets a where a.id = lock_with_stars.asset_id for no key update;
      select count(*) into locked from (
        select from public.hub_stars s where s.asset_id = lock_with_stars.asset_id for update skip locked
      ) s;
      exit when locked = (select count(*) from public.hub_stars s where s.asset_id = lock_with_stars.asset_id);
      raise exception using errcode = 'KH001', message = 'lock_conflict';
    exception
      when sqlstate 'KH001' then
        if clock_timestamp() > started + interval '5 seconds' then
          raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "lock conflict on a star, retries exhausted"}';
        end if;
        perform pg_sleep(0.01);
    end;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.log_admins()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op <> 'INSERT' then
    perform private.log_event('admin_removed', user_id => old.user_id);
  end if;
  if tg_op <> 'DELETE' then
    perform private.log_event('admin_added', user_id => new.user_id);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.log_event (
  action    text,
  asset_id  uuid    DEFAULT NULL::uuid,
  user_id   uuid    DEFAULT NULL::uuid,
  report_id uuid    DEFAULT NULL::uuid,
  details   jsonb   DEFAULT '{}'::jsonb,
  by_system boolean DEFAULT false
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  insert into public.hub_events (actor_id, action, asset_id, user_id, report_id, note, public_note, details)
  values (
    case when not log_event.by_system then (select auth.uid()) end,
    log_event.action,
    log_event.asset_id,
    log_event.user_id,
    log_event.report_id,
    -- set_audit_note has set the note: it is the note of an RPC for the triggers of its statement.
    nullif(current_setting('keyhub.note', true), ''),
    case when log_event.action in ('hidden', 'removed', 'banned') then nullif(current_setting('keyhub.public_note', true), '') end,
    log_event.details
  );
$function$;

CREATE OR REPLACE FUNCTION private.log_report()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.log_event('report_resolved', new.asset_id, report_id => new.id, details => jsonb_build_object('outcome', new.outcome));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.looks_secret (
  value text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select exists (
    select from private.searched_forms(looks_secret.value) r join private.secret_patterns() p on r.form ~ p.pattern
  );
$function$;

CREATE OR REPLACE FUNCTION private.lower_low_water_mark()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- Locks the tier's row even when the mark is already low enough: refresh_tier cannot see this key before the commit and must not
  -- raise the mark until then.
  insert into private.api_key_tiers as t (user_id, priority, low_water_count, low_water_id)
  values (new.user_id, new.priority, new.usage_count, new.id)
  on conflict (user_id, priority) do update
  set (low_water_count, low_water_id) = (
      select low.usage_count, low.id
      from (values (excluded.low_water_count, excluded.low_water_id), (t.low_water_count, t.low_water_id)) low (usage_count, id)
      order by low.usage_count, low.id
      limit 1
    ),
    model_marks = '{}'
  where (excluded.low_water_count, excluded.low_water_id) < (t.low_water_count, t.low_water_id) or t.model_marks <> '{}';
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.make_document (
  asset public.hub_assets
)
  RETURNS private.hub_documents
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  return row(
    (make_document.asset).id,
    private.popularity(make_document.asset),
    private.title_key((make_document.asset).title),
    concat_ws(' ',
      private.lexemes((make_document.asset).title, 'A', 0, 8),
      private.lexemes(array_to_string((make_document.asset).tags, ' '), 'B', 500, 8),
      private.lexemes((make_document.asset).description, 'C', 1000, 11),
      '''=type:' || (make_document.asset).asset_type || ''' ''=license:' || (make_document.asset).license || '''',
      '''=creator:' || (make_document.asset).creator_id || '''',
      '''=tag:' || nullif(array_to_string((make_document.asset).tags, ''' ''=tag:'), '') || ''''
    )::tsvector
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.make_moderation()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.hub_moderation (asset_id) values (new.id);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.make_profile (
  user_id uuid,
  since   timestamp with time zone
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  for attempt in 1..20 loop
    insert into public.hub_profiles (user_id, username, created_at)
    values (
      make_profile.user_id,
      case
        when attempt < 20 then private.random_username()
        else 'user-' || left(replace(gen_random_uuid()::text, '-', ''), 24)
      end,
      coalesce(make_profile.since, clock_timestamp())
    )
    -- A conflict means that the name is taken, or that the user has a profile already.
    on conflict do nothing;
    exit when found or exists (select from public.hub_profiles p where p.user_id = make_profile.user_id);
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.member_organization_ids()
  RETURNS SETOF uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  ROWS 5
  SET search_path TO ''
  AS $function$
  select m.organization_id from public.organization_members m where m.user_id = (select auth.uid());
$function$;

CREATE OR REPLACE FUNCTION private.mirror_listing()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  listing record;
begin
  select a.id, a.is_public into listing
  from public.hub_assets a
  where a.asset_type = tg_argv[0] and a.ref_id = new.id and a.deleted_at is null;
  new.hub_asset_id := listing.id;
  if tg_argv[0] <> 'template' then
    new.is_public := coalesce(listing.is_public, false);
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.mixes_scripts (
  title text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Checks each word by itself. Names of substances have Greek letters after capitals (TNFα), so a small Greek letter counts as
  -- mixed only in a word with small Latin letters.
  select mixes_scripts.title collate pg_catalog.pg_c_utf8 ~ (
    '[A-Za-z][[:alpha:]]*[авеһіјкмнорстухѕԁԛԝүАВЕҺІЈКМНОРСТУХЅԚԜҮ]|[авеһіјкмнорстухѕԁԛԝүАВЕҺІЈКМНОРСТУХЅԚԜҮ][[:alpha:]]*[A-Za-z]'
    || '|[a-z][[:alpha:]]*[αικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]|[αικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ][[:alpha:]]*[a-z]'
    || '|[A-Z][[:alpha:]]*[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]|[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ][[:alpha:]]*[A-Z]'
  );
$function$;

CREATE OR REPLACE FUNCTION private.my_agents()
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  owner constant uuid := private.key_owner();
begin
  return (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'id', a.id, 'name', a.name, 'created_at', a.created_at, 'revoked_at', a.revoked_at, 'last_used_at', u.last_used_at
      )
      order by a.revoked_at is not null, a.created_at desc, a.id
    ), '[]')
    from public.api_key_agents a
    left join (
      select l.agent_id, max(coalesce(l.issued_at, l.reported_at)) as last_used_at
      from private.own_log(owner, null, null, 1) l
      group by l.agent_id
    ) u on u.agent_id = a.id
    where a.user_id = owner
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.my_api_key_log (
  key_id   uuid,
  agent_id uuid,
  outcome  text,
  before   timestamp with time zone
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  owner constant uuid := private.key_owner();
begin
  return (
    select coalesce(jsonb_agg(to_jsonb(shown) order by shown.at desc, shown.id), '[]')
    from (
      select
        l.id,
        coalesce(l.issued_at, l.reported_at) as at,
        l.reported_at,
        l.user_api_key_id as key_id,
        l.agent_id,
        l.model,
        l.outcome,
        l.error_code,
        l.effect,
        l.scope
      from private.own_log(owner, my_api_key_log.key_id, my_api_key_log.agent_id, 1000) l
      where (my_api_key_log.outcome is null or coalesce(l.outcome, 'open') = my_api_key_log.outcome)
        and (my_api_key_log.before is null or coalesce(l.issued_at, l.reported_at) < my_api_key_log.before)
      order by 2 desc, l.id
      limit 100
    ) shown
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.my_api_key_pools()
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  owner constant uuid := private.key_owner();
begin
  return (
    select coalesce(jsonb_agg(to_jsonb(p) - 'user_id' order by p.provider nulls last), '[]')
    from public.api_key_pools p
    where p.user_id = owner
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.my_api_keys()
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  owner constant uuid := private.key_owner();
begin
  return (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'id', s.user_api_key_id,
        'name', s.key_name,
        'provider', s.provider,
        'account', s.account,
        'priority', s.priority,
        'hint', s.key_hint,
        'state', s.state,
        'why', s.why,
        'since', s.since,
        'seconds_left', s.seconds_left,
        'limited_models', coalesce(to_jsonb(s.limited_models), '[]'),
        'usage_count', s.usage_count - k.skipped_count,
        'last_outcome', s.last_outcome,
        'last_error_code', s.last_error_code,
        'last_reported_at', s.last_reported_at,
        'created_at', k.created_at
      )
      order by s.provider nulls last, s.priority desc, s.key_name, s.user_api_key_id
    ), '[]')
    from public.api_key_states s
    join public.user_api_keys k on k.id = s.user_api_key_id
    where s.user_id = owner
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.my_decisions()
  RETURNS TABLE (
    id         bigint,
    action     text,
    at         timestamp with time zone,
    category   text,
    note       text,
    version    integer,
    in_force   boolean,
    asset_id   uuid,
    asset_type text,
    title      text,
    appeal     jsonb
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
begin
  if caller is null or not private.is_member() then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
  return query
  select
    e.id,
    e.action,
    e.at,
    -- The reason of a ban is a note among admins, so the creator does not get it.
    case when e.action <> 'banned' then coalesce(e.details ->> 'reason', e.action) end,
    e.public_note,
    (e.details ->> 'version')::integer,
    case
      when e.action = 'banned' then private.is_banned(caller)
      else coalesce(a.is_hidden, false)
    end and not exists (
      select
      from public.hub_events l
      where l.user_id = caller and l.asset_id is not distinct from e.asset_id and l.id > e.id
        and l.action in ('hidden', 'removed', 'banned')
    ),
    a.id,
    a.asset_type,
    a.title,
    case when p.id is not null then jsonb_build_object(
      'id', p.id, 'state', p.state, 'body', p.body, 'created_at', p.created_at, 'answer', p.answer, 'resolved_at', p.resolved_at
    ) end
  from public.hub_events e
  left join public.hub_assets a on a.id = e.asset_id
  left join public.hub_appeals p on p.event_id = e.id
  where e.user_id = caller and e.action in ('hidden', 'removed', 'banned')
  order by e.id desc
  limit 200;
end;
$function$;

CREATE OR REPLACE FUNCTION private.my_paid_content()
  RETURNS SETOF uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.paid_content((select auth.uid()));
$function$;

CREATE OR REPLACE FUNCTION private.my_purchases (
  order_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'order_id', o.id,
      'asset_id', o.asset_id,
      'title', o.title,
      'slug', case when a.deleted_at is null and not a.is_hidden then a.slug end,
      'asset_type', a.asset_type,
      'price_cents', o.price_cents,
      'currency', o.currency,
      'refunded_cents', coalesce((
        select sum(l.amount_cents) from private.ledger l where l.order_id = o.id and l.account = 'buyer' and l.kind = 'refund'
      ), 0),
      'state', o.state,
      'readable', p.id is not null and p.revoked_at is null,
      'created_at', o.created_at,
      'paid_at', o.paid_at
    )
    order by o.created_at desc
  ), '[]')
  from (
    select * from private.orders o
    where o.buyer_id = (select auth.uid())
      and case when my_purchases.order_id is null then o.state not in ('open', 'expired') else o.id = my_purchases.order_id end
    order by o.created_at desc
    limit 500
  ) o
  left join public.hub_purchases p on p.order_id = o.id
  left join public.hub_assets a on a.id = o.asset_id;
$function$;

CREATE OR REPLACE FUNCTION private.name_key (
  name text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- Ignores the width of letters, case, accents, signs and blanks, and replaces Cyrillic and Greek letters with the Latin letters
  -- that they look like. For a user name the result equals private.username_key.
  return translate(
    regexp_replace(
      translate(
        normalize(lower(normalize(name_key.name, nfkc) collate pg_catalog.pg_c_utf8), nfd),
        'абвгеһіјкмнорстухѕԁԛԝүαβγεηικνορτυχωϲ',
        'abbrehljkmhopctyxsdqwyabyenlkvoptuxwc'
      ),
      '[^[:alnum:]]', '', 'g'
    ) collate pg_catalog.pg_c_utf8,
    '01i', 'oll'
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.name_keys (
  username     text,
  display_name text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select ' ' || private.username_key(name_keys.username) || ' ' || coalesce(private.name_key(name_keys.display_name), '');
$function$;

CREATE OR REPLACE FUNCTION private.next_state (
  state  private.key_state,
  report private.key_report,
  at     timestamp with time zone
)
  RETURNS private.key_state
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  after private.key_state := next_state.state;
  was_blocked constant boolean := coalesce(state.blocked_until > at, false);
  named constant double precision := coalesce(report.hint_seconds, extract(epoch from report.hint_at - at));
  hint constant double precision := case when named > 0 then least(named, report.hint_cap_seconds) end;
begin
  after.hint := case
    when report.hint_given or report.hint_seconds is not null or report.hint_at is not null then 'ignored'
  end;
  after.state_before := case
    when not state.is_active or not state.is_usable then 'disabled'
    when was_blocked then 'cooling_down'
    else 'available'
  end;
  after.effect := case
    -- The lease was issued before an operator's edit.
    when report.key_generation < state.generation then 'stale'
    when report.rule = 'success' then
      case
        when was_blocked then 'stale'
        when report.issued_at <= state.last_failure_at then 'stale'
        when not state.is_active and state.consecutive_failures > 0 then 'stale'
        when state.consecutive_failures > 0 then 'recovered'
        else 'none'
      end
    when not state.is_active or report.rule = 'ignore' then 'ignored'
  end;
  if after.effect is distinct from 'stale' and state.is_active and report.rule <> 'tolerate' then
    after.recent_server_errors := '{}';
  end if;

  if after.effect = 'recovered' then
    after.consecutive_failures := 0;

  elsif after.effect is not null then
    null;

  elsif report.rule = 'disable' then
    after.is_active := false;
    after.effect := 'disabled';

  elsif report.rule = 'escalate' then
    if report.issued_at < state.rate_blocked_until then
      -- The failure belongs to the same outage, so only a hint of the provider can lengthen the block.
      after.blocked_until := greatest(state.blocked_until, at + make_interval(secs => hint));
      after.effect := case when after.blocked_until is distinct from state.blocked_until then 'cooled' else 'ignored' end;
    else
      if state.last_failure_at <= at - make_interval(secs => report.reset_after_seconds) then
        -- Failures before a long pause no longer count.
        after.consecutive_failures := 0;
      end if;
      after.consecutive_failures := least(after.consecutive_failures + 1, 1000000000);
      after.blocked_until := greatest(
        -- A new block never shortens the current one.
        state.blocked_until,
        at + make_interval(secs => coalesce(
          hint,
          least(
            report.base_seconds * power(2::double precision, least(after.consecutive_failures - 1, 64)),
            report.cap_seconds
          ) * (1 + coalesce(report.jitter, 0))
        ))
      );
      after.effect := 'cooled';
    end if;
    if after.effect = 'cooled' then
      after.rate_blocked_until := after.blocked_until;
    end if;

  elsif report.rule = 'cool' then
    -- A block of the same cause stays as it is; one of another cause may be lengthened, never shortened.
    if not (was_blocked and state.reason is not distinct from report.cause) then
      after.blocked_until := greatest(state.blocked_until, at + make_interval(secs => coalesce(hint, report.base_seconds)));
    end if;
    after.effect := case when after.blocked_until is distinct from state.blocked_until then 'cooled' else 'ignored' end;

  elsif report.rule = 'tolerate' then
    after.effect := 'ignored';
    -- Server errors inside a block are not counted.
    if not was_blocked then
      after.recent_server_errors := array(
        select e
        from unnest(state.recent_server_errors) e
        where e > at - make_interval(secs => report.window_seconds)
        order by e
      ) || at;
      if cardinality(after.recent_server_errors) > report.error_threshold then
        after.blocked_until := at + make_interval(secs => coalesce(hint, report.base_seconds));
        after.effect := 'cooled';
        after.recent_server_errors := after.recent_server_errors[cardinality(after.recent_server_errors) - report.error_threshold + 1:];
      end if;
    end if;

  else
    raise exception using errcode = 'PT422', message = 'unknown_rule';
  end if;

  if after.effect in ('cooled', 'disabled') then
    -- A lengthened block keeps the time when it began; the newest report that changed it becomes its reason.
    after.last_failure_at := at;
    after.reason := report.cause;
    after.reason_code := report.error_code;
    if after.effect = 'disabled' or not was_blocked then
      after.reason_since := at;
    end if;
    -- A hint counts as used only when it set the block.
    if after.effect = 'cooled' and after.blocked_until = at + make_interval(secs => hint) then
      after.hint := case when named > report.hint_cap_seconds then 'capped' else 'used' end;
    end if;
  end if;
  after.state_after := case
    when after.effect = 'disabled' or after.state_before = 'disabled' then 'disabled'
    when after.blocked_until > at then 'cooling_down'
    else 'available'
  end;
  return after;
end;
$function$;

CREATE OR REPLACE FUNCTION private.normalize_tags (
  tags text[]
)
  RETURNS text[]
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- Keeps the order in which the tags were sent.
  return (
    select coalesce(array_agg(t.tag order by t.first), '{}')
    from (
      select n.tag, min(n.position) as first
      from (
        select lower(ltrim(coalesce(private.clean(normalize(u.tag, nfkc)), ''), '#')) as tag, u.position
        from unnest(normalize_tags.tags) with ordinality as u (tag, position)
      ) n
      group by n.tag
    ) t
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.note_checkout (
  order_id     uuid,
  checkout_id  text,
  checkout_url text
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update private.orders o
  set checkout_id = note_checkout.checkout_id, checkout_url = note_checkout.checkout_url
  where o.id = note_checkout.order_id and o.checkout_id is null;
$function$;

CREATE OR REPLACE FUNCTION private.note_starvation (
  user_id  uuid,
  provider text,
  model    text,
  refusal  jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  at timestamptz := clock_timestamp();
  -- The model is stored only if some key is limited for it, because agents may send any name.
  wanted constant text := case when (note_starvation.refusal ->> 'limited')::integer > 0 then note_starvation.model end;
  soonest constant timestamptz := at + make_interval(secs => (note_starvation.refusal ->> 'retry_after')::double precision);
  last public.api_key_starvations;
begin
  -- A pool that has no key for the provider is not starved: the call asked for the wrong provider.
  if (note_starvation.refusal ->> 'cooling_down')::integer + (note_starvation.refusal ->> 'limited')::integer
    + (note_starvation.refusal ->> 'disabled')::integer = 0
    or not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(note_starvation.user_id, 3))
  then
    return;
  end if;
  select s.* into last
  from public.api_key_starvations s
  where s.user_id = note_starvation.user_id
    and s.provider is not distinct from note_starvation.provider
    and s.model is not distinct from wanted
    and (s.ended_at is null or (s.alerted_at is null and s.last_refused_at > at - interval '1 minute'))
  order by s.ended_at is null desc, s.since desc
  limit 1
  for update skip locked;
  if last.id is null then
    insert into public.api_key_starvations (user_id, provider, model, since, last_refused_at, soonest_at)
    values (note_starvation.user_id, note_starvation.provider, wanted, at, at, soonest)
    -- The insert finds a conflict when a lease holds the open row at this moment.
    on conflict do nothing
    returning * into last;
  elsif last.ended_at is not null then
    -- A short starvation that ended within the last minute begins again: otherwise a pool at its limit would write a row every
    -- second.
    update public.api_key_starvations s
    set since = at, last_refused_at = at, soonest_at = soonest, refusals = 1, ended_at = null
    where s.id = last.id
    returning s.* into last;
  elsif last.last_refused_at < at - interval '1 second' then
    update public.api_key_starvations s
    set last_refused_at = at, soonest_at = soonest, refusals = s.refusals + 1
    where s.id = last.id
    returning s.* into last;
  end if;
  if last.id is not null and last.alerted_at is null and (soonest is null or last.since <= at - interval '1 minute') then
    update public.api_key_starvations s set alerted_at = at, soonest_at = soonest where s.id = last.id returning s.* into last;
    perform private.alert_starvation(
      last, 'pool_starved', note_starvation.refusal - array['kind', 'retry_after', 'other_providers']
    );
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.nth_slug (
  slug    text,
  attempt integer
)
  RETURNS text
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select case
    when nth_slug.attempt = 1 then left(nth_slug.slug, 80)
    when nth_slug.attempt <= 9 then rtrim(left(nth_slug.slug, 78), '-') || '-' || nth_slug.attempt
    else rtrim(left(nth_slug.slug, 71), '-') || '-' || left(replace(gen_random_uuid()::text, '-', ''), 8)
  end;
$function$;

CREATE OR REPLACE FUNCTION private.offer_scan_token (
  user_id        uuid,
  content_sha256 text,
  seconds        integer
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.open_appeals()
  RETURNS TABLE (
    id         uuid,
    created_at timestamp with time zone,
    body       text,
    action     text,
    decided_at timestamp with time zone,
    category   text,
    note       text,
    version    integer,
    asset_id   uuid,
    asset_type text,
    slug       text,
    title      text,
    user_id    uuid,
    username   text
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.require_admin();
  return query
  select
    p.id,
    p.created_at,
    p.body,
    e.action,
    e.at,
    e.details ->> 'reason',
    e.public_note,
    (e.details ->> 'version')::integer,
    a.id,
    a.asset_type,
    a.slug,
    a.title,
    p.user_id,
    f.username
  from public.hub_appeals p
  join public.hub_events e on e.id = p.event_id
  left join public.hub_assets a on a.id = p.asset_id
  left join public.hub_profiles f on f.user_id = p.user_id
  where p.state = 'open'
  order by p.created_at, p.id
  limit 500;
end;
$function$;

CREATE OR REPLACE FUNCTION private.order_for_status (
  order_id uuid,
  user_id  uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'order_id', o.id, 'checkout_id', o.checkout_id, 'payment_id', o.payment_id, 'price_cents', o.price_cents, 'currency', o.currency,
    'state', o.state
  )
  from private.orders o
  where o.id = order_for_status.order_id
    and (
      o.buyer_id = order_for_status.user_id
      or exists (select from public.hub_admins a where a.user_id = order_for_status.user_id)
    );
$function$;

CREATE OR REPLACE FUNCTION private.order_rank (
  state text
)
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select array_position(array['open', 'expired', 'paid', 'disputed', 'lost', 'refunded'], order_rank.state);
$function$;

CREATE OR REPLACE FUNCTION private.orders_guard()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  changing constant text[] := array['state', 'checkout_id', 'checkout_url', 'payment_id', 'paid_at', 'delivered_at'];
begin
  if to_jsonb(new) - changing is distinct from to_jsonb(old) - changing
    or (old.paid_at is not null and new.paid_at is distinct from old.paid_at)
    or (old.payment_id is not null and new.payment_id is distinct from old.payment_id)
    or (old.delivered_at is not null and new.delivered_at is distinct from old.delivered_at)
  then
    raise exception using errcode = 'PT409', message = 'order_is_fixed';
  end if;
  if new.state is distinct from old.state and (
    (private.order_rank(new.state) < private.order_rank(old.state) and (old.state, new.state) <> ('disputed', 'paid'))
    or new.state <> (select j.state from private.judge_order(new.id) j)
  ) then
    raise exception using errcode = 'PT409', message = 'order_is_fixed', detail = '{"hint": "the state follows from payment_events"}';
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.orders_to_ask (
  most integer
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(jsonb_build_object(
    'order_id', o.id, 'checkout_id', o.checkout_id, 'payment_id', o.payment_id, 'price_cents', o.price_cents, 'currency', o.currency,
    'undelivered', o.state = 'paid'
  )), '[]')
  from (
    (
      select * from private.orders o
      where o.state = 'open' and o.created_at < clock_timestamp() - interval '1 hour'
      order by o.created_at
      limit orders_to_ask.most
    )
    union all
    (
      select * from private.orders o
      where o.state = 'paid' and o.delivered_at is null
      order by o.created_at
      limit orders_to_ask.most
    )
  ) o;
$function$;

CREATE OR REPLACE FUNCTION private.organization_by_slug (
  user_id uuid,
  slug    text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  found_id constant uuid := (select o.id from public.organizations o where o.slug = lower(organization_by_slug.slug));
begin
  perform private.organization_of(organization_by_slug.user_id, found_id);
  return found_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.organization_card (
  organization_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select jsonb_build_object('id', o.id, 'slug', o.slug, 'name', o.name)
  from public.organizations o
  where o.id = organization_card.organization_id and private.is_member_of((select auth.uid()), o.id);
$function$;

CREATE OR REPLACE FUNCTION private.organization_invitations (
  organization_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not exists (select from private.led_organization_ids() l (id) where l.id = organization_invitations.organization_id) then
    raise exception using errcode = 'PT404', message = 'organization_not_found';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', i.id, 'role', i.role, 'for_address', i.email_hash is not null, 'invited_by', private.creator(i.invited_by) -> 'username',
      'created_at', i.created_at, 'expires_at', i.expires_at, 'max_uses', i.max_uses, 'used', i.used,
      'live', i.revoked_at is null and i.used < i.max_uses and i.expires_at > clock_timestamp()
    ) order by i.created_at desc, i.id), '[]')
    from (
      select * from private.organization_invitations n
      where n.organization_id = organization_invitations.organization_id
      order by n.created_at desc, n.id
      limit 200
    ) i
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.organization_of (
  user_id         uuid,
  organization_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The lock is held until the commit: a concurrent removal of the member happens after this write, or it happens first and this
  -- write is refused.
  perform from public.organization_members m
  where m.organization_id = organization_of.organization_id and m.user_id = organization_of.user_id
  for key share;
  if not found then
    raise exception using errcode = 'PT404', message = 'organization_not_found';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.organization_review (
  asset_id uuid,
  keep     boolean,
  note     text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset public.hub_assets;
begin
  select a.* into asset from public.hub_assets a where a.id = organization_review.asset_id;
  if asset.shared_at is null or not private.is_member_of((select auth.uid()), asset.organization_id) then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  perform private.refuse_role(private.begin_organization_write(asset.organization_id), '{owner,admin}');
  if organization_review.keep is null then
    perform private.refuse_faults(private.fault('keep', 'required', 'is required'));
  end if;
  perform private.set_audit_note(organization_review.note, organization_review.note);
  select a.* into asset
  from public.hub_assets a
  where a.id = organization_review.asset_id and a.organization_id = asset.organization_id and a.shared_at is not null
  for no key update;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if asset.hidden_by_ban or asset.hidden_reason not in ('organization', 'organization_reports') then
    raise exception using errcode = 'PT409', message = 'hidden_by_hub';
  end if;
  if not organization_review.keep then
    perform private.close_reports(array[asset.id], 'upheld');
    update public.hub_assets a set is_hidden = true, hidden_reason = 'organization' where a.id = asset.id;
  elsif asset.is_hidden then
    update public.hub_assets a set is_hidden = false where a.id = asset.id;
  else
    perform private.close_reports(array[asset.id], 'dismissed');
    perform private.set_audit_note(null);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.organization_review_queue (
  organization_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not exists (select from private.led_organization_ids() l (id) where l.id = organization_review_queue.organization_id) then
    raise exception using errcode = 'PT404', message = 'organization_not_found';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'asset_id', q.id, 'asset_type', q.asset_type, 'slug', q.slug, 'title', q.title,
      'creator', private.creator(q.creator_id), 'is_hidden', q.is_hidden, 'hidden_reason', q.hidden_reason, 'open_reports', q.open_reports,
      -- The reports are shown without the names of the reporters, because the admins and the reporters are colleagues.
      'reports', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'reason', r.reason, 'details', r.details, 'version', r.version, 'created_at', r.created_at
        ) order by r.created_at, r.id), '[]')
        from public.hub_reports r
        where r.asset_id = q.id and not r.resolved
      )
    ) order by q.is_hidden desc, q.open_reports desc, q.id), '[]')
    from (
      select a.*, m.open_reports
      from public.hub_assets a
      join private.hub_moderation m on m.asset_id = a.id
      where a.organization_id = organization_review_queue.organization_id
        and a.shared_at is not null
        and (m.open_reports > 0 or a.is_hidden)
      order by a.is_hidden desc, m.open_reports desc, a.id
      limit 200
    ) q
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.organizations_before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  faults jsonb := '[]';
begin
  if tg_op = 'UPDATE' and (select auth.uid()) is not null and private.is_banned((select auth.uid())) then
    raise exception using errcode = 'PT403', message = 'banned';
  end if;
  if octet_length(new.name) > 2000 then
    perform private.refuse_faults(private.fault('name', 'too_big', 'must be 1 to 80 visible characters'));
  end if;
  new.name := private.clean(new.name);
  if new.name is null or char_length(new.name) > 80 then
    faults := faults || private.fault('name', 'invalid_length', 'must be 1 to 80 visible characters');
  elsif private.has_breaks_or_invisible(new.name) then
    faults := faults || private.fault('name', 'invalid_text', 'must be one line without invisible characters');
  end if;
  if new.slug is null or char_length(new.slug) not between 3 and 40 or new.slug !~ '^[a-z0-9]+(-[a-z0-9]+)*$' then
    faults := faults || private.fault('slug', 'invalid_format', 'must be 3 to 40 small letters (a to z), digits and single hyphens');
  end if;
  perform private.refuse_faults(faults);
  if (tg_op = 'INSERT' or new.name <> old.name) and private.mixes_scripts(new.name) then
    raise exception using errcode = 'PT422', message = 'mixed_script', detail = '{"path": "name"}';
  end if;
  if private.adds_secret(case when tg_op = 'UPDATE' then old.name end, new.name) then
    raise exception using errcode = 'PT422', message = 'secret_detected', detail = jsonb_build_object('errors', private.fault('name', 'secret_detected', 'looks like a secret'))::text;
  end if;
  if tg_op = 'UPDATE' and new.slug = old.slug then
    return new;
  end if;
  -- When two callers want one slug at the same time, the second waits here and then finds it taken.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(private.username_key(new.slug), 5));
  if private.is_reserved_name(private.username_key(new.slug)) or exists (
    select from public.organizations o where private.username_key(o.slug) = private.username_key(new.slug) and o.id <> new.id
  ) then
    raise exception using errcode = 'PT409', message = 'slug_taken';
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.origins (
  attribution jsonb
)
  RETURNS TABLE (
    origin jsonb
  )
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select o.origin
  from (
    values (origins.attribution -> 'root'), (origins.attribution -> 'parent')
    union all
    select v.origin from jsonb_array_elements(origins.attribution -> 'via') v (origin)
  ) o (origin)
  where o.origin is not null;
$function$;

CREATE OR REPLACE FUNCTION private.own_attribution (
  asset_type text,
  ref_id     uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select a.attribution
  from public.hub_assets a
  where a.asset_type = own_attribution.asset_type
    and a.ref_id = own_attribution.ref_id
    -- Deleted listings are not excluded, because their attribution still applies.
    and a.creator_id = (select auth.uid());
$function$;

CREATE OR REPLACE FUNCTION private.own_copy (
  asset_id uuid
)
  RETURNS public.hub_assets
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  copy public.hub_assets;
begin
  if caller is null or not private.is_member() then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
  perform private.begin_write(caller);
  perform private.lock_source(a.asset_type, a.ref_id, caller)
  from public.hub_assets a
  where a.id = own_copy.asset_id and a.creator_id = caller;
  select a.* into copy
  from public.hub_assets a
  where a.id = own_copy.asset_id and a.creator_id = caller and a.deleted_at is null and a.attribution ? 'parent'
  for no key update;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return copy;
end;
$function$;

CREATE OR REPLACE FUNCTION private.own_key (
  key_id uuid
)
  RETURNS public.user_api_keys
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  owner constant uuid := private.key_owner();
  key public.user_api_keys;
begin
  select k.* into key from public.user_api_keys k where k.id = own_key.key_id and k.user_id = owner for no key update;
  if not found then
    raise exception using errcode = 'PT404', message = 'key_not_found';
  end if;
  return key;
end;
$function$;

CREATE OR REPLACE FUNCTION private.own_listing (
  asset_id   uuid,
  with_stars boolean DEFAULT false
)
  RETURNS public.hub_assets
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  asset public.hub_assets;
begin
  if caller is null or not private.is_member() then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
  perform private.begin_write(caller);
  select a.* into asset from public.hub_assets a where a.id = own_listing.asset_id;
  if asset.creator_id = caller and asset.deleted_at is null then
    perform private.lock_source(asset.asset_type, asset.ref_id, caller);
    if own_listing.with_stars then
      perform private.lock_with_stars(asset.id);
    end if;
    select a.* into asset from public.hub_assets a where a.id = own_listing.asset_id for no key update;
  end if;
  if asset.deleted_at is null and asset.creator_id = caller then
    if asset.published_at is null and asset.current_version = 0 then
      raise exception using errcode = 'PT409', message = 'not_published';
    end if;
    return asset;
  end if;
  -- not_owner discloses that the asset exists, so only a caller who sees the asset gets this answer.
  if private.is_seen_by(asset, caller) then
    raise exception using errcode = 'PT403', message = 'not_owner';
  end if;
  raise exception using errcode = 'PT404', message = 'asset_not_found';
end;
$function$;

CREATE OR REPLACE FUNCTION private.own_log (
  owner     uuid,
  key_id    uuid,
  agent_id  uuid,
  looked_at integer
)
  RETURNS SETOF public.api_key_usage_log
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select l.*
  from public.user_api_keys k
  cross join (
    select a.id from public.api_key_agents a where a.user_id = own_log.owner
    union all
    select own_log.owner
  ) c (id)
  cross join lateral (
    select *
    from public.api_key_usage_log l
    where l.user_api_key_id = k.id and coalesce(l.agent_id, l.user_id) = c.id
    order by l.issued_at desc
    limit own_log.looked_at
  ) l
  where k.user_id = own_log.owner
    and (own_log.key_id is null or k.id = own_log.key_id)
    and (own_log.agent_id is null or c.id = own_log.agent_id);
$function$;

CREATE OR REPLACE FUNCTION private.own_names (
  user_id uuid
)
  RETURNS TABLE (
    asset_type text,
    name       text
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select 'template', t.name from public.prompt_templates t where t.user_id = own_names.user_id
  union all
  select 'component', c.name from public.custom_components c where c.user_id = own_names.user_id
  union all
  select 'orchestration', o.name from public.orchestrator_configs o where o.user_id = own_names.user_id
  union all
  select 'ai_preset', s.name from public.ai_model_settings s where s.user_id = own_names.user_id;
$function$;

CREATE OR REPLACE FUNCTION private.own_version (
  asset_id uuid,
  version  integer
)
  RETURNS public.hub_asset_versions
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.own_listing(own_version.asset_id);
  found_version public.hub_asset_versions;
begin
  perform private.limit_calls(asset.creator_id, 'edits', 600);
  select v.* into found_version
  from public.hub_asset_versions v
  where v.asset_id = asset.id and v.version = own_version.version;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if asset.is_shared then
    -- A creator who has left the organization cannot change the versions that members see.
    perform private.organization_of(asset.creator_id, asset.organization_id);
  end if;
  return found_version;
end;
$function$;

CREATE OR REPLACE FUNCTION private.paid_content (
  user_id uuid
)
  RETURNS SETOF uuid
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return query
  select a.id
  from public.hub_assets a
  where a.creator_id = paid_content.user_id and a.published_at is not null
  union all
  select p.asset_id
  from public.hub_purchases p
  join public.hub_assets a on a.id = p.asset_id
  where p.user_id = paid_content.user_id
    and p.revoked_at is null
    -- Moderation hides a listing from its buyers, too; they can still read a listing that its creator has unpublished.
    and not a.is_hidden
    and a.deleted_at is null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pin (
  asset_id uuid,
  version  integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  copy constant public.hub_assets := private.own_copy(pin.asset_id);
begin
  if pin.version <> (copy.attribution #>> '{parent,version}')::integer then
    perform private.refuse_faults(private.fault('version', 'other_version', 'must be the version that the copy has'));
  end if;
  if exists (
    select from public.hub_asset_versions v
    where v.asset_id = (copy.attribution #>> '{parent,id}')::uuid and v.version = pin.version and v.yanked_at is not null
  ) then
    raise exception using errcode = 'PT409', message = 'version_yanked';
  end if;
  update public.hub_assets a set pinned_version = pin.version where a.id = copy.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pool_availability (
  user_id   uuid,
  provider  text,
  live_kids text[],
  exclude   uuid[],
  model     text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  at constant timestamptz := clock_timestamp();
  pool record;
begin
  select
    count(*) filter (
      where k.is_usable
        and k.free_at <= at
        and k.id <> all (pool_availability.exclude)
    ) as ready,
    count(*) filter (where k.is_usable and k.ready_at > at) as cooling_down,
    count(*) filter (where k.is_usable and k.ready_at <= at and k.free_at > at) as limited,
    count(*) filter (where not k.is_usable) as disabled,
    min(k.free_at) filter (where k.is_usable and k.free_at > at and isfinite(k.free_at)) as soonest
  into pool
  from (
    -- A key sealed to a pair that is not live counts as disabled.
    select
      k.id,
      k.ready_at,
      -- greatest() ignores null: the key is not limited for the model, or no model was asked for.
      greatest(
        k.ready_at,
        case when pool_availability.model is not null then k.limited_until[array_position(k.limited_models, pool_availability.model)] end
      ) as free_at,
      k.is_active and k.unusable_reason is null and k.sealed_kid = any (pool_availability.live_kids) as is_usable
    from public.user_api_keys k
    where k.user_id = pool_availability.user_id
      and (pool_availability.provider is null or k.provider is null or k.provider = pool_availability.provider)
    -- offset 0 keeps the subquery apart; without it, free_at would be computed again in each filter above.
    offset 0
  ) k;
  if pool.ready > 0 then
    return null;
  end if;
  return jsonb_build_object(
    'kind', 'none',
    'cooling_down', pool.cooling_down,
    'limited', pool.limited,
    'disabled', pool.disabled,
    'retry_after', case when pool.soonest is not null then greatest(1, ceil(extract(epoch from pool.soonest - at))) end,
    'other_providers', case
      when pool.cooling_down + pool.limited + pool.disabled = 0 and pool_availability.provider is not null
      then (
        select (array_agg(distinct k.provider order by k.provider))[1:100]
        from public.user_api_keys k
        where k.user_id = pool_availability.user_id
      )
    end
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.popularity (
  asset public.hub_assets
)
  RETURNS smallint
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return floor(ln(1 + (popularity.asset).star_count + 2 * (popularity.asset).install_count::float8) / ln(2::float8) + 1e-9);
end;
$function$;

CREATE OR REPLACE FUNCTION private.preview_slug (
  slug     text,
  asset_id uuid
)
  RETURNS text
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.nth_slug(preview_slug.slug, coalesce((
    select n.attempt
    from generate_series(1, 9) n (attempt)
    where not exists (
      select from public.hub_assets a
      -- A preview does not disclose the slug of an invisible listing.
      where a.slug = private.nth_slug(preview_slug.slug, n.attempt) and a.is_visible and a.id <> preview_slug.asset_id
    )
    order by n.attempt
    limit 1
  ), 10));
$function$;

CREATE OR REPLACE FUNCTION private.product_id (
  offer    private.offer,
  asset_id uuid
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select (product_id.offer).provider || ':keyhub_' || replace(product_id.asset_id::text, '-', '');
$function$;

CREATE OR REPLACE FUNCTION private.protect_moderation()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'UPDATE' then
    if pg_trigger_depth() = 1 then
      new.open_reports := old.open_reports;
      new.counting_reports := old.counting_reports;
    end if;
    new.asset_id := old.asset_id;
    return new;
  end if;
  if exists (select from public.hub_assets a where a.id = old.asset_id) then
    raise exception using errcode = 'PT409', message = 'append_only', detail = '{"table": "hub_moderation"}';
  end if;
  return old;
end;
$function$;

CREATE OR REPLACE FUNCTION private.public_attribution (
  attribution jsonb,
  creator_id  uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  root jsonb;
  parent jsonb;
  via jsonb;
begin
  if not exists (
    select from private.origins(public_attribution.attribution) o where private.is_own_shared(o.origin, public_attribution.creator_id)
  ) then
    return public_attribution.attribution;
  end if;
  select o.origin into root from (values (public_attribution.attribution -> 'root')) o (origin)
  where not private.is_own_shared(o.origin, public_attribution.creator_id);
  select o.origin into parent from (values (public_attribution.attribution -> 'parent')) o (origin)
  where not private.is_own_shared(o.origin, public_attribution.creator_id);
  select jsonb_agg(v.origin order by v.place) into via
  from jsonb_array_elements(public_attribution.attribution -> 'via') with ordinality v (origin, place)
  where not private.is_own_shared(v.origin, public_attribution.creator_id);
  root := coalesce(root, parent, via -> 0);
  return nullif(
    (public_attribution.attribution - array['root', 'parent', 'via'])
    || case when root is null then '{}' else jsonb_build_object('root', root, 'parent', coalesce(parent, root)) end
    || case when via is null then '{}' else jsonb_build_object('via', via) end,
    '{}'
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.publication (
  user_id    uuid,
  asset_id   uuid,
  version    integer,
  created    boolean,
  shown_slug text    DEFAULT NULL::text,
  same_as    text    DEFAULT NULL::text
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- The answer is json, because jsonb would change the order of the columns.
  select json_build_object(
    'created', publication.created,
    'asset', row_to_json(jsonb_populate_record(
      a,
      case when publication.shown_slug is null then '{}' else jsonb_build_object('slug', publication.shown_slug) end
    )),
    'version', v.version,
    'label', v.label,
    'changelog', v.changelog,
    'same_as', publication.same_as,
    'payload', v.payload,
    'sha256', v.sha256,
    'license', v.license,
    'scan', v.scan,
    'items', (
      select coalesce(json_agg(row_to_json(item) order by item.position), '[]')
      from (
        select i.position, i.asset_type, i.ref_id, i.title, i.payload, i.sha256, i.license, i.attribution
        from public.hub_bundle_items i
        where i.asset_id = v.asset_id and i.version = v.version
      ) item
    ),
    'redactions', (
      select r.redactions from public.hub_receipts r where r.asset_id = v.asset_id and r.version = v.version
    )
  )
  from public.hub_assets a
  join public.hub_asset_versions v on v.asset_id = a.id and v.version = publication.version
  where a.id = publication.asset_id and a.creator_id = publication.user_id;
$function$;

CREATE OR REPLACE FUNCTION private.publish_asset (
  user_id         uuid,
  publication     jsonb,
  scan_token      text,
  dry_run         boolean,
  hourly_limit    integer,
  idempotency_key text,
  request_sha256  text
)
  RETURNS json
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  wanted constant jsonb := publish_asset.publication;
  answer json;
  made jsonb;
begin
  -- The requests of a user are serialized.
  perform private.begin_write(publish_asset.user_id);
  answer := private.get_response(
    publish_asset.user_id, 'hub-publish', publish_asset.idempotency_key, publish_asset.request_sha256
  );
  if answer is not null then
    return answer;
  end if;
  begin
    made := private.publish_snapshot(
      user_id => publish_asset.user_id,
      asset_type => wanted ->> 'asset_type',
      ref_id => (wanted ->> 'ref_id')::uuid,
      slug => wanted ->> 'slug',
      title => wanted ->> 'title',
      description => wanted ->> 'description',
      tags => array(select t.tag from jsonb_array_elements_text(wanted -> 'tags') with ordinality t (tag, n) order by t.n),
      thumbnail_url => wanted ->> 'thumbnail_url',
      license => wanted ->> 'license',
      payload => wanted -> 'payload',
      sha256 => wanted ->> 'sha256',
      scan => nullif(wanted -> 'scan', 'null'),
      redactions => wanted -> 'redactions',
      items => wanted -> 'items',
      confirmed => publish_asset.dry_run
        or wanted ->> 'content_sha256' is null
        or private.is_confirmed(publish_asset.user_id, wanted ->> 'content_sha256', publish_asset.scan_token),
      hourly_limit => case when not publish_asset.dry_run then publish_asset.hourly_limit end,
      label => wanted ->> 'label',
      changelog => wanted ->> 'changelog',
      organization => wanted ->> 'organization',
      price_cents => (wanted -> 'price_cents')::integer,
      currency => wanted ->> 'currency',
      teaser => wanted ->> 'teaser'
    );
    answer := private.publication(
      publish_asset.user_id, (made ->> 'asset_id')::uuid, (made ->> 'version')::integer, (made ->> 'created')::boolean,
      -- An existing listing keeps its slug. For a new one, the preview shows the slug that it would probably get.
      case
        when publish_asset.dry_run and (made ->> 'first')::boolean
        then case
          when wanted ->> 'organization' is null then private.preview_slug(wanted ->> 'slug', (made ->> 'asset_id')::uuid)
          else private.nth_slug(wanted ->> 'slug', 10)
        end
      end,
      made ->> 'same_as'
    );
    if publish_asset.dry_run then
      raise exception using errcode = 'KH002', message = 'dry run';
    end if;
  exception
    when sqlstate 'KH002' then
      -- A preview runs the real publication and rolls it back, so that the two cannot differ.
      return answer;
  end;
  perform private.store_response(
    publish_asset.user_id, 'hub-publish', publish_asset.idempotency_key, publish_asset.request_sha256,
    -- A listing can be removed later: its content must not stay in a stored answer.
    answer::jsonb - array['payload', 'items', 'sha256', 'license']
  );
  return answer;
end;
$function$;

CREATE OR REPLACE FUNCTION private.publish_snapshot (
  user_id       uuid,
  asset_type    text,
  ref_id        uuid,
  slug          text,
  title         text,
  description   text,
  tags          text[],
  license       text,
  payload       jsonb,
  sha256        text,
  thumbnail_url text    DEFAULT NULL::text,
  scan          jsonb   DEFAULT NULL::jsonb,
  redactions    jsonb   DEFAULT '[]'::jsonb,
  items         jsonb   DEFAULT '[]'::jsonb,
  confirmed     boolean DEFAULT true,
  hourly_limit  integer DEFAULT NULL::integer,
  label         text    DEFAULT NULL::text,
  changelog     text    DEFAULT NULL::text,
  organization  text    DEFAULT NULL::text,
  price_cents   integer DEFAULT NULL::integer,
  currency      text    DEFAULT NULL::text,
  teaser        text    DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
<<publish>>
declare
  asset public.hub_assets;
  offer constant private.offer := private.check_offer(
    publish_snapshot.user_id, publish_snapshot.license, publish_snapshot.price_cents, publish_snapshot.currency, publish_snapshot.teaser
  );
  parent public.hub_assets;
  readers uuid;
  kept_attribution jsonb;
  first boolean;
  needs_slug boolean;
  next_version integer;
  notes record;
  same record;
begin
  -- This call is serialized with a ban: either the ban waits for this lock and finds the new asset, or this call finds the ban.
  perform private.begin_write(publish_snapshot.user_id);
  if private.clean(publish_snapshot.description) is null then
    perform private.refuse_faults(private.fault('description', 'required', 'is required'));
  end if;
  if publish_snapshot.organization is not null and publish_snapshot.license = 'paid' then
    perform private.refuse_faults(private.fault('organization', 'not_allowed', 'is for free listings only'));
  end if;
  select * into notes from private.check_version_notes(publish_snapshot.label, publish_snapshot.changelog);
  if publish_snapshot.organization is not null then
    readers := private.organization_by_slug(publish_snapshot.user_id, publish_snapshot.organization);
  end if;
  if not private.lock_source(publish_snapshot.asset_type, publish_snapshot.ref_id, publish_snapshot.user_id) then
    raise exception using errcode = 'PT404', message = 'source_not_found';
  end if;
  select a.* into asset
  from public.hub_assets a
  where a.asset_type = publish_snapshot.asset_type and a.ref_id = publish_snapshot.ref_id
  for no key update;
  if asset.creator_id is distinct from publish_snapshot.user_id and asset.id is not null then
    raise exception using errcode = 'PT404', message = 'source_not_found';
  end if;
  if asset.hidden_reason = 'removed' then
    raise exception using errcode = 'PT409', message = 'removed';
  end if;
  -- Sharing must not silently take a listing away from the public or from its buyers.
  if readers is not null and (
    asset.is_public or exists (select from public.hub_purchases p where p.asset_id = asset.id and p.revoked_at is null)
  ) then
    raise exception using errcode = 'PT409', message = 'already_public';
  end if;

  if asset.deleted_at is null
    and (asset.title, asset.tags, asset.license) = (
      private.clean(publish_snapshot.title), private.normalize_tags(publish_snapshot.tags), publish_snapshot.license
    )
    and asset.description = private.clean(publish_snapshot.description)
    and asset.thumbnail_url is not distinct from publish_snapshot.thumbnail_url
    and private.is_current_content(
      asset.id, asset.current_version, publish_snapshot.sha256, publish_snapshot.license, publish_snapshot.items
    )
    and asset.organization_id is not distinct from readers
  then
    update public.hub_assets a
    set is_public = readers is null, shared_at = case when readers is not null then coalesce(a.shared_at, clock_timestamp()) end,
      price_cents = offer.price_cents, currency = offer.currency, teaser = offer.teaser
    where a.id = asset.id
      and (a.is_public or a.shared_at is not null, a.price_cents, a.currency, a.teaser)
        is distinct from (true, offer.price_cents, offer.currency, offer.teaser);
    -- The same content with a new label or changelog: writes them to the existing version.
    if coalesce(notes.label, notes.changelog) is not null then
      perform private.write_version_notes(
        asset.id, asset.current_version, notes.label, notes.changelog, keeps_missing => true
      );
    end if;
    return jsonb_build_object(
      'asset_id', asset.id, 'slug', asset.slug, 'version', asset.current_version, 'created', false, 'first', false
    );
  end if;
  perform private.limit_publications(publish_snapshot.user_id, publish_snapshot.hourly_limit);
  perform private.refuse_hidden_items(publish_snapshot.user_id, publish_snapshot.items);
  perform private.refuse_other_readers(publish_snapshot.user_id, readers, asset.attribution, publish_snapshot.items);
  select * into same
  from private.same_content(publish_snapshot.user_id, asset, publish_snapshot.asset_type, publish_snapshot.payload);
  if same.id is not null then
    perform private.refuse_same_content(publish_snapshot.user_id, same.id, same.slug, same.license);
  end if;
  if not publish_snapshot.confirmed then
    raise exception using errcode = 'PT409', message = 'scan_confirmation_required';
  end if;

  first := asset.id is null or (asset.published_at is null and asset.current_version = 0);
  -- A publication for everybody makes a new slug: the slug from the shelf may disclose the title that the listing had there.
  needs_slug := first or (readers is null and asset.published_at is null);
  if asset.id is null then
    asset.id := private.insert_listing(
      publish_snapshot.user_id, publish_snapshot.asset_type, publish_snapshot.ref_id, publish_snapshot.slug,
      publish_snapshot.title, publish_snapshot.description, publish_snapshot.tags, publish_snapshot.thumbnail_url,
      publish_snapshot.license, readers, offer
    );
    next_version := 1;
  else
    -- The next version is not current_version + 1: an operator may have set current_version back, and the newer versions keep
    -- their numbers.
    select greatest(asset.current_version, max(v.version)) + 1 into next_version
    from public.hub_asset_versions v
    where v.asset_id = asset.id;
    kept_attribution := case
      when readers is null then private.public_attribution(asset.attribution, publish_snapshot.user_id)
      else asset.attribution
    end;
    -- An imported copy that is published becomes a remix of the imported listing.
    if first then
      -- Only a verified origin is a parent, not an origin that a file claims.
      if kept_attribution ? 'parent' and (asset.parent_asset_id is null or kept_attribution is distinct from asset.attribution) then
        -- The parent is locked, so that it is not erased before the reference to it is written.
        select p.* into parent from public.hub_assets p where p.id = (kept_attribution #>> '{parent,id}')::uuid for key share;
        update public.hub_assets a
        set parent_asset_id = parent.id,
          remix_depth = greatest(
            a.remix_depth,
            coalesce(parent.remix_depth, (kept_attribution #>> '{parent,remix_depth}')::integer, 0) + 1
          )
        where a.id = asset.id;
      end if;
    end if;
    if needs_slug then
      for attempt in 1..30 loop
        begin
          update public.hub_assets a
          set slug = private.nth_slug(publish_snapshot.slug, private.first_attempt(readers) + attempt)
          where a.id = asset.id;
          exit;
        exception
          when unique_violation then null;
        end;
      end loop;
    end if;
    update public.hub_assets a
    set title = publish_snapshot.title,
      description = publish_snapshot.description,
      tags = publish_snapshot.tags,
      thumbnail_url = publish_snapshot.thumbnail_url,
      license = publish_snapshot.license,
      attribution = kept_attribution,
      source_asset_id = case
        when kept_attribution is not distinct from asset.attribution or a.source_asset_id::text = kept_attribution #>> '{root,id}'
        then a.source_asset_id
      end,
      parent_asset_id = case
        when kept_attribution is not distinct from asset.attribution or a.parent_asset_id::text = kept_attribution #>> '{parent,id}'
        then a.parent_asset_id
      end,
      price_cents = offer.price_cents,
      currency = offer.currency,
      teaser = offer.teaser,
      payment_product_id = coalesce(a.payment_product_id, private.product_id(offer, a.id)),
      current_version = next_version,
      organization_id = readers,
      is_public = readers is null,
      shared_at = case when readers is not null then coalesce(a.shared_at, clock_timestamp()) end,
      content_updated_at = clock_timestamp(),
      -- Restores a listing that its creator had deleted, with its slug, reports and hidden state.
      deleted_at = null
    where a.id = asset.id;
  end if;

  insert into public.hub_asset_versions (asset_id, version, payload, sha256, license, scan, is_open, organization_id)
  values (
    asset.id, next_version, publish_snapshot.payload, publish_snapshot.sha256, publish_snapshot.license, publish_snapshot.scan, true, readers
  );
  perform private.write_version_notes(asset.id, next_version, notes.label, notes.changelog);
  insert into public.hub_bundle_items (asset_id, version, position, asset_type, ref_id, title, payload, sha256, license, attribution)
  select asset.id, next_version, i.position, i.item ->> 'asset_type', (i.item ->> 'ref_id')::uuid, i.item ->> 'title',
    i.item -> 'payload', i.item ->> 'sha256', i.item ->> 'license',
    case
      when readers is null then private.public_attribution(nullif(i.item -> 'attribution', 'null'), publish_snapshot.user_id)
      else nullif(i.item -> 'attribution', 'null')
    end
  from jsonb_array_elements(publish_snapshot.items) with ordinality as i (item, position);
  insert into public.hub_receipts (asset_id, version, redactions)
  values (asset.id, next_version, publish_snapshot.redactions);

  if same.id is not null then
    insert into public.hub_events (actor_id, action, asset_id, user_id, details)
    values (
      (select auth.uid()), 'same_content', asset.id, publish_snapshot.user_id, jsonb_build_object('same_as', same.id, 'version', next_version)
    );
  end if;
  select a.slug into asset.slug from public.hub_assets a where a.id = asset.id;
  return jsonb_build_object(
    'asset_id', asset.id, 'slug', asset.slug, 'version', next_version, 'created', true, 'first', needs_slug, 'same_as', same.slug
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.purchases_are_paid()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if exists (
    select from public.hub_purchases p
    join private.orders o on o.id = p.order_id
    where p.order_id = case tg_table_name when 'orders' then to_jsonb(new) ->> 'id' else to_jsonb(new) ->> 'order_id' end::uuid
      and p.revoked_at is null
      and o.state <> 'paid'
  ) then
    raise exception using errcode = 'PT409', message = 'purchase_unpaid';
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.purchases_guard()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  changing constant text[] := array['revoked_at', 'revoked_reason'];
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - changing is distinct from to_jsonb(old) - changing then
    raise exception using errcode = 'PT409', message = 'order_is_fixed', detail = '{"table": "hub_purchases"}';
  end if;
  if new.revoked_at is not null then
    new.revoked_reason := coalesce(new.revoked_reason, 'operator');
  end if;
  if tg_op = 'INSERT' and not exists (
    select from private.orders o
    where o.id = new.order_id and o.buyer_id = new.user_id and o.asset_id = new.asset_id
      and o.price_cents = new.price_cents and o.currency = new.currency
  ) then
    raise exception using errcode = 'PT409', message = 'order_is_fixed', detail = '{"table": "hub_purchases"}';
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.raise_model_mark (
  user_id  uuid,
  priority integer,
  model    text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  at constant timestamptz := clock_timestamp();
  tier private.api_key_tiers;
  old_mark jsonb;
  until timestamptz := 'infinity';
  front_count bigint;
  front_id uuid;
begin
  -- Every transaction that makes a key ready or ends a block early holds this lock, so the queries below see all such changes.
  select t.* into tier
  from private.api_key_tiers t
  where t.user_id = raise_model_mark.user_id and t.priority = raise_model_mark.priority
  -- Skips a tier that another call is refreshing.
  for no key update skip locked;
  if not found then
    return;
  end if;
  old_mark := tier.model_marks -> raise_model_mark.model;
  if (old_mark ->> 'until')::timestamptz > at then
    tier.low_water_count := old_mark ->> 'count';
    tier.low_water_id := old_mark ->> 'id';
    until := old_mark ->> 'until';
  end if;
  select k.usage_count, k.id into front_count, front_id
  from public.user_api_keys k
  where k.user_id = tier.user_id
    and k.priority = tier.priority
    and k.is_ready
    and (k.usage_count, k.id) >= (tier.low_water_count, tier.low_water_id)
    and (k.limited_models is null or raise_model_mark.model <> all (k.limited_models))
  order by k.usage_count, k.id
  limit 1;
  -- When no key is free, the mark lies behind every key.
  front_count := coalesce(front_count, 5000000000000000000);
  front_id := coalesce(front_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  -- The earliest end of a block among the keys before the mark.
  select least(until, min(k.limited_until[array_position(k.limited_models, raise_model_mark.model)])) into until
  from public.user_api_keys k
  where k.user_id = tier.user_id
    and k.priority = tier.priority
    and k.is_ready
    and (k.usage_count, k.id) >= (tier.low_water_count, tier.low_water_id)
    and (k.usage_count, k.id) < (front_count, front_id);
  if until > at and until < 'infinity' then
    update private.api_key_tiers t
    set model_marks = (
      -- Drops expired marks of other models, or all marks when 200 have not expired.
      select case when count(*) < 200 then coalesce(jsonb_object_agg(m.key, m.value), '{}') else '{}' end
      from jsonb_each(t.model_marks) m
      where (m.value ->> 'until')::timestamptz > at
    ) || jsonb_build_object(
      raise_model_mark.model, jsonb_build_object('count', front_count, 'id', front_id, 'until', until)
    )
    where t.user_id = tier.user_id and t.priority = tier.priority;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.random_username()
  RETURNS text
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  with words as (
    select
      string_to_array('amber autumn azure bold brave bright brisk calm candid cedar civic clear clever coral cosmic crisp daring deep eager early easy epic fair fleet fond fresh frosty gentle glad golden grand green happy hazel humble ivory jolly keen kind lively lucid lucky lunar mellow merry mighty mild misty noble north olive open patient plain polar proud quick quiet rapid ready royal ruby rustic sandy serene sharp silent silver simple smart snowy solar solid sonic spry steady still stout sunny swift tidal tidy timely true velvet vivid warm west wide wild wise witty', ' ') as first,
      string_to_array('acorn anchor aspen badger beacon beaver birch bison brook canyon cedar cliff clover comet condor coral crane creek dolphin dove dune eagle ember falcon fern finch fjord forest fox gecko glacier grove harbor hare hawk hazel heron hill ibis island jay juniper kestrel koala lagoon lake lark lemur lily lotus lynx maple marlin meadow mesa moose moss oak ocean orca otter owl panda pebble pelican pine plover pond poppy prairie puffin quail raven reef ridge river robin sage salmon seal shore sparrow spruce stone stork summit swan tern thistle tiger trout tulip valley walnut willow wolf wren', ' ') as second
  )
  select w.first[1 + floor(random() * cardinality(w.first))::integer]
    || '-' || w.second[1 + floor(random() * cardinality(w.second))::integer]
    || '-' || (10 + floor(random() * 9990))::integer
  from words w;
$function$;

CREATE OR REPLACE FUNCTION private.rebuild_tiers (
  user_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into private.api_key_tiers as t (user_id, priority, low_water_count, low_water_id)
  select distinct k.user_id, k.priority, 0, '00000000-0000-0000-0000-000000000000'::uuid
  from public.user_api_keys k
  where k.user_id = rebuild_tiers.user_id
  on conflict (user_id, priority) do update
  set low_water_count = excluded.low_water_count, low_water_id = excluded.low_water_id, model_marks = '{}';
$function$;

CREATE OR REPLACE FUNCTION private.recently_disabled_keys (
  user_id        uuid,
  provider       text,
  window_seconds double precision
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  listed uuid[];
begin
  -- The lock is held until the transaction ends. It is taken last: its holder waits for nothing else.
  insert into private.api_key_breakers as b (user_id, provider)
  values (recently_disabled_keys.user_id, coalesce(recently_disabled_keys.provider, ''))
  on conflict on constraint api_key_breakers_pkey do update set provider = b.provider
  returning b.key_ids into listed;
  return array(
    select k.id
    from public.user_api_keys k
    join public.api_key_health h on h.user_api_key_id = k.id
    where k.id = any (listed)
      -- A key that was given away does not count.
      and k.user_id = recently_disabled_keys.user_id
      -- An operator's enabling takes a key out of the count.
      and not k.is_active
      -- An operator's disabling does not count.
      and h.reason = 'invalid_key'
      and h.reason_since > clock_timestamp() - make_interval(secs => recently_disabled_keys.window_seconds)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.reconcile()
  RETURNS TABLE (
    order_id uuid,
    problem  text,
    detail   jsonb
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select o.id, 'ledger', jsonb_build_object('kind', u.kind, 'account', u.account, 'missing_cents', u.amount_cents)
  from private.orders o
  cross join lateral private.unbooked(o.id) u
  union all
  select o.id, 'state', jsonb_build_object('state', o.state, 'told', j.state)
  from private.orders o
  cross join lateral private.judge_order(o.id) j
  -- A failed refund may have been made in another way, so judge_order does not take the state back.
  where o.state <> j.state
  union all
  select o.id, 'refund_failed', jsonb_build_object('kept_cents', o.price_cents - j.refunded_cents)
  from private.orders o
  cross join lateral private.judge_order(o.id) j
  where o.state = 'refunded' and j.refunded_cents < o.price_cents
  union all
  select p.order_id, 'purchase', jsonb_build_object('state', o.state)
  from public.hub_purchases p
  join private.orders o on o.id = p.order_id
  where p.revoked_at is null and o.state <> 'paid'
  union all
  select o.id, 'undelivered', jsonb_build_object('price_cents', o.price_cents)
  from private.orders o
  where o.state = 'paid' and private.is_undelivered(o.id)
  union all
  select e.order_id, e.outcome, jsonb_build_object('provider', e.provider, 'event_id', e.event_id, 'kind', e.kind, 'amount_cents', e.amount_cents)
  from private.payment_events e
  where e.outcome <> 'applied' and e.kind <> 'account'
  union all
  select o.id, 'open', jsonb_build_object('since', o.created_at)
  from private.orders o
  where o.state = 'open' and o.created_at < clock_timestamp() - interval '1 hour';
$function$;

CREATE OR REPLACE FUNCTION private.refresh_mirror()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  listing constant public.hub_assets := case when tg_op = 'DELETE' then old else new end;
begin
  if listing.asset_type = 'template' then
    update public.prompt_templates t set hub_asset_id = t.hub_asset_id where t.id = listing.ref_id;
  elsif listing.asset_type = 'component' then
    update public.custom_components c set hub_asset_id = c.hub_asset_id where c.id = listing.ref_id;
  elsif listing.asset_type = 'orchestration' then
    update public.orchestrator_configs o set hub_asset_id = o.hub_asset_id where o.id = listing.ref_id;
  elsif listing.asset_type <> 'ai_preset' then
    perform private.refuse_asset_type(listing.asset_type);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refresh_old_trending()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Leaves a fresh snapshot as it is. One writer replaces an old snapshot, and other writers do not wait for this.
  perform from private.hub_snapshots s
  where s.name = 'trending' and s.made_at < clock_timestamp() - interval '15 minutes'
  for update skip locked;
  if found then
    update private.hub_snapshots s
    -- When there are few acts, the value is null, and each call counts the acts.
    set value = case when private.has_many_acts() then private.count_trending(2000) end, made_at = clock_timestamp()
    where s.name = 'trending';
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refresh_tier (
  user_id      uuid,
  priority     integer,
  only_expired boolean DEFAULT false
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  batch constant integer := 64;
  -- Read the clock before any row: a cooldown that is not visible below must be newer.
  at constant timestamptz := clock_timestamp();
  over_id uuid;
  expired integer := 0;
begin
  -- Check without a lock first: usually nothing has expired, and a transaction that makes a key ready would have to wait for our
  -- lock.
  if refresh_tier.only_expired then
    perform from public.user_api_keys k
    where k.user_id = refresh_tier.user_id and k.priority = refresh_tier.priority and not k.is_ready and k.ready_at <= at
    order by k.ready_at
    limit 1;
    if not found then
      return;
    end if;
  end if;
  -- A transaction that makes a key ready holds this lock until its commit, so the queries below see every ready key.
  perform from private.api_key_tiers t
  where t.user_id = refresh_tier.user_id and t.priority = refresh_tier.priority
  -- Skips a tier that another call is refreshing.
  for no key update skip locked;
  if not found then
    return;
  end if;

  -- Does not take the advisory lock of a key: a caller that waits for that lock must not keep the key from becoming ready. Handles
  -- the keys in the order of their counts: when no key is ready, the count of each key rises to that of the keys that became ready
  -- before it.
  for over_id in
    select over.id
    from (
      select k.usage_count, k.id
      from public.user_api_keys k
      where k.user_id = refresh_tier.user_id
        and k.priority = refresh_tier.priority
        and not k.is_ready
        and k.ready_at <= at
      order by k.ready_at
      limit batch
      for no key update skip locked
    ) over
    order by over.usage_count, over.id
  loop
    update public.user_api_keys k set cooling_until = null where k.id = over_id;
    expired := expired + 1;
  end loop;

  update private.api_key_tiers t
  set low_water_count = front.usage_count,
    low_water_id = front.id,
    next_expiry_check_at = case
      -- More cooldowns have expired than one batch clears. The pause makes clearing take an eighth of the time; in the rest of the
      -- time, callers lease the keys that are ready.
      when expired = batch then at + 8 * (clock_timestamp() - at)
      -- A check every half second is enough: leases check a tier without a ready key at once, and a key that is noticed later
      -- keeps its place in the order.
      else at + interval '0.5 s'
    end
  from private.api_key_tiers mark
  cross join lateral (
    select k.usage_count, k.id
    from public.user_api_keys k
    where k.user_id = mark.user_id
      and k.priority = mark.priority
      and k.is_ready
      and (k.usage_count, k.id) >= (mark.low_water_count, mark.low_water_id)
    order by k.usage_count, k.id
    limit 1
  ) front
  where mark.user_id = refresh_tier.user_id
    and mark.priority = refresh_tier.priority
    and t.user_id = mark.user_id
    and t.priority = mark.priority;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_asset_type (
  asset_type text
)
  RETURNS boolean
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  perform private.refuse_faults(jsonb_build_array(
    private.fault('asset_type', 'invalid_value', 'must be a known asset type')
  ));
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_banned()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The ban does not apply in a cascade: a banned user may still delete rows of their workspace.
  if pg_trigger_depth() = 1 and (select auth.uid()) is not null and private.is_banned((select auth.uid())) then
    raise exception using errcode = 'PT403', message = 'banned';
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_change()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  raise exception using
    errcode = 'PT409',
    message = 'append_only',
    detail = jsonb_build_object('table', tg_table_name, 'verb', lower(tg_op))::text;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_changed_copy()
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  raise exception using errcode = 'PT503', message = 'unavailable', detail = '{"reason": "the copy was changed at the same time"}';
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_faults (
  faults jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  if refuse_faults.faults <> '[]' then
    raise exception using
      errcode = 'PT422',
      message = 'validation_failed',
      detail = jsonb_build_object('errors', refuse_faults.faults)::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_hidden_items (
  user_id uuid,
  items   jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  hidden jsonb;
begin
  select jsonb_agg(
    private.fault('items.' || (i.position - 1) || '.ref_id', a.hidden_reason, 'is hidden by moderation') -> 0 order by i.position
  ) into hidden
  from jsonb_array_elements(refuse_hidden_items.items) with ordinality i (item, position)
  join public.hub_assets a
    on a.asset_type = i.item ->> 'asset_type'
    and a.ref_id = (i.item ->> 'ref_id')::uuid
    and a.creator_id = refuse_hidden_items.user_id
  where a.is_hidden;
  if hidden is not null then
    raise exception using errcode = 'PT409', message = 'item_hidden', detail = jsonb_build_object('errors', hidden)::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_huge_usage_count()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  largest constant bigint := 1000000000000000;
begin
  -- Counts that grow by leases or are taken over from peers rise in small steps.
  if tg_op = 'INSERT' or new.usage_count > old.usage_count + 1000000 then
    raise exception using
      errcode = 'PT422',
      message = 'validation_failed',
      detail = format('{"errors": [{"path": "usage_count", "code": "too_big", "message": "must be at most %s"}]}', largest);
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_last_owner (
  organization_id uuid,
  user_id         uuid
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not exists (
    select from public.organization_members m
    where m.organization_id = refuse_last_owner.organization_id and m.role = 'owner' and m.user_id <> refuse_last_owner.user_id
  ) then
    raise exception using errcode = 'PT409', message = 'last_owner';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_more (
  what text,
  held bigint,
  most integer
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  if refuse_more.held >= refuse_more.most then
    raise exception using
      errcode = 'PT422', message = 'limit_reached', detail = jsonb_build_object('limit', refuse_more.what, 'most', refuse_more.most)::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_other_readers (
  user_id         uuid,
  organization_id uuid,
  attribution     jsonb,
  items           jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  refused jsonb;
begin
  select jsonb_agg(
    private.fault(p.path, 'organization_only', 'comes from the shelf of an organization, and may be shared there only') -> 0 order by p.place
  ) into refused
  from (
    select 0, 'ref_id', refuse_other_readers.attribution
    union all
    select i.place, 'items.' || (i.place - 1) || '.ref_id', i.item -> 'attribution'
    from jsonb_array_elements(refuse_other_readers.items) with ordinality i (item, place)
  ) p (place, path, attribution)
  where exists (
    select from private.origins(nullif(p.attribution, 'null')) o
    where o.origin ->> 'organization_id' is not null
      and o.origin ->> 'organization_id' is distinct from refuse_other_readers.organization_id::text
      and not private.is_own_shared(o.origin, refuse_other_readers.user_id)
  );
  if refused is not null then
    raise exception using errcode = 'PT422', message = 'organization_only', detail = jsonb_build_object('errors', refused)::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_role (
  held   text,
  needed text[]
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  if refuse_role.held <> all (refuse_role.needed) then
    raise exception using
      errcode = 'PT403', message = 'role_required', detail = jsonb_build_object('roles', refuse_role.needed)::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_same_content (
  user_id  uuid,
  asset_id uuid,
  slug     text,
  license  text
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- cc0 requires nothing; every other license requires that the lineage is kept.
  if refuse_same_content.license <> 'cc0' and not exists (
    select from private.hub_allowed_content c
    where c.user_id = refuse_same_content.user_id and c.asset_id = refuse_same_content.asset_id
  ) then
    raise exception using
      errcode = 'PT409', message = 'duplicate_content', detail = jsonb_build_object('slug', refuse_same_content.slug)::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_secret (
  path   text,
  before text,
  after  text
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  if private.adds_secret(refuse_secret.before, refuse_secret.after) then
    raise exception using
      errcode = 'PT422',
      message = 'secret_detected',
      detail = jsonb_build_object('errors', private.fault(refuse_secret.path, 'secret_detected', 'looks like a secret'))::text;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_snapshot_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if exists (select from public.hub_assets a where a.id = old.asset_id and a.deleted_at is null) then
    raise exception using
      errcode = 'PT409',
      message = 'append_only',
      detail = jsonb_build_object('table', tg_table_name, 'verb', 'delete')::text;
  end if;
  return old;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_state_edit()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  raise exception using
    errcode = 'PT422',
    message = 'api_key_states is for reading: edit user_api_keys, api_key_health or api_key_model_health',
    detail = '{"code": "read_only"}';
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_usage (
  limit_name text,
  most       bigint
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  raise exception using
    errcode = 'PT422',
    message = 'limit_reached',
    detail = jsonb_build_object('limit', refuse_usage.limit_name, 'most', refuse_usage.most)::text;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_version_change()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  editable constant text[] := array['label', 'changelog', 'yanked_at', 'yank_reason'];
begin
  -- The list names the editable columns and not the fixed ones, so that a new column is fixed, too.
  if to_jsonb(new) - editable is distinct from to_jsonb(old) - editable then
    raise exception using
      errcode = 'PT409',
      message = 'append_only',
      detail = jsonb_build_object('table', tg_table_name, 'verb', 'update')::text;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.release_lease (
  user_id  uuid,
  lease_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  lease public.api_key_usage_log;
  provider text;
begin
  -- Locks the key row before the log row, as all code does. The log row decides who releases a lease: a second release finds no
  -- lease.
  perform from public.user_api_keys k
  where k.id = (
    select l.user_api_key_id
    from public.api_key_usage_log l
    where l.id = release_lease.lease_id and l.user_id = release_lease.user_id
  )
  for no key update;
  delete from public.api_key_usage_log l
  where l.id = release_lease.lease_id and l.user_id = release_lease.user_id and l.outcome is null and l.issued_at is not null
  returning l.* into lease;

  update public.user_api_keys k
  set usage_count = greatest(k.usage_count - 1, 0)
  where k.id = lease.user_api_key_id;
  -- A ciphertext that was replaced meanwhile is not flagged: nobody has tried to open it.
  update public.user_api_keys k
  set unusable_reason = 'the sealed text cannot be opened, or is not of the key of its fingerprint: seal the key again for this user_id',
    unusable_since = clock_timestamp()
  where k.id = lease.user_api_key_id and k.generation = lease.key_generation and k.unusable_reason is null
  returning k.provider into provider;
  if found then
    perform private.alert_once(lease.user_id, provider, 'key_unopenable', lease.user_api_key_id, '{}', 0);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.remix_cards (
  asset_ids   uuid[],
  creator_ids uuid[],
  directs     integer
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
begin
  return (
    select coalesce(json_agg(row_to_json(r) order by p.n), '[]')
    from unnest(remix_cards.asset_ids) with ordinality p (id, n)
    join public.hub_assets a on a.id = p.id
    left join private.creators(remix_cards.creator_ids) c on c.user_id = a.creator_id
    cross join lateral (
      select a.id, a.slug, a.asset_type, a.title, a.description, a.tags, a.thumbnail_url, a.picture, a.license, a.price_cents, a.currency,
        c.card as creator,
        a.install_count, a.star_count, a.published_at, a.content_updated_at, a.remix_depth,
        p.n <= remix_cards.directs as direct, a.parent_asset_id
    ) r
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.remix_page (
  asset_id uuid,
  direct   boolean,
  last_at  timestamp with time zone,
  last_id  uuid,
  wanted   integer
)
  RETURNS TABLE (
    id           uuid,
    published_at timestamp with time zone,
    creator_id   uuid
  )
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
begin
  if remix_page.direct then
    return query
    select r.id, r.published_at, r.creator_id
    from public.hub_assets r
    where r.is_visible
      and r.parent_asset_id = remix_page.asset_id
      and (r.published_at, r.id) < (remix_page.last_at, remix_page.last_id)
    order by r.published_at desc, r.id desc
    limit remix_page.wanted;
  else
    return query
    select r.id, r.published_at, r.creator_id
    from public.hub_assets r
    where r.is_visible
      and r.source_asset_id = remix_page.asset_id
      and r.parent_asset_id is distinct from r.source_asset_id
      and (r.published_at, r.id) < (remix_page.last_at, remix_page.last_id)
    order by r.published_at desc, r.id desc
    limit remix_page.wanted;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.remove_api_key (
  key_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  key constant public.user_api_keys := private.own_key(remove_api_key.key_id);
begin
  delete from public.user_api_keys k where k.id = key.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.remove_asset (
  asset_id    uuid,
  note        text,
  public_note text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.asset_for_admin(remove_asset.asset_id, with_stars => true);
begin
  if not asset.is_hidden then
    raise exception using errcode = 'PT409', message = 'not_hidden';
  end if;
  perform private.set_audit_note(remove_asset.note, remove_asset.public_note);
  update public.hub_assets a set deleted_at = clock_timestamp(), hidden_reason = 'removed' where a.id = asset.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.remove_invisible (
  value text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Replaces twice: a joiner may be out of place only after the character beside it is removed.
  select regexp_replace(regexp_replace(remove_invisible.value, private.invisible_pattern(), '', 'g'), private.invisible_pattern(), '', 'g');
$function$;

CREATE OR REPLACE FUNCTION private.remove_member (
  organization_id uuid,
  user_id         uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  held constant text := private.begin_organization_write(remove_member.organization_id);
  removed constant text := (
    select m.role from public.organization_members m
    where m.organization_id = remove_member.organization_id and m.user_id = remove_member.user_id
  );
begin
  perform private.refuse_role(held, '{owner,admin}');
  if removed is null then
    raise exception using errcode = 'PT404', message = 'member_not_found';
  end if;
  if removed <> 'member' then
    perform private.refuse_role(held, '{owner}');
  end if;
  if removed = 'owner' then
    perform private.refuse_last_owner(remove_member.organization_id, remove_member.user_id);
  end if;
  delete from public.organization_members m
  where m.organization_id = remove_member.organization_id and m.user_id = remove_member.user_id;
  perform private.close_links(remove_member.organization_id, remove_member.user_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.rename_creator()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update private.hub_creators t set names = private.name_keys(new.username, new.display_name) where t.user_id = new.user_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.report_answer (
  log public.api_key_usage_log
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  answer constant jsonb := jsonb_build_object(
    'key_id', log.user_api_key_id,
    'state', log.state_after,
    'blocked_until', log.blocked_until,
    'consecutive_failures', log.consecutive_failures,
    'outcome', log.outcome,
    'effect', log.effect,
    'scope', log.scope,
    'model', case when log.scope = 'model' then log.model end
  );
begin
  return case when log.hint is null then answer else answer || jsonb_build_object('hint', log.hint) end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.report_same_answer (
  user_id  uuid,
  agent_id uuid,
  lease    public.api_key_usage_log,
  report   private.key_report
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  told public.api_key_usage_log;
  lifted boolean;
  at timestamptz;
  log public.api_key_usage_log;
begin
  select l.* into told
  from public.api_key_usage_log l
  where l.id = report.same_answer_as
    and l.user_id = report_same_answer.user_id
    and l.agent_id is not distinct from report_same_answer.agent_id
    and l.user_api_key_id <> lease.user_api_key_id
    and l.outcome in (report.outcome, 'caller_fault')
    and l.error_code is not distinct from report.error_code
    and l.reported_at > clock_timestamp() - interval '60 s'
    -- An answer that says that the key is dead concerns the key, not the request.
    and not coalesce(l.dead, false)
    and not coalesce(report.dead, false);
  if not found then
    return null;
  end if;
  lifted := told.effect in ('cooled', 'disabled') and private.lift_report(told);
  at := clock_timestamp();
  -- The log row decides which report was first.
  update public.api_key_usage_log l
  set (reported_at, outcome, error_code, effect, state_before, state_after, blocked_until, consecutive_failures, model, scope) = (
    select
      at, 'caller_fault', report.error_code, case when lifted then 'lifted' else 'ignored' end, s.state, s.state,
      case when h.blocked_until > at then h.blocked_until end, h.consecutive_failures, coalesce(report.model, l.model), 'request'
    from public.api_key_states s
    join public.api_key_health h on h.user_api_key_id = s.user_api_key_id
    where s.user_api_key_id = l.user_api_key_id
  )
  where l.id = lease.id and l.outcome is null
  returning l.* into log;
  if not found then
    raise exception using errcode = 'lock_not_available', message = 'lock_conflict';
  end if;
  return private.report_answer(log);
end;
$function$;

CREATE OR REPLACE FUNCTION private.republish_asset (
  asset_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.own_listing(republish_asset.asset_id);
  content public.hub_asset_versions;
begin
  select v.* into content
  from public.hub_asset_versions v
  where v.asset_id = asset.id and v.version = asset.current_version;
  if content.version is null then
    raise exception using errcode = 'PT409', message = 'not_published';
  end if;
  if asset.organization_id is null then
    update public.hub_assets a set is_public = true where a.id = asset.id and not a.is_public;
  else
    -- The listing returns to the same organization as before, never to more readers.
    perform private.organization_of(asset.creator_id, asset.organization_id);
    update public.hub_assets a set shared_at = clock_timestamp() where a.id = asset.id and a.shared_at is null;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_admin()
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not (private.is_admin() or private.is_operator()) then
    raise exception using errcode = '42501', message = 'permission denied';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.reset_api_key (
  key_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  key constant public.user_api_keys := private.own_key(reset_api_key.key_id);
begin
  update public.api_key_health h set blocked_until = null, consecutive_failures = 0 where h.user_api_key_id = key.id;
  update public.api_key_model_health m set blocked_until = null, consecutive_failures = 0 where m.user_api_key_id = key.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.reset_install_counts()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.hub_assets a set install_count = 0 where a.install_count <> 0;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.reset_report_counts()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update private.hub_moderation m set open_reports = 0, counting_reports = 0 where m.open_reports <> 0;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.reset_star_counts()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.hub_assets a set star_count = 0 where a.star_count <> 0;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.resolve_appeal (
  id     uuid,
  accept boolean,
  answer text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  found_appeal public.hub_appeals;
begin
  perform private.require_admin();
  if resolve_appeal.accept is null then
    perform private.refuse_faults(private.fault('accept', 'required', 'is required'));
  end if;
  if char_length(private.clean(resolve_appeal.answer)) > 2000 then
    perform private.refuse_faults(private.fault('answer', 'too_big', 'must be at most 2000 characters'));
  end if;
  perform from auth.users u where u.id = (select auth.uid()) for key share;
  select p.* into found_appeal from public.hub_appeals p where p.id = resolve_appeal.id;
  if not found then
    raise exception using errcode = 'PT404', message = 'appeal_not_found';
  end if;
  -- Lock order: every change of an appeal holds the lock of its listing, or of the profile of the banned user.
  if found_appeal.asset_id is null then
    perform from auth.users u where u.id = found_appeal.user_id for key share;
    perform from private.hub_bans b where b.user_id = found_appeal.user_id for update;
    perform from public.hub_profiles p where p.user_id = found_appeal.user_id for no key update;
  else
    perform from public.hub_assets a where a.id = found_appeal.asset_id for no key update;
  end if;
  update public.hub_appeals p
  set state = case when resolve_appeal.accept then 'accepted' else 'rejected' end, answer = private.clean(resolve_appeal.answer)
  where p.id = resolve_appeal.id;
  -- The appeal was deleted with its account while this call waited.
  if not found then
    raise exception using errcode = 'PT404', message = 'appeal_not_found';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.resolve_report (
  report_id   uuid,
  outcome     text,
  note        text,
  public_note text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  report public.hub_reports;
begin
  perform private.require_admin();
  if resolve_report.outcome is null or resolve_report.outcome not in ('upheld', 'dismissed') then
    perform private.refuse_faults(private.fault('outcome', 'invalid_value', 'must be "upheld" or "dismissed"'));
  end if;
  perform private.set_audit_note(resolve_report.note, resolve_report.public_note);
  perform from auth.users u where u.id = (select auth.uid()) for key share;
  select r.* into report from public.hub_reports r where r.id = resolve_report.report_id;
  perform from public.hub_assets a where a.id = report.asset_id for no key update;
  if resolve_report.outcome = 'upheld' then
    perform private.lock_reports(array[report.asset_id], null);
  end if;
  select r.* into report from public.hub_reports r where r.id = resolve_report.report_id for no key update;
  if not found then
    raise exception using errcode = 'PT404', message = 'report_not_found';
  end if;
  if report.resolved then
    raise exception using errcode = 'PT409', message = 'report_resolved';
  end if;
  if resolve_report.outcome = 'dismissed' then
    update public.hub_reports r
    set resolved = true, outcome = 'dismissed', note = private.clean(resolve_report.note)
    where r.id = report.id;
  else
    perform private.close_reports(array[report.asset_id], 'upheld');
    -- The new reason also applies when the listing is hidden for another reason or deleted by its creator: a later publication is
    -- then hidden for this reason.
    update public.hub_assets a
    set is_hidden = true, hidden_reason = report.reason
    where a.id = report.asset_id and a.hidden_reason is distinct from 'removed';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.restore_api_key_health()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  with reset as (
    update public.user_api_keys k
    set cooling_until = null, generation = k.generation + 1
    where k.id = any (
      case tg_op when 'DELETE' then array[old.user_api_key_id] else array(select every.id from public.user_api_keys every) end
    )
    returning k.id
  )
  insert into public.api_key_health (user_api_key_id)
  -- Gives each key that was reset a new health row.
  select r.id from reset r;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.restore_asset (
  asset_id uuid,
  note     text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.asset_for_admin(restore_asset.asset_id);
begin
  if not asset.is_hidden then
    raise exception using errcode = 'PT409', message = 'not_hidden';
  end if;
  perform private.set_audit_note(restore_asset.note);
  update public.hub_assets a set is_hidden = false where a.id = asset.id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.restore_copy (
  asset_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  copy public.hub_assets := private.own_copy(restore_copy.asset_id);
  present constant jsonb := private.source_row(copy.asset_type, copy.ref_id);
  last private.hub_overwritten;
  held private.hub_copies;
begin
  delete from private.hub_overwritten o
  where o.id = (
    select n.id
    from private.hub_overwritten n
    where n.asset_id = copy.id and n.at > clock_timestamp() - interval '30 days'
    order by n.id desc
    limit 1
  )
  returning o.* into last;
  if last.id is null or present is null then
    raise exception using errcode = 'PT404', message = 'nothing_overwritten';
  end if;
  -- Edits that were made after the update are stored as well, before the older content replaces them.
  select c.* into held from private.hub_copies c where c.asset_id = copy.id;
  if held.sha256 is distinct from private.content_sha256(copy.asset_type, present) then
    perform private.keep_overwritten(copy.id, private.content_of(copy.asset_type, present), copy.attribution, held.sha256);
  end if;
  perform private.write_content(copy.asset_type, copy.ref_id, last.content);
  update public.hub_assets a
  set attribution = private.joined_attribution(a.attribution, last.attribution), pinned_version = null
  where a.id = copy.id
  returning a.* into copy;
  update private.hub_copies c set sha256 = last.sha256 where c.asset_id = copy.id;
  return jsonb_build_object(
    'id', copy.id, 'asset_type', copy.asset_type, 'ref_id', copy.ref_id, 'title', present -> 'name',
    'version', (copy.attribution #>> '{parent,version}')::integer
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.revenue (
  "from" date,
  "to"   date
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if (revenue."to" >= revenue."from" and revenue."to" - revenue."from" <= 1100) is not true then
    perform private.refuse_faults(private.fault('to', 'invalid_value', 'must be a day from "from" on, at most 1100 days later'));
  end if;
  return (
    select coalesce(jsonb_agg(to_jsonb(r) order by r.day desc, r.gross_cents desc, r.asset_id), '[]')
    from (
      select (l.at at time zone 'UTC')::date as day, l.asset_id, max(o.title) as title, max(a.slug) as slug, max(a.asset_type) as asset_type,
        l.currency,
        count(*) filter (where l.kind = 'sale' and l.account = 'buyer') as sales,
        coalesce(-sum(l.amount_cents) filter (where l.kind = 'sale' and l.account = 'buyer'), 0) as gross_cents,
        coalesce(sum(l.amount_cents) filter (where l.kind in ('sale', 'refund') and l.account = 'platform'), 0) as fee_cents,
        coalesce(sum(l.amount_cents) filter (where l.kind = 'refund' and l.account = 'buyer'), 0) as refunds_cents,
        coalesce(sum(l.amount_cents) filter (where l.account = 'creator'), 0) as net_cents
      from private.ledger l
      join private.orders o on o.id = l.order_id
      left join public.hub_assets a on a.id = l.asset_id
      where l.creator_id = (select auth.uid())
        and l.at >= revenue."from" at time zone 'UTC'
        and l.at < (revenue."to" + 1) at time zone 'UTC'
        and l.kind in ('sale', 'refund')
      group by 1, l.asset_id, l.currency
    ) r
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.review_queue()
  RETURNS TABLE (
    asset_id         uuid,
    asset_type       text,
    slug             text,
    title            text,
    creator_id       uuid,
    creator_username text,
    creator_banned   boolean,
    is_public        boolean,
    is_hidden        boolean,
    hidden_reason    text,
    hidden_at        timestamp with time zone,
    deleted_at       timestamp with time zone,
    current_version  integer,
    reviewed_version integer,
    open_reports     integer,
    counting_reports integer,
    reports          jsonb
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.require_admin();
  return query
  select
    a.id, a.asset_type, a.slug, a.title, a.creator_id, p.username, private.is_banned(a.creator_id),
    a.is_public, a.is_hidden, a.hidden_reason, a.hidden_at, a.deleted_at,
    a.current_version, m.reviewed_version, m.open_reports, m.counting_reports,
    coalesce(r.reports, '[]')
  from public.hub_assets a
  join private.hub_moderation m on m.asset_id = a.id
  left join public.hub_profiles p on p.user_id = a.creator_id
  left join lateral (
    select jsonb_agg(jsonb_build_object(
      'id', o.id,
      'reason', o.reason,
      'details', o.details,
      'work_url', o.work_url,
      'work_holder', o.work_holder,
      'version', o.version,
      'counts', o.counts,
      'created_at', o.created_at,
      'reporter_id', o.reporter_id
    ) order by o.created_at, o.id) as reports
    from public.hub_reports o
    where o.asset_id = a.id and not o.resolved
  ) r on true
  where (m.open_reports > 0 or (a.is_hidden and a.deleted_at is null))
    -- The admins of an organization decide about the listings on its shelf.
    and (a.organization_id is null or a.hidden_reason not in ('organization', 'organization_reports'))
  -- Sorts hidden assets first, then the assets that are nearest to the threshold.
  order by a.is_hidden desc, m.counting_reports desc, m.open_reports desc, a.hidden_at, a.id
  limit 500;
end;
$function$;

CREATE OR REPLACE FUNCTION private.revoke_invitation (
  invitation_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  organization constant uuid := (
    select i.organization_id from private.organization_invitations i where i.id = revoke_invitation.invitation_id
  );
begin
  if organization is null or not private.is_member_of((select auth.uid()), organization) then
    raise exception using errcode = 'PT404', message = 'invitation_not_found';
  end if;
  perform private.refuse_role(private.begin_organization_write(organization), '{owner,admin}');
  update private.organization_invitations i
  set revoked_at = clock_timestamp()
  where i.id = revoke_invitation.invitation_id and i.revoked_at is null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.revoke_my_agent (
  agent_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  owner constant uuid := private.key_owner();
begin
  update public.api_key_agents a
  set revoked_at = coalesce(a.revoked_at, clock_timestamp())
  where a.id = revoke_my_agent.agent_id and a.user_id = owner;
  if not found then
    raise exception using errcode = 'PT404', message = 'agent_not_found';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.root_of (
  asset public.hub_assets
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select coalesce(
    (root_of.asset).attribution #>> '{root,id}', (root_of.asset).attribution #>> '{parent,id}', (root_of.asset).source_asset_id::text, (root_of.asset).id::text
  );
$function$;

CREATE OR REPLACE FUNCTION private.rows_of_copy (
  user_id   uuid,
  into_copy uuid
)
  RETURNS TABLE (
    import_id   uuid,
    asset_id    uuid,
    item_type   text,
    item_ref_id uuid,
    source_id   uuid,
    registry_id uuid
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select i.id, i.asset_id, c.value ->> 'asset_type', b.ref_id, a.ref_id, a.id
  from (
    select *
    from public.hub_imports i
    where i.user_id = rows_of_copy.user_id
      and i.created @> jsonb_build_array(jsonb_build_object('hub_asset_id', rows_of_copy.into_copy))
    order by i.created_at desc, i.id
    limit 1
  ) i
  cross join lateral jsonb_array_elements(i.created) with ordinality c (value, place)
  join public.hub_assets a on a.id = (c.value ->> 'hub_asset_id')::uuid and a.creator_id = i.user_id and a.deleted_at is null
  left join public.hub_bundle_items b on b.asset_id = i.asset_id and b.version = i.version and b.position = c.place - 1
  where private.source_row(a.asset_type, a.ref_id) is not null
    -- When a kit was deleted and published again, the items of its old version are unknown.
    and (c.place = 1 or b.ref_id is not null);
$function$;

CREATE OR REPLACE FUNCTION private.same_content (
  user_id    uuid,
  asset      public.hub_assets,
  asset_type text,
  payload    jsonb
)
  RETURNS TABLE (
    id      uuid,
    slug    text,
    license text
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select a.id, a.slug, v.license
  from public.hub_asset_versions v
  join public.hub_assets a on a.id = v.asset_id
  where md5((v.payload - 'name')::text) = md5((same_content.payload - 'name')::text)
    and a.asset_type = same_content.asset_type
    -- Settings, short prompts and short pipelines (a new orchestration has a fixed one) can be equal by chance.
    and same_content.asset_type <> 'ai_preset'
    and (same_content.asset_type <> 'orchestration' or char_length(same_content.payload::text) >= 1000)
    and (same_content.asset_type <> 'template' or char_length(same_content.payload ->> 'content') >= 200)
    and a.is_visible
    -- A version on a shelf is left out, because nobody outside its organization may notice it.
    and v.organization_id is null
    and (a.current_version = v.version or (v.is_open and v.yanked_at is null))
    and a.creator_id is distinct from same_content.user_id
    and private.root_of(a) is distinct from private.root_of(same_content.asset)
    -- A listing of a creator whom the lineage names is left out: when a creator has published the content twice, a copy names only
    -- one of the two listings.
    and not coalesce(jsonb_path_exists(
      (same_content.asset).attribution, '$.*[*] ? (@.creator_id == $creator)', jsonb_build_object('creator', a.creator_id)
    ), false)
    and a.published_at < coalesce((same_content.asset).published_at, (same_content.asset).shared_at, 'infinity')
  order by a.published_at, a.id
  limit 1;
$function$;

CREATE OR REPLACE FUNCTION private.search_by_column (
  sort       text,
  matches    tsquery,
  filters    tsquery,
  types      text[],
  license    text,
  creator_id uuid,
  tags       text[],
  place      jsonb,
  wanted     integer,
  OUT        ids uuid[],
  OUT        keys text[]
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  col constant text := case search_by_column.sort
    when 'newest' then 'published_at'
    when 'recently_updated' then 'content_updated_at'
    when 'most_installed' then 'install_count'
    when 'most_starred' then 'star_count'
  end;
  query constant tsquery := coalesce(search_by_column.filters && search_by_column.matches, search_by_column.filters, search_by_column.matches);
  of_tag constant boolean := search_by_column.tags is not null;
  id_col constant text := case when of_tag then 'asset_id' else 'id' end;
  -- A tag has a list of its own in each order; a creator has one by date.
  list constant text := case
    when of_tag then format('private.hub_listing_tags l where l.tag = %L', (
      -- When several tags are given, takes the tag with the shortest list: the rarer a tag, the older its hundredth listing.
      select t.tag from unnest(search_by_column.tags) t (tag)
      order by (
        select h.published_at from private.hub_listing_tags h where h.tag = t.tag order by h.published_at desc, h.asset_id desc offset 99 limit 1
      ) nulls first limit 1
    ))
    when search_by_column.creator_id is not null and search_by_column.sort = 'newest' then
      format('public.hub_assets l where l.is_visible and l.creator_id = %L', search_by_column.creator_id)
    else 'public.hub_assets l where l.is_visible'
  end;
  after_place constant text := case when search_by_column.place is not null then format(
    ' and (l.%I, l.%I) < (%L, %L)', col, id_col, search_by_column.place ->> 'key', search_by_column.place ->> 'id'
  ) end;
  fits constant text := concat_ws(' and ', 'a.is_visible',
    case when search_by_column.types is not null then 'a.asset_type = any ($1)' end,
    case when search_by_column.license is not null then 'a.license = $2' end,
    case when search_by_column.creator_id is not null then 'a.creator_id = $3' end,
    case when of_tag then 'a.tags @> $4' end,
    -- Skips listings that cannot have all tags.
    case when of_tag then format('l.tag_bits & %1$s = %1$s', private.tag_bits(search_by_column.tags)) end,
    case when search_by_column.matches is not null then '(select d.document from private.hub_documents d where d.asset_id = a.id) @@ $5' end
  );
  stretch integer;
begin
  -- Tries the first rows of the list, then a longer part of it. If neither fills a page, the matches are rare.
  foreach stretch in array '{300,20000}'::integer[] loop
    execute format(
      'select array_agg(f.id), array_agg(f.key::text)
       from (
         select l.id, l.key
         from (select l.%1$I as id, l.%2$I as key%3$s from %4$s%5$s order by l.%2$I desc, l.%1$I desc limit %6$s) l
         join public.hub_assets a on a.id = l.id
         where %7$s
         order by l.key desc, l.id desc
         limit %8$s
       ) f',
      id_col, col, case when of_tag then ', l.tag_bits' end, list, after_place, stretch, fits, search_by_column.wanted
    ) into ids, keys using search_by_column.types, search_by_column.license, search_by_column.creator_id, search_by_column.tags, search_by_column.matches;
    -- With a single tag, or without any filter, every row of the list matches.
    if cardinality(ids) = search_by_column.wanted or query is null or (of_tag and numnode(query) = 1) then
      return;
    end if;
    exit when coalesce(cardinality(ids), 0) < 3;
  end loop;
  select r.ids, r.keys into ids, keys from private.search_rare(col, query, search_by_column.place, search_by_column.wanted) r;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_by_relevance (
  q       text,
  filters tsquery,
  place   jsonb,
  wanted  integer
)
  RETURNS TABLE (
    id uuid,
    at jsonb
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  plan constant private.search_plan := private.search_plan(search_by_relevance.q);
  query constant tsquery := coalesce(search_by_relevance.filters && plan.matches, plan.matches);
  -- Copied to variables, which cost less than the fields of a row when many rows are compared.
  key constant text := plan.title_key;
  likes tsquery := plan.likes;
  titled constant tsquery := plan.titled;
  titled_exactly constant tsquery := plan.titled_exactly;
  parts tsquery[] := '{}';
  exact uuid[];
  last_popularity smallint;
  popularity smallint;
  score numeric;
  last_id uuid;
  by_walk boolean;
  ids uuid[];
  floor jsonb := search_by_relevance.place -> 'floor';
  given integer := 0;
begin
  if plan.matches is null then
    return;
  end if;
  exact := array(
    select d.asset_id from private.hub_documents d
    where d.title_key = key and (search_by_relevance.filters is null or d.document @@ search_by_relevance.filters)
    order by d.popularity desc, d.asset_id desc limit 200
  );
  if coalesce(search_by_relevance.place ->> 'in', 'ranked') = 'ranked' then
    select c.ids, c.floor into ids, floor from private.search_candidates(query, floor) c;
    -- When few listings hold all words, also takes listings that hold some of the words.
    if floor is null and coalesce(cardinality(ids), 0) < 10 and cardinality(plan.parts) > 1 and plan.creators is null then
      parts := plan.parts;
      likes := replace(likes::text, '&', '|')::tsquery;
      ids := ids || array(
        select unnest(f.ids[1:100])
        from unnest(parts) p (part)
        cross join lateral private.search_candidates(coalesce(search_by_relevance.filters && p.part, p.part), null) f
      );
    end if;
    for id, score in
      select s.asset_id, s.score
      from (
        -- The order: the exact title; all words; title before tags before description; the words in their sequence; short titles;
        -- popular listings.
        select d.asset_id,
          round((
            case when d.asset_id = any (exact) then 1000 else 0 end
            + 20.0 * h.held / greatest(1, cardinality(parts))
            + 3 * ts_rank('{0, 0.15, 0.5, 1}', d.document, likes)
            + case when not d.document @@ titled then 0 when d.document @@ titled_exactly then 6 else 4 end
            + case strpos(' ' || d.title_key, ' ' || key)
              when 0 then case when strpos(d.title_key, key) > 0 then 1 else 0 end
              when 1 then case when starts_with(d.title_key || ' ', key || ' ') then 3 else 2 end
              else 1.5
            end
            - 0.02 * least(char_length(d.title_key), 60)
            + 0.06 * d.popularity
          )::numeric, 5) as score
        from (select distinct i.id from unnest(exact || ids) i (id)) i
        join private.hub_documents d on d.asset_id = i.id
        cross join lateral (select count(*) filter (where d.document @@ p.part) as held from unnest(parts) p (part)) h
        where h.held >= least(2, (cardinality(parts) + 1) / 2)
      ) s
      where search_by_relevance.place is null
        or (s.score, s.asset_id) < ((search_by_relevance.place ->> 'score')::numeric, (search_by_relevance.place ->> 'id')::uuid)
      order by s.score desc, s.asset_id desc limit search_by_relevance.wanted
    loop
      given := given + 1;
      at := case when given = search_by_relevance.wanted - 1 then jsonb_build_object('in', 'ranked', 'score', score, 'id', id, 'floor', floor) end;
      return next;
    end loop;
  end if;
  if given = search_by_relevance.wanted or floor is null then
    return;
  end if;
  -- Reads the other matches in the order of popularity: from a part of that order when the words are common, otherwise by the
  -- index of words.
  last_popularity := coalesce(
    case when search_by_relevance.place ->> 'in' = 'rest' then search_by_relevance.place -> 'score' end, floor -> 'popularity'
  )::smallint;
  last_id := coalesce(case when search_by_relevance.place ->> 'in' = 'rest' then search_by_relevance.place ->> 'id' end, floor ->> 'id');
  foreach by_walk in array case when (floor -> 'walk')::boolean then '{true,false}' else '{false}' end::boolean[] loop
    for id, popularity in execute format(
      'select m.asset_id, m.popularity
       from (select d.asset_id, d.popularity, d.document from private.hub_documents d where %s) m
       where m.document @@ $1 and (m.popularity, m.asset_id) < ($2, $3) and not m.asset_id = any ($4)
       order by m.popularity desc, m.asset_id desc limit $5',
      case when by_walk then '(d.popularity, d.asset_id) < ($2, $3) order by d.popularity desc, d.asset_id desc limit 20000' else 'd.document @@ $1 offset 0' end
    ) using query, last_popularity, last_id, exact, search_by_relevance.wanted - given
    loop
      last_popularity := popularity;
      last_id := id;
      given := given + 1;
      at := case when given = search_by_relevance.wanted - 1 then jsonb_build_object('in', 'rest', 'score', popularity, 'id', id, 'floor', floor) end;
      return next;
    end loop;
    exit when given = search_by_relevance.wanted;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_candidates (
  query tsquery,
  above jsonb,
  OUT   ids uuid[],
  OUT   floor jsonb
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  least_popularity constant smallint := coalesce((search_candidates.above ->> 'popularity')::smallint, -1);
  least_id constant uuid := coalesce((search_candidates.above ->> 'id')::uuid, nobody);
  has_floor constant boolean := coalesce(jsonb_typeof(search_candidates.above) = 'object', false);
  -- How many listings are read in the order of popularity: on the first page until enough matches are found, on later pages down
  -- to the floor that the first page has found.
  walks constant integer[] := case
    when search_candidates.above is null then '{300,1000,3000}' when (search_candidates.above ->> 'walk')::boolean then '{4000}' else '{}'
  end;
  found integer;
  stretch integer;
  popular_alone boolean;
begin
  -- When the word is common, the most popular listings contain enough matches.
  foreach stretch in array walks loop
    select array_agg(w.asset_id) filter (where w.fits), count(*) filter (where w.fits),
      jsonb_build_object('walk', true, 'popularity', (array_agg(w.popularity))[stretch], 'id', (array_agg(w.asset_id))[stretch])
    into ids, found, floor
    from (
      select d.asset_id, d.popularity, d.document @@ search_candidates.query as fits from private.hub_documents d
      where (d.popularity, d.asset_id) >= (least_popularity, least_id)
      order by d.popularity desc, d.asset_id desc limit stretch
    ) w;
    if has_floor then
      floor := search_candidates.above;
      return;
    elsif floor ->> 'id' is null then
      -- There are no more listings.
      floor := null;
      return;
    elsif found >= 60 or (stretch = 3000 and found >= 25) then
      return;
    end if;
    exit when found < stretch / 100;
  end loop;
  -- When the word is rarer, the index of popular listings is searched, then the index of all listings. A later page uses the index
  -- in which the first page found its floor.
  foreach popular_alone in array case
    when search_candidates.above is null then '{true,false}' when has_floor then array[least_popularity >= 4] else '{false}'
  end::boolean[] loop
    stretch := case when popular_alone then 1000 else 5000 end;
    -- OFFSET keeps the planner from using the index of popularity.
    execute format(
      'select array_agg(m.asset_id), jsonb_build_object(''walk'', false, ''popularity'', (array_agg(m.popularity))[$4], ''id'', (array_agg(m.asset_id))[$4])
       from (
         select f.asset_id, f.popularity
         from (select d.asset_id, d.popularity from private.hub_documents d where d.document @@ $1 %s offset 0) f
         where (f.popularity, f.asset_id) >= ($2, $3)
         order by f.popularity desc, f.asset_id desc limit $4
       ) m', case when popular_alone then 'and d.popularity >= 4' end
    ) into ids, floor using search_candidates.query, least_popularity, least_id, stretch;
    exit when has_floor or cardinality(ids) >= 60;
  end loop;
  floor := case
    when has_floor then search_candidates.above
    when floor ->> 'id' is not null then floor
    when popular_alone then jsonb_build_object('walk', false, 'popularity', 4, 'id', nobody)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_facets (
  request private.search_request
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET jit TO 'off'
  AS $function$
  -- Counts the first thousand listings of the result, so that the work is bounded; `complete` says whether these are all.
  with page as materialized (select p.ids from private.search_page(search_facets.request, null, 1001) p),
  counted as (
    select f.facet, f.value, count(*) as listings
    from page p
    cross join lateral unnest(p.ids[:1000]) i (id)
    join public.hub_assets a on a.id = i.id and a.is_visible
    cross join lateral (
      select 'types', a.asset_type
      union all select 'licenses', a.license
      union all select 'tags', t.tag from unnest(a.tags) t (tag)
    ) f (facet, value)
    group by f.facet, f.value
  ),
  facets as (
    select k.facet, c.value, c.listings, row_number() over (partition by k.facet order by c.listings desc, c.value) as place
    from counted c
    cross join lateral (
      select case when c.facet = 'tags' and c.value ~ '^(gpt|o[0-9]|claude|gemini|llama|mistral|mixtral|qwen|deepseek|grok|command|phi|gemma|nova)([.:/-]|[0-9]|$)' then 'models' else c.facet end as facet
    ) k
  )
  select '{"types": [], "licenses": [], "tags": [], "models": []}'
    || jsonb_build_object('complete', coalesce((select cardinality(p.ids) from page p), 0) <= 1000)
    || coalesce((
      select jsonb_object_agg(l.facet, l.list)
      from (
        select f.facet, jsonb_agg(jsonb_build_object('value', f.value, 'count', f.listings) order by f.place) as list
        from facets f where f.place <= 20 group by f.facet
      ) l
    ), '{}');
$function$;

CREATE OR REPLACE FUNCTION private.search_page (
  request private.search_request,
  place   jsonb,
  wanted  integer,
  OUT     ids uuid[],
  OUT     next_place jsonb
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  creator_id constant uuid := case when (search_page.request).creator is not null then private.creator_by_name((search_page.request).creator) end;
  matches tsquery;
  filters constant tsquery := (
    select string_agg('(' || f.filter || ')', ' & ')::tsquery
    from (
      select string_agg('''=type:' || t.type || '''', ' | ') from unnest((search_page.request).types) t (type)
      union all select '''=license:' || (search_page.request).license || ''''
      union all select '''=creator:' || creator_id || ''''
      union all select '''=tag:' || t.tag || '''' from unnest((search_page.request).tags) t (tag)
    ) f (filter)
  );
begin
  if (search_page.request).creator is not null and creator_id is null then
    return;
  end if;
  if (search_page.request).sort = 'relevance' then
    select array_agg(r.id), (array_agg(r.at))[search_page.wanted - 1] into ids, next_place
    from private.search_by_relevance((search_page.request).q, filters, search_page.place, search_page.wanted) r;
    return;
  end if;
  if (search_page.request).q is not null then
    matches := (private.search_plan((search_page.request).q)).matches;
    if matches is null then
      return;
    end if;
  end if;
  select r.ids, jsonb_build_object('key', r.keys[search_page.wanted - 1], 'id', r.ids[search_page.wanted - 1]) into ids, next_place
  from private.search_by_column(
    (search_page.request).sort, matches, filters, (search_page.request).types, (search_page.request).license, creator_id, (search_page.request).tags,
    search_page.place, search_page.wanted
  ) r;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_plan (
  q text
)
  RETURNS private.search_plan
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  plan private.search_plan;
  w record;
  is_open boolean;
  core text;
  loose text;
  exact text;
begin
  plan.title_key := private.title_key(search_plan.q);
  for w in select *, count(*) over () as words from private.words(search_plan.q) with ordinality x (whole, parts, is_run, n) limit 12 loop
    -- A blank after a word shows that the word is finished.
    is_open := w.n = w.words and search_plan.q !~ '[\s\u3000]$';
    core := w.whole;
    if w.is_run then
      -- In Hangul, particles directly follow the typed word and are removed.
      if core ~ '^[\uac00-\ud7af]{3}' then
        core := regexp_replace(core, '(?:에서는|으로|에서|에게|까지|부터|처럼|보다|이랑|하고|을|를|이|가|은|는|의|에|로|와|과|도|만|용)$', '');
      end if;
      exact := (select string_agg('''' || substr(core, i, 2) || '''', ' & ') from generate_series(1, greatest(1, char_length(core) - 1)) i);
      loose := case when char_length(core) = 1 then exact || ':*' else exact end;
    else
      exact := '''' || core || '''';
      loose := concat_ws(' | ',
        exact,
        case
          -- Words that begin like this word without its ending: plurals and inflections of several languages, also with a doubled
          -- letter before the ending.
          when char_length(core) >= 5 then private.starting_with(regexp_replace(
            regexp_replace(core, '^(.{4,}?)(?:ies|ing|ed|er|es|[aeinosyавеийоуыьюя]{1,2}|[авеийоуыьюямх]{3})?$', '\1'),
            '^(.{3,}([^0-9]))\2$', '\1'
          ))
          when is_open or char_length(core) = 4 then private.starting_with(core)
        end,
        case when char_length(core) >= 4 then '''~' || core || ''':*' end,
        case when cardinality(w.parts) > 1 then '(''' || array_to_string(w.parts, ''' & ''') || '''' || case when is_open then ':*' else '' end || ')' end,
        case when cardinality(w.parts) = 1 then (select string_agg('''' || c.word || '''', ' | ') from private.spelling_candidates(core) c (word)) end
      );
    end if;
    plan.matches := coalesce(plan.matches && loose::tsquery, loose::tsquery);
    plan.likes := coalesce(plan.likes && exact::tsquery, exact::tsquery);
    plan.parts := plan.parts || loose::tsquery;
  end loop;
  -- Adds the weight A after every lexeme; no lexeme holds a quote.
  plan.titled := replace(regexp_replace(plan.matches::text, '(''[^'']*'')', '\1:A', 'g'), ':A:*', ':*A')::tsquery;
  plan.titled_exactly := regexp_replace(plan.likes::text, '(''[^'']*'')', '\1:A', 'g')::tsquery;
  -- The creator with this username, and creators who are shown with this name: only the oldest profiles, since anybody may take a
  -- display name.
  plan.creators := (
    select string_agg('''=creator:' || c.id || '''', ' | ')::tsquery
    from (
      select private.creator_by_name(btrim(search_plan.q)) as id
      union (
        select p.user_id from public.hub_profiles p
        where p.display_name is not null and private.fold(p.display_name) = private.fold(btrim(search_plan.q))
        order by p.created_at limit 4
      )
    ) c
  );
  plan.matches := coalesce(plan.matches || plan.creators, plan.matches);
  return plan;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_rare (
  col    text,
  query  tsquery,
  place  jsonb,
  wanted integer,
  OUT    ids uuid[],
  OUT    keys text[]
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_bitmapscan TO 'on'
  SET enable_sort TO 'on'
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET jit TO 'off'
  AS $function$
begin
  execute format(
    'select array_agg(f.id), array_agg(f.key::text)
     from (
       select a.id, a.%1$I as key
       from public.hub_assets a
       where a.is_visible and a.id = any (array(select d.asset_id from private.hub_documents d where d.document @@ $1)) %2$s
       order by a.%1$I desc, a.id desc
       limit %3$s
     ) f',
    search_rare.col,
    case when search_rare.place is not null then format('and (a.%I, a.id) < (%L, %L)', search_rare.col, search_rare.place ->> 'key', search_rare.place ->> 'id') end,
    search_rare.wanted
  ) into ids, keys using search_rare.query;
end;
$function$;

CREATE OR REPLACE FUNCTION private.search_request (
  q               text,
  types           text[],
  tags            text[],
  model           text,
  cardinality     text,
  license         text,
  creator         text,
  sort            text,
  cursor          text,
  page_size       integer,
  organization_id uuid    DEFAULT NULL::uuid
)
  RETURNS private.search_request
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  request private.search_request;
  model text[];
  faults jsonb;
begin
  request.license := search_request.license;
  request.creator := lower(search_request.creator);
  request.page_size := coalesce(search_request.page_size, 24);
  request.types := nullif(search_request.types, '{}');
  if octet_length(search_request.q) <= 2000 and search_request.q ~ '[^\s\u3000]' then
    -- A blank after a word shows that the word is finished.
    request.q := regexp_replace(ltrim(search_request.q, E' \t\n\r\u3000'), '[\s\u3000]+$', ' ');
  end if;
  request.sort := coalesce(search_request.sort, case when request.q is null then 'newest' else 'relevance' end);
  if octet_length(search_request.model) <= 300 then
    model := private.normalize_tags(array[search_request.model]);
  end if;
  if pg_catalog.cardinality(search_request.tags) <= 20 and octet_length(array_to_string(search_request.tags, '')) <= 6000 then
    request.tags := private.normalize_tags(search_request.tags);
  end if;
  select jsonb_agg(f.fault -> 0) into faults from (values
    (octet_length(search_request.q) > 2000 or char_length(request.q) > 500, private.fault('q', 'too_big', 'must be at most 500 characters')),
    (not request.types <@ private.asset_types() or pg_catalog.cardinality(request.types) > pg_catalog.cardinality(private.asset_types()), private.fault('types', 'invalid_value', 'must be some of ' || array_to_string(private.asset_types(), ', '))),
    (search_request.tags is not null and request.tags is null or not private.tags_are_valid(request.tags), private.fault('tags', 'invalid_format', 'must be at most 20 tags of 1 to 64 letters, digits and + . _ : / -')),
    (search_request.model is not null and (model is null or not private.tags_are_valid(model) or pg_catalog.cardinality(model) <> 1), private.fault('model', 'invalid_format', 'must be the tag of a model')),
    (lower(ltrim(search_request.cardinality, '#')) not in ('1to1', '1ton', 'batch'), private.fault('cardinality', 'invalid_value', 'must be one of 1to1, 1ton, batch')),
    (request.license not in ('cc0', 'cc-by', 'platform-free', 'paid'), private.fault('license', 'invalid_value', 'must be one of cc0, cc-by, platform-free, paid')),
    (char_length(request.creator) > 100, private.fault('creator', 'invalid_format', 'must be the username of a creator')),
    (request.sort not in ('newest', 'most_installed', 'most_starred', 'recently_updated', 'relevance'), private.fault('sort', 'invalid_value', 'must be one of newest, most_installed, most_starred, recently_updated, relevance')),
    (request.sort = 'relevance' and request.q is null, private.fault('sort', 'invalid_value', 'relevance needs q')),
    (request.page_size not between 1 and 100, private.fault('page_size', 'invalid_value', 'must be from 1 to 100'))
  ) f (is_wrong, fault) where f.is_wrong;
  perform private.refuse_faults(coalesce(faults, '[]'));
  request.tags := nullif(private.normalize_tags(array_remove(request.tags || model || lower(ltrim(search_request.cardinality, '#')), null)), '{}');
  -- A cursor is valid only for its query.
  request.list := to_jsonb('search ' || md5(jsonb_build_array(request.q, request.types, request.tags, request.license, request.creator, request.sort)::text)
    || coalesce(' on the shelf of ' || search_request.organization_id, ''));
  if search_request.cursor is not null then
    request.place := private.from_cursor(left(search_request.cursor, 2001), request.list);
    -- Accepts only places of the form that a cursor holds: anybody can write a text that decodes.
    if not coalesce(
      pg_input_is_valid(request.place ->> 'id', 'uuid') and case
        when request.sort in ('newest', 'recently_updated') then pg_input_is_valid(request.place ->> 'key', 'timestamptz')
        when request.sort <> 'relevance' then pg_input_is_valid(request.place ->> 'key', 'integer')
        when search_request.organization_id is not null then pg_input_is_valid(request.place ->> 'key', 'numeric(12,5)')
        else request.place ->> 'in' in ('ranked', 'rest') and jsonb_typeof(request.place -> 'score') = 'number'
          and pg_input_is_valid(request.place ->> 'score', case request.place ->> 'in' when 'rest' then 'smallint' else 'numeric(12,5)' end)
          and coalesce(
            pg_input_is_valid(request.place -> 'floor' ->> 'popularity', 'smallint') and pg_input_is_valid(request.place -> 'floor' ->> 'id', 'uuid')
              and jsonb_typeof(request.place -> 'floor' -> 'walk') = 'boolean',
            request.place ->> 'in' = 'ranked' and request.place ->> 'floor' is null
          )
      end, false)
    then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
  end if;
  return request;
end;
$function$;

CREATE OR REPLACE FUNCTION private.searched_forms (
  value text
)
  RETURNS TABLE (
    form text
  )
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select r.form
  from (select regexp_replace(searched_forms.value, '[\u200c\u200d\ufe0e\ufe0f' || private.invisible_characters() || ']', '', 'g') as visible) s
  cross join lateral (values (s.visible), (normalize(s.visible, nfkc))) r (form);
$function$;

CREATE OR REPLACE FUNCTION private.secret_patterns()
  RETURNS TABLE (
    rule    text,
    pattern text
  )
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Written by `npm run generate` from the formats of the core package (redact/secret-formats).
  values
    ('openai', '(sk-proj-|sk-svcacct-|sk-admin-|sk-None-)[A-Za-z0-9_-]{20,}'),
    ('anthropic', 'sk-ant-[A-Za-z0-9_-]{20,}'),
    ('openrouter', '(^|[^A-Za-z0-9])sk-or-[A-Za-z0-9_-]{20,}'),
    ('sk-key', 'sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|(^|[^A-Za-z0-9])sk-[0-9a-f]{32}'),
    ('google-api-key', 'AIza[A-Za-z0-9_-]{33,}'),
    ('google-oauth-secret', 'GOCSPX-[A-Za-z0-9_-]{20,}'),
    ('huggingface', '(^|[^A-Za-z0-9])(hf_|api_org_)[A-Za-z0-9]{30,}'),
    ('replicate', '(^|[^A-Za-z0-9])r8_[A-Za-z0-9]{30,}'),
    ('groq', 'gsk_[A-Za-z0-9]{40,}'),
    ('aws-access-key-id', '(^|[^A-Za-z0-9])(AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}([^A-Za-z0-9]|$)'),
    ('supabase', 'sb_secret_[A-Za-z0-9_-]{16,}|sbp_(oauth_|v[0-9]_)?[a-f0-9]{32,}'),
    ('keyhub', '(kh_agent_|kh_scan_)[A-Za-z0-9_-]{16,}'),
    ('github', 'github_pat_[A-Za-z0-9_]{22,}|(ghp_|gho_|ghu_)[A-Za-z0-9]{30,}|ghs_[A-Za-z0-9_.-]{30,}|ghr_[A-Za-z0-9]{30,}'),
    ('gitlab', 'glpat-[A-Za-z0-9_-]{20,}(\.[a-z0-9]{2}\.?[a-z0-9]{7})?'),
    ('npm', '(^|[^A-Za-z0-9])npm_[A-Za-z0-9]{32,}'),
    ('slack', '(xoxb-|xoxp-)[A-Za-z0-9-]{16,}|(xoxa-|xoxr-|xoxs-|xoxo-|xoxc-)[A-Za-z0-9-]{10,}'),
    ('stripe', '(^|[^A-Za-z0-9])(sk_live_|sk_test_|sk_prod_|rk_live_|rk_test_|rk_prod_)[A-Za-z0-9]{10,}'),
    ('webhook-secret', '(^|[^A-Za-z0-9])whsec_[A-Za-z0-9+/=_-]{16,}'),
    ('sendgrid', 'SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,}'),
    ('jwt', 'eyJ[A-Za-z0-9_-]{10,255}\.eyJ[A-Za-z0-9_-]{10,}'),
    ('telegram', '(^|[^0-9A-Za-z])[0-9]{6,12}:A[A-Za-z][A-Za-z0-9_-]{31,}'),
    ('slack-webhook', 'hooks\.slack\.com/services/T[A-Za-z0-9]{1,20}/B[A-Za-z0-9]{1,20}/[A-Za-z0-9]{16,}'),
    ('discord-webhook', 'discord(app)?\.com/api/(v[0-9]+/)?webhooks/[0-9]{5,25}/[A-Za-z0-9_-]{16,}'),
    ('private-key', '-----BEGIN [A-Z ]{0,40}PRIVATE KEY( BLOCK)?-----[A-Za-z0-9+/=\\ \n\r]{40,}'),
    ('url-password', '[a-z]://[A-Za-z0-9._~%-]{1,80}:[A-Za-z0-9._~%!$*+-]{6,200}@[A-Za-z0-9]'),
    ('sk', '(^|[^A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}'),
    ('bearer', '[Bb]earer +([A-Za-z._~+/-]{0,200}[0-9]){2}[A-Za-z0-9._~+/=-]{8,}'),
    ('url-user-info', '[a-z]://[^ /?#@:]{0,80}:[^ /?#@{}<>$]{3,200}@[A-Za-z0-9]'),
    ('url-token', '[?&](access_token|api[_-]?key|auth|key|secret|sig|signature|token)=[A-Za-z._~%+/-]{0,200}[0-9][A-Za-z0-9._~%+/=-]{7,}')
$function$;

CREATE OR REPLACE FUNCTION private.set_api_key_active (
  key_id uuid,
  active boolean
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  key constant public.user_api_keys := private.own_key(set_api_key_active.key_id);
begin
  update public.user_api_keys k
  set is_active = set_api_key_active.active
  where k.id = key.id and k.is_active is distinct from set_api_key_active.active;
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_audit_note (
  note        text,
  public_note text DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if char_length(set_audit_note.note) > 1000 then
    perform private.refuse_faults(private.fault('note', 'too_big', 'must be at most 1000 characters'));
  end if;
  if char_length(set_audit_note.public_note) > 1000 then
    perform private.refuse_faults(private.fault('public_note', 'too_big', 'must be at most 1000 characters'));
  end if;
  perform set_config('keyhub.note', coalesce(private.clean(set_audit_note.note), ''), true);
  perform set_config('keyhub.public_note', coalesce(private.clean(set_audit_note.public_note), ''), true);
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_member_role (
  organization_id uuid,
  user_id         uuid,
  role            text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  held constant text := private.begin_organization_write(set_member_role.organization_id);
begin
  if set_member_role.role is null or set_member_role.role not in ('owner', 'admin', 'member') then
    perform private.refuse_faults(private.fault('role', 'invalid_value', 'must be "owner" or "admin" or "member"'));
  end if;
  perform private.refuse_role(held, '{owner}');
  if not exists (
    select from public.organization_members m
    where m.organization_id = set_member_role.organization_id and m.user_id = set_member_role.user_id
  ) then
    raise exception using errcode = 'PT404', message = 'member_not_found';
  end if;
  if set_member_role.role <> 'owner' then
    perform private.refuse_last_owner(set_member_role.organization_id, set_member_role.user_id);
  end if;
  update public.organization_members m
  set role = set_member_role.role
  where m.organization_id = set_member_role.organization_id and m.user_id = set_member_role.user_id and m.role <> set_member_role.role;
  if found and set_member_role.role = 'member' then
    -- Without this, an invitation link for admins would give the role back.
    perform private.close_links(set_member_role.organization_id, set_member_role.user_id);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_picture (
  user_id      uuid,
  id_or_slug   text,
  picture      jsonb,
  hourly_limit integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  found_id constant uuid := private.find_asset(set_picture.id_or_slug);
  asset public.hub_assets;
begin
  perform private.begin_write(set_picture.user_id);
  perform private.limit_calls(set_picture.user_id, 'pictures', set_picture.hourly_limit);
  -- Somebody else's listing is neither found nor locked here.
  select a.* into asset
  from public.hub_assets a
  where a.id = found_id and a.creator_id = set_picture.user_id
  for no key update;
  if asset.id is null and exists (select from public.hub_assets a where a.id = found_id and a.is_visible) then
    -- not_owner discloses that the asset exists, so it is raised only for a visible asset.
    raise exception using errcode = 'PT403', message = 'not_owner';
  end if;
  if asset.id is null or asset.deleted_at is not null then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if asset.is_shared then
    -- A creator who has left the organization cannot change the pictures that members see.
    perform private.organization_of(set_picture.user_id, asset.organization_id);
  end if;

  if set_picture.picture is null then
    delete from public.hub_pictures p where p.asset_id = asset.id;
  else
    insert into public.hub_pictures as p (asset_id, media_type, bytes, width, height)
    values (
      asset.id,
      set_picture.picture ->> 'media_type',
      decode(set_picture.picture ->> 'bytes', 'base64'),
      (set_picture.picture ->> 'width')::integer,
      (set_picture.picture ->> 'height')::integer
    )
    on conflict on constraint hub_pictures_pkey do update
    set media_type = excluded.media_type, bytes = excluded.bytes, width = excluded.width, height = excluded.height,
      created_at = clock_timestamp()
    -- The same picture again changes nothing.
    where p.bytes <> excluded.bytes;
  end if;
  return jsonb_build_object(
    'id', asset.id,
    'picture', (select a.picture from public.hub_assets a where a.id = asset.id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.settle_order (
  order_id uuid,
  provider text,
  event_id text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  ordered private.orders;
  told record;
begin
  select * into told from private.judge_order(settle_order.order_id);
  select o.* into ordered from private.orders o where o.id = settle_order.order_id;
  insert into private.ledger (provider, event_id, order_id, account, kind, amount_cents, currency, creator_id, asset_id)
  select settle_order.provider, settle_order.event_id, ordered.id, u.account, u.kind, u.amount_cents, ordered.currency,
    ordered.creator_id, ordered.asset_id
  from private.unbooked(ordered.id) u;
  update private.orders o
  set state = told.state,
    paid_at = coalesce(o.paid_at, case when told.state not in ('open', 'expired') then clock_timestamp() end)
  where o.id = ordered.id and o.state <> told.state;
  if told.state = 'paid' then
    perform private.deliver(ordered);
  else
    update public.hub_purchases p
    set revoked_at = coalesce(p.revoked_at, clock_timestamp()), revoked_reason = told.state
    where p.order_id = ordered.id and p.revoked_reason is distinct from told.state and p.revoked_reason is distinct from 'operator';
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.shelf_page (
  request         private.search_request,
  organization_id uuid,
  wanted          integer,
  OUT             ids uuid[],
  OUT             keys text[]
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET jit TO 'off'
  AS $function$
declare
  asked constant private.search_request := shelf_page.request;
  plan private.search_plan;
  -- The order of the list: a column with an index, or, for relevance, how well a listing matches.
  sort_key constant text := case asked.sort
    when 'newest' then 'a.shared_at'
    when 'recently_updated' then 'a.content_updated_at'
    when 'most_installed' then 'a.install_count'
    when 'most_starred' then 'a.star_count'
    when 'relevance' then 'round((ts_rank(d.document, $6) + case when d.title_key = $7 then 2 else 0 end)::numeric, 5)'
  end;
begin
  if not private.is_member_of((select auth.uid()), shelf_page.organization_id) then
    return;
  end if;
  if asked.q is not null then
    plan := private.search_plan(asked.q);
    if plan.matches is null then
      return;
    end if;
  end if;
  execute format(
    'select array_agg(f.id), array_agg(f.key::text)
     from (
       select a.id, %1$s as key
       from public.hub_assets a %2$s
       where a.is_shared and a.organization_id = $1
         and ($2 is null or a.asset_type = any ($2)) and ($3 is null or a.license = $3) and ($4 is null or a.tags @> $4)
         and ($5 is null or a.creator_id = (select private.creator_by_name($5))) %3$s
       order by 2 desc, 1 desc
       limit %4$s
     ) f',
    sort_key,
    case when asked.q is not null then 'join private.shelf_documents d on d.asset_id = a.id and d.organization_id = $1 and d.document @@ $6' end,
    case when asked.place is not null then format('and (%s, a.id) < (%L, %L)', sort_key, asked.place ->> 'key', asked.place ->> 'id') end,
    shelf_page.wanted
  ) into ids, keys
  using shelf_page.organization_id, asked.types, asked.license, asked.tags, asked.creator, plan.matches, plan.title_key;
end;
$function$;

CREATE OR REPLACE FUNCTION private.shown_attribution (
  attribution jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  root constant jsonb := private.shown_origin(shown_attribution.attribution -> 'root');
  parent constant jsonb := private.shown_origin(shown_attribution.attribution -> 'parent');
  via constant jsonb := shown_attribution.attribution -> 'via';
  claimed constant jsonb := shown_attribution.attribution -> 'claimed';
  original constant jsonb := coalesce(claimed -> 'root', claimed);
begin
  if shown_attribution.attribution is null then
    return null;
  end if;
  return case when claimed is null then '{}' else jsonb_build_object('claimed', claimed) end
    || case
      when via is null then '{}'
      else jsonb_build_object('via', (
        select jsonb_agg(private.shown_origin(v.origin) order by v.place)
        from jsonb_array_elements(via) with ordinality v (origin, place)
      ))
    end
    || jsonb_build_object(
      'root', root,
      'parent', parent,
      'text', case
        when root is null then 'Said to come from “' || (original ->> 'title') || '”' || coalesce(' by ' || (original ->> 'creator'), '')
        when (root -> 'deleted')::boolean then 'Remixed from a deleted asset' || coalesce(' by @' || (root #>> '{creator,username}'), '')
        else 'Remixed from “' || (root ->> 'title') || '”' || coalesce(' by @' || (root #>> '{creator,username}'), '')
      end
    );
end;
$function$;

CREATE OR REPLACE FUNCTION private.shown_origin (
  origin jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- The original's current row discloses only whether it can be opened and whether it is deleted. The ids of its author and its
  -- organization are left out.
  select shown_origin.origin - 'creator_id' - 'organization_id' || jsonb_build_object(
    'creator', private.creator((shown_origin.origin ->> 'creator_id')::uuid),
    -- Neither a hidden original nor one on another organization's shelf can be opened.
    'available', coalesce(private.is_seen_by(a, (select auth.uid())), false),
    'deleted', a.id is null or a.deleted_at is not null
  )
  from (values (1)) one
  left join public.hub_assets a on a.id = (shown_origin.origin ->> 'id')::uuid
  where shown_origin.origin is not null;
$function$;

CREATE OR REPLACE FUNCTION private.slips (
  word text
)
  RETURNS text[]
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  head constant text := left(slips.word, 7);
  ends constant integer := char_length(head) + 1;
begin
  if slips.word !~ '^[^0-9]{4,40}$' then
    return '{}';
  end if;
  -- Each form leaves out one of the first seven letters or none; for a word with eight or more letters, up to two. A position
  -- after the end of the word leaves out none.
  return array(
    select distinct overlay(overlay(head placing '' from j for 1) placing '' from i for 1)
    from generate_series(1, ends) i
    cross join generate_series(case when char_length(slips.word) >= 8 then 1 else ends end, ends) j
    where i < j or i = ends
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.snapshot (
  name    text,
  max_age interval
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select s.value
  from private.hub_snapshots s
  where s.name = snapshot.name and s.made_at > now() - snapshot.max_age;
$function$;

CREATE OR REPLACE FUNCTION private.source_bytes (
  source jsonb
)
  RETURNS bigint
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Leaves out the mirrors of the registry row, which triggers write later.
  select octet_length((source_bytes.source - '{hub_asset_id,is_public,updated_at}'::text[])::text)::bigint;
$function$;

CREATE OR REPLACE FUNCTION private.source_row (
  asset_type text,
  ref_id     uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  if source_row.asset_type = 'template' then
    return (select to_jsonb(t) from public.prompt_templates t where t.id = source_row.ref_id);
  elsif source_row.asset_type = 'component' then
    return (select to_jsonb(c) from public.custom_components c where c.id = source_row.ref_id);
  elsif source_row.asset_type = 'orchestration' then
    return (select to_jsonb(o) from public.orchestrator_configs o where o.id = source_row.ref_id);
  elsif source_row.asset_type = 'ai_preset' then
    return (select to_jsonb(s) from public.ai_model_settings s where s.id = source_row.ref_id);
  end if;
  return to_jsonb(private.refuse_asset_type(source_row.asset_type));
end;
$function$;

CREATE OR REPLACE FUNCTION private.spelling_candidates (
  word text
)
  RETURNS SETOF text
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  left_over constant text[] := private.slips(spelling_candidates.word);
begin
  -- The word occurs in listings as it was typed, or a longer word begins with it: it needs no correction.
  if left_over = '{}' or exists (
    select from private.hub_words k where k.word >= spelling_candidates.word and k.word < spelling_candidates.word || U&'\+10FFFD'
  ) then
    return;
  end if;
  return query
  select c.word
  from (select k.word from private.hub_words k where k.slips && left_over limit 500) c
  where extensions.levenshtein_less_equal(c.word, spelling_candidates.word, 2) <= 2
  group by c.word
  order by extensions.levenshtein_less_equal(c.word, spelling_candidates.word, 2), left(c.word, 1) <> left(spelling_candidates.word, 1), c.word
  limit 4;
end;
$function$;

CREATE OR REPLACE FUNCTION private.starting_with (
  lexeme text
)
  RETURNS text
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_hashagg TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  most constant integer := 16;
  found constant text[] := array(
    select distinct k.word
    from private.hub_words k
    where k.word >= starting_with.lexeme and k.word < starting_with.lexeme || U&'\+10FFFD'
    limit most + 1
  );
begin
  -- For a whole word, the index reads the list of its listings only as far as needed; for a beginning, it reads the lists of all
  -- words with this beginning to the end. The query therefore lists the words themselves when they are few.
  if cardinality(found) <= most then
    return '''' || nullif(array_to_string(found, ''' | '''), '') || '''';
  end if;
  return '''' || starting_with.lexeme || ''':*';
end;
$function$;

CREATE OR REPLACE FUNCTION private.store_response (
  user_id         uuid,
  endpoint        text,
  idempotency_key text,
  request_sha256  text,
  answer          jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if store_response.idempotency_key is null then
    return;
  end if;
  delete from private.hub_idempotent_responses h
  where h.user_id = store_response.user_id and h.created_at <= clock_timestamp() - interval '24 hours';
  insert into private.hub_idempotent_responses (user_id, endpoint, idempotency_key, request_sha256, answer)
  values (
    store_response.user_id, store_response.endpoint, store_response.idempotency_key, store_response.request_sha256, store_response.answer
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.suggested_tags()
  RETURNS TABLE (
    tag   text,
    kind  text,
    place integer
  )
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select t.tag, k.kind, (k.place * 100 + t.place)::integer
  from (
    values
      (1, 'use-case', '{education,marketing,data-extraction,summarization,code-generation,content-creation,qa,translation,classification}'::text[]),
      (2, 'domain', '{healthcare,legal,ecommerce,research}')
  ) k (place, kind, tags)
  cross join lateral unnest(k.tags) with ordinality t (tag, place);
$function$;

CREATE OR REPLACE FUNCTION private.tag_bits (
  tags text[]
)
  RETURNS bigint
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return (select coalesce(bit_or(1::bigint << (get_byte(decode(md5(t.tag), 'hex'), 0) % 64)), 0) from unnest(tag_bits.tags) t (tag));
end;
$function$;

CREATE OR REPLACE FUNCTION private.tags_are_valid (
  tags text[]
)
  RETURNS boolean
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return cardinality(tags_are_valid.tags) <= 20
    and coalesce(array_ndims(tags_are_valid.tags), 1) = 1
    and not exists (
      select from unnest(tags_are_valid.tags) u (tag)
      where u.tag is null
        or char_length(u.tag) not between 1 and 64
        or translate(u.tag, '+._:/-', '') ~ '[[:punct:][:space:][:cntrl:]]'
        or u.tag ~ '[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffd]'
    );
end;
$function$;

CREATE OR REPLACE FUNCTION private.title_key (
  title text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return (select coalesce(string_agg(w.whole, ' '), '') from private.words(title_key.title) w);
end;
$function$;

CREATE OR REPLACE FUNCTION private.to_cursor (
  place jsonb
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select translate(encode(convert_to(to_cursor.place::text, 'UTF8'), 'base64'), E'+/=\n', '-_');
$function$;

CREATE OR REPLACE FUNCTION private.tombstone (
  id_or_slug text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset public.hub_assets;
begin
  select a.* into asset
  from public.hub_assets a
  -- An asset that was never published has no public tombstone.
  where a.id = private.find_asset(tombstone.id_or_slug) and a.deleted_at is not null and a.published_at is not null
    -- An asset that was last on a shelf has no public tombstone either.
    and a.organization_id is null;
  if not found then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  -- The tombstone of a hidden asset shows nothing of the asset.
  if asset.is_hidden or asset.hidden_by_ban then
    return '{"deleted": true}';
  end if;
  return jsonb_build_object(
    'id', asset.id,
    'slug', asset.slug,
    'asset_type', asset.asset_type,
    'title', asset.title,
    'license', asset.license,
    'creator', private.creator(asset.creator_id),
    'remix_depth', asset.remix_depth,
    'attribution', private.shown_attribution(asset.attribution),
    'deleted', true
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.trending (
  wanted integer
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  -- Writers renew the snapshot: when it is hours old, little has happened since.
  ids constant jsonb := coalesce(private.snapshot('trending', '1 day'), private.count_trending(100));
begin
  return array(
    select a.id
    from jsonb_array_elements_text(ids) with ordinality t (id, place)
    join public.hub_assets a on a.id = t.id::uuid
    -- A listing may have been hidden after the snapshot was made.
    where a.is_visible
    order by t.place
    limit trending.wanted
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.unban_creator (
  user_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.require_admin();
  perform from auth.users u where u.id = unban_creator.user_id for key share;
  if not found then
    raise exception using errcode = 'PT404', message = 'user_not_found';
  end if;
  delete from private.hub_bans b where b.user_id = unban_creator.user_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.unbooked (
  order_id uuid
)
  RETURNS TABLE (
    kind         text,
    account      text,
    amount_cents integer
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(d.kind, b.kind), coalesce(d.account, b.account), (coalesce(d.amount_cents, 0) - coalesce(b.booked, 0))::integer
  from private.due_lines(unbooked.order_id) d
  full join (
    select l.kind, l.account, sum(l.amount_cents) as booked
    from private.ledger l
    where l.order_id = unbooked.order_id
    group by l.kind, l.account
  ) b on b.kind = d.kind and b.account = d.account
  where coalesce(d.amount_cents, 0) <> coalesce(b.booked, 0);
$function$;

CREATE OR REPLACE FUNCTION private.unfeature_asset (
  asset_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.require_admin();
  delete from public.hub_featured f where f.asset_id = unfeature_asset.asset_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.unpublish_asset (
  asset_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  asset constant public.hub_assets := private.own_listing(unpublish_asset.asset_id);
begin
  update public.hub_assets a
  set is_public = false, shared_at = null
  where a.id = asset.id and (a.is_public or a.shared_at is not null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.unshare_all()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Assets are locked in the order of their ids.
  perform from public.hub_assets a where a.organization_id = old.id and a.shared_at is not null order by a.id for no key update;
  update public.hub_assets a set shared_at = null where a.organization_id = old.id and a.shared_at is not null;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.unyank_version (
  asset_id uuid,
  version  integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  yanked constant public.hub_asset_versions := private.own_version(unyank_version.asset_id, unyank_version.version);
begin
  if yanked.yanked_at is null then
    return;
  end if;
  update public.hub_asset_versions v
  set yanked_at = null, yank_reason = null
  where v.asset_id = yanked.asset_id and v.version = yanked.version;
  update public.hub_assets a
  set current_version = yanked.version, license = yanked.license
  where a.id = yanked.asset_id and a.current_version < yanked.version
    and (a.license = 'paid') = (yanked.license = 'paid')
    -- A version for other readers does not become current again.
    and a.organization_id is not distinct from yanked.organization_id;
  perform private.log_event('unyanked', yanked.asset_id, (select auth.uid()), details => jsonb_build_object('version', yanked.version));
end;
$function$;

CREATE OR REPLACE FUNCTION private.update_copy (
  user_id   uuid,
  rows      jsonb,
  asset_id  uuid,
  version   integer,
  sha256    text,
  pinned    boolean,
  into_copy uuid,
  overwrite boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
<<copy>>
declare
  source public.hub_assets;
  made public.hub_imports;
  replaced record;
  held private.hub_copies;
  content jsonb;
  modified jsonb := '[]';
  added jsonb;
  created jsonb;
begin
  select i.* into made
  from private.rows_of_copy(update_copy.user_id, update_copy.into_copy) r
  join public.hub_imports i on i.id = r.import_id
  limit 1;
  if made.id is null then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  if made.asset_id is distinct from update_copy.asset_id then
    perform private.refuse_faults(private.fault('into', 'other_listing', 'is no copy of this listing'));
  end if;
  select a.* into source from public.hub_assets a where a.id = made.asset_id;
  perform private.lock_origins(update_copy.asset_id, update_copy.rows);

  for replaced in
    select r.value as planned, t.registry_id, a.asset_type, a.ref_id, a.attribution
    from jsonb_array_elements(update_copy.rows) with ordinality r (value, place)
    join private.rows_of_copy(update_copy.user_id, update_copy.into_copy) t on t.source_id = (r.value ->> 'id')::uuid
    join public.hub_assets a on a.id = t.registry_id
    order by a.ref_id
  loop
    if not private.lock_source(replaced.asset_type, replaced.ref_id, update_copy.user_id) then
      perform private.refuse_changed_copy();
    end if;
    content := private.source_row(replaced.asset_type, replaced.ref_id);
    select c.* into held from private.hub_copies c where c.asset_id = replaced.registry_id;
    if held.sha256 is distinct from private.content_sha256(replaced.asset_type, content) then
      modified := modified || jsonb_build_object(
        'asset_type', replaced.asset_type, 'hub_asset_id', replaced.registry_id, 'title', content -> 'name'
      );
    end if;
    perform private.keep_overwritten(
      replaced.registry_id, private.content_of(replaced.asset_type, content), replaced.attribution, held.sha256
    );
    perform private.write_content(replaced.asset_type, replaced.ref_id, replaced.planned -> 'columns');
    update public.hub_assets a
    set attribution = private.joined_attribution(a.attribution, replaced.planned -> 'attribution'),
      pinned_version = case when update_copy.pinned then update_copy.version end,
      -- The owner of a published copy has chosen its license.
      license = case when a.published_at is null and a.current_version = 0 then replaced.planned ->> 'license' else a.license end
    where a.id = replaced.registry_id;
    insert into private.hub_copies (asset_id, sha256)
    select replaced.registry_id,
      private.content_sha256(replaced.asset_type, private.source_row(replaced.asset_type, replaced.ref_id))
    on conflict on constraint hub_copies_pkey do update set sha256 = excluded.sha256;
  end loop;
  if modified <> '[]' and not update_copy.overwrite then
    raise exception using errcode = 'PT409', message = 'modified_copy', detail = jsonb_build_object('items', modified)::text;
  end if;

  -- Collects the remaining rows of the version: items that are new in it, or whose copies were deleted. A row that was deleted
  -- after the update was planned may have left its listing, whose id must not be used again.
  select coalesce(jsonb_agg(r.value order by r.place), '[]') into added
  from jsonb_array_elements(update_copy.rows) with ordinality r (value, place)
  where (r.value ->> 'id')::uuid not in (
    select t.source_id from private.rows_of_copy(update_copy.user_id, update_copy.into_copy) t
  );
  if exists (
    select from jsonb_array_elements(added) r (value) join public.hub_assets a on a.ref_id = (r.value ->> 'id')::uuid
  ) then
    perform private.refuse_changed_copy();
  end if;
  added := private.insert_copies(
    update_copy.user_id, added, update_copy.rows #>> '{0,id}', source, made.mode,
    case when update_copy.pinned then update_copy.version end
  );
  select jsonb_agg(
    coalesce(n.value, jsonb_build_object(
      'asset_type', r.value -> 'asset_type', 'table', r.value -> 'table', 'id', r.value -> 'id', 'hub_asset_id', a.id,
      'title', private.source_row(a.asset_type, a.ref_id) -> 'name'
    ))
    order by r.place
  ) into created
  from jsonb_array_elements(update_copy.rows) with ordinality r (value, place)
  left join jsonb_array_elements(added) n (value) on n.value ->> 'id' = r.value ->> 'id'
  left join public.hub_assets a on a.ref_id = (r.value ->> 'id')::uuid and a.asset_type = r.value ->> 'asset_type';
  update public.hub_imports i set version = update_copy.version, created = copy.created where i.id = made.id;
  perform private.check_importable(update_copy.user_id, update_copy.asset_id, update_copy.version, update_copy.sha256);
  return created;
end;
$function$;

CREATE OR REPLACE FUNCTION private.updates()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'kind', u.kind,
      'id', u.id,
      'asset_type', u.asset_type,
      'ref_id', u.ref_id,
      'title', u.title,
      'source', u.source
    )
    order by u.kind, u.created_at desc, u.id
  ), '[]')
  from (
    select 'newer_version' as kind, c.id, c.asset_type, c.ref_id, c.title, c.created_at,
      jsonb_build_object(
        'id', s.id,
        'slug', s.slug,
        'title', s.title,
        'version', (c.attribution #>> '{parent,version}')::integer,
        'current_version', s.current_version,
        'label', v.label,
        'changelog', v.changelog
      ) as source
    from public.hub_assets c
    join public.hub_assets s on s.id = (c.attribution #>> '{parent,id}')::uuid
    join public.hub_asset_versions v on v.asset_id = s.id and v.version = s.current_version
    left join private.hub_copies k on k.asset_id = c.id
    where c.creator_id = (select auth.uid())
      and c.deleted_at is null
      and private.is_seen_by(s, (select auth.uid()))
      and c.pinned_version is null
      and s.current_version > greatest((c.attribution #>> '{parent,version}')::integer, k.dismissed_version)
      -- A buyer whose money was returned keeps the copy but gets no later versions.
      and (v.license <> 'paid' or s.id in (select private.my_paid_content()))
    union all
    select 'yanked', c.id, c.asset_type, c.ref_id, c.title, c.created_at,
      jsonb_build_object(
        'id', s.id,
        'slug', s.slug,
        'title', s.title,
        'version', v.version,
        'current_version', s.current_version,
        'reason', v.yank_reason
      )
    from public.hub_assets c
    join public.hub_assets s on s.id = (c.attribution #>> '{parent,id}')::uuid
    join public.hub_asset_versions v on v.asset_id = s.id and v.version = (c.attribution #>> '{parent,version}')::integer
    where c.creator_id = (select auth.uid())
      and c.deleted_at is null
      and private.is_seen_by(s, (select auth.uid()))
      and v.yanked_at is not null
    union all
    select h.kind, c.id, c.asset_type, c.ref_id, c.title, c.created_at,
      o.origin - 'creator_id' - 'license' - 'remix_depth' - 'organization_id'
    from public.hub_assets c
    cross join lateral (
      select distinct on (e.origin ->> 'id') e.origin
      from (
        values (1, c.attribution -> 'parent'), (2, c.attribution -> 'root')
        union all
        -- The origins in `via` are included as well.
        select 3, v.origin from jsonb_array_elements(c.attribution -> 'via') v (origin)
      ) e (place, origin)
      order by e.origin ->> 'id', e.place
    ) o
    join public.hub_assets s on s.id = (o.origin ->> 'id')::uuid
    cross join lateral (
      values (case s.hidden_reason when 'removed' then 'removed' when 'malicious_code' then 'malicious_code' end)
    ) h (kind)
    where c.creator_id = (select auth.uid())
      and c.deleted_at is null
      and h.kind is not null
  ) u;
$function$;

CREATE OR REPLACE FUNCTION private.user_api_keys_after_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'INSERT' then
    insert into public.api_key_health (user_api_key_id) values (new.id);
  elsif new.generation > old.generation then
    update public.api_key_health h
    set blocked_until = null,
      consecutive_failures = 0,
      last_failure_at = null
    where h.user_api_key_id = new.id;
  end if;
  if not new.is_active and old.is_active is distinct from false then
    -- set-key-state overwrites this with its own reason in the same transaction.
    update public.api_key_health h
    set reason = 'disabled_by_operator', reason_code = null, reason_since = clock_timestamp(), reason_log_id = null
    where h.user_api_key_id = new.id;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.user_api_keys_before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  -- In an insert every column of old is null, so this is true: the owner has just received the key.
  given_away constant boolean := new.user_id is distinct from old.user_id;
  replaced constant boolean := tg_op = 'INSERT' or new.api_key_encrypted is distinct from old.api_key_encrypted;
  resealed constant boolean := coalesce(current_setting('keyhub.resealing', true), '') = 'on';
  enabled boolean;
  -- True when a lease clears an expired block.
  expired constant boolean := new.cooling_until is null and old.cooling_until <= clock_timestamp();
  joins boolean;
  comes_back boolean;
  least bigint;
  -- Sealed text, fingerprint, hint.
  parts text[];
  same_key text;
begin
  if coalesce(current_setting('keyhub.levelling', true), '') = 'on' then
    return new;
  end if;
  -- Applies to direct edits only: the triggers of the health tables write these columns from one level deeper.
  if pg_trigger_depth() = 1 then
    -- cooling_until is a copy of the block; an edit cannot change it.
    new.cooling_until := case when expired then null else old.cooling_until end;
    new.limited_models := old.limited_models;
    new.limited_until := old.limited_until;
    new.skipped_count := coalesce(old.skipped_count, 0);
    new.generation := old.generation;
  end if;
  new.provider := nullif(lower(btrim(new.provider)), '');
  new.account := nullif(btrim(new.account), '');
  if new.provider is distinct from old.provider and new.provider !~ '^[a-z0-9][a-z0-9._-]{0,62}$' then
    raise exception using
      errcode = 'PT422',
      message = 'provider may have letters a to z, digits and the signs . _ -, begins with a letter or digit, and has at most 63 characters, such as openai',
      detail = '{"code": "provider_not_valid"}';
  end if;

  if (new.user_id, new.provider, new.account) is distinct from (old.user_id, old.provider, old.account) and (
    select count(*)
    from public.user_api_keys k
    where k.user_id = new.user_id and k.account = new.account and k.provider is not distinct from new.provider and k.id <> new.id
  ) >= 100 then
    raise exception using
      errcode = 'PT422',
      message = 'an account has at most 100 keys: a report on one of them may lock them all',
      detail = '{"code": "account_too_large"}';
  end if;

  -- A plaintext key must neither be stored by mistake nor be repeated in the message.
  if replaced and (
    new.api_key_encrypted is null
    or octet_length(new.api_key_encrypted) > 16384
    or new.api_key_encrypted !~ '^hpke\.v1\.[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{23,}(#[0-9a-f]{32}\.([A-Za-z0-9_*-]{4})?)?$'
  ) then
    raise exception using
      errcode = 'PT422',
      message = 'api_key_encrypted is not a sealed text. Seal the key first and paste what this prints: npm run seal -- --user <user_id>',
      detail = '{"code": "key_not_sealed"}';
  end if;
  if replaced then
    parts := regexp_match(new.api_key_encrypted, '^([^#]*)(?:#([0-9a-f]{32})\.(.*))?$');
    new.api_key_encrypted := parts[1];
  end if;
  -- The fingerprint and the hint cannot be edited directly: they come from the sealed text.
  new.fingerprint := case when replaced then parts[2] else old.fingerprint end;
  new.key_hint := case when replaced then nullif(parts[3], '') else old.key_hint end;
  if (new.user_id, new.fingerprint) is distinct from (old.user_id, old.fingerprint) then
    select k.key_name into same_key
    from public.user_api_keys k
    where k.user_id = new.user_id and k.fingerprint = new.fingerprint and k.id <> new.id;
    if found then
      raise exception using
        errcode = 'PT422',
        message = format('the pool has this key already: %s', to_json(same_key)),
        detail = '{"code": "duplicate_key"}';
    end if;
  end if;
  if replaced or given_away then
    new.unusable_reason := null;
  end if;
  -- The report concerned the old key, so replacing the key enables it again. A key that an operator disabled stays disabled.
  if tg_op = 'UPDATE' and replaced and not resealed and not new.is_active then
    new.is_active := exists (
      select from public.api_key_health h
      where h.user_api_key_id = old.id
        and h.reason = 'invalid_key'
    );
  end if;
  enabled := new.is_active and not old.is_active;
  if new.unusable_reason is null then
    new.unusable_since := null;
  end if;
  if enabled or given_away or (replaced and not resealed) then
    new.generation := coalesce(old.generation, 0) + 1;
    new.cooling_until := null;
  end if;

  -- The key joins a tier: it was added, enabled or repaired, or its priority or owner changed.
  joins := new.is_active and new.unusable_reason is null
    and (enabled or old.unusable_reason is not null or given_away or new.priority <> old.priority);
  -- The block of the key has ended: a lease found it expired, or an operator reset the block or edited the key.
  comes_back := not joins and new.is_active and new.unusable_reason is null
    and old.cooling_until is not null and new.cooling_until is null;
  if (joins or comes_back) and new.usage_count = coalesce(old.usage_count, 0) then
    least := private.least_usage_count(new.user_id, new.priority, new.id, true);
    new.usage_count := case
      when comes_back then greatest(new.usage_count, least)
      -- When no key is ready, takes the least count of the active keys that are not ready.
      else coalesce(least, private.least_usage_count(new.user_id, new.priority, new.id, false), new.usage_count)
    end;
    new.skipped_count := new.skipped_count + new.usage_count - coalesce(old.usage_count, 0);
  end if;
  -- A key whose cooldown is over is ready at once: the tier's next expiry check may have been postponed before the key joined.
  if joins and new.cooling_until <= clock_timestamp() then
    new.cooling_until := null;
  end if;
  if pg_trigger_depth() = 1 and not expired then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.username_key (
  username text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- 0 and o are equal here, and so are 1, i and l: a name that looks like an existing one counts as taken.
  select translate(lower(username_key.username), '01i_-', 'oll');
$function$;

CREATE OR REPLACE FUNCTION private.users_make_profile()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.make_profile(new.id, new.created_at);
  return null;
exception
  when others then
    -- A sign-up must not fail because of the profile; begin_write makes it later.
    raise warning 'no hub profile was made: %', sqlstate;
    return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.verify_creator (
  username text,
  verified boolean
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  creator constant uuid := private.creator_by_name(verify_creator.username);
begin
  perform private.require_admin();
  if creator is null then
    raise exception using errcode = 'PT404', message = 'user_not_found';
  end if;
  update public.hub_profiles p
  set verified_at = case when verify_creator.verified then clock_timestamp() end
  where p.user_id = creator and (p.verified_at is not null) is distinct from verify_creator.verified;
  if found then
    perform private.log_event(case when verify_creator.verified then 'creator_verified' else 'creator_unverified' end, user_id => creator);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.versions (
  id_or_slug text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  caller constant uuid := (select auth.uid());
  asset public.hub_assets;
  keeper boolean;
  has_content boolean;
begin
  select a.* into asset from public.hub_assets a where a.id = private.find_asset(versions.id_or_slug);
  keeper := asset.deleted_at is null and (asset.creator_id = caller or private.is_admin());
  has_content := asset.id in (select private.paid_content(caller)) or private.is_admin();
  if (private.is_seen_by(asset, caller) or keeper or (asset.deleted_at is null and has_content)) is not true then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'version', v.version,
        'label', v.label,
        'changelog', v.changelog,
        'license', v.license,
        -- For settings and other short content, a hash discloses too much.
        'sha256', case when v.license <> 'paid' or has_content then v.sha256 end,
        'published_at', v.created_at,
        'yanked', v.yanked_at is not null,
        'yank_reason', v.yank_reason,
        'readable', (v.license <> 'paid' or has_content) and (
          v.version = asset.current_version
          or (v.is_open and v.yanked_at is null)
          or coalesce(keeper, false)
          or exists (
            select from public.hub_imports i
            where i.asset_id = asset.id and i.user_id = caller and (v.yanked_at is null or i.version = v.version)
          )
        )
      )
      order by v.version desc
    ), '[]')
    from (
      select *
      from public.hub_asset_versions v
      where v.asset_id = asset.id
        and (v.organization_id is null or keeper or private.is_member_of(caller, v.organization_id))
      order by v.version desc
      limit 100
    ) v
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.words (
  value text
)
  RETURNS TABLE (
    whole  text,
    parts  text[],
    is_run boolean
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  -- Characters of scripts without spaces, and of Hangul, where particles directly follow a word.
  run constant text := '\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\u2fff\u3005-\u3007\u3021-\u30fa\u30fc-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff';
  folded text := private.fold(regexp_replace(words.value, '([a-z])([A-Z])', '\1-\2', 'g'));
  word text;
begin
  -- c++ becomes cpp, c# becomes csharp, .net becomes dotnet. camelCase and gpt-4o are split into their parts and also kept whole.
  folded := regexp_replace(regexp_replace(regexp_replace(folded, '([a-z])\+\+', '\1pp', 'g'), '([a-z])#', '\1sharp', 'g'), '(^|[\s(,/])\.(?=[a-z])', '\1dot', 'g');
  for word in
    select m.found[1]
    from regexp_matches(
      folded collate pg_catalog.pg_c_utf8,
      format('[%1$s]+|[\u2190-\u2bff\U0001f000-\U0001faff]|[^\s[:punct:]%1$s]+(?:[-._''][^\s[:punct:]%1$s]+)*', run), 'g'
    ) m (found)
  loop
    is_run := word ~ format('^[%s]', run);
    whole := left(regexp_replace(word, '[-._'']', '', 'g'), 100);
    if is_run then
      parts := array(select substr(word, i, 2) from generate_series(1, greatest(1, char_length(word) - 1)) i);
    else
      parts := regexp_split_to_array(left(word, 100), '[-._'']');
    end if;
    return next;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.workspace_before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  item jsonb;
  faults jsonb := '[]';
  mirrors constant text[] := '{hub_asset_id,is_public,updated_at}';
begin
  -- Does not apply the patterns of private.clean to a text that is much too long.
  if octet_length(new.name) <= 4096 then
    new.name := private.clean(new.name);
  end if;
  item := to_jsonb(new);
  if new.name is null or char_length(new.name) not between 1 and 120 or private.has_breaks_or_invisible(new.name) then
    faults := faults || private.fault('name', 'invalid_length', 'must be 1 to 120 visible characters');
  end if;
  if tg_table_name = 'prompt_templates' then
    if item ->> 'content' is null or octet_length(item ->> 'content') > 262144 then
      faults := faults || private.fault('content', 'too_big', 'must be a text of at most 256 KiB');
    end if;
    if jsonb_typeof(item -> 'variables') not in ('array', 'object') then
      faults := faults || private.fault('variables', 'invalid_type', 'must be an array or an object');
    elsif octet_length((item -> 'variables')::text) > 262144 then
      faults := faults || private.fault('variables', 'too_big', 'must be at most 256 KiB');
    end if;
  elsif tg_table_name = 'custom_components' then
    if item ->> 'source' is null or octet_length(item ->> 'source') > 524288 then
      faults := faults || private.fault('source', 'too_big', 'must be a text of at most 512 KiB');
    end if;
    if jsonb_typeof(item -> 'props_schema') <> 'object' then
      faults := faults || private.fault('props_schema', 'invalid_type', 'must be an object');
    elsif octet_length((item -> 'props_schema')::text) > 524288 then
      faults := faults || private.fault('props_schema', 'too_big', 'must be at most 512 KiB');
    end if;
  elsif tg_table_name = 'orchestrator_configs' then
    if jsonb_path_exists(item, 'strict $.tags ? (@.type() != "array")')
      or jsonb_path_exists(item, 'strict $.tags[*] ? (@.type() != "string")')
    then
      faults := faults || private.fault('tags', 'invalid_type', 'must be an array of texts');
    elsif jsonb_array_length(item -> 'tags') > 50 or octet_length(item ->> 'tags') > 8192 then
      faults := faults || private.fault('tags', 'too_big', 'must be at most 50 tags');
    end if;
    if jsonb_typeof(item -> 'nodes') <> 'array' then
      faults := faults || private.fault('nodes', 'invalid_type', 'must be an array');
    end if;
    if jsonb_typeof(item -> 'edges') <> 'array' then
      faults := faults || private.fault('edges', 'invalid_type', 'must be an array');
    end if;
    if jsonb_typeof(item -> 'stage_configs') <> 'array' then
      faults := faults || private.fault('stage_configs', 'invalid_type', 'must be an array');
    end if;
    if octet_length(concat(item -> 'nodes', item -> 'edges', item -> 'stage_configs')) > 1048576 then
      faults := faults || private.fault('nodes', 'too_big', 'nodes, edges and stage_configs must be at most 1 MiB together');
    end if;
  elsif tg_table_name = 'ai_model_settings' then
    -- These are the same expressions as in the constraint ai_model_settings_size_check.
    if octet_length((item -> 'pricing')::text) > 16384
      or octet_length(concat(item ->> 'model_id', item ->> 'thinking_level', item ->> 'generate_content_api', item ->> 'organization_code', item ->> 'api_key')) > 16384
    then
      faults := faults || private.fault('', 'too_big', 'must be at most 16 KiB');
    end if;
    if jsonb_typeof(item -> 'extra') not in ('object', 'null') then
      faults := faults || private.fault('extra', 'invalid_type', 'must be an object');
    elsif octet_length((item -> 'extra')::text) > 16384 then
      faults := faults || private.fault('extra', 'too_big', 'must be at most 16 KiB');
    end if;
    -- to_jsonb writes NaN and infinity as strings.
    if jsonb_typeof(item -> 'temperature') = 'string' then
      faults := faults || private.fault('temperature', 'invalid_value', 'must be a finite number');
    end if;
    if jsonb_typeof(item -> 'top_p') = 'string' then
      faults := faults || private.fault('top_p', 'invalid_value', 'must be a finite number');
    end if;
  else
    perform private.refuse_asset_type(tg_table_name);
  end if;
  if (new.source_format is null) <> (new.source_text is null) then
    faults := faults || private.fault('source_text', 'unpaired', 'source_format and source_text are given together');
  elsif new.source_format !~ '^[a-z0-9-]{1,40}$' then
    faults := faults || private.fault('source_format', 'invalid_format', 'must be the id of a format');
  end if;
  if octet_length(new.source_text) > 1048576 then
    faults := faults || private.fault('source_text', 'too_big', 'must be at most 1 MiB');
  end if;
  if octet_length(item ->> 'description') > 16384 then
    faults := faults || private.fault('description', 'too_big', 'must be at most 16 KiB');
  end if;
  perform private.refuse_faults(faults);
  if tg_op = 'UPDATE' and (item - mirrors) is distinct from (to_jsonb(old) - mirrors) then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.write_content (
  asset_type text,
  ref_id     uuid,
  content    jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if write_content.asset_type = 'template' then
    update public.prompt_templates t
    set description = c.description, content = coalesce(c.content, ''), variables = coalesce(c.variables, '[]'),
      source_format = c.source_format, source_text = c.source_text
    from jsonb_to_record(write_content.content) as c (description text, content text, variables jsonb, source_format text, source_text text)
    where t.id = write_content.ref_id;
  elsif write_content.asset_type = 'component' then
    update public.custom_components t
    set description = c.description, source = coalesce(c.source, ''), props_schema = coalesce(c.props_schema, '{}'),
      source_format = c.source_format, source_text = c.source_text
    from jsonb_to_record(write_content.content) as c (description text, source text, props_schema jsonb, source_format text, source_text text)
    where t.id = write_content.ref_id;
  elsif write_content.asset_type = 'orchestration' then
    update public.orchestrator_configs t
    set nodes = coalesce(c.nodes, '[]'), edges = coalesce(c.edges, '[]'), stage_configs = coalesce(c.stage_configs, '[]'),
      source_format = c.source_format, source_text = c.source_text
    from jsonb_to_record(write_content.content) as c (nodes jsonb, edges jsonb, stage_configs jsonb, source_format text, source_text text)
    where t.id = write_content.ref_id;
  elsif write_content.asset_type = 'ai_preset' then
    update public.ai_model_settings t
    set model_id = c.model_id, temperature = c.temperature, top_p = c.top_p, top_k = c.top_k,
      max_output_tokens = c.max_output_tokens, thinking_level = c.thinking_level, thinking_budget = c.thinking_budget,
      generate_content_api = c.generate_content_api, extra = c.extra, source_format = c.source_format, source_text = c.source_text
    from jsonb_to_record(write_content.content) as c (
      model_id text, temperature double precision, top_p double precision, top_k integer, max_output_tokens integer,
      thinking_level text, thinking_budget integer, generate_content_api text, extra jsonb, source_format text, source_text text
    )
    where t.id = write_content.ref_id;
  else
    perform private.refuse_asset_type(write_content.asset_type);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.write_version_notes (
  asset_id      uuid,
  version       integer,
  label         text,
  changelog     text,
  keeps_missing boolean DEFAULT false
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.hub_asset_versions v
  set label = coalesce(write_version_notes.label, case when keeps_missing then v.label end),
    changelog = coalesce(write_version_notes.changelog, case when keeps_missing then v.changelog end)
  where v.asset_id = write_version_notes.asset_id and v.version = write_version_notes.version;
exception
  when unique_violation then
    raise exception using errcode = 'PT409', message = 'label_taken';
end;
$function$;

CREATE OR REPLACE FUNCTION private.yank_version (
  asset_id uuid,
  version  integer,
  reason   text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  yanked constant public.hub_asset_versions := private.own_version(yank_version.asset_id, yank_version.version);
  why constant text := private.as_one_line(left(yank_version.reason, 2000));
  instead public.hub_asset_versions;
begin
  if char_length(why) > 500 then
    perform private.refuse_faults(private.fault('reason', 'too_big', 'must be at most 500 characters'));
  end if;
  perform private.refuse_secret('reason', yanked.yank_reason, why);
  select v.* into instead
  from public.hub_asset_versions v
  where v.asset_id = yanked.asset_id and v.version <> yanked.version and v.yanked_at is null
    -- The version that becomes current must be for the same readers.
    and v.organization_id is not distinct from yanked.organization_id
    -- A yank must not make a paid listing free, or a free listing paid.
    and (v.license = 'paid') = (yanked.license = 'paid')
  order by v.version desc
  limit 1;
  if not found then
    raise exception using errcode = 'PT409', message = 'last_version';
  end if;
  update public.hub_asset_versions v
  set yanked_at = coalesce(v.yanked_at, clock_timestamp()), yank_reason = nullif(why, '')
  where v.asset_id = yanked.asset_id and v.version = yanked.version;
  update public.hub_assets a
  set current_version = instead.version, license = instead.license
  where a.id = yanked.asset_id and a.current_version = yanked.version;
  if yanked.yanked_at is null then
    perform private.log_event('yanked', yanked.asset_id, (select auth.uid()), details => jsonb_build_object('version', yanked.version));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION public.accept_invitation (
  token text
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.accept_invitation(accept_invitation.token);
$function$;

REVOKE ALL ON FUNCTION "public"."accept_invitation"(text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.add_api_key (
  key_name text,
  sealed   text,
  provider text    DEFAULT NULL::text,
  account  text    DEFAULT NULL::text,
  priority integer DEFAULT 0
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.add_api_key(add_api_key.key_name, add_api_key.sealed, add_api_key.provider, add_api_key.account, add_api_key.priority);
$function$;

REVOKE ALL ON FUNCTION "public"."add_api_key"(text, text, text, text, integer) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.claim_api_key_alerts (
  most integer
)
  RETURNS TABLE (
    id              uuid,
    user_id         uuid,
    provider        text,
    kind            text,
    user_api_key_id uuid,
    key_name        text,
    detail          jsonb,
    created_at      timestamp with time zone
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  at constant timestamptz := clock_timestamp();
  starved public.api_key_starvations;
begin
  -- Looks for starved pools here as well: maybe no agent has asked for a key since the starvation began, because agents wait as
  -- long as they are told.
  for starved in
    update public.api_key_starvations s
    set alerted_at = at
    where s.id in (
      select o.id
      from public.api_key_starvations o
      where o.ended_at is null
        and o.alerted_at is null
        and o.since <= at - interval '1 minute'
        and (o.soonest_at is null or o.soonest_at > at)
      for update skip locked
    )
    returning s.*
  loop
    perform private.alert_starvation(starved, 'pool_starved');
  end loop;
  return query
  update public.api_key_alerts a
  set claimed_until = at + interval '2 minutes'
  where a.id in (
    select w.id
    from public.api_key_alerts w
    where w.sent_at is null
      -- An alert that is a day old helps nobody.
      and w.created_at > at - interval '1 day'
      and (w.claimed_until is null or w.claimed_until <= at)
    order by w.created_at, w.id
    limit claim_api_key_alerts.most
    for update skip locked
  )
  returning a.id, a.user_id, a.provider, a.kind, a.user_api_key_id, a.key_name, a.detail, a.created_at;
end;
$function$;

REVOKE ALL ON FUNCTION "public"."claim_api_key_alerts"(integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.create_organization (
  name text,
  slug text
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.create_organization(create_organization.name, create_organization.slug);
$function$;

REVOKE ALL ON FUNCTION "public"."create_organization"(text, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_allow_content (
  asset_id uuid,
  username text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.allow_content(hub_allow_content.asset_id, hub_allow_content.username);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_allow_content"(uuid, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_appeal (
  asset_id uuid DEFAULT NULL::uuid,
  body     text DEFAULT NULL::text
)
  RETURNS uuid
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.appeal(hub_appeal.asset_id, hub_appeal.body);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_appeal"(uuid, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_apply_account_event (
  provider        text,
  event_id        text,
  account_id      text,
  charges_enabled boolean,
  at              timestamp with time zone
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.apply_account_event(
    hub_apply_account_event.provider, hub_apply_account_event.event_id, hub_apply_account_event.account_id,
    hub_apply_account_event.charges_enabled, hub_apply_account_event.at
  );
$function$;

REVOKE ALL ON FUNCTION "public"."hub_apply_account_event"(text, text, text, boolean, timestamp WITH time zone) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_apply_payment_event (
  provider           text,
  event_id           text,
  kind               text,
  order_id           uuid,
  object_id          text    DEFAULT NULL::text,
  amount_cents       integer DEFAULT NULL::integer,
  currency           text    DEFAULT NULL::text,
  provider_fee_cents integer DEFAULT 0,
  payment_id         text    DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.apply_payment_event(
    hub_apply_payment_event.provider, hub_apply_payment_event.event_id, hub_apply_payment_event.kind, hub_apply_payment_event.order_id,
    hub_apply_payment_event.object_id, hub_apply_payment_event.amount_cents, hub_apply_payment_event.currency,
    hub_apply_payment_event.provider_fee_cents, hub_apply_payment_event.payment_id
  );
$function$;

REVOKE ALL ON FUNCTION "public"."hub_apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_asset (
  id_or_slug text,
  version    integer DEFAULT NULL::integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  asset public.hub_assets;
  content public.hub_asset_versions;
begin
  select a.* into asset
  from public.hub_assets a
  where a.id = private.find_asset(hub_asset.id_or_slug) and a.deleted_at is null;
  if not found then
    return private.tombstone(hub_asset.id_or_slug);
  end if;
  select v.* into content
  from public.hub_asset_versions v
  where v.asset_id = asset.id and v.version = coalesce(hub_asset.version, asset.current_version);
  -- When the caller may not read the current version of a paid listing, the listing is shown without its content.
  if content.version is null and hub_asset.version is not null
    and (asset.license <> 'paid' or hub_asset.version <> asset.current_version)
  then
    raise exception using errcode = 'PT404', message = 'asset_not_found';
  end if;
  return private.asset_card(asset) || jsonb_build_object(
    'deleted', false,
    'is_visible', asset.is_visible,
    'organization', private.organization_card(asset.organization_id),
    'version_organization_id', content.organization_id,
    'teaser', asset.teaser,
    'readable', content.version is not null,
    'creator_id', asset.creator_id,
    'source_asset_id', asset.source_asset_id,
    'parent_asset_id', asset.parent_asset_id,
    'remix_count', (
      select count(*)
      from public.hub_assets r
      where r.is_visible and (r.source_asset_id = asset.id or r.parent_asset_id = asset.id)
    ),
    'lineage', asset.attribution,
    'attribution', private.shown_attribution(asset.attribution),
    'current_version', asset.current_version,
    'versions', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'version', v.version, 'license', v.license, 'created_at', v.created_at, 'label', v.label, 'yanked', v.yanked_at is not null
        )
        order by v.version desc
      ), '[]')
      from public.hub_asset_versions v
      where v.asset_id = asset.id
    ),
    'version', content.version,
    'version_license', content.license,
    'label', content.label,
    'changelog', content.changelog,
    'yanked', content.yanked_at is not null,
    'yank_reason', content.yank_reason,
    'payload', content.payload,
    'sha256', content.sha256,
    'scan', content.scan,
    'items', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'asset_type', i.asset_type,
          'ref_id', i.ref_id,
          'title', i.title,
          'payload', i.payload,
          'sha256', i.sha256,
          'license', i.license,
          'lineage', i.attribution,
          'attribution', private.shown_attribution(i.attribution)
        )
        order by i.position
      ), '[]')
      from public.hub_bundle_items i
      where i.asset_id = asset.id and i.version = content.version
    )
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_ban_creator (
  user_id     uuid,
  reason      text DEFAULT NULL::text,
  public_note text DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.ban_creator(hub_ban_creator.user_id, hub_ban_creator.reason, hub_ban_creator.public_note);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_ban_creator"(uuid, text, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_begin_checkout (
  user_id      uuid,
  listing      text,
  provider     text,
  hourly_limit integer
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.begin_checkout(
    hub_begin_checkout.user_id, hub_begin_checkout.listing, hub_begin_checkout.provider, hub_begin_checkout.hourly_limit
  );
$function$;

REVOKE ALL ON FUNCTION "public"."hub_begin_checkout"(uuid, text, text, integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_begin_onboarding (
  user_id    uuid,
  provider   text,
  account_id text DEFAULT NULL::text
)
  RETURNS text
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.begin_onboarding(hub_begin_onboarding.user_id, hub_begin_onboarding.provider, hub_begin_onboarding.account_id);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_begin_onboarding"(uuid, text, text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_begin_preview (
  user_id      uuid,
  hourly_limit integer
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.begin_preview(hub_begin_preview.user_id, hub_begin_preview.hourly_limit);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_begin_preview"(uuid, integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_begin_refund (
  order_id     uuid,
  amount_cents integer,
  reason       text
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.begin_refund(hub_begin_refund.order_id, hub_begin_refund.amount_cents, hub_begin_refund.reason);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_begin_refund"(uuid, integer, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_categories()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object('items', private.categories());
$function$;

CREATE OR REPLACE FUNCTION public.hub_check_counters()
  RETURNS TABLE (
    asset_id uuid,
    counter  text,
    stored   integer,
    counted  integer
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select c.asset_id, c.counter, c.stored, c.counted
  from (
    select a.id as asset_id, 'star_count' as counter, a.star_count as stored, coalesce(s.stars, 0) as counted
    from public.hub_assets a
    left join (select o.asset_id, count(*)::integer as stars from public.hub_stars o group by o.asset_id) s on s.asset_id = a.id
    union all
    select a.id, 'install_count', a.install_count, coalesce(i.users, 0)
    from public.hub_assets a
    left join (
      select o.asset_id, count(distinct o.user_id)::integer as users
      from public.hub_imports o
      join public.hub_assets of on of.id = o.asset_id
      where o.counts or o.user_id is distinct from of.creator_id
      group by o.asset_id
    ) i on i.asset_id = a.id
    union all
    select a.id, 'open_reports', m.open_reports, coalesce(r.open, 0)
    from public.hub_assets a
    left join private.hub_moderation m on m.asset_id = a.id
    left join (
      select o.asset_id, count(*)::integer as open from public.hub_reports o where not o.resolved group by o.asset_id
    ) r on r.asset_id = a.id
    union all
    select a.id, 'counting_reports', m.counting_reports, coalesce(r.counting, 0)
    from public.hub_assets a
    left join private.hub_moderation m on m.asset_id = a.id
    left join (
      select o.asset_id, count(*)::integer as counting
      from public.hub_reports o
      where not o.resolved and o.counts
      group by o.asset_id
    ) r on r.asset_id = a.id
    union all
    -- These rows concern an account, not a listing: asset_id holds the id of the account.
    select u.user_id, u.counter, u.stored, u.counted from private.compare_usage() u
    union all
    select u.user_id, u.counter, u.stored, u.counted from private.compare_creators() u
  ) c
  where c.stored is distinct from c.counted;
$function$;

REVOKE ALL ON FUNCTION "public"."hub_check_counters"() FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_copy (
  user_id   uuid,
  into_copy uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.describe_copy(hub_copy.user_id, hub_copy.into_copy);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_copy"(uuid, uuid) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_creator (
  username text
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  profile record;
  totals jsonb;
  page json;
begin
  select p.user_id, p.username, p.display_name, p.avatar_url, p.created_at, p.verified_at into profile
  from public.hub_profiles p
  -- The id comes from a separate function: under row level security the query could not use an index on an expression.
  where p.user_id = private.creator_by_name(hub_creator.username);
  if not found then
    raise exception using errcode = 'PT404', message = 'user_not_found';
  end if;
  totals := private.creator_totals(profile.user_id);
  page := public.hub_search(creator => profile.username);
  return json_build_object(
    'username', profile.username,
    'display_name', profile.display_name,
    'avatar_url', profile.avatar_url,
    'verified', profile.verified_at is not null,
    'member_since', profile.created_at,
    'published_assets', totals -> 'published_assets',
    'total_installs', totals -> 'total_installs',
    'total_stars', totals -> 'total_stars',
    'items', page -> 'items',
    'next_cursor', page -> 'next_cursor'
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_creators (
  q         text    DEFAULT NULL::text,
  sort      text    DEFAULT NULL::text,
  cursor    text    DEFAULT NULL::text,
  page_size integer DEFAULT 24
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.directory(hub_creators.q, hub_creators.sort, hub_creators.cursor, hub_creators.page_size);
$function$;

CREATE OR REPLACE FUNCTION public.hub_delete_asset (
  asset_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.delete_asset(hub_delete_asset.asset_id);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_delete_asset"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_dismiss_update (
  asset_id uuid,
  version  integer
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.dismiss_update(hub_dismiss_update.asset_id, hub_dismiss_update.version);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_dismiss_update"(uuid, integer) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_edit_version (
  asset_id  uuid,
  version   integer,
  label     text    DEFAULT NULL::text,
  changelog text    DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.edit_version(hub_edit_version.asset_id, hub_edit_version.version, hub_edit_version.label, hub_edit_version.changelog);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_edit_version"(uuid, integer, text, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_feature_asset (
  asset_id uuid,
  place    integer DEFAULT NULL::integer
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.feature_asset(hub_feature_asset.asset_id, hub_feature_asset.place);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_feature_asset"(uuid, integer) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_featured_assets()
  RETURNS json
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select json_build_object('items', private.asset_cards(array(
    select f.asset_id from public.hub_featured f order by f.position, f.created_at, f.asset_id limit 100
  )));
$function$;

CREATE OR REPLACE FUNCTION public.hub_following (
  cursor    text    DEFAULT NULL::text,
  page_size integer DEFAULT 24
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  page jsonb;
begin
  perform private.judge_page_size(hub_following.page_size);
  page := private.following(hub_following.cursor, hub_following.page_size);
  return json_build_object(
    'items', private.asset_cards(array(select i.id::uuid from jsonb_array_elements_text(page -> 'ids') with ordinality i (id, n) order by i.n)),
    'next_cursor', page -> 'next_cursor'
  );
end;
$function$;

REVOKE ALL ON FUNCTION "public"."hub_following"(text, integer) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_get_response (
  user_id         uuid,
  endpoint        text,
  idempotency_key text,
  request_sha256  text
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.get_response(
    hub_get_response.user_id, hub_get_response.endpoint, hub_get_response.idempotency_key, hub_get_response.request_sha256
  );
$function$;

REVOKE ALL ON FUNCTION "public"."hub_get_response"(uuid, text, text, text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_hide_asset (
  asset_id    uuid,
  note        text,
  public_note text DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.hide_asset(hub_hide_asset.asset_id, hub_hide_asset.note, hub_hide_asset.public_note);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_hide_asset"(uuid, text, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_import (
  user_id         uuid,
  rows            jsonb,
  mode            text,
  asset_id        uuid    DEFAULT NULL::uuid,
  version         integer DEFAULT NULL::integer,
  sha256          text    DEFAULT NULL::text,
  attribution     jsonb   DEFAULT NULL::jsonb,
  warnings        jsonb   DEFAULT '[]'::jsonb,
  dry_run         boolean DEFAULT false,
  hourly_limit    integer DEFAULT NULL::integer,
  idempotency_key text    DEFAULT NULL::text,
  request_sha256  text    DEFAULT NULL::text,
  pinned          boolean DEFAULT false,
  into_copy       uuid    DEFAULT NULL::uuid,
  overwrite       boolean DEFAULT false
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.import_asset(
    hub_import.user_id, hub_import.rows, hub_import.mode, hub_import.asset_id, hub_import.version, hub_import.sha256,
    hub_import.attribution, hub_import.warnings, hub_import.dry_run, hub_import.hourly_limit, hub_import.idempotency_key,
    hub_import.request_sha256, hub_import.pinned, hub_import.into_copy, hub_import.overwrite
  );
$function$;

REVOKE ALL
  ON FUNCTION "public"."hub_import"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text, boolean, uuid, boolean)
  FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_my_decisions()
  RETURNS TABLE (
    id         bigint,
    action     text,
    at         timestamp with time zone,
    category   text,
    note       text,
    version    integer,
    in_force   boolean,
    asset_id   uuid,
    asset_type text,
    title      text,
    appeal     jsonb
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select * from private.my_decisions();
$function$;

REVOKE ALL ON FUNCTION "public"."hub_my_decisions"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_my_purchases (
  order_id uuid DEFAULT NULL::uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.my_purchases(hub_my_purchases.order_id);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_my_purchases"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_note_checkout (
  order_id     uuid,
  checkout_id  text,
  checkout_url text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.note_checkout(hub_note_checkout.order_id, hub_note_checkout.checkout_id, hub_note_checkout.checkout_url);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_note_checkout"(uuid, text, text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_offer_scan_token (
  user_id        uuid,
  content_sha256 text,
  seconds        integer
)
  RETURNS text
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.offer_scan_token(
    hub_offer_scan_token.user_id, hub_offer_scan_token.content_sha256, hub_offer_scan_token.seconds
  );
$function$;

REVOKE ALL ON FUNCTION "public"."hub_offer_scan_token"(uuid, text, integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_open_appeals()
  RETURNS TABLE (
    id         uuid,
    created_at timestamp with time zone,
    body       text,
    action     text,
    decided_at timestamp with time zone,
    category   text,
    note       text,
    version    integer,
    asset_id   uuid,
    asset_type text,
    slug       text,
    title      text,
    user_id    uuid,
    username   text
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select * from private.open_appeals();
$function$;

REVOKE ALL ON FUNCTION "public"."hub_open_appeals"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_order_for_status (
  order_id uuid,
  user_id  uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.order_for_status(hub_order_for_status.order_id, hub_order_for_status.user_id);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_order_for_status"(uuid, uuid) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_orders (
  q      text DEFAULT NULL::text,
  state  text DEFAULT NULL::text,
  cursor text DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.list_orders(hub_orders.q, hub_orders.state, hub_orders.cursor);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_orders"(text, text, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_orders_to_ask (
  most integer
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.orders_to_ask(hub_orders_to_ask.most);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_orders_to_ask"(integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_picture (
  asset_id uuid,
  sha256   text
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object('media_type', p.media_type, 'bytes', translate(encode(p.bytes, 'base64'), E'\n', ''))
  from public.hub_pictures p
  where p.asset_id = hub_picture.asset_id and p.sha256 = hub_picture.sha256;
$function$;

CREATE OR REPLACE FUNCTION public.hub_pin (
  asset_id uuid,
  version  integer DEFAULT NULL::integer
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.pin(hub_pin.asset_id, hub_pin.version);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_pin"(uuid, integer) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_prune()
  RETURNS integer
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  pruned integer;
  expired_tokens integer;
  expired_calls integer;
  expired_overwritten integer;
  unused_words integer;
  former_names integer;
begin
  delete from private.hub_idempotent_responses h where h.created_at <= clock_timestamp() - interval '24 hours';
  get diagnostics pruned = row_count;
  delete from private.hub_scan_tokens t where t.expires_at <= clock_timestamp();
  get diagnostics expired_tokens = row_count;
  delete from private.hub_calls c where c.at <= clock_timestamp() - interval '1 hour';
  get diagnostics expired_calls = row_count;
  delete from private.hub_former_names f where f.given_up_at <= clock_timestamp() - interval '180 days';
  get diagnostics former_names = row_count;
  delete from private.hub_overwritten o where o.at <= clock_timestamp() - interval '30 days';
  get diagnostics expired_overwritten = row_count;
  -- Does not wait for writers. A listing may be published at this moment with a word that no other listing has; then only the
  -- whole word finds this listing.
  delete from private.hub_words k
  where not exists (select from private.hub_documents d where d.document @@ ('''' || k.word || '''')::tsquery);
  get diagnostics unused_words = row_count;
  return pruned + expired_tokens + expired_calls + expired_overwritten + unused_words + former_names;
end;
$function$;

REVOKE ALL ON FUNCTION "public"."hub_prune"() FROM PUBLIC, "anon", "authenticated", "service_role";

CREATE OR REPLACE FUNCTION public.hub_publish (
  user_id         uuid,
  publication     jsonb,
  scan_token      text,
  dry_run         boolean,
  hourly_limit    integer,
  idempotency_key text,
  request_sha256  text
)
  RETURNS json
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.publish_asset(
    hub_publish.user_id, hub_publish.publication, hub_publish.scan_token, hub_publish.dry_run, hub_publish.hourly_limit,
    hub_publish.idempotency_key, hub_publish.request_sha256
  );
$function$;

REVOKE ALL ON FUNCTION "public"."hub_publish"(uuid, jsonb, text, boolean, integer, text, text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_reconcile()
  RETURNS TABLE (
    order_id uuid,
    problem  text,
    detail   jsonb
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select r.order_id, r.problem, r.detail from private.reconcile() r;
$function$;

REVOKE ALL ON FUNCTION "public"."hub_reconcile"() FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_refresh_discovery()
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into private.hub_snapshots (name, value, made_at)
  values
    ('trending', case when private.has_many_acts() then private.count_trending(null) end, clock_timestamp()),
    ('categories', private.count_categories(), clock_timestamp())
  on conflict (name) do update set value = excluded.value, made_at = excluded.made_at;
$function$;

REVOKE ALL ON FUNCTION "public"."hub_refresh_discovery"() FROM PUBLIC, "anon", "authenticated", "service_role";

CREATE OR REPLACE FUNCTION public.hub_remixes (
  asset_id uuid,
  cursor   text DEFAULT NULL::text
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
declare
  page_size constant integer := 24;
  list constant jsonb := jsonb_build_array('remixes', hub_remixes.asset_id);
  place jsonb;
  last_at timestamptz := 'infinity';
  last_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  ids uuid[] := '{}';
  creator_ids uuid[] := '{}';
  times timestamptz[] := '{}';
  directs integer := 0;
begin
  if hub_remixes.cursor is not null then
    place := private.from_cursor(hub_remixes.cursor, list);
    -- Cursors are not signed: check the types of a decoded place.
    if not jsonb_path_exists(place, '$ ? (@.direct.type() == "boolean" && @.at.type() == "string" && @.id.type() == "string")')
      or not pg_input_is_valid(place ->> 'at', 'timestamptz')
      or not pg_input_is_valid(place ->> 'id', 'uuid')
    then
      raise exception using errcode = 'PT400', message = 'malformed_cursor';
    end if;
    last_at := place ->> 'at';
    last_id := place ->> 'id';
  end if;
  if place is null or (place -> 'direct')::boolean then
    select coalesce(array_agg(p.id), '{}'), coalesce(array_agg(p.creator_id), '{}'), coalesce(array_agg(p.published_at), '{}')
    into ids, creator_ids, times
    from private.remix_page(hub_remixes.asset_id, true, last_at, last_id, page_size + 1) p;
    directs := cardinality(ids);
    last_at := 'infinity';
    last_id := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  end if;
  if directs <= page_size then
    select ids || coalesce(array_agg(p.id), '{}'), creator_ids || coalesce(array_agg(p.creator_id), '{}'),
      times || coalesce(array_agg(p.published_at), '{}')
    into ids, creator_ids, times
    from private.remix_page(hub_remixes.asset_id, false, last_at, last_id, page_size + 1 - directs) p;
  end if;
  return json_build_object(
    'items', private.remix_cards(ids[:page_size], creator_ids, directs),
    'next_cursor', case
      when cardinality(ids) > page_size
      then private.to_cursor(jsonb_build_object(
        'list', list, 'direct', page_size <= directs, 'at', times[page_size], 'id', ids[page_size]
      ))
    end
  );
end;
$function$;

REVOKE ALL ON FUNCTION "public"."hub_remixes"(uuid, text) FROM PUBLIC, "service_role";

CREATE OR REPLACE FUNCTION public.hub_remove_asset (
  asset_id    uuid,
  note        text DEFAULT NULL::text,
  public_note text DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.remove_asset(hub_remove_asset.asset_id, hub_remove_asset.note, hub_remove_asset.public_note);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_remove_asset"(uuid, text, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_republish_asset (
  asset_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.republish_asset(hub_republish_asset.asset_id);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_republish_asset"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_resolve_appeal (
  id     uuid,
  accept boolean,
  answer text    DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.resolve_appeal(hub_resolve_appeal.id, hub_resolve_appeal.accept, hub_resolve_appeal.answer);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_resolve_appeal"(uuid, boolean, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_resolve_report (
  report_id   uuid,
  outcome     text,
  note        text DEFAULT NULL::text,
  public_note text DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.resolve_report(hub_resolve_report.report_id, hub_resolve_report.outcome, hub_resolve_report.note, hub_resolve_report.public_note);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_resolve_report"(uuid, text, text, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_restore_asset (
  asset_id uuid,
  note     text DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.restore_asset(hub_restore_asset.asset_id, hub_restore_asset.note);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_restore_asset"(uuid, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_restore_copy (
  asset_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.restore_copy(hub_restore_copy.asset_id);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_restore_copy"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_revenue (
  "from" date,
  "to"   date
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.revenue(hub_revenue."from", hub_revenue."to");
$function$;

REVOKE ALL ON FUNCTION "public"."hub_revenue"(date, date) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_review_queue()
  RETURNS TABLE (
    asset_id         uuid,
    asset_type       text,
    slug             text,
    title            text,
    creator_id       uuid,
    creator_username text,
    creator_banned   boolean,
    is_public        boolean,
    is_hidden        boolean,
    hidden_reason    text,
    hidden_at        timestamp with time zone,
    deleted_at       timestamp with time zone,
    current_version  integer,
    reviewed_version integer,
    open_reports     integer,
    counting_reports integer,
    reports          jsonb
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select * from private.review_queue();
$function$;

REVOKE ALL ON FUNCTION "public"."hub_review_queue"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_search (
  q           text    DEFAULT NULL::text,
  types       text[]  DEFAULT NULL::text[],
  tags        text[]  DEFAULT NULL::text[],
  model       text    DEFAULT NULL::text,
  cardinality text    DEFAULT NULL::text,
  license     text    DEFAULT NULL::text,
  creator     text    DEFAULT NULL::text,
  sort        text    DEFAULT NULL::text,
  cursor      text    DEFAULT NULL::text,
  page_size   integer DEFAULT 24,
  facets      boolean DEFAULT false
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  request constant private.search_request := private.search_request(
    hub_search.q, hub_search.types, hub_search.tags, hub_search.model, hub_search.cardinality, hub_search.license, hub_search.creator, hub_search.sort,
    hub_search.cursor, hub_search.page_size
  );
  page constant record := private.search_page(request, request.place, request.page_size + 1);
  next_cursor text;
  items constant json := private.asset_cards(page.ids[:request.page_size]);
begin
  if pg_catalog.cardinality(page.ids) > request.page_size then
    next_cursor := private.to_cursor(jsonb_build_object('list', request.list) || page.next_place);
  end if;
  if hub_search.facets then
    return json_build_object('items', items, 'next_cursor', next_cursor, 'facets', private.search_facets(request));
  end if;
  return json_build_object('items', items, 'next_cursor', next_cursor);
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_set_picture (
  user_id      uuid,
  id_or_slug   text,
  picture      jsonb,
  hourly_limit integer
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.set_picture(
    hub_set_picture.user_id, hub_set_picture.id_or_slug, hub_set_picture.picture, hub_set_picture.hourly_limit
  );
$function$;

REVOKE ALL ON FUNCTION "public"."hub_set_picture"(uuid, text, jsonb, integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_shelf (
  organization text,
  q            text    DEFAULT NULL::text,
  types        text[]  DEFAULT NULL::text[],
  tags         text[]  DEFAULT NULL::text[],
  model        text    DEFAULT NULL::text,
  cardinality  text    DEFAULT NULL::text,
  license      text    DEFAULT NULL::text,
  creator      text    DEFAULT NULL::text,
  sort         text    DEFAULT NULL::text,
  cursor       text    DEFAULT NULL::text,
  page_size    integer DEFAULT 24
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  shelf constant public.organizations := (select o from public.organizations o where o.slug = lower(hub_shelf.organization));
  request private.search_request;
  page record;
  next_cursor text;
begin
  -- Row level security shows an organization to its members only.
  if shelf.id is null then
    raise exception using errcode = 'PT404', message = 'organization_not_found';
  end if;
  request := private.search_request(
    hub_shelf.q, hub_shelf.types, hub_shelf.tags, hub_shelf.model, hub_shelf.cardinality, hub_shelf.license, hub_shelf.creator, hub_shelf.sort,
    hub_shelf.cursor, hub_shelf.page_size, shelf.id
  );
  select * into page from private.shelf_page(request, shelf.id, request.page_size + 1);
  if pg_catalog.cardinality(page.ids) > request.page_size then
    next_cursor := private.to_cursor(jsonb_build_object(
      'list', request.list, 'key', page.keys[request.page_size], 'id', page.ids[request.page_size]
    ));
  end if;
  return json_build_object('items', private.asset_cards(page.ids[:request.page_size], shelf.id), 'next_cursor', next_cursor);
end;
$function$;

REVOKE ALL ON FUNCTION "public"."hub_shelf"(text, text, text[], text[], text, text, text, text, text, text, integer) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_sources (
  items jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  -- The limit is twice that of a kit with its orchestration: JSON from the database has extra spaces, and the exact limit is
  -- checked later.
  max_bytes constant integer := 12582912;
  bytes bigint := 0;
  found record;
  content jsonb;
  sources jsonb[] := '{}';
begin
  for found in
    select i.asset_type, i.ref_id
    from (select distinct r.asset_type, r.ref_id from jsonb_to_recordset(hub_sources.items) as r (asset_type text, ref_id uuid)) i
  loop
    content := private.source_row(found.asset_type, found.ref_id);
    continue when content is null;
    sources := sources || jsonb_build_object(
      'asset_type', found.asset_type,
      'ref_id', found.ref_id,
      'content', content,
      'attribution', private.own_attribution(found.asset_type, found.ref_id)
    );
    -- Stop early: sources that are much too large for a kit are neither read completely nor sent.
    bytes := bytes + octet_length(sources[cardinality(sources)]::text);
    if bytes > max_bytes then
      raise exception using
        errcode = 'PT422',
        message = 'validation_failed',
        detail = '{"errors": [{"path": "items", "code": "too_big", "message": "are too large together"}]}';
    end if;
    -- A kit has at most 50 items: 51 rows are enough to see that there are too many.
    exit when cardinality(sources) > 50;
  end loop;
  return to_jsonb(sources);
end;
$function$;

REVOKE ALL ON FUNCTION "public"."hub_sources"(jsonb) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_trending (
  page_size integer DEFAULT 20
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  perform private.judge_page_size(hub_trending.page_size);
  return json_build_object('items', private.asset_cards(private.trending(coalesce(hub_trending.page_size, 20))));
end;
$function$;

CREATE OR REPLACE FUNCTION public.hub_unban_creator (
  user_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.unban_creator(hub_unban_creator.user_id);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_unban_creator"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_unchanged (
  contents jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(private.is_unchanged(c.content -> 'payload', c.content -> 'attribution') order by c.place), '[]')
  from jsonb_array_elements(hub_unchanged.contents) with ordinality c (content, place);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_unchanged"(jsonb) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.hub_unfeature_asset (
  asset_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.unfeature_asset(hub_unfeature_asset.asset_id);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_unfeature_asset"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_unpublish_asset (
  asset_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.unpublish_asset(hub_unpublish_asset.asset_id);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_unpublish_asset"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_unyank_version (
  asset_id uuid,
  version  integer
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.unyank_version(hub_unyank_version.asset_id, hub_unyank_version.version);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_unyank_version"(uuid, integer) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_updates()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.updates();
$function$;

REVOKE ALL ON FUNCTION "public"."hub_updates"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_verify_creator (
  username text,
  verified boolean
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.verify_creator(hub_verify_creator.username, hub_verify_creator.verified);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_verify_creator"(text, boolean) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hub_versions (
  id_or_slug text
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.versions(hub_versions.id_or_slug);
$function$;

CREATE OR REPLACE FUNCTION public.hub_yank_version (
  asset_id uuid,
  version  integer,
  reason   text    DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.yank_version(hub_yank_version.asset_id, hub_yank_version.version, hub_yank_version.reason);
$function$;

REVOKE ALL ON FUNCTION "public"."hub_yank_version"(uuid, integer, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.invitation (
  token text
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.invitation(invitation.token);
$function$;

REVOKE ALL ON FUNCTION "public"."invitation"(text) FROM PUBLIC, "service_role";

CREATE OR REPLACE FUNCTION public.invite_member (
  organization_id uuid,
  role            text    DEFAULT 'member'::text,
  email           text    DEFAULT NULL::text,
  days            integer DEFAULT 7,
  max_uses        integer DEFAULT 1
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.invite_member(
    invite_member.organization_id, invite_member.role, invite_member.email, invite_member.days, invite_member.max_uses
  );
$function$;

REVOKE ALL ON FUNCTION "public"."invite_member"(uuid, text, text, integer, integer) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.issue_agent_token (
  user_id uuid,
  name    text
)
  RETURNS text
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  -- Two random uuids carry 244 bits of the server's strong randomness.
  token constant text := 'kh_agent_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
begin
  insert into public.api_key_agents (user_id, name, token_hash)
  values (issue_agent_token.user_id, issue_agent_token.name, encode(sha256(convert_to(token, 'UTF8')), 'hex'));
  return token;
end;
$function$;

REVOKE ALL ON FUNCTION "public"."issue_agent_token"(uuid, text) FROM PUBLIC, "anon", "authenticated", "service_role";

CREATE OR REPLACE FUNCTION public.issue_my_agent_token (
  name text
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.issue_my_agent_token(issue_my_agent_token.name);
$function$;

REVOKE ALL ON FUNCTION "public"."issue_my_agent_token"(text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.keyhub_schedule()
  RETURNS text[]
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  job record;
  made text[] := '{}';
begin
  if to_regprocedure('cron.schedule(text, text, text)') is null then
    raise notice 'pg_cron is not enabled in this database, so that no job was made: enable it and call keyhub_schedule() again';
    return made;
  end if;
  for job in
    select *
    from (
      values
        -- Prunes a little every minute: reading 32 MB of the log takes some 50 ms, so that ten million rows are read within the
        -- hour, and at most 50,000 rows a minute are deleted.
        ('keyhub-prune-usage-log', '* * * * *', 'select public.prune_api_key_usage_log(batch => 50000, pages => 4096)'),
        ('keyhub-prune-hub', '17 * * * *', 'select public.hub_prune()'),
        ('keyhub-refresh-discovery', '*/10 * * * *', 'select public.hub_refresh_discovery()')
      union all
      select
        f.job,
        f.schedule,
        'select net.http_post('
        || 'url := u.decrypted_secret || ''/functions/v1/' || f.name || ''', '
        || 'headers := jsonb_build_object(''Content-Type'', ''application/json'', ''apikey'', k.decrypted_secret), '
        || 'body := ''{}''::jsonb) '
        || 'from vault.decrypted_secrets u, vault.decrypted_secrets k '
        || 'where u.name = ''keyhub_url'' and k.name = ''keyhub_secret_key'''
      from (values ('keyhub-alerts', '* * * * *', 'keyhub-alerts'), ('keyhub-payments', '23 * * * *', 'payment-webhook')) f (job, schedule, name)
      -- Calling the functions over HTTP needs pg_net, and Vault for the address and the key.
      where exists (
          select from pg_catalog.pg_proc p where p.pronamespace = to_regnamespace('net') and p.proname = 'http_post'
        )
        and to_regclass('vault.decrypted_secrets') is not null
    ) jobs (name, schedule, command)
  loop
    -- cron.schedule replaces a job of the same name.
    execute 'select cron.schedule($1, $2, $3)' using job.name, job.schedule, job.command;
    made := made || job.name;
  end loop;
  return made;
end;
$function$;

REVOKE ALL ON FUNCTION "public"."keyhub_schedule"() FROM PUBLIC, "anon", "authenticated", "service_role";

CREATE OR REPLACE FUNCTION public.lease_api_key (
  token_hash       text    DEFAULT NULL::text,
  user_id          uuid    DEFAULT NULL::uuid,
  provider         text    DEFAULT NULL::text,
  live_kids        text[]  DEFAULT '{}'::text[],
  release_lease_id uuid    DEFAULT NULL::uuid,
  attempt          integer DEFAULT 0,
  calls            integer DEFAULT 1,
  exclude          uuid[]  DEFAULT '{}'::uuid[],
  model            text    DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  SET lock_timeout TO '600ms'
  AS $function$
declare
  retry constant jsonb := '{"kind": "retry"}';
  agent_id uuid;
  at timestamptz := clock_timestamp();
  -- Tiers with this priority or a higher one have no key for this call.
  above bigint := 2147483648;
  tier_priority integer;
  is_due boolean;
  -- The place where the search of the tier begins: the tier's mark for the model while that mark is valid, otherwise its low-water
  -- mark.
  model_mark jsonb;
  mark_count bigint;
  mark_id uuid;
  -- The tier that this call has refreshed last.
  refreshed integer;
  -- The place where the current search starts.
  start_count bigint;
  start_id uuid;
  -- Position of the key that this call has waited for.
  held_priority integer;
  held_count bigint;
  held_id uuid;
  chosen_id uuid;
  chosen_generation integer;
  is_ready boolean;
  -- The block of the chosen key for the model is over, but its count is not levelled yet.
  comes_back boolean;
  levelled boolean := false;
  lease_id uuid;
  leased_at timestamptz;
  was_starved boolean;
  answer jsonb;
begin
  -- From here on user_id is the owner of the pool.
  select c.pool_user_id, c.agent_id into lease_api_key.user_id, agent_id
  from private.key_caller(lease_api_key.token_hash, lease_api_key.user_id) c;
  if lease_api_key.release_lease_id is not null then
    perform private.release_lease(lease_api_key.user_id, lease_api_key.release_lease_id);
  end if;

  loop
    -- Uses several small statements, because one large joined statement takes longer to start than all of the small ones take
    -- together.
    select t.priority, t.low_water_count, t.low_water_id, t.next_expiry_check_at <= at, t.model_marks -> lease_api_key.model
    into tier_priority, mark_count, mark_id, is_due, model_mark
    from private.api_key_tiers t
    where t.user_id = lease_api_key.user_id and t.priority < above
    order by t.priority desc
    limit 1;
    if not found then
      -- No tier has a key: the answer comes from one look at the whole pool.
      answer := private.pool_availability(
        lease_api_key.user_id, lease_api_key.provider, lease_api_key.live_kids, lease_api_key.exclude, lease_api_key.model
      );
      if answer is not null and lease_api_key.exclude <> '{}' then
        -- No other key is left: an excluded key is better than none.
        lease_api_key.exclude := '{}';
        above := 2147483648;
        continue;
      elsif answer is null and lease_api_key.attempt > 0 then
        -- For the second time a key is ready that no tier leads to: the key's row was inserted without firing triggers.
        perform private.rebuild_tiers(lease_api_key.user_id);
      end if;
      if answer is not null then
        perform private.note_starvation(lease_api_key.user_id, lease_api_key.provider, lease_api_key.model, answer);
      end if;
      return coalesce(answer, retry);
    end if;

    -- Expired cooldowns are cleared first. Odd attempts skip this step: it locks the tier, and a call that holds a lock must
    -- not wait for a key.
    if is_due and lease_api_key.attempt % 2 = 0 and refreshed is distinct from tier_priority then
      refreshed := tier_priority;
      perform private.refresh_tier(lease_api_key.user_id, tier_priority, only_expired => true);
      continue;
    end if;

    if (model_mark ->> 'until')::timestamptz > at then
      mark_count := model_mark ->> 'count';
      mark_id := model_mark ->> 'id';
    else
      model_mark := null;
    end if;
    -- Take the first key of the tier in the documented order that is not locked. The first caller of a pool starts at the low-water
    -- mark. Callers that arrive while it works start at a random place; otherwise each would step over the keys that all others
    -- have locked. A retry starts at the mark, so that it misses no free key.
    start_count := mark_count;
    start_id := mark_id;
    if tier_priority = held_priority then
      start_count := held_count;
      start_id := held_id;
    elsif lease_api_key.attempt = 0
      and not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.uuid_hash_extended(lease_api_key.user_id, 1))
    then
      start_id := gen_random_uuid();
      start_count := start_count + (start_id < mark_id)::integer;
    end if;
    select k.id, k.generation, coalesce(lease_api_key.model = any (k.limited_models), false)
    into chosen_id, chosen_generation, comes_back
    from public.user_api_keys k
    where k.user_id = lease_api_key.user_id
      and k.priority = tier_priority
      and k.is_ready
      and (k.usage_count, k.id) >= (start_count, start_id)
      and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
      -- Only keys that are sealed to a live pair.
      and k.sealed_kid = any (lease_api_key.live_kids)
      and k.id <> all (lease_api_key.exclude)
      and (lease_api_key.model is null or coalesce(k.limited_until[array_position(k.limited_models, lease_api_key.model)] <= at, true))
    order by k.usage_count, k.id
    limit 1
    for no key update skip locked;
    if found then
      -- The key is locked and may be leased: go on after the loop.
      exit when not comes_back or levelled;
      -- Level this key and others like it to the keys that were free for the model, then search again.
      levelled := true;
      perform private.level_for_model(lease_api_key.user_id, tier_priority, lease_api_key.model, at);
      continue;
    end if;

    -- Either all keys are locked, or there is none. Searches after a random place, where there usually is a key to wait for.
    start_id := gen_random_uuid();
    is_ready := true;
    select k.id into chosen_id
    from public.user_api_keys k
    where k.user_id = lease_api_key.user_id
      and k.priority = tier_priority
      and k.is_ready
      and (k.usage_count, k.id) >= (start_count, start_id)
      and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
      and k.sealed_kid = any (lease_api_key.live_kids)
      and k.id <> all (lease_api_key.exclude)
      and (lease_api_key.model is null or coalesce(k.limited_until[array_position(k.limited_models, lease_api_key.model)] <= at, true))
    order by k.usage_count, k.id
    limit 1;
    if not found then
      -- One query reads both the mark and the keys: a key that another call makes ready meanwhile either shows here as expired or
      -- is not below the mark. Takes any of the first keys, so that callers spread over them.
      select k.id, k.is_ready into chosen_id, is_ready
      from private.api_key_tiers t
      cross join lateral (
        select case
          when (t.model_marks -> lease_api_key.model ->> 'until')::timestamptz > at then t.model_marks -> lease_api_key.model
        end
      ) mark (model_mark)
      cross join lateral (
        (
          select k.id, k.is_ready
          from public.user_api_keys k
          where k.user_id = t.user_id
            and k.priority = t.priority
            and k.is_ready
            and (k.usage_count, k.id) >= (
              coalesce((mark.model_mark ->> 'count')::bigint, t.low_water_count),
              coalesce((mark.model_mark ->> 'id')::uuid, t.low_water_id)
            )
            and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
            and k.sealed_kid = any (lease_api_key.live_kids)
            and k.id <> all (lease_api_key.exclude)
            and (lease_api_key.model is null or coalesce(k.limited_until[array_position(k.limited_models, lease_api_key.model)] <= at, true))
          order by k.usage_count, k.id
          limit 16
        )
        union all
        (
          select k.id, k.is_ready
          from public.user_api_keys k
          where k.user_id = t.user_id
            and k.priority = t.priority
            and not k.is_ready
            and k.ready_at <= at
            and (lease_api_key.provider is null or k.provider is null or k.provider = lease_api_key.provider)
            and k.sealed_kid = any (lease_api_key.live_kids)
            and k.id <> all (lease_api_key.exclude)
            and (lease_api_key.model is null or coalesce(k.limited_until[array_position(k.limited_models, lease_api_key.model)] <= at, true))
          order by k.ready_at
          limit 1
        )
      ) k
      where t.user_id = lease_api_key.user_id and t.priority = tier_priority
      order by k.is_ready desc, random()
      limit 1;
    end if;
    if not found then
      -- Odd attempts skip this step, because it locks the tier.
      if lease_api_key.model is not null and model_mark is null and lease_api_key.attempt % 2 = 0 then
        perform private.raise_model_mark(lease_api_key.user_id, tier_priority, lease_api_key.model);
      end if;
      above := tier_priority;
      continue;
    end if;
    -- A tier without a ready key is checked for expired cooldowns at once, even when its next check is not due yet.
    if not is_ready and lease_api_key.attempt % 2 = 0 and refreshed is distinct from tier_priority then
      refreshed := tier_priority;
      perform private.refresh_tier(lease_api_key.user_id, tier_priority, only_expired => true);
      continue;
    end if;

    -- Wait for this key: a lower tier must not serve the call instead. A call that holds a row lock (its transaction then has an
    -- id) must not wait for another row, because two such calls could wait for each other. A call may hold a lock without having
    -- changed anything: a row that was ready when found, but no longer when locked, stays locked.
    if pg_catalog.pg_current_xact_id_if_assigned() is not null then
      return retry;
    end if;
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.uuid_hash_extended(chosen_id, 0));
    select k.priority, k.usage_count, k.id into held_priority, held_count, held_id
    from public.user_api_keys k
    where k.id = chosen_id
    for no key update;
    -- Something may have changed meanwhile: search again as a retry does, beginning with the first tier; in the tier of the key,
    -- begin at the key.
    lease_api_key.attempt := 1;
    at := clock_timestamp();
    above := 2147483648;
  end loop;

  if lease_api_key.calls > 1 then
    answer := private.lease_batch(
      lease_api_key.user_id, agent_id, tier_priority, lease_api_key.provider, lease_api_key.live_kids, lease_api_key.calls,
      lease_api_key.model, mark_count, mark_id, at
    );
    was_starved := exists (select from public.api_key_starvations s where s.user_id = lease_api_key.user_id and s.ended_at is null);
  else
    -- The log row comes first: the update below returns its id and time as part of the lease.
    insert into public.api_key_usage_log (user_api_key_id, user_id, agent_id, key_generation, issued_at, model)
    values (chosen_id, lease_api_key.user_id, agent_id, chosen_generation, clock_timestamp(), lease_api_key.model)
    returning id, issued_at into lease_id, leased_at;

    update private.key_leases k
    set usage_count = k.usage_count + 1
    where k.id = chosen_id
    returning k.lease || jsonb_build_object('lease_id', lease_id, 'leased_at', leased_at, 'model', lease_api_key.model),
      exists (select from public.api_key_starvations s where s.user_id = lease_api_key.user_id and s.ended_at is null)
    into answer, was_starved;
  end if;
  if was_starved then
    perform private.end_starvations(lease_api_key.user_id, chosen_id, lease_api_key.model);
  end if;

  -- Once in 64 leases, raises the low-water mark and postpones the next expiry check. Never waits.
  if random() < 0.015625 * lease_api_key.calls then
    perform private.refresh_tier(lease_api_key.user_id, tier_priority);
    if lease_api_key.model is not null then
      perform private.raise_model_mark(lease_api_key.user_id, tier_priority, lease_api_key.model);
    end if;
  end if;
  return answer;
end;
$function$;

REVOKE ALL ON FUNCTION "public"."lease_api_key"(text, uuid, text, text[], uuid, integer, integer, uuid[], text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.leave_organization (
  organization_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.leave_organization(leave_organization.organization_id);
$function$;

REVOKE ALL ON FUNCTION "public"."leave_organization"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.my_agents()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.my_agents();
$function$;

REVOKE ALL ON FUNCTION "public"."my_agents"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.my_api_key_log (
  key_id   uuid                     DEFAULT NULL::uuid,
  agent_id uuid                     DEFAULT NULL::uuid,
  outcome  text                     DEFAULT NULL::text,
  before   timestamp with time zone DEFAULT NULL::timestamp WITH time zone
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.my_api_key_log(my_api_key_log.key_id, my_api_key_log.agent_id, my_api_key_log.outcome, my_api_key_log.before);
$function$;

REVOKE ALL ON FUNCTION "public"."my_api_key_log"(uuid, uuid, text, timestamp WITH time zone) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.my_api_key_pools()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.my_api_key_pools();
$function$;

REVOKE ALL ON FUNCTION "public"."my_api_key_pools"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.my_api_keys()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.my_api_keys();
$function$;

REVOKE ALL ON FUNCTION "public"."my_api_keys"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.my_organizations()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'id', o.id, 'slug', o.slug, 'name', o.name, 'role', m.role, 'since', m.created_at,
      'members', (select count(*) from public.organization_members n where n.organization_id = o.id)
    )
    order by o.name, o.id
  ), '[]')
  from public.organization_members m
  join public.organizations o on o.id = m.organization_id
  where m.user_id = (select auth.uid());
$function$;

REVOKE ALL ON FUNCTION "public"."my_organizations"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.organization_invitations (
  organization_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.organization_invitations(organization_invitations.organization_id);
$function$;

REVOKE ALL ON FUNCTION "public"."organization_invitations"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.organization_review (
  asset_id uuid,
  keep     boolean,
  note     text    DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.organization_review(organization_review.asset_id, organization_review.keep, organization_review.note);
$function$;

REVOKE ALL ON FUNCTION "public"."organization_review"(uuid, boolean, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.organization_review_queue (
  organization_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.organization_review_queue(organization_review_queue.organization_id);
$function$;

REVOKE ALL ON FUNCTION "public"."organization_review_queue"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.prune_api_key_usage_log (
  keep  interval DEFAULT '30 days'::interval,
  batch integer  DEFAULT 10000,
  pages integer  DEFAULT NULL::integer
)
  RETURNS integer
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  -- Each statement reads one megabyte, so that pruning stops soon after the batch is full.
  slice constant integer := 128;
  size constant bigint := pg_relation_size('public.api_key_usage_log') / current_setting('block_size')::integer;
  unseen bigint := least(size, prune_api_key_usage_log.pages);
  page bigint;
  pruned integer := 0;
  gone integer;
begin
  if prune_api_key_usage_log.keep < interval '1 day'
    or prune_api_key_usage_log.batch < 1
    or prune_api_key_usage_log.pages < 1
  then
    raise exception using errcode = 'PT422', message = 'keep must be at least 1 day, batch and pages at least 1';
  end if;

  -- Two pruners run one after the other; leases and reports never lock this row.
  select p.next_page into page from private.api_key_log_pruning p for no key update;
  page := coalesce(page, 0);
  while unseen > 0 loop
    if page >= size then
      -- Start again after the last page.
      page := 0;
    end if;
    delete from public.api_key_usage_log l
    where l.ctid = any (array(
      select old.ctid
      from public.api_key_usage_log old
      where old.ctid >= format('(%s,0)', page)::tid
        and old.ctid < format('(%s,0)', page + slice)::tid
        and coalesce(old.issued_at, old.reported_at) < clock_timestamp() - prune_api_key_usage_log.keep
        -- A row with a recent report stays.
        and coalesce(old.reported_at, old.issued_at) < clock_timestamp() - prune_api_key_usage_log.keep
        -- The row that explains a live block or a disabled key stays until the block or the disabling ends.
        and not exists (
          select
          from public.api_key_health h
          join public.user_api_keys k on k.id = h.user_api_key_id
          where h.user_api_key_id = old.user_api_key_id
            and h.reason_log_id = old.id
            -- A block that is over needs no explanation.
            and k.ready_at > clock_timestamp()
        )
        and not exists (
          select
          from public.api_key_model_health m
          where m.user_api_key_id = old.user_api_key_id
            and m.caused_by_log_id = old.id
            and m.blocked_until > clock_timestamp()
        )
      limit prune_api_key_usage_log.batch - pruned
      -- Never waits for a report: its row may become the one that explains a block.
      for update skip locked
    ));
    get diagnostics gone = row_count;
    pruned := pruned + gone;
    exit when pruned >= prune_api_key_usage_log.batch;
    page := page + slice;
    unseen := unseen - slice;
  end loop;
  -- The next call continues where this one stopped.
  update private.api_key_log_pruning p set next_page = page;
  -- Each pool and provider has at most one alert in five minutes: few enough to delete all old alerts in one statement.
  delete from public.api_key_alerts a where a.created_at < clock_timestamp() - prune_api_key_usage_log.keep;
  delete from public.api_key_starvations s where s.last_refused_at < clock_timestamp() - prune_api_key_usage_log.keep;
  -- This order makes every plan use the index of the keys; otherwise a key without rows would make it read the whole log.
  delete from public.api_key_deleted d
  where (
    select l.id from public.api_key_usage_log l where l.user_api_key_id = d.id order by coalesce(l.agent_id, l.user_id) limit 1
  ) is null;
  return pruned;
end;
$function$;

REVOKE ALL ON FUNCTION "public"."prune_api_key_usage_log"(interval, integer, integer) FROM PUBLIC, "anon", "authenticated", "service_role";

CREATE OR REPLACE FUNCTION public.reenable_keys (
  user_id  uuid,
  provider text,
  since    timestamp with time zone
)
  RETURNS TABLE (
    user_api_key_id uuid,
    key_name        text,
    disabled_at     timestamp with time zone,
    reason_code     text
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  locked_ids uuid[];
begin
  -- Locks the keys in a fixed order before reading them: a key that somebody enables meanwhile is left alone.
  locked_ids := array(
    select k.id
    from public.user_api_keys k
    where k.user_id = reenable_keys.user_id
      and (reenable_keys.provider is null or k.provider = reenable_keys.provider)
      and not k.is_active
    order by k.id
    for no key update
  );
  return query
  update public.user_api_keys k
  set is_active = true
  from public.api_key_health h
  where k.id = any (locked_ids)
    and h.user_api_key_id = k.id
    -- A key that an operator disabled stays disabled.
    and h.reason = 'invalid_key'
    and h.reason_since >= reenable_keys.since
  returning k.id, k.key_name, h.reason_since, h.reason_code;
end;
$function$;

REVOKE ALL ON FUNCTION "public"."reenable_keys"(uuid, text, timestamp WITH time zone) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.remove_api_key (
  key_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.remove_api_key(remove_api_key.key_id);
$function$;

REVOKE ALL ON FUNCTION "public"."remove_api_key"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.remove_member (
  organization_id uuid,
  user_id         uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.remove_member(remove_member.organization_id, remove_member.user_id);
$function$;

REVOKE ALL ON FUNCTION "public"."remove_member"(uuid, uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.report_and_lease (
  report     jsonb,
  token_hash text   DEFAULT NULL::text,
  user_id    uuid   DEFAULT NULL::uuid,
  provider   text   DEFAULT NULL::text,
  live_kids  text[] DEFAULT '{}'::text[],
  exclude    uuid[] DEFAULT '{}'::uuid[],
  model      text   DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  SET lock_timeout TO '600ms'
  AS $function$
declare
  -- The report comes first, so that a key that it blocks is not leased again.
  reported constant jsonb := public.report_api_key(
    report => report_and_lease.report,
    token_hash => report_and_lease.token_hash,
    user_id => report_and_lease.user_id,
    lease_id => (report_and_lease.report ->> 'lease_id')::uuid
  );
begin
  -- The report holds locks, so the lease must not wait for a key and may return retry; the report is committed in any case.
  return jsonb_build_object(
    'reported', reported,
    'lease', public.lease_api_key(
      token_hash => report_and_lease.token_hash,
      user_id => report_and_lease.user_id,
      provider => report_and_lease.provider,
      live_kids => report_and_lease.live_kids,
      exclude => report_and_lease.exclude,
      model => report_and_lease.model
    )
  );
end;
$function$;

REVOKE ALL ON FUNCTION "public"."report_and_lease"(jsonb, text, uuid, text, text[], uuid[], text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.report_api_key (
  report     jsonb,
  token_hash text  DEFAULT NULL::text,
  user_id    uuid  DEFAULT NULL::uuid,
  lease_id   uuid  DEFAULT NULL::uuid,
  key_id     uuid  DEFAULT NULL::uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  SET lock_timeout TO '600ms'
  AS $function$
<<this>>
declare
  -- Read the clock before any row: everything that is not visible below happened later.
  at constant timestamptz := clock_timestamp();
  outcome constant text := report_api_key.report ->> 'outcome';
  rule constant text := report_api_key.report ->> 'rule';
  error_code constant text := report_api_key.report ->> 'error_code';
  named_scope constant text := report_api_key.report ->> 'scope';
  is_same_answer constant boolean := report_api_key.report ? 'same_answer_as';
  model text;
  scope text;
  agent_id uuid;
  lease public.api_key_usage_log;
  told private.key_report;
  tried boolean := false;
  last_at timestamptz;
  last_outcome_of_key text;
  answer jsonb;
begin
  -- From here on user_id is the owner of the pool.
  select c.pool_user_id, c.agent_id into report_api_key.user_id, agent_id
  from private.key_caller(report_api_key.token_hash, report_api_key.user_id) c;

  loop
    if report_api_key.lease_id is null then
      select l.* into lease
      from public.api_key_usage_log l
      where l.user_api_key_id = report_api_key.key_id
        and coalesce(l.agent_id, l.user_id) = coalesce(this.agent_id, report_api_key.user_id)
        and l.user_id = report_api_key.user_id
        and l.reported_at is null
        and l.issued_at > at - interval '24 h'
      order by l.issued_at desc
      limit 1;
      if not found then
        if not exists (select from public.user_api_keys k where k.id = report_api_key.key_id and k.user_id = report_api_key.user_id) then
          raise exception using errcode = 'PT404', message = 'key_not_found';
        -- A caller that did not lease the key within a day cannot report on it.
        elsif not exists (
          select
          from public.api_key_usage_log l
          where l.user_api_key_id = report_api_key.key_id
            and coalesce(l.agent_id, l.user_id) = coalesce(this.agent_id, report_api_key.user_id)
            and l.issued_at > at - interval '24 h'
        ) then
          raise exception using errcode = 'PT404', message = 'lease_not_found';
        end if;
      end if;
    else
      select l.* into lease
      from public.api_key_usage_log l
      where l.id = report_api_key.lease_id
        and l.user_id = report_api_key.user_id
        and l.issued_at is not null
        -- An agent may report on its own leases, the owner of the pool on any.
        and (this.agent_id is null or l.agent_id = this.agent_id);
      if not found then
        raise exception using errcode = 'PT404', message = 'lease_not_found';
      elsif report_api_key.key_id <> lease.user_api_key_id then
        raise exception using errcode = 'PT422', message = 'lease_key_mismatch';
      elsif lease.outcome <> this.outcome and not (lease.outcome = 'caller_fault' and is_same_answer) then
        raise exception using errcode = 'PT409', message = 'already_reported';
      elsif lease.outcome is not null then
        -- Duplicates end here, before any lock. A call that lost the race of the update below also ends here, when it reads the
        -- lease again.
        lease.effect := 'duplicate';
        return private.report_answer(lease);
      end if;
    end if;
    -- A model that only the provider's answer names does not count: leases without a model would not see its block.
    model := coalesce(report_api_key.report ->> 'model', lease.model);
    scope := case
      when this.outcome = 'caller_fault' or named_scope = 'request' then 'request'
      when this.rule in ('success', 'ignore', 'tolerate') then null
      when named_scope = 'account' then 'account'
      -- A limit belongs to the model, if there is one, unless the answer speaks of the key or the account.
      when model is not null and coalesce(named_scope, case this.outcome when 'rate_limited' then 'model' end) = 'model' then 'model'
      else 'key'
    end;
    exit when tried
      or lease.id is null
      or is_same_answer
      or this.rule not in ('success', 'escalate')
      or report_api_key.report ?| array['hint_given', 'hint_seconds', 'hint_at'];
    tried := true;

    -- The fast path of a report that changes nothing: a success on a healthy key, or another failure of a known outage. It reads
    -- key and health in one snapshot and locks only the log row, which decides which report was first. It therefore counts as
    -- earlier than every failure, reset and edit that it does not see. It does not check the owner of the key: a key that was given
    -- away has a higher generation.
    update public.api_key_usage_log l
    set reported_at = at,
      outcome = this.outcome,
      error_code = this.error_code,
      effect = case this.rule when 'success' then 'none' else 'ignored' end,
      state_before = case when block.ends > at then 'cooling_down' else 'available' end,
      state_after = case when block.ends > at then 'cooling_down' else 'available' end,
      blocked_until = case when block.ends > at then block.ends end,
      consecutive_failures = block.failures,
      model = this.model,
      scope = this.scope
    from public.user_api_keys k
    join public.api_key_health h on h.user_api_key_id = k.id
    left join public.api_key_model_health m on m.user_api_key_id = k.id and m.model = this.model
    cross join lateral (
      select
        case this.scope when 'model' then m.blocked_until else h.blocked_until end,
        case this.scope when 'model' then m.rate_blocked_until else h.rate_blocked_until end,
        case this.scope when 'model' then m.consecutive_failures else h.consecutive_failures end
    ) block (ends, rate_ends, failures)
    where l.id = lease.id
      -- One lease has one effect.
      and l.outcome is null
      and k.id = lease.user_api_key_id
      and k.is_active
      -- The fast path requires that the key can be opened.
      and k.unusable_reason is null
      -- The fast path requires that the lease was not issued before an operator's edit of the key.
      and k.generation <= lease.key_generation
      -- The fast path requires an empty list of server errors, because a success would clear the list.
      and h.recent_server_errors = '{}'
      and case this.rule
        when 'success' then
          h.consecutive_failures = 0
          and (h.blocked_until is null or h.blocked_until <= at)
          and (h.last_failure_at is null or h.last_failure_at < lease.issued_at)
          -- A success must not end an outage of its model here either.
          and (m.model is null or (
            m.consecutive_failures = 0
            and (m.blocked_until is null or m.blocked_until <= at)
            and (m.last_failure_at is null or m.last_failure_at < lease.issued_at)
          ))
        -- A failure counts here only when it belongs to the known outage.
        else lease.issued_at < block.rate_ends
      end
    returning h.last_reported_at, h.last_outcome, private.report_answer(l)
    into last_at, last_outcome_of_key, answer;
    if found then
      -- Records the newest outcome for operators, to the second. Skips a locked row instead of waiting for it.
      if last_at is null or last_at < at - interval '1 s' or last_outcome_of_key <> this.outcome then
        update public.api_key_health h
        set last_reported_at = at,
          last_outcome = this.outcome,
          last_error_code = this.error_code,
          last_effect = case this.rule when 'success' then 'none' else 'ignored' end
        where h.user_api_key_id = (
          select free.user_api_key_id
          from public.api_key_health free
          where free.user_api_key_id = lease.user_api_key_id
            -- A newer outcome stays.
            and (free.last_reported_at is null or free.last_reported_at < at)
          for no key update skip locked
        );
      end if;
      return answer;
    end if;
  end loop;

  told := jsonb_populate_record(null::private.key_report, report_api_key.report);
  if is_same_answer and lease.id is not null then
    answer := private.report_same_answer(report_api_key.user_id, agent_id, lease, told);
    if answer is not null then
      return answer;
    end if;
  end if;
  told.model := model;
  told.scope := scope;
  return private.report_answer(private.apply_report(
    report_api_key.user_id,
    agent_id,
    coalesce(lease.user_api_key_id, report_api_key.key_id),
    lease,
    told
  ));
end;
$function$;

REVOKE ALL ON FUNCTION "public"."report_api_key"(jsonb, text, uuid, uuid, uuid) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.report_successes (
  lease_ids  uuid[],
  token_hash text   DEFAULT NULL::text,
  user_id    uuid   DEFAULT NULL::uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  SET lock_timeout TO '600ms'
  AS $function$
<<this>>
declare
  at constant timestamptz := clock_timestamp();
  agent_id uuid;
  answers jsonb;
begin
  select c.pool_user_id, c.agent_id into report_successes.user_id, agent_id
  from private.key_caller(report_successes.token_hash, report_successes.user_id) c;

  -- Takes the fast path of report_api_key for reports that change nothing and whose log row is not locked. The caller reports the
  -- others one by one.
  with open as materialized (
    select l.id, l.user_api_key_id, l.model
    from public.api_key_usage_log l
    where l.id = any (report_successes.lease_ids)
      -- Skips leases of other callers.
      and l.user_id = report_successes.user_id
      and (this.agent_id is null or l.agent_id = this.agent_id)
      -- Skips leases that have been reported: report_api_key takes them one by one.
      and l.outcome is null
      and l.issued_at is not null
    -- Skips a lease that another call holds.
    for no key update skip locked
  ),
  reported as (
    update public.api_key_usage_log l
    set reported_at = at,
      outcome = 'success',
      effect = 'none',
      state_before = 'available',
      state_after = 'available',
      consecutive_failures = 0
    from open o
    join public.user_api_keys k on k.id = o.user_api_key_id
    join public.api_key_health h on h.user_api_key_id = o.user_api_key_id
    left join public.api_key_model_health m on m.user_api_key_id = o.user_api_key_id and m.model = o.model
    where l.id = o.id
      -- These conditions leave the rest to report_api_key: a key that is disabled or cannot be opened, a lease from before an
      -- operator's edit, server errors or failures that the success ends, a block, and a failure after the lease.
      and k.is_active
      and k.unusable_reason is null
      and k.generation <= l.key_generation
      and h.recent_server_errors = '{}'
      and h.consecutive_failures = 0
      and (h.blocked_until is null or h.blocked_until <= at)
      and (h.last_failure_at is null or h.last_failure_at < l.issued_at)
      -- The same applies to the model of the lease.
      and (m.model is null or (
        m.consecutive_failures = 0
        and (m.blocked_until is null or m.blocked_until <= at)
        and (m.last_failure_at is null or m.last_failure_at < l.issued_at)
      ))
    returning l.id, l.user_api_key_id, private.report_answer(l) as answer,
      h.last_reported_at is null or h.last_reported_at < at - interval '1 s' or h.last_outcome <> 'success' as is_due
  ),
  heard as (
    update public.api_key_health h
    set last_reported_at = at, last_outcome = 'success', last_error_code = null, last_effect = 'none'
    where h.user_api_key_id = any (array(
      select free.user_api_key_id
      from public.api_key_health free
      where free.user_api_key_id in (select r.user_api_key_id from reported r where r.is_due)
        -- A newer outcome stays.
        and (free.last_reported_at is null or free.last_reported_at < at)
      -- Skips a health row that another call holds.
      for no key update of free skip locked
    ))
  )
  select coalesce(jsonb_agg(
    -- A lease that is listed twice is reported once.
    case when a.turn = 1 and r.id is not null then r.answer else '{"kind": "retry"}' end
    order by a.place
  ), '[]')
  into answers
  from (
    select u.id, u.place, row_number() over (partition by u.id order by u.place) as turn
    from unnest(report_successes.lease_ids) with ordinality u (id, place)
  ) a
  left join reported r on r.id = a.id;
  return answers;
end;
$function$;

REVOKE ALL ON FUNCTION "public"."report_successes"(uuid[], text, uuid) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.reseal_api_key (
  key_id   uuid,
  expected text,
  resealed text
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  replaced boolean;
begin
  -- It is the same key, sealed again: its block and its leases stay valid.
  perform set_config('keyhub.resealing', 'on', true);
  update public.user_api_keys k
  set api_key_encrypted = reseal_api_key.resealed
  where k.id = reseal_api_key.key_id and k.api_key_encrypted = reseal_api_key.expected;
  replaced := found;
  perform set_config('keyhub.resealing', '', true);
  return replaced;
end;
$function$;

REVOKE ALL ON FUNCTION "public"."reseal_api_key"(uuid, text, text) FROM PUBLIC, "anon", "authenticated", "service_role";

CREATE OR REPLACE FUNCTION public.reset_api_key (
  key_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.reset_api_key(reset_api_key.key_id);
$function$;

REVOKE ALL ON FUNCTION "public"."reset_api_key"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.revoke_invitation (
  invitation_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.revoke_invitation(revoke_invitation.invitation_id);
$function$;

REVOKE ALL ON FUNCTION "public"."revoke_invitation"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.revoke_my_agent (
  agent_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.revoke_my_agent(revoke_my_agent.agent_id);
$function$;

REVOKE ALL ON FUNCTION "public"."revoke_my_agent"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.set_api_key_active (
  key_id uuid,
  active boolean
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.set_api_key_active(set_api_key_active.key_id, set_api_key_active.active);
$function$;

REVOKE ALL ON FUNCTION "public"."set_api_key_active"(uuid, boolean) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.set_member_role (
  organization_id uuid,
  user_id         uuid,
  role            text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.set_member_role(set_member_role.organization_id, set_member_role.user_id, set_member_role.role);
$function$;

REVOKE ALL ON FUNCTION "public"."set_member_role"(uuid, uuid, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.settle_api_key_alerts (
  sent   uuid[],
  failed uuid[]
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  update public.api_key_alerts a
  set sent_at = case when a.id = any (settle_api_key_alerts.sent) then clock_timestamp() end, claimed_until = null
  where a.id = any (settle_api_key_alerts.sent || settle_api_key_alerts.failed) and a.sent_at is null;
$function$;

REVOKE ALL ON FUNCTION "public"."settle_api_key_alerts"(uuid[], uuid[]) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.undo_reports (
  user_id  uuid,
  agent_id uuid,
  since    timestamp with time zone
)
  RETURNS TABLE (
    user_api_key_id uuid,
    key_name        text,
    model           text,
    reason          text,
    reason_code     text
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  -- The agent's reports that explain the present state of a key or model.
  causes uuid[] := array(
    select l.id
    from public.user_api_keys k
    join public.api_key_health h on h.user_api_key_id = k.id
    left join public.api_key_model_health m on m.user_api_key_id = k.id
    join public.api_key_usage_log l on l.id in (h.reason_log_id, m.caused_by_log_id)
    where k.user_id = undo_reports.user_id
      and l.agent_id is not distinct from undo_reports.agent_id
      and l.reported_at >= undo_reports.since
  );
begin
  return query
  update public.user_api_keys k
  set is_active = true
  from public.api_key_health h
  -- A key that an operator disabled stays disabled.
  where h.user_api_key_id = k.id and h.reason_log_id = any (causes) and h.reason = 'invalid_key' and not k.is_active
  returning k.id, k.key_name, null::text, h.reason, h.reason_code;
  -- Resets models before keys: the reset of a key deletes the rows of its models.
  return query
  update public.api_key_model_health m
  set blocked_until = null, consecutive_failures = 0
  from public.user_api_keys k, public.api_key_usage_log l
  where m.caused_by_log_id = any (causes) and m.blocked_until > clock_timestamp() and k.id = m.user_api_key_id and l.id = m.caused_by_log_id
  returning k.id, k.key_name, m.model, l.outcome, l.error_code;
  return query
  update public.api_key_health h
  set blocked_until = null, consecutive_failures = 0
  from public.user_api_keys k, public.api_key_usage_log l
  where h.reason_log_id = any (causes) and h.blocked_until > clock_timestamp() and k.id = h.user_api_key_id and k.is_active and l.id = h.reason_log_id
  returning k.id, k.key_name, null::text, l.outcome, l.error_code;
end;
$function$;

REVOKE ALL ON FUNCTION "public"."undo_reports"(uuid, uuid, timestamp WITH time zone) FROM PUBLIC, "anon", "authenticated";

ALTER TABLE "private"."api_key_breakers"
  ADD CONSTRAINT "api_key_breakers_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."api_key_tiers"
  ADD CONSTRAINT "api_key_tiers_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."hub_allowed_content"
  ADD CONSTRAINT "hub_allowed_content_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."hub_bans"
  ADD CONSTRAINT "hub_bans_banned_by_fkey" FOREIGN KEY (banned_by) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE "private"."hub_bans"
  ADD CONSTRAINT "hub_bans_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."hub_calls"
  ADD CONSTRAINT "hub_calls_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."hub_idempotent_responses"
  ADD CONSTRAINT "hub_idempotent_responses_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."hub_scan_tokens"
  ADD CONSTRAINT "hub_scan_tokens_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."hub_words"
  ADD CONSTRAINT "hub_words_added_by_fkey" FOREIGN KEY (added_by) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE "private"."ledger"
  ADD CONSTRAINT "ledger_order_id_fkey" FOREIGN KEY (order_id) REFERENCES private.orders(id);

ALTER TABLE "private"."organization_invitations"
  ADD CONSTRAINT "organization_invitations_invited_by_fkey" FOREIGN KEY (invited_by) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE "private"."ledger"
  ADD CONSTRAINT "ledger_event_fkey" FOREIGN KEY (PROVIDER, event_id) REFERENCES private.payment_events(PROVIDER, event_id);

ALTER TABLE "private"."workspace_usage"
  ADD CONSTRAINT "workspace_usage_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."api_key_agents"
  ADD CONSTRAINT "api_key_agents_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."api_key_alerts"
  ADD CONSTRAINT "api_key_alerts_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."api_key_deleted"
  ADD CONSTRAINT "api_key_deleted_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."api_key_starvations"
  ADD CONSTRAINT "api_key_starvations_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_admins"
  ADD CONSTRAINT "hub_admins_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_appeals"
  ADD CONSTRAINT "hub_appeals_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_assets"
  ADD CONSTRAINT "hub_assets_creator_id_fkey" FOREIGN KEY (creator_id) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE "private"."hub_allowed_content"
  ADD CONSTRAINT "hub_allowed_content_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "private"."hub_copies"
  ADD CONSTRAINT "hub_copies_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "private"."hub_documents"
  ADD CONSTRAINT "hub_documents_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "private"."hub_listing_tags"
  ADD CONSTRAINT "hub_listing_tags_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "private"."hub_moderation"
  ADD CONSTRAINT "hub_moderation_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "private"."hub_overwritten"
  ADD CONSTRAINT "hub_overwritten_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "private"."shelf_documents"
  ADD CONSTRAINT "shelf_documents_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "public"."custom_components"
  ADD CONSTRAINT "custom_components_hub_asset_id_fkey" FOREIGN KEY (hub_asset_id) REFERENCES public.hub_assets(id) ON DELETE SET NULL;

ALTER TABLE "public"."hub_appeals"
  ADD CONSTRAINT "hub_appeals_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_asset_versions"
  ADD CONSTRAINT "hub_asset_versions_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_assets"
  ADD CONSTRAINT "hub_assets_parent_asset_id_fkey" FOREIGN KEY (parent_asset_id) REFERENCES public.hub_assets(id) ON DELETE SET NULL;

ALTER TABLE "public"."hub_assets"
  ADD CONSTRAINT "hub_assets_source_asset_id_fkey" FOREIGN KEY (source_asset_id) REFERENCES public.hub_assets(id) ON DELETE SET NULL;

ALTER TABLE "public"."hub_bundle_items"
  ADD CONSTRAINT "hub_bundle_items_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_bundle_items"
  ADD CONSTRAINT "hub_bundle_items_version_fkey" FOREIGN KEY (asset_id, VERSION) REFERENCES public.hub_asset_versions(asset_id, VERSION) ON DELETE CASCADE;

ALTER TABLE "public"."hub_featured"
  ADD CONSTRAINT "hub_featured_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_imports"
  ADD CONSTRAINT "hub_imports_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_imports"
  ADD CONSTRAINT "hub_imports_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_payout_accounts"
  ADD CONSTRAINT "hub_payout_accounts_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_pictures"
  ADD CONSTRAINT "hub_pictures_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "private"."hub_creators"
  ADD CONSTRAINT "hub_creators_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.hub_profiles(user_id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_assets"
  ADD CONSTRAINT "hub_assets_creator_profile_fkey" FOREIGN KEY (creator_id) REFERENCES public.hub_profiles(user_id) ON DELETE SET NULL;

ALTER TABLE "public"."hub_follows"
  ADD CONSTRAINT "hub_follows_creator_id_fkey" FOREIGN KEY (creator_id) REFERENCES public.hub_profiles(user_id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_profiles"
  ADD CONSTRAINT "hub_profiles_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_purchases"
  ADD CONSTRAINT "hub_purchases_order_id_fkey" FOREIGN KEY (order_id) REFERENCES private.orders(id);

ALTER TABLE "public"."hub_purchases"
  ADD CONSTRAINT "hub_purchases_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_receipts"
  ADD CONSTRAINT "hub_receipts_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_reports"
  ADD CONSTRAINT "hub_reports_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "public"."hub_reports"
  ADD CONSTRAINT "hub_reports_resolved_by_fkey" FOREIGN KEY (resolved_by) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."hub_stars"
  ADD CONSTRAINT "hub_stars_asset_id_fkey" FOREIGN KEY (asset_id) REFERENCES public.hub_assets(id) ON DELETE CASCADE;

ALTER TABLE "public"."orchestrator_configs"
  ADD CONSTRAINT "orchestrator_configs_hub_asset_id_fkey" FOREIGN KEY (hub_asset_id) REFERENCES public.hub_assets(id) ON DELETE SET NULL;

ALTER TABLE "public"."organization_members"
  ADD CONSTRAINT "organization_members_profile_fkey" FOREIGN KEY (user_id) REFERENCES public.hub_profiles(user_id) ON DELETE CASCADE;

ALTER TABLE "public"."organization_members"
  ADD CONSTRAINT "organization_members_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."organization_invitations"
  ADD CONSTRAINT "organization_invitations_organization_id_fkey" FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE "public"."organization_members"
  ADD CONSTRAINT "organization_members_organization_id_fkey" FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE "public"."prompt_templates"
  ADD CONSTRAINT "prompt_templates_hub_asset_id_fkey" FOREIGN KEY (hub_asset_id) REFERENCES public.hub_assets(id) ON DELETE SET NULL;

ALTER TABLE "public"."api_key_health"
  ADD CONSTRAINT "api_key_health_user_api_key_id_fkey" FOREIGN KEY (user_api_key_id) REFERENCES public.user_api_keys(id) ON DELETE CASCADE;

ALTER TABLE "public"."api_key_model_health"
  ADD CONSTRAINT "api_key_model_health_user_api_key_id_fkey" FOREIGN KEY (user_api_key_id) REFERENCES public.user_api_keys(id) ON DELETE CASCADE;

ALTER TABLE "public"."user_api_keys"
  ADD CONSTRAINT "user_api_keys_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE VIEW "private"."key_leases" WITH (security_invoker=true) AS  SELECT id,
    usage_count,
    jsonb_build_object('kind', 'leased', 'key_id', id, 'user_id', user_id, 'key_name', key_name, 'provider', provider, 'api_key_encrypted', api_key_encrypted, 'fingerprint', fingerprint, 'generation', generation, 'priority', priority, 'settings', settings) AS lease
   FROM public.user_api_keys k;

CREATE VIEW "public"."api_key_pools" WITH (security_invoker=true) AS  SELECT p.user_id,
    p.provider,
    p.available,
    p.limited,
    p.cooling_down,
    p.disabled,
    p.soonest_seconds,
    l.leases AS leases_last_hour,
    l.failures AS failures_last_hour,
        CASE
            WHEN (p.available = 0) THEN ( SELECT min(s.since) AS min
               FROM public.api_key_starvations s
              WHERE ((s.user_id = p.user_id) AND (s.ended_at IS NULL) AND ((s.provider IS NULL) OR (NOT (s.provider IS DISTINCT FROM p.provider)))))
            ELSE NULL::timestamp with time zone
        END AS starved_since
   FROM (( SELECT k.user_id,
            k.provider,
            count(*) FILTER (WHERE ((k.ready_at <= k.at) AND (NOT k.is_limited))) AS available,
            count(*) FILTER (WHERE ((k.ready_at <= k.at) AND k.is_limited)) AS limited,
            count(*) FILTER (WHERE (k.is_usable AND (k.ready_at > k.at))) AS cooling_down,
            count(*) FILTER (WHERE (NOT k.is_usable)) AS disabled,
            (ceil(EXTRACT(epoch FROM (min(k.ready_at) FILTER (WHERE (k.is_usable AND (k.ready_at > k.at))) - min(k.at)))))::bigint AS soonest_seconds
           FROM ( SELECT every.user_id,
                    every.provider,
                    every.ready_at,
                    (every.is_active AND (every.unusable_reason IS NULL)) AS is_usable,
                    (EXISTS ( SELECT
                           FROM unnest(every.limited_until) ends(ends)
                          WHERE (ends.ends > clock.at))) AS is_limited,
                    clock.at
                   FROM (( SELECT clock_timestamp() AS at) clock
                     CROSS JOIN public.user_api_keys every)) k
          GROUP BY k.user_id, k.provider) p
     LEFT JOIN LATERAL ( WITH recent AS MATERIALIZED (
                 SELECT r.user_api_key_id,
                    r.issued_at,
                    r.outcome
                   FROM public.api_key_usage_log r
                  WHERE ((r.user_id = p.user_id) AND (COALESCE(r.issued_at, r.reported_at) > (now() - '01:00:00'::interval)))
                )
         SELECT count(*) FILTER (WHERE (recent.issued_at IS NOT NULL)) AS leases,
            count(*) FILTER (WHERE (recent.outcome <> 'success'::text)) AS failures
           FROM (recent
             JOIN public.user_api_keys k ON ((k.id = recent.user_api_key_id)))
          WHERE (NOT (k.provider IS DISTINCT FROM p.provider))) l ON (true));

REVOKE ALL ON TABLE "public"."api_key_pools" FROM "anon", "authenticated";

CREATE VIEW "public"."api_key_states" WITH (security_invoker=true) AS  SELECT k.id AS user_api_key_id,
    k.user_id,
    k.key_name,
    k.provider,
    k.priority,
    k.usage_count,
        CASE
            WHEN (k.ready_at <= clock_timestamp()) THEN 'available'::text
            WHEN ((NOT k.is_active) OR (k.unusable_reason IS NOT NULL)) THEN 'disabled'::text
            ELSE 'cooling_down'::text
        END AS state,
        CASE
            WHEN (k.is_active AND (k.unusable_reason IS NULL) AND (k.ready_at > clock_timestamp()) AND isfinite(k.ready_at)) THEN (ceil(EXTRACT(epoch FROM (k.ready_at - clock_timestamp()))))::bigint
            ELSE NULL::bigint
        END AS seconds_left,
    h.consecutive_failures,
        CASE
            WHEN (k.ready_at <= clock_timestamp()) THEN NULL::text
            WHEN (k.is_active AND (k.unusable_reason IS NOT NULL)) THEN k.unusable_reason
            ELSE concat_ws(' '::text, h.reason, h.reason_code)
        END AS why,
        CASE
            WHEN (k.ready_at <= clock_timestamp()) THEN NULL::timestamp with time zone
            WHEN (k.is_active AND (k.unusable_reason IS NOT NULL)) THEN k.unusable_since
            ELSE h.reason_since
        END AS since,
        CASE
            WHEN (k.ready_at > clock_timestamp()) THEN h.reason_log_id
            ELSE NULL::uuid
        END AS caused_by_log_id,
    h.last_outcome,
    h.last_error_code,
    h.last_effect,
    h.last_reported_at,
    k.sealed_kid,
    k.account,
        CASE
            WHEN (k.limited_models IS NOT NULL) THEN ARRAY( SELECT l.model
               FROM UNNEST(k.limited_models, k.limited_until) l(model, ends)
              WHERE (l.ends > clock_timestamp())
              ORDER BY l.model)
            ELSE NULL::text[]
        END AS limited_models,
    k.key_hint,
    k.fingerprint
   FROM (public.user_api_keys k
     JOIN public.api_key_health h ON ((h.user_api_key_id = k.id)));

REVOKE ALL ON TABLE "public"."api_key_states" FROM "anon", "authenticated";

CREATE VIEW "public"."hub_listings" WITH (security_invoker=true) AS  SELECT a.id,
    a.slug,
    a.asset_type,
    a.title,
    a.description,
    a.tags,
    a.thumbnail_url,
    a.picture,
    a.license,
    a.price_cents,
    a.currency,
        CASE
            WHEN (p.user_id IS NOT NULL) THEN jsonb_build_object('username', p.username, 'avatar_url', p.avatar_url, 'verified', (p.verified_at IS NOT NULL))
            ELSE NULL::jsonb
        END AS creator,
    a.install_count,
    a.star_count,
    a.published_at,
    a.content_updated_at,
    a.remix_depth,
    a.current_version AS version
   FROM (public.hub_assets a
     LEFT JOIN public.hub_profiles p ON ((p.user_id = a.creator_id)))
  WHERE a.is_visible;

CREATE INDEX hub_allowed_content_asset_id_idx ON private.hub_allowed_content USING btree (asset_id);

CREATE INDEX hub_bans_banned_by_idx ON private.hub_bans USING btree (banned_by);

CREATE INDEX hub_calls_user_id_idx ON private.hub_calls USING btree (user_id, kind, at);

CREATE INDEX hub_creators_most_installed_idx ON private.hub_creators USING btree (total_installs DESC, user_id DESC)
  WHERE (published_assets > 0);

CREATE INDEX hub_creators_most_starred_idx ON private.hub_creators USING btree (total_stars DESC, user_id DESC)
  WHERE (published_assets > 0);

CREATE INDEX hub_creators_newest_idx ON private.hub_creators USING btree (listed_at DESC, user_id DESC)
  WHERE (published_assets > 0);

CREATE INDEX hub_documents_document_idx ON private.hub_documents USING gin (document)
  WITH (fastupdate=off);

CREATE INDEX hub_documents_popular_idx ON private.hub_documents USING gin (document)
  WITH (fastupdate=off)
  WHERE (popularity >= 4);

CREATE INDEX hub_documents_popularity_idx ON private.hub_documents USING btree (popularity DESC, asset_id DESC);

CREATE INDEX hub_documents_title_key_idx ON private.hub_documents USING btree (title_key, popularity DESC, asset_id DESC);

CREATE INDEX hub_former_names_given_up_at_idx ON private.hub_former_names USING btree (given_up_at);

CREATE INDEX hub_former_names_user_id_idx ON private.hub_former_names USING btree (user_id, given_up_at DESC);

CREATE INDEX hub_idempotent_responses_created_at_idx ON private.hub_idempotent_responses USING btree (created_at);

CREATE INDEX hub_listing_tags_most_installed_idx ON private.hub_listing_tags USING btree (TAG, install_count DESC, asset_id DESC) INCLUDE (tag_bits);

CREATE INDEX hub_listing_tags_most_starred_idx ON private.hub_listing_tags USING btree (TAG, star_count DESC, asset_id DESC) INCLUDE (tag_bits);

CREATE INDEX hub_listing_tags_newest_idx ON private.hub_listing_tags USING btree (TAG, published_at DESC, asset_id DESC) INCLUDE (tag_bits);

CREATE INDEX hub_listing_tags_recently_updated_idx ON private.hub_listing_tags USING btree (TAG, content_updated_at DESC, asset_id DESC) INCLUDE (tag_bits);

CREATE INDEX hub_overwritten_asset_id_idx ON private.hub_overwritten USING btree (asset_id, id DESC);

CREATE INDEX hub_overwritten_at_idx ON private.hub_overwritten USING btree (at);

CREATE INDEX hub_scan_tokens_expires_at_idx ON private.hub_scan_tokens USING btree (user_id, expires_at);

CREATE INDEX hub_words_added_by_idx ON private.hub_words USING btree (added_by);

CREATE INDEX hub_words_slips_idx ON private.hub_words USING gin (slips)
  WITH (fastupdate=off);

CREATE INDEX hub_words_word_idx ON private.hub_words USING btree (word);

CREATE INDEX ledger_creator_id_idx ON private.ledger USING btree (creator_id, at);

CREATE INDEX ledger_event_idx ON private.ledger USING btree (PROVIDER, event_id);

CREATE INDEX ledger_order_id_idx ON private.ledger USING btree (order_id);

CREATE INDEX orders_buyer_id_idx ON private.orders USING btree (buyer_id, created_at DESC);

CREATE INDEX orders_newest_idx ON private.orders USING btree (created_at DESC, id DESC);

CREATE UNIQUE INDEX orders_one_open_key ON private.orders USING btree (buyer_id, asset_id)
  WHERE (state = 'open'::text);

CREATE INDEX orders_open_idx ON private.orders USING btree (created_at)
  WHERE (state = 'open'::text);

CREATE INDEX orders_undelivered_idx ON private.orders USING btree (created_at)
  WHERE ((state = 'paid'::text) AND (delivered_at IS NULL));

CREATE INDEX organization_invitations_invited_by_idx ON private.organization_invitations USING btree (invited_by);

CREATE INDEX organization_invitations_organization_id_idx ON private.organization_invitations USING btree (organization_id);

CREATE INDEX payment_events_order_id_idx ON private.payment_events USING btree (order_id)
  WHERE (order_id IS NOT NULL);

CREATE INDEX payment_events_refused_idx ON private.payment_events USING btree (received_at)
  WHERE (outcome <> 'applied'::text);

CREATE INDEX shelf_documents_organization_id_idx ON private.shelf_documents USING btree (organization_id);

CREATE INDEX api_key_agents_user_id_idx ON public.api_key_agents USING btree (user_id);

CREATE INDEX api_key_alerts_created_at_idx ON public.api_key_alerts USING btree (created_at);

CREATE INDEX api_key_alerts_unsent_idx ON public.api_key_alerts USING btree (created_at)
  WHERE (sent_at IS NULL);

CREATE INDEX api_key_alerts_user_id_idx ON public.api_key_alerts USING btree (user_id, created_at);

CREATE INDEX api_key_deleted_user_id_idx ON public.api_key_deleted USING btree (user_id);

CREATE INDEX api_key_starvations_last_refused_at_idx ON public.api_key_starvations USING btree (last_refused_at);

CREATE UNIQUE INDEX api_key_starvations_open_key ON public.api_key_starvations USING btree (user_id, COALESCE(PROVIDER, ''::text), COALESCE(model, ''::text))
  WHERE (ended_at IS NULL);

CREATE INDEX api_key_starvations_user_id_idx ON public.api_key_starvations USING btree (user_id, since);

CREATE INDEX api_key_usage_log_key_idx ON public.api_key_usage_log USING btree (user_api_key_id, COALESCE(agent_id, user_id), issued_at DESC);

CREATE INDEX api_key_usage_log_open_idx ON public.api_key_usage_log USING btree (user_api_key_id, COALESCE(agent_id, user_id), issued_at DESC)
  WHERE (reported_at IS NULL);

CREATE INDEX api_key_usage_log_time_idx ON public.api_key_usage_log USING btree (COALESCE(issued_at, reported_at));

CREATE INDEX custom_components_hub_asset_id_idx ON public.custom_components USING btree (hub_asset_id)
  WHERE (hub_asset_id IS NOT NULL);

CREATE INDEX hub_appeals_asset_id_idx ON public.hub_appeals USING btree (asset_id);

CREATE INDEX hub_appeals_open_idx ON public.hub_appeals USING btree (created_at, id)
  WHERE (state = 'open'::text);

CREATE INDEX hub_appeals_user_id_idx ON public.hub_appeals USING btree (user_id);

CREATE INDEX hub_asset_versions_content_idx ON public.hub_asset_versions USING btree (md5(((payload - 'name'::text))::text));

CREATE INDEX hub_assets_creator_id_idx ON public.hub_assets USING btree (creator_id);

CREATE INDEX hub_assets_creator_newest_idx ON public.hub_assets USING btree (creator_id, published_at DESC, id DESC)
  WHERE is_visible;

CREATE INDEX hub_assets_direct_remixes_idx ON public.hub_assets USING btree (parent_asset_id, published_at DESC, id DESC)
  WHERE (is_visible AND (parent_asset_id IS NOT NULL));

CREATE INDEX hub_assets_further_remixes_idx ON public.hub_assets USING btree (source_asset_id, published_at DESC, id DESC)
  WHERE (is_visible AND (source_asset_id IS NOT NULL) AND (parent_asset_id IS DISTINCT FROM source_asset_id));

CREATE INDEX hub_assets_most_installed_idx ON public.hub_assets USING btree (install_count DESC, id DESC)
  WHERE is_visible;

CREATE INDEX hub_assets_most_starred_idx ON public.hub_assets USING btree (star_count DESC, id DESC)
  WHERE is_visible;

CREATE INDEX hub_assets_newest_idx ON public.hub_assets USING btree (published_at DESC, id DESC)
  WHERE is_visible;

CREATE INDEX hub_assets_organization_id_idx ON public.hub_assets USING btree (organization_id)
  WHERE (organization_id IS NOT NULL);

CREATE INDEX hub_assets_parent_asset_id_idx ON public.hub_assets USING btree (parent_asset_id)
  WHERE (parent_asset_id IS NOT NULL);

CREATE INDEX hub_assets_recently_updated_idx ON public.hub_assets USING btree (content_updated_at DESC, id DESC)
  WHERE is_visible;

CREATE INDEX hub_assets_shelf_installed_idx ON public.hub_assets USING btree (organization_id, install_count DESC, id DESC)
  WHERE is_shared;

CREATE INDEX hub_assets_shelf_newest_idx ON public.hub_assets USING btree (organization_id, shared_at DESC, id DESC)
  WHERE is_shared;

CREATE INDEX hub_assets_shelf_starred_idx ON public.hub_assets USING btree (organization_id, star_count DESC, id DESC)
  WHERE is_shared;

CREATE INDEX hub_assets_shelf_updated_idx ON public.hub_assets USING btree (organization_id, content_updated_at DESC, id DESC)
  WHERE is_shared;

CREATE INDEX hub_assets_source_asset_id_idx ON public.hub_assets USING btree (source_asset_id)
  WHERE (source_asset_id IS NOT NULL);

CREATE INDEX hub_events_asset_id_idx ON public.hub_events USING btree (asset_id);

CREATE INDEX hub_events_decisions_idx ON public.hub_events USING btree (user_id, id DESC)
  WHERE (action = ANY (ARRAY['hidden'::text, 'removed'::text, 'banned'::text]));

CREATE INDEX hub_events_user_id_idx ON public.hub_events USING btree (user_id, at);

CREATE INDEX hub_follows_creator_id_idx ON public.hub_follows USING btree (creator_id);

CREATE INDEX hub_imports_asset_id_idx ON public.hub_imports USING btree (asset_id, user_id);

CREATE UNIQUE INDEX hub_imports_counting_key ON public.hub_imports USING btree (asset_id, user_id)
  WHERE counts;

CREATE INDEX hub_imports_created_at_idx ON public.hub_imports USING btree (created_at);

CREATE INDEX hub_imports_user_id_idx ON public.hub_imports USING btree (user_id);

CREATE INDEX hub_purchases_asset_id_idx ON public.hub_purchases USING btree (asset_id)
  WHERE (revoked_at IS NULL);

CREATE UNIQUE INDEX hub_purchases_live_key ON public.hub_purchases USING btree (user_id, asset_id)
  WHERE (revoked_at IS NULL);

CREATE INDEX hub_purchases_user_id_idx ON public.hub_purchases USING btree (user_id);

CREATE INDEX hub_reports_resolved_by_idx ON public.hub_reports USING btree (resolved_by)
  WHERE (resolved_by IS NOT NULL);

CREATE INDEX hub_stars_starred_at_idx ON public.hub_stars USING btree (starred_at);

CREATE INDEX orchestrator_configs_hub_asset_id_idx ON public.orchestrator_configs USING btree (hub_asset_id)
  WHERE (hub_asset_id IS NOT NULL);

CREATE INDEX organization_members_user_id_idx ON public.organization_members USING btree (user_id);

CREATE INDEX prompt_templates_hub_asset_id_idx ON public.prompt_templates USING btree (hub_asset_id)
  WHERE (hub_asset_id IS NOT NULL);

CREATE INDEX user_api_keys_account_idx ON public.user_api_keys USING btree (user_id, account, id)
  WHERE (account IS NOT NULL);

CREATE INDEX user_api_keys_cooling_idx ON public.user_api_keys USING btree (user_id, priority, ready_at)
  WHERE (NOT is_ready);

CREATE UNIQUE INDEX user_api_keys_fingerprint_key ON public.user_api_keys USING btree (user_id, fingerprint)
  WHERE (fingerprint IS NOT NULL);

CREATE INDEX user_api_keys_selection_idx ON public.user_api_keys USING btree (user_id, priority, is_ready, usage_count, id);

CREATE TRIGGER keyhub_lock_before_deletion
  BEFORE DELETE ON auth.users
  FOR EACH ROW
  EXECUTE FUNCTION private.lock_before_user_deletion();

CREATE TRIGGER keyhub_make_profile
  AFTER INSERT ON auth.users
  FOR EACH ROW
  EXECUTE FUNCTION private.users_make_profile();

CREATE TRIGGER hub_bans_10_lift
  AFTER DELETE ON private.hub_bans
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_bans_lift();

CREATE TRIGGER hub_bans_20_close_appeals
  AFTER DELETE ON private.hub_bans
  FOR EACH ROW
  EXECUTE FUNCTION private.close_appeals();

CREATE TRIGGER hub_bans_apply
  AFTER INSERT ON private.hub_bans
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_bans_apply();

CREATE TRIGGER hub_bans_before_insert
  BEFORE INSERT ON private.hub_bans
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_bans_before_insert();

CREATE TRIGGER hub_bans_before_update
  BEFORE UPDATE ON private.hub_bans
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_bans_before_update();

CREATE TRIGGER hub_bans_forbid_truncate
  BEFORE TRUNCATE ON private.hub_bans
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER hub_moderation_forbid_truncate
  BEFORE TRUNCATE ON private.hub_moderation
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER hub_moderation_protect
  BEFORE DELETE OR UPDATE ON private.hub_moderation
  FOR EACH ROW
  EXECUTE FUNCTION private.protect_moderation();

CREATE CONSTRAINT TRIGGER ledger_adds_up
  AFTER INSERT ON private.ledger DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  EXECUTE FUNCTION private.ledger_adds_up();

CREATE TRIGGER ledger_append_only
  BEFORE DELETE OR UPDATE ON private.ledger
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER ledger_forbid_truncate
  BEFORE TRUNCATE ON private.ledger
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER orders_forbid_delete
  BEFORE DELETE ON private.orders
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER orders_forbid_truncate
  BEFORE TRUNCATE ON private.orders
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER orders_guard
  BEFORE UPDATE ON private.orders
  FOR EACH ROW
  EXECUTE FUNCTION private.orders_guard();

CREATE CONSTRAINT TRIGGER orders_purchases_are_paid
  AFTER UPDATE OF state ON private.orders DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  EXECUTE FUNCTION private.purchases_are_paid();

CREATE TRIGGER payment_events_append_only
  BEFORE DELETE OR UPDATE ON private.payment_events
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER payment_events_forbid_truncate
  BEFORE TRUNCATE ON private.payment_events
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER ai_model_settings_10_before_write
  BEFORE INSERT OR UPDATE ON public.ai_model_settings
  FOR EACH ROW
  EXECUTE FUNCTION private.workspace_before_write();

CREATE TRIGGER ai_model_settings_12_drop_edited_source
  BEFORE UPDATE ON public.ai_model_settings
  FOR EACH ROW
  WHEN (((old.source_text IS NOT NULL) AND (NOT (new.source_text IS DISTINCT FROM old.source_text))))
  EXECUTE FUNCTION private.drop_edited_source('ai_preset');

CREATE TRIGGER ai_model_settings_50_delete_unpublished AFTER DELETE ON public.ai_model_settings
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION private.delete_unpublished_listings (
  'ai_preset'
);

CREATE TRIGGER ai_model_settings_60_count_deleted
  AFTER DELETE ON public.ai_model_settings REFERENCING OLD TABLE AS before_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER ai_model_settings_60_count_inserted
  AFTER INSERT ON public.ai_model_settings REFERENCING NEW TABLE AS after_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER ai_model_settings_60_count_updated
  AFTER UPDATE ON public.ai_model_settings REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER ai_model_settings_lock_caller
  BEFORE INSERT OR DELETE OR UPDATE ON public.ai_model_settings
  FOR EACH STATEMENT
  WHEN ((pg_trigger_depth() = 0))
  EXECUTE FUNCTION private.lock_caller();

CREATE TRIGGER api_key_deleted_forget
  AFTER DELETE ON public.api_key_deleted
  FOR EACH ROW
  EXECUTE FUNCTION private.forget_deleted_key();

CREATE TRIGGER api_key_health_before_update
  BEFORE UPDATE OF blocked_until, user_api_key_id ON public.api_key_health
  FOR EACH ROW
  WHEN ((NOT (old.last_reported_at IS DISTINCT FROM new.last_reported_at)))
  EXECUTE FUNCTION private.api_key_health_before_update();

CREATE TRIGGER api_key_health_copy_block
  AFTER UPDATE OF blocked_until ON public.api_key_health
  FOR EACH ROW
  WHEN
    (((old.blocked_until IS DISTINCT FROM new.blocked_until) OR ((new.blocked_until IS NULL) AND (old.consecutive_failures > 0) AND (new.consecutive_failures = 0) AND (NOT
    (old.last_reported_at IS DISTINCT FROM new.last_reported_at)))))
  EXECUTE FUNCTION private.copy_block_to_key();

CREATE TRIGGER api_key_health_restore_on_delete
  AFTER DELETE ON public.api_key_health
  FOR EACH ROW
  EXECUTE FUNCTION private.restore_api_key_health();

CREATE TRIGGER api_key_health_restore_on_truncate
  AFTER TRUNCATE ON public.api_key_health
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.restore_api_key_health();

CREATE TRIGGER api_key_model_health_before_insert
  BEFORE INSERT ON public.api_key_model_health
  FOR EACH ROW
  EXECUTE FUNCTION private.api_key_model_health_before_insert();

CREATE TRIGGER api_key_model_health_before_update
  BEFORE UPDATE OF blocked_until, user_api_key_id, model ON public.api_key_model_health
  FOR EACH ROW
  WHEN ((NOT (old.last_reported_at IS DISTINCT FROM new.last_reported_at)))
  EXECUTE FUNCTION private.api_key_model_health_before_update();

CREATE TRIGGER api_key_model_health_copy_block
  AFTER INSERT OR DELETE OR UPDATE OF blocked_until ON public.api_key_model_health
  FOR EACH ROW
  EXECUTE FUNCTION private.copy_model_block_to_key();

CREATE TRIGGER api_key_model_health_forget_on_truncate
  AFTER TRUNCATE ON public.api_key_model_health
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.forget_model_blocks();

CREATE TRIGGER api_key_states_read_only
  INSTEAD OF INSERT OR DELETE OR UPDATE ON public.api_key_states
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_state_edit();

CREATE TRIGGER custom_components_10_before_write
  BEFORE INSERT OR UPDATE ON public.custom_components
  FOR EACH ROW
  EXECUTE FUNCTION private.workspace_before_write();

CREATE TRIGGER custom_components_12_drop_edited_source
  BEFORE UPDATE ON public.custom_components
  FOR EACH ROW
  WHEN (((old.source_text IS NOT NULL) AND (NOT (new.source_text IS DISTINCT FROM old.source_text))))
  EXECUTE FUNCTION private.drop_edited_source('component');

CREATE TRIGGER custom_components_15_mirror
  BEFORE INSERT OR UPDATE ON public.custom_components
  FOR EACH ROW
  EXECUTE FUNCTION private.mirror_listing('component');

CREATE TRIGGER custom_components_50_delete_unpublished AFTER DELETE ON public.custom_components
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION private.delete_unpublished_listings (
  'component'
);

CREATE TRIGGER custom_components_60_count_deleted
  AFTER DELETE ON public.custom_components REFERENCING OLD TABLE AS before_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER custom_components_60_count_inserted
  AFTER INSERT ON public.custom_components REFERENCING NEW TABLE AS after_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER custom_components_60_count_updated
  AFTER UPDATE ON public.custom_components REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER custom_components_lock_caller
  BEFORE INSERT OR DELETE OR UPDATE ON public.custom_components
  FOR EACH STATEMENT
  WHEN ((pg_trigger_depth() = 0))
  EXECUTE FUNCTION private.lock_caller();

CREATE TRIGGER hub_admins_before_insert
  BEFORE INSERT OR UPDATE ON public.hub_admins
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_admins_before_insert();

CREATE TRIGGER hub_admins_forbid_truncate
  BEFORE TRUNCATE ON public.hub_admins
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER hub_admins_log
  AFTER INSERT OR DELETE OR UPDATE ON public.hub_admins
  FOR EACH ROW
  EXECUTE FUNCTION private.log_admins();

CREATE TRIGGER hub_appeals_apply_outcome
  AFTER UPDATE OF state ON public.hub_appeals
  FOR EACH ROW
  WHEN ((new.state <> old.state))
  EXECUTE FUNCTION private.hub_appeals_apply();

CREATE TRIGGER hub_appeals_apply
  AFTER INSERT ON public.hub_appeals
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_appeals_apply();

CREATE TRIGGER hub_appeals_before_update
  BEFORE UPDATE ON public.hub_appeals
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_appeals_before_update();

CREATE TRIGGER hub_asset_versions_forbid_delete
  BEFORE DELETE ON public.hub_asset_versions
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_snapshot_delete();

CREATE TRIGGER hub_asset_versions_forbid_truncate
  BEFORE TRUNCATE ON public.hub_asset_versions
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER hub_asset_versions_forbid_update
  BEFORE UPDATE ON public.hub_asset_versions
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_version_change();

CREATE TRIGGER hub_assets_05_limit_edits
  BEFORE UPDATE OF title, description, tags, thumbnail_url ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_assets_limit_edits();

CREATE TRIGGER hub_assets_10_check_text
  BEFORE INSERT OR UPDATE OF title, description, tags, thumbnail_url ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_assets_check_text();

CREATE TRIGGER hub_assets_15_guard_counters_insert
  BEFORE INSERT ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_assets_guard_counters();

CREATE TRIGGER hub_assets_16_derive_picture_insert
  BEFORE INSERT ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_assets_derive_picture();

CREATE TRIGGER hub_assets_20_guard_counters_update
  BEFORE UPDATE OF star_count, install_count ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_assets_guard_counters();

CREATE TRIGGER hub_assets_21_derive_picture_update
  BEFORE UPDATE OF picture ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_assets_derive_picture();

CREATE TRIGGER hub_assets_25_guard_insert
  BEFORE INSERT ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_assets_guard();

CREATE TRIGGER hub_assets_30_guard_update
  BEFORE UPDATE OF id,
    asset_type,
    ref_id,
    creator_id,
    slug,
    title,
    description,
    tags,
    thumbnail_url,
    source_asset_id,
    parent_asset_id,
    remix_depth,
    is_public,
    published_at,
    is_hidden,
    license,
    price_cents,
    currency,
    teaser,
    payment_product_id,
    created_at,
    updated_at, current_version, attribution, hidden_reason, hidden_at, hidden_by_ban, content_updated_at, deleted_at, organization_id, shared_at, picture ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_assets_guard();

CREATE CONSTRAINT TRIGGER hub_assets_50_have_content
  AFTER INSERT OR UPDATE OF is_public, shared_at, organization_id, current_version, deleted_at ON public.hub_assets DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  WHEN ((new.is_public OR (new.shared_at IS NOT NULL)))
  EXECUTE FUNCTION private.hub_assets_have_content();

CREATE TRIGGER hub_assets_55_log_insert_delete
  AFTER INSERT OR DELETE ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_assets_log();

CREATE TRIGGER hub_assets_60_log_update
  AFTER UPDATE OF is_public, shared_at, organization_id, current_version, is_hidden, hidden_reason, deleted_at ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_assets_log();

CREATE TRIGGER hub_assets_65_make_moderation
  AFTER INSERT ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.make_moderation();

CREATE TRIGGER hub_assets_70_on_restore
  AFTER UPDATE OF is_hidden ON public.hub_assets
  FOR EACH ROW
  WHEN ((old.is_hidden AND (NOT new.is_hidden)))
  EXECUTE FUNCTION private.hub_assets_on_restore();

CREATE TRIGGER hub_assets_75_on_tombstone
  AFTER UPDATE OF deleted_at ON public.hub_assets
  FOR EACH ROW
  WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL)))
  EXECUTE FUNCTION private.hub_assets_on_tombstone();

CREATE TRIGGER hub_assets_78_close_appeals
  AFTER UPDATE OF is_hidden, deleted_at ON public.hub_assets
  FOR EACH ROW
  WHEN (((old.is_hidden AND (NOT new.is_hidden)) OR ((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL) AND (new.hidden_reason = 'removed'::text))))
  EXECUTE FUNCTION private.close_appeals();

CREATE TRIGGER hub_assets_80_refresh_mirror
  AFTER INSERT OR DELETE OR UPDATE OF is_public, deleted_at ON public.hub_assets
  FOR EACH ROW
  EXECUTE FUNCTION private.refresh_mirror();

CREATE TRIGGER hub_assets_82_index_insert
  AFTER INSERT ON public.hub_assets
  FOR EACH ROW
  WHEN (new.is_visible)
  EXECUTE FUNCTION private.hub_assets_index();

CREATE TRIGGER hub_assets_83_index_update
  AFTER UPDATE ON public.hub_assets
  FOR EACH ROW
  WHEN ((old.is_visible OR new.is_visible))
  EXECUTE FUNCTION private.hub_assets_index();

CREATE TRIGGER hub_assets_84_index_shelf_insert
  AFTER INSERT ON public.hub_assets
  FOR EACH ROW
  WHEN (new.is_shared)
  EXECUTE FUNCTION private.hub_assets_index_shelf();

CREATE TRIGGER hub_assets_85_index_shelf_update
  AFTER UPDATE ON public.hub_assets
  FOR EACH ROW
  WHEN ((old.is_shared OR new.is_shared))
  EXECUTE FUNCTION private.hub_assets_index_shelf();

CREATE TRIGGER hub_assets_90_count_creators_insert
  AFTER INSERT ON public.hub_assets REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_creators();

CREATE TRIGGER hub_assets_91_count_creators_update
  AFTER UPDATE ON public.hub_assets REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_creators();

CREATE TRIGGER hub_assets_92_count_creators_delete
  AFTER DELETE ON public.hub_assets REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_creators();

CREATE TRIGGER hub_assets_95_clear_audit_note
  AFTER UPDATE OF is_hidden, deleted_at ON public.hub_assets
  FOR EACH STATEMENT
  WHEN ((pg_trigger_depth() = 0))
  EXECUTE FUNCTION private.clear_audit_note();

CREATE TRIGGER hub_assets_begin_edit
  BEFORE UPDATE OF title, description, tags, thumbnail_url ON public.hub_assets
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.hub_assets_begin_edit();

CREATE TRIGGER hub_assets_forbid_truncate
  BEFORE TRUNCATE ON public.hub_assets
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER hub_bundle_items_forbid_delete
  BEFORE DELETE ON public.hub_bundle_items
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_snapshot_delete();

CREATE TRIGGER hub_bundle_items_forbid_truncate
  BEFORE TRUNCATE ON public.hub_bundle_items
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER hub_bundle_items_forbid_update
  BEFORE UPDATE ON public.hub_bundle_items
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER hub_events_append_only
  BEFORE DELETE OR UPDATE ON public.hub_events
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER hub_events_forbid_truncate
  BEFORE TRUNCATE ON public.hub_events
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER hub_follows_before_insert
  BEFORE INSERT ON public.hub_follows
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_follows_before_insert();

CREATE TRIGGER hub_follows_refuse_banned
  BEFORE DELETE ON public.hub_follows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_banned();

CREATE TRIGGER hub_imports_10_refresh_trending
  AFTER INSERT ON public.hub_imports
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refresh_old_trending();

CREATE TRIGGER hub_imports_20_count_added
  AFTER INSERT ON public.hub_imports REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_installs();

CREATE TRIGGER hub_imports_before_write
  BEFORE INSERT OR UPDATE ON public.hub_imports
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_imports_before_write();

CREATE TRIGGER hub_imports_count_removed
  AFTER DELETE ON public.hub_imports REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_installs();

CREATE TRIGGER hub_imports_reset_on_truncate
  AFTER TRUNCATE ON public.hub_imports
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.reset_install_counts();

CREATE TRIGGER hub_pictures_forbid_truncate
  BEFORE TRUNCATE ON public.hub_pictures
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER hub_pictures_refresh_asset
  AFTER INSERT OR DELETE OR UPDATE ON public.hub_pictures
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_pictures_refresh_asset();

CREATE TRIGGER hub_profiles_10_keep_former_name
  AFTER UPDATE OF username ON public.hub_profiles
  FOR EACH ROW
  WHEN ((private.username_key(new.username) <> private.username_key(old.username)))
  EXECUTE FUNCTION private.keep_former_name();

CREATE TRIGGER hub_profiles_20_rename_creator
  AFTER UPDATE ON public.hub_profiles
  FOR EACH ROW
  WHEN (((old.username IS DISTINCT FROM new.username) OR (old.display_name IS DISTINCT FROM new.display_name)))
  EXECUTE FUNCTION private.rename_creator();

CREATE TRIGGER hub_profiles_before_delete
  BEFORE DELETE ON public.hub_profiles
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_profiles_before_delete();

CREATE TRIGGER hub_profiles_before_write
  BEFORE INSERT OR UPDATE ON public.hub_profiles
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_profiles_before_write();

CREATE TRIGGER hub_profiles_keep_deleted_name
  AFTER DELETE ON public.hub_profiles
  FOR EACH ROW
  EXECUTE FUNCTION private.keep_former_name();

CREATE CONSTRAINT TRIGGER hub_purchases_are_paid
  AFTER INSERT OR UPDATE ON public.hub_purchases DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  EXECUTE FUNCTION private.purchases_are_paid();

CREATE TRIGGER hub_purchases_forbid_truncate
  BEFORE TRUNCATE ON public.hub_purchases
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER hub_purchases_guard
  BEFORE INSERT OR UPDATE ON public.hub_purchases
  FOR EACH ROW
  EXECUTE FUNCTION private.purchases_guard();

CREATE TRIGGER hub_receipts_forbid_delete
  BEFORE DELETE ON public.hub_receipts
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_snapshot_delete();

CREATE TRIGGER hub_receipts_forbid_truncate
  BEFORE TRUNCATE ON public.hub_receipts
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER hub_receipts_forbid_update
  BEFORE UPDATE ON public.hub_receipts
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER hub_reports_50_clear_audit_note AFTER UPDATE ON public.hub_reports REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN (
  (pg_trigger_depth() = 0)
) EXECUTE FUNCTION private.clear_audit_note();

CREATE TRIGGER hub_reports_55_count_changed
  AFTER UPDATE ON public.hub_reports REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_reports();

CREATE TRIGGER hub_reports_before_insert
  BEFORE INSERT ON public.hub_reports
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_reports_before_insert();

CREATE TRIGGER hub_reports_before_update
  BEFORE UPDATE ON public.hub_reports
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_reports_before_update();

CREATE TRIGGER hub_reports_count_added
  AFTER INSERT ON public.hub_reports REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_reports();

CREATE TRIGGER hub_reports_count_removed
  AFTER DELETE ON public.hub_reports REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_reports();

CREATE TRIGGER hub_reports_log
  AFTER UPDATE OF resolved ON public.hub_reports
  FOR EACH ROW
  WHEN ((new.resolved AND (NOT old.resolved)))
  EXECUTE FUNCTION private.log_report();

CREATE TRIGGER hub_reports_reset_on_truncate
  AFTER TRUNCATE ON public.hub_reports
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.reset_report_counts();

CREATE TRIGGER hub_settings_forbid_truncate
  BEFORE DELETE OR TRUNCATE ON public.hub_settings
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER hub_stars_10_refresh_trending
  AFTER INSERT ON public.hub_stars
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refresh_old_trending();

CREATE TRIGGER hub_stars_20_count_added
  AFTER INSERT ON public.hub_stars REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_stars();

CREATE TRIGGER hub_stars_before_insert
  BEFORE INSERT ON public.hub_stars
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_stars_before_insert();

CREATE TRIGGER hub_stars_before_update
  BEFORE UPDATE ON public.hub_stars
  FOR EACH ROW
  EXECUTE FUNCTION private.hub_stars_before_update();

CREATE TRIGGER hub_stars_count_removed
  AFTER DELETE ON public.hub_stars REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_stars();

CREATE TRIGGER hub_stars_refuse_banned
  BEFORE DELETE ON public.hub_stars
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_banned();

CREATE TRIGGER hub_stars_reset_on_truncate
  AFTER TRUNCATE ON public.hub_stars
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.reset_star_counts();

CREATE TRIGGER orchestrator_configs_10_before_write
  BEFORE INSERT OR UPDATE ON public.orchestrator_configs
  FOR EACH ROW
  EXECUTE FUNCTION private.workspace_before_write();

CREATE TRIGGER orchestrator_configs_12_drop_edited_source
  BEFORE UPDATE ON public.orchestrator_configs
  FOR EACH ROW
  WHEN (((old.source_text IS NOT NULL) AND (NOT (new.source_text IS DISTINCT FROM old.source_text))))
  EXECUTE FUNCTION private.drop_edited_source('orchestration');

CREATE TRIGGER orchestrator_configs_15_mirror
  BEFORE INSERT OR UPDATE ON public.orchestrator_configs
  FOR EACH ROW
  EXECUTE FUNCTION private.mirror_listing('orchestration');

CREATE TRIGGER orchestrator_configs_50_delete_unpublished AFTER DELETE ON public.orchestrator_configs
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION private.delete_unpublished_listings (
  'orchestration'
);

CREATE TRIGGER orchestrator_configs_60_count_deleted
  AFTER DELETE ON public.orchestrator_configs REFERENCING OLD TABLE AS before_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER orchestrator_configs_60_count_inserted
  AFTER INSERT ON public.orchestrator_configs REFERENCING NEW TABLE AS after_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER orchestrator_configs_60_count_updated
  AFTER UPDATE ON public.orchestrator_configs REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER orchestrator_configs_lock_caller
  BEFORE INSERT OR DELETE OR UPDATE ON public.orchestrator_configs
  FOR EACH STATEMENT
  WHEN ((pg_trigger_depth() = 0))
  EXECUTE FUNCTION private.lock_caller();

CREATE TRIGGER organization_members_keep_owner_delete
  AFTER DELETE ON public.organization_members REFERENCING OLD TABLE AS changed_members
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.keep_owner();

CREATE TRIGGER organization_members_keep_owner_insert
  AFTER INSERT ON public.organization_members REFERENCING NEW TABLE AS changed_members
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.keep_owner();

CREATE TRIGGER organization_members_keep_owner_update
  AFTER UPDATE ON public.organization_members REFERENCING OLD TABLE AS changed_members
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.keep_owner();

CREATE TRIGGER organizations_before_write
  BEFORE INSERT OR UPDATE ON public.organizations
  FOR EACH ROW
  EXECUTE FUNCTION private.organizations_before_write();

CREATE TRIGGER organizations_unshare_all
  AFTER DELETE ON public.organizations
  FOR EACH ROW
  EXECUTE FUNCTION private.unshare_all();

CREATE TRIGGER prompt_templates_10_before_write
  BEFORE INSERT OR UPDATE ON public.prompt_templates
  FOR EACH ROW
  EXECUTE FUNCTION private.workspace_before_write();

CREATE TRIGGER prompt_templates_12_drop_edited_source
  BEFORE UPDATE ON public.prompt_templates
  FOR EACH ROW
  WHEN (((old.source_text IS NOT NULL) AND (NOT (new.source_text IS DISTINCT FROM old.source_text))))
  EXECUTE FUNCTION private.drop_edited_source('template');

CREATE TRIGGER prompt_templates_15_mirror
  BEFORE INSERT OR UPDATE ON public.prompt_templates
  FOR EACH ROW
  EXECUTE FUNCTION private.mirror_listing('template');

CREATE TRIGGER prompt_templates_50_delete_unpublished AFTER DELETE ON public.prompt_templates
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION private.delete_unpublished_listings (
  'template'
);

CREATE TRIGGER prompt_templates_60_count_deleted
  AFTER DELETE ON public.prompt_templates REFERENCING OLD TABLE AS before_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER prompt_templates_60_count_inserted
  AFTER INSERT ON public.prompt_templates REFERENCING NEW TABLE AS after_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER prompt_templates_60_count_updated
  AFTER UPDATE ON public.prompt_templates REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.count_source_usage();

CREATE TRIGGER prompt_templates_lock_caller
  BEFORE INSERT OR DELETE OR UPDATE ON public.prompt_templates
  FOR EACH STATEMENT
  WHEN ((pg_trigger_depth() = 0))
  EXECUTE FUNCTION private.lock_caller();

CREATE TRIGGER user_api_keys_10_check_usage_count_insert
  BEFORE INSERT ON public.user_api_keys
  FOR EACH ROW
  WHEN ((new.usage_count > '1000000000000000'::bigint))
  EXECUTE FUNCTION private.refuse_huge_usage_count();

CREATE TRIGGER user_api_keys_15_check_usage_count_update
  BEFORE UPDATE OF usage_count ON public.user_api_keys
  FOR EACH ROW
  WHEN ((new.usage_count > '1000000000000000'::bigint))
  EXECUTE FUNCTION private.refuse_huge_usage_count();

CREATE TRIGGER user_api_keys_20_before_write
  BEFORE INSERT OR UPDATE OF id,
    user_id,
    key_name,
    api_key_encrypted,
    priority,
    PROVIDER,
    is_active, generation, cooling_until, unusable_reason, unusable_since, account, limited_models, limited_until, skipped_count, fingerprint, key_hint ON public.user_api_keys
  FOR EACH ROW
  EXECUTE FUNCTION private.user_api_keys_before_write();

CREATE TRIGGER user_api_keys_30_check_settings
  BEFORE INSERT OR UPDATE OF settings ON public.user_api_keys
  FOR EACH ROW
  WHEN ((new.settings IS DISTINCT FROM '{}'::jsonb))
  EXECUTE FUNCTION private.check_key_settings();

CREATE TRIGGER user_api_keys_50_after_write
  AFTER INSERT OR UPDATE OF api_key_encrypted, is_active, user_id ON public.user_api_keys
  FOR EACH ROW
  EXECUTE FUNCTION private.user_api_keys_after_write();

CREATE TRIGGER user_api_keys_52_forget_model_blocks
  AFTER UPDATE OF generation, cooling_until, api_key_encrypted, is_active, user_id ON public.user_api_keys
  FOR EACH ROW
  WHEN ((new.generation > old.generation))
  EXECUTE FUNCTION private.forget_model_blocks();

CREATE TRIGGER user_api_keys_55_lower_low_water_mark_insert
  AFTER INSERT ON public.user_api_keys
  FOR EACH ROW
  EXECUTE FUNCTION private.lower_low_water_mark();

CREATE TRIGGER user_api_keys_60_keep_deleted
  AFTER DELETE ON public.user_api_keys
  FOR EACH ROW
  EXECUTE FUNCTION private.keep_deleted_key();

CREATE TRIGGER user_api_keys_60_lower_low_water_mark_update
  AFTER UPDATE ON public.user_api_keys
  FOR EACH ROW
  WHEN (((new.usage_count < old.usage_count) OR (new.is_ready AND (NOT old.is_ready)) OR (new.priority <> old.priority) OR (new.user_id <> old.user_id)))
  EXECUTE FUNCTION private.lower_low_water_mark();

CREATE POLICY "api_key_breakers_service_all" ON "private"."api_key_breakers"
  FOR ALL
  TO "service_role"
  USING (true)
  WITH CHECK (true);

CREATE POLICY "api_key_tiers_service_all" ON "private"."api_key_tiers"
  FOR ALL
  TO "service_role"
  USING (true)
  WITH CHECK (true);

CREATE POLICY "hub_allowed_content_service_select" ON "private"."hub_allowed_content"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_bans_service_select" ON "private"."hub_bans"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_calls_service_select" ON "private"."hub_calls"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_copies_service_select" ON "private"."hub_copies"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_creators_service_select" ON "private"."hub_creators"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_documents_service_select" ON "private"."hub_documents"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_former_names_service_select" ON "private"."hub_former_names"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_idempotent_responses_service_select" ON "private"."hub_idempotent_responses"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_listing_tags_service_select" ON "private"."hub_listing_tags"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_moderation_service_select" ON "private"."hub_moderation"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_overwritten_service_select" ON "private"."hub_overwritten"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_scan_tokens_service_select" ON "private"."hub_scan_tokens"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_snapshots_service_select" ON "private"."hub_snapshots"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_words_service_select" ON "private"."hub_words"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "ledger_service_select" ON "private"."ledger"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "orders_service_select" ON "private"."orders"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "organization_invitations_service_select" ON "private"."organization_invitations"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "payment_events_service_select" ON "private"."payment_events"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "shelf_documents_service_select" ON "private"."shelf_documents"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "workspace_usage_service_select" ON "private"."workspace_usage"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "ai_model_settings_service_select" ON "public"."ai_model_settings"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "api_key_agents_service_select" ON "public"."api_key_agents"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "api_key_alerts_service_insert" ON "public"."api_key_alerts"
  FOR INSERT
  TO "service_role"
  WITH CHECK (true);

CREATE POLICY "api_key_alerts_service_select" ON "public"."api_key_alerts"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "api_key_alerts_service_update" ON "public"."api_key_alerts"
  FOR UPDATE
  TO "service_role"
  USING (true)
  WITH CHECK (true);

CREATE POLICY "api_key_deleted_service_select" ON "public"."api_key_deleted"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "api_key_health_service_all" ON "public"."api_key_health"
  FOR ALL
  TO "service_role"
  USING (true)
  WITH CHECK (true);

CREATE POLICY "api_key_model_health_service_all" ON "public"."api_key_model_health"
  FOR ALL
  TO "service_role"
  USING (true)
  WITH CHECK (true);

CREATE POLICY "api_key_starvations_service_all" ON "public"."api_key_starvations"
  FOR ALL
  TO "service_role"
  USING (true)
  WITH CHECK (true);

CREATE POLICY "api_key_usage_log_service_all" ON "public"."api_key_usage_log"
  FOR ALL
  TO "service_role"
  USING (true)
  WITH CHECK (true);

CREATE POLICY "custom_components_service_select" ON "public"."custom_components"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_admins_select" ON "public"."hub_admins"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "hub_admins_service_select" ON "public"."hub_admins"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_appeals_select" ON "public"."hub_appeals"
  FOR SELECT
  TO "authenticated"
  USING ((((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member)) OR ( SELECT private.is_admin() AS is_admin)));

CREATE POLICY "hub_appeals_service_select" ON "public"."hub_appeals"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_asset_versions_paid_anon" ON "public"."hub_asset_versions"
  AS RESTRICTIVE
  FOR SELECT
  TO "anon"
  USING ((license <> 'paid'::text));

CREATE POLICY "hub_asset_versions_paid" ON "public"."hub_asset_versions"
  AS RESTRICTIVE
  FOR SELECT
  TO "authenticated"
  USING (((license <> 'paid'::text) OR (asset_id = ANY (ARRAY( SELECT private.my_paid_content() AS my_paid_content))) OR ( SELECT private.is_admin() AS is_admin)));

CREATE POLICY "hub_asset_versions_select_anon" ON "public"."hub_asset_versions"
  FOR SELECT
  TO "anon"
  USING (((organization_id IS NULL) AND (EXISTS ( SELECT
   FROM public.hub_assets a
  WHERE
    ((a.id = hub_asset_versions.asset_id) AND a.is_visible AND ((a.current_version = hub_asset_versions.version) OR (hub_asset_versions.is_open AND (hub_asset_versions.yanked_at IS
    NULL))))))));

CREATE POLICY "hub_asset_versions_select" ON "public"."hub_asset_versions"
  FOR SELECT
  TO "authenticated"
  USING ((EXISTS ( SELECT
   FROM public.hub_assets a
  WHERE
    ((a.id = hub_asset_versions.asset_id) AND (((a.deleted_at IS NULL) AND ((a.creator_id = ( SELECT auth.uid() AS uid)) OR ( SELECT private.is_admin() AS is_admin))) OR
    (((hub_asset_versions.organization_id IS NULL) OR (hub_asset_versions.organization_id = ANY (ARRAY( SELECT private.member_organization_ids() AS member_organization_ids)))) AND
    ((a.current_version = hub_asset_versions.version) OR (hub_asset_versions.is_open AND (hub_asset_versions.yanked_at IS NULL)) OR (EXISTS ( SELECT
           FROM public.hub_imports i
          WHERE ((i.asset_id = a.id) AND (i.user_id = ( SELECT auth.uid() AS uid)) AND ((hub_asset_versions.yanked_at IS NULL) OR (i.version = hub_asset_versions.version))))))) OR
            ((hub_asset_versions.license = 'paid'::text) AND (hub_asset_versions.yanked_at IS NULL) AND (a.id = ANY (ARRAY( SELECT private.my_paid_content() AS
            my_paid_content)))))))));

CREATE POLICY "hub_asset_versions_service_select" ON "public"."hub_asset_versions"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_assets_select_anon" ON "public"."hub_assets"
  FOR SELECT
  TO "anon"
  USING (is_visible);

CREATE POLICY "hub_assets_select" ON "public"."hub_assets"
  FOR SELECT
  TO "authenticated"
  USING
    ((is_visible OR (is_shared AND (organization_id = ANY (ARRAY( SELECT private.member_organization_ids() AS member_organization_ids)))) OR ((deleted_at IS NULL) AND ((creator_id
    = ( SELECT auth.uid() AS uid)) OR ( SELECT private.is_admin() AS is_admin))) OR ((shared_at IS
    NOT NULL) AND (NOT hidden_by_ban) AND (organization_id = ANY (ARRAY( SELECT private.led_organization_ids() AS led_organization_ids)))) OR
    ((deleted_at IS NULL) AND (id = ANY (ARRAY( SELECT private.my_paid_content() AS my_paid_content))))));

CREATE POLICY "hub_assets_service_select" ON "public"."hub_assets"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_assets_update" ON "public"."hub_assets"
  FOR UPDATE
  TO "authenticated"
  USING
    (((deleted_at IS NULL) AND (creator_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member) AND ((shared_at IS NULL) OR (organization_id = ANY (ARRAY(
    SELECT private.member_organization_ids() AS member_organization_ids))))))
  WITH CHECK ((creator_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "hub_bundle_items_select_anon" ON "public"."hub_bundle_items"
  FOR SELECT
  TO "anon"
  USING ((EXISTS ( SELECT
   FROM public.hub_asset_versions v
  WHERE ((v.asset_id = hub_bundle_items.asset_id) AND (v.version = hub_bundle_items.version)))));

CREATE POLICY "hub_bundle_items_select" ON "public"."hub_bundle_items"
  FOR SELECT
  TO "authenticated"
  USING ((EXISTS ( SELECT
   FROM public.hub_asset_versions v
  WHERE ((v.asset_id = hub_bundle_items.asset_id) AND (v.version = hub_bundle_items.version)))));

CREATE POLICY "hub_bundle_items_service_select" ON "public"."hub_bundle_items"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_events_select" ON "public"."hub_events"
  FOR SELECT
  TO "authenticated"
  USING (( SELECT private.is_admin() AS is_admin));

CREATE POLICY "hub_events_service_select" ON "public"."hub_events"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_featured_select" ON "public"."hub_featured"
  FOR SELECT
  TO "anon", "authenticated"
  USING ((EXISTS ( SELECT
   FROM public.hub_assets a
  WHERE ((a.id = hub_featured.asset_id) AND a.is_visible))));

CREATE POLICY "hub_featured_service_select" ON "public"."hub_featured"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_follows_service_select" ON "public"."hub_follows"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_imports_select" ON "public"."hub_imports"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "hub_imports_service_select" ON "public"."hub_imports"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_payout_accounts_select" ON "public"."hub_payout_accounts"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "hub_payout_accounts_service_select" ON "public"."hub_payout_accounts"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_pictures_select" ON "public"."hub_pictures"
  FOR SELECT
  TO "anon", "authenticated"
  USING ((EXISTS ( SELECT
   FROM public.hub_assets a
  WHERE (a.id = hub_pictures.asset_id))));

CREATE POLICY "hub_pictures_service_select" ON "public"."hub_pictures"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_profiles_select_anon" ON "public"."hub_profiles"
  FOR SELECT
  TO "anon"
  USING ((NOT private.is_banned(user_id)));

CREATE POLICY "hub_profiles_select" ON "public"."hub_profiles"
  FOR SELECT
  TO "authenticated"
  USING (((user_id = ( SELECT auth.uid() AS uid)) OR ( SELECT private.is_admin() AS is_admin) OR (NOT private.is_banned(user_id))));

CREATE POLICY "hub_profiles_service_select" ON "public"."hub_profiles"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_profiles_update" ON "public"."hub_profiles"
  FOR UPDATE
  TO "authenticated"
  USING (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "hub_purchases_select" ON "public"."hub_purchases"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "hub_purchases_service_select" ON "public"."hub_purchases"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_receipts_select" ON "public"."hub_receipts"
  FOR SELECT
  TO "authenticated"
  USING ((EXISTS ( SELECT
   FROM public.hub_assets a
  WHERE ((a.id = hub_receipts.asset_id) AND (a.deleted_at IS NULL) AND (a.creator_id = ( SELECT auth.uid() AS uid))))));

CREATE POLICY "hub_receipts_service_select" ON "public"."hub_receipts"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_reports_service_select" ON "public"."hub_reports"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_settings_select" ON "public"."hub_settings"
  FOR SELECT
  TO "anon", "authenticated"
  USING (true);

CREATE POLICY "hub_settings_service_select" ON "public"."hub_settings"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "hub_stars_service_select" ON "public"."hub_stars"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "orchestrator_configs_service_select" ON "public"."orchestrator_configs"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "organization_members_select" ON "public"."organization_members"
  FOR SELECT
  TO "authenticated"
  USING ((organization_id = ANY (ARRAY( SELECT private.member_organization_ids() AS member_organization_ids))));

CREATE POLICY "organization_members_service_select" ON "public"."organization_members"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "organizations_select" ON "public"."organizations"
  FOR SELECT
  TO "authenticated"
  USING ((id = ANY (ARRAY( SELECT private.member_organization_ids() AS member_organization_ids))));

CREATE POLICY "organizations_service_select" ON "public"."organizations"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "organizations_update" ON "public"."organizations"
  FOR UPDATE
  TO "authenticated"
  USING ((id = ANY (ARRAY( SELECT private.led_organization_ids() AS led_organization_ids))))
  WITH CHECK ((id = ANY (ARRAY( SELECT private.led_organization_ids() AS led_organization_ids))));

CREATE POLICY "prompt_templates_service_select" ON "public"."prompt_templates"
  FOR SELECT
  TO "service_role"
  USING (true);

CREATE POLICY "user_api_keys_service_all" ON "public"."user_api_keys"
  FOR ALL
  TO "service_role"
  USING (true)
  WITH CHECK (true);

COMMENT ON COLUMN "private"."api_key_breakers"."key_ids" IS 'The last keys that reports disabled, including all that can still count.';

COMMENT ON COLUMN "private"."api_key_breakers"."provider" IS 'Empty for keys that serve any provider.';

COMMENT ON COLUMN "private"."api_key_tiers"."model_marks" IS 'Model marks: {model: {count, id, until}}. Before until, no ready key below (count, id) is free for the model. Everything that makes a key ready, lowers its count or ends a block of a model early empties the marks.';

COMMENT ON COLUMN "private"."api_key_tiers"."next_expiry_check_at" IS 'Leases do not look for expired cooldowns before this time, which is at most half a second ahead.';

COMMENT ON COLUMN "private"."hub_bans"."banned_by" IS 'The admin who banned the user; null when an operator inserted the row.';

COMMENT ON COLUMN "private"."hub_copies"."dismissed_version" IS 'The owner does not want to hear of versions up to this one.';

COMMENT ON COLUMN "private"."hub_copies"."sha256" IS 'private.content_sha256 of the row as it was imported or last updated: when the row''s hash differs, the owner has edited the copy. Null: unknown.';

COMMENT ON COLUMN "private"."hub_creators"."listed_at" IS 'When the creator''s first listing became visible.';

COMMENT ON COLUMN "private"."hub_creators"."names" IS 'The keys of username and display name, as private.name_keys writes them.';

COMMENT ON COLUMN "private"."hub_documents"."document" IS 'Words of title (A), tags (B) and description (C); endings of words (after ~); =type:, =license:, =creator: and =tag: for filters.';

COMMENT ON COLUMN "private"."hub_documents"."popularity" IS 'The logarithm (base 2) of its stars and installs: it seldom changes, so the row is seldom written.';

COMMENT ON COLUMN "private"."hub_documents"."title_key" IS 'The folded title: a listing whose title equals the query is found first.';

COMMENT ON COLUMN "private"."hub_former_names"."user_id" IS 'The user who had the name. No foreign key: the row stays when the account is deleted.';

COMMENT ON COLUMN "private"."hub_idempotent_responses"."request_sha256" IS 'SHA-256 of the request''s canonical form: a key cannot be used for another request.';

COMMENT ON COLUMN "private"."hub_listing_tags"."tag_bits" IS 'The bits of all tags of the listing: the index alone rules out most listings that lack a second tag.';

COMMENT ON COLUMN "private"."hub_moderation"."counting_reports" IS 'Unresolved reports that count towards hiding. Maintained by trigger.';

COMMENT ON COLUMN "private"."hub_moderation"."open_reports" IS 'Unresolved reports. Maintained by trigger.';

COMMENT ON COLUMN "private"."hub_moderation"."reviewed_at" IS 'When the asset was last restored. Reports by accounts created later are not counted for reviewed_version.';

COMMENT ON COLUMN "private"."hub_moderation"."reviewed_version" IS 'The version that was current when the asset was last restored.';

COMMENT ON COLUMN "private"."hub_overwritten"."sha256" IS 'The sha256 of hub_copies at that time.';

COMMENT ON COLUMN "private"."hub_snapshots"."value" IS 'Null when there is so little to count that each call counts it.';

COMMENT ON COLUMN "private"."hub_words"."added_by" IS 'The creator whose listing first had the word; an account adds at most 5,000.';

COMMENT ON COLUMN "private"."hub_words"."slips" IS 'Forms of the word with letters left out: words that differ by a typing error share one of these, and at most 64 words share one.';

COMMENT ON COLUMN "private"."ledger"."kind" IS 'Why the amount moved: the sale, a refund, a dispute, or the provider''s fee.';

COMMENT ON COLUMN "private"."orders"."account_id" IS 'The creator''s account at the provider.';

COMMENT ON COLUMN "private"."orders"."checkout_id" IS 'The provider''s id of the payment page.';

COMMENT ON COLUMN "private"."orders"."delivered_at" IS 'When the buyer first got access to the listing.';

COMMENT ON COLUMN "private"."orders"."fee_cents" IS 'The platform''s share of the price.';

COMMENT ON COLUMN "private"."orders"."payment_id" IS 'The provider''s id of the payment; refunds need it.';

COMMENT ON COLUMN "private"."orders"."title" IS 'Title of the listing at the time of the order.';

COMMENT ON COLUMN "private"."organization_invitations"."email_hash" IS 'For an invitation of one address: SHA-256 over the id of the row and the address in lower case. Null: anybody who has the link may use it.';

COMMENT ON COLUMN "private"."payment_events"."object_id" IS 'The payment, refund, dispute or account that the event is about.';

COMMENT ON COLUMN "private"."payment_events"."outcome" IS 'mismatch: amount, currency or provider differ from the order, so that the event changes nothing; unknown: the event belongs to no order or account of ours.';

COMMENT ON COLUMN "private"."payment_events"."provider_fee_cents" IS 'The provider''s fee for it, as far as the provider has reported one.';

COMMENT ON COLUMN "private"."shelf_documents"."title_key" IS 'The folded title: an exact match comes first.';

COMMENT ON COLUMN "private"."workspace_usage"."byte_count" IS 'Bytes of the rows as JSON text, without compression: private.source_bytes.';

COMMENT ON COLUMN "public"."api_key_agents"."revoked_at" IS 'From this time on the token is refused.';

COMMENT ON COLUMN "public"."api_key_alerts"."claimed_until" IS 'Until then a call of keyhub-alerts is sending it; later another call may.';

COMMENT ON COLUMN "public"."api_key_alerts"."kind" IS 'One row per change of state. pool_starved: for a minute no key could be leased, or no key comes back by itself; pool_recovered: a key was leased again; key_disabled: a report disabled a key; key_unopenable: a sealed text could not be opened; many_at_once: reports would have disabled more keys of the provider within a minute than allowed, so that further keys cool down.';

COMMENT ON COLUMN "public"."api_key_alerts"."provider" IS 'Provider of the keys; null for keys that serve any provider.';

COMMENT ON COLUMN "public"."api_key_alerts"."sent_at" IS 'When keyhub-alerts delivered it to KEYHUB_ALERT_URL.';

COMMENT ON COLUMN "public"."api_key_alerts"."user_api_key_id" IS 'The key that caused it. No foreign key: the alert outlives the key.';

COMMENT ON COLUMN "public"."api_key_deleted"."id" IS 'The id that the key had in user_api_keys.';

COMMENT ON COLUMN "public"."api_key_health"."blocked_until" IS 'The key cools down while this is later than now; null: no cooldown.';

COMMENT ON COLUMN "public"."api_key_health"."consecutive_failures" IS 'Number of rate and quota outages in a row: the exponent of the cooldown.';

COMMENT ON COLUMN "public"."api_key_health"."last_failure_at" IS 'Time of the newest failure that changed something; a success on a lease issued before it is stale.';

COMMENT ON COLUMN "public"."api_key_health"."last_reported_at" IS 'Time of the newest report of any class, to the second. A report that changes nothing does not update it while another transaction holds the row.';

COMMENT ON COLUMN "public"."api_key_health"."rate_blocked_until" IS 'End of the last block by a rate or quota failure; a failure on a lease issued before it belongs to the same outage and cannot escalate.';

COMMENT ON COLUMN "public"."api_key_health"."reason" IS 'What set the present block or disabled the key: an outcome of set-key-state, many_at_once, blocked_by_operator or disabled_by_operator.';

COMMENT ON COLUMN "public"."api_key_health"."reason_code" IS 'The error code of the report behind reason.';

COMMENT ON COLUMN "public"."api_key_health"."reason_log_id" IS 'The usage log row of that report. No foreign key: pruning looks here and keeps the row.';

COMMENT ON COLUMN "public"."api_key_health"."reason_since" IS 'When the present block or the disabling began.';

COMMENT ON COLUMN "public"."api_key_health"."recent_server_errors" IS 'Times of the newest tolerated server errors in a row, oldest first.';

COMMENT ON COLUMN "public"."api_key_model_health"."caused_by_log_id" IS 'The usage log row of the report behind reason. No foreign key: pruning looks here and keeps the row.';

COMMENT ON COLUMN "public"."api_key_model_health"."model" IS 'Lower case and without the prefix models/, as get-active-key passes it on.';

COMMENT ON COLUMN "public"."api_key_model_health"."reset_at" IS 'When an operator last reset it; a report on a lease issued before that is stale.';

COMMENT ON COLUMN "public"."api_key_starvations"."ended_at" IS 'When a key was leased again.';

COMMENT ON COLUMN "public"."api_key_starvations"."model" IS 'The requested model, when keys were limited for that model alone.';

COMMENT ON COLUMN "public"."api_key_starvations"."provider" IS 'The requested provider; null: any.';

COMMENT ON COLUMN "public"."api_key_starvations"."refusals" IS 'Refused calls, counted at most once a second.';

COMMENT ON COLUMN "public"."api_key_starvations"."soonest_at" IS 'When the first key comes back, according to the last refusal; null: no key comes back by itself.';

COMMENT ON COLUMN "public"."api_key_usage_log"."agent_id" IS 'The agent that holds the lease; null when the user called with an access token. No foreign key, for the same reason as user_id.';

COMMENT ON COLUMN "public"."api_key_usage_log"."blocked_until" IS 'The end of the block after the report, as the call returned it.';

COMMENT ON COLUMN "public"."api_key_usage_log"."consecutive_failures" IS 'The count after the report, as the call returned it.';

COMMENT ON COLUMN "public"."api_key_usage_log"."dead" IS 'True when the answer said that the key is dead.';

COMMENT ON COLUMN "public"."api_key_usage_log"."hint" IS 'What happened to the provider''s hint: used, capped or ignored; null when there was none.';

COMMENT ON COLUMN "public"."api_key_usage_log"."issued_at" IS 'When the key was leased; null for a report without a lease.';

COMMENT ON COLUMN "public"."api_key_usage_log"."model" IS 'The model that the key was leased for, or that the report named.';

COMMENT ON COLUMN "public"."api_key_usage_log"."scope" IS 'What the reported answer was about: request, model, key or account; null where it says nothing about a key.';

COMMENT ON COLUMN "public"."api_key_usage_log"."user_api_key_id" IS 'The key. No foreign key: the rows stay when the key is deleted (api_key_deleted keeps its name).';

COMMENT ON COLUMN "public"."api_key_usage_log"."user_id" IS 'Owner of the pool. No foreign key: it would make all leases of a pool lock the same user row.';

COMMENT ON COLUMN "public"."hub_appeals"."answer" IS 'The answer of an admin, which the creator reads.';

COMMENT ON COLUMN "public"."hub_appeals"."asset_id" IS 'The listing that was hidden or removed; null for a ban.';

COMMENT ON COLUMN "public"."hub_appeals"."event_id" IS 'The decision: an entry of hub_events with the action hidden, removed or banned. No foreign key: entries are never deleted.';

COMMENT ON COLUMN "public"."hub_asset_versions"."changelog" IS 'What changed, in plain text.';

COMMENT ON COLUMN "public"."hub_asset_versions"."is_open" IS 'Whether readers still see it when another version is current. False for versions that were published before histories were open.';

COMMENT ON COLUMN "public"."hub_asset_versions"."label" IS 'The owner''s name for the version, such as 1.2; unique in the listing.';

COMMENT ON COLUMN "public"."hub_asset_versions"."organization_id" IS 'The organization whose members may read it; null: everybody. It stays with the version, whatever happens to the listing. No foreign key: a closed organization has no members.';

COMMENT ON COLUMN "public"."hub_asset_versions"."scan" IS 'Findings of the component scan: rules and lines, and whether the publisher confirmed them. Importers see them as warnings.';

COMMENT ON COLUMN "public"."hub_asset_versions"."sha256" IS 'SHA-256 of the payload''s canonical form (RFC 8785).';

COMMENT ON COLUMN "public"."hub_asset_versions"."yanked_at" IS 'When the owner withdrew the version: it cannot be imported any more; the owner of a copy can still read it.';

COMMENT ON COLUMN "public"."hub_assets"."attribution" IS 'What this was imported or remixed from: {root, parent, via: [...], claimed}; root, parent and each of via are {id, title, slug, creator_id, license, version, remix_depth}. Written once; an update of a copy changes only the versions and never removes an origin.';

COMMENT ON COLUMN "public"."hub_assets"."content_updated_at" IS 'When the current version was published.';

COMMENT ON COLUMN "public"."hub_assets"."current_version" IS 'The version that readers see; 0 before the first publication. An operator may set it back to an older stored version.';

COMMENT ON COLUMN "public"."hub_assets"."deleted_at" IS 'When the listing became a tombstone: its content is deleted, id and slug stay. Triggers do this when the column is set.';

COMMENT ON COLUMN "public"."hub_assets"."hidden_by_ban" IS 'The creator is banned. Maintained from private.hub_bans; kept when a banned creator deletes the account.';

COMMENT ON COLUMN "public"."hub_assets"."hidden_reason" IS 'reports, moderator, the reason of an upheld report, or removed. The owner can read it.';

COMMENT ON COLUMN "public"."hub_assets"."install_count" IS 'Number of distinct signed-in users, other than the creator, who imported it. Maintained by a trigger.';

COMMENT ON COLUMN "public"."hub_assets"."is_hidden" IS 'Hidden by moderation. Clearing it restores the listing and dismisses its open reports.';

COMMENT ON COLUMN "public"."hub_assets"."is_shared" IS 'On the shelf of its organization, where only members see it.';

COMMENT ON COLUMN "public"."hub_assets"."is_visible" IS 'Public on the hub: policies, indexes and functions use no other predicate for that.';

COMMENT ON COLUMN "public"."hub_assets"."organization_id" IS 'The organization that it is or was shared in; stays when it is taken off the shelf or the organization is closed. Null: it was never shared, or it has been published for everybody since. No foreign key: content for members only stays private when the organization is gone.';

COMMENT ON COLUMN "public"."hub_assets"."parent_asset_id" IS 'The direct parent of a remix.';

COMMENT ON COLUMN "public"."hub_assets"."payment_product_id" IS 'The provider''s product, such as stripe:<product>; set when the listing is first published as paid.';

COMMENT ON COLUMN "public"."hub_assets"."picture" IS 'SHA-256 of its picture in hub_pictures; null without a picture. Maintained by a trigger.';

COMMENT ON COLUMN "public"."hub_assets"."pinned_version" IS 'For a copy: the version of its origin that its owner stays with, so that newer versions are not announced. Null: the copy follows its origin.';

COMMENT ON COLUMN "public"."hub_assets"."price_cents" IS 'In the minor unit of currency; 0 unless the license is paid.';

COMMENT ON COLUMN "public"."hub_assets"."published_at" IS 'When it was first published; republishing does not change it.';

COMMENT ON COLUMN "public"."hub_assets"."ref_id" IS 'The row in the source table of asset_type. No foreign key: a listing stays when its source is deleted.';

COMMENT ON COLUMN "public"."hub_assets"."shared_at" IS 'When it was put on the shelf of its organization; null: it is not on a shelf.';

COMMENT ON COLUMN "public"."hub_assets"."slug" IS 'Part of the permalink. Made at the first publication; unique, also among tombstones.';

COMMENT ON COLUMN "public"."hub_assets"."source_asset_id" IS 'The root of the lineage, however long the lineage is.';

COMMENT ON COLUMN "public"."hub_assets"."star_count" IS 'Number of its rows in hub_stars. Maintained by a trigger.';

COMMENT ON COLUMN "public"."hub_assets"."teaser" IS 'The text of a paid listing that everybody reads instead of its content.';

COMMENT ON COLUMN "public"."hub_assets"."updated_at" IS 'Last change of the row, except changes of the counters.';

COMMENT ON COLUMN "public"."hub_bundle_items"."attribution" IS 'Attribution of the item itself, as in hub_assets. Null when the item is an original work of the kit''s creator.';

COMMENT ON COLUMN "public"."hub_bundle_items"."license" IS 'The license for using the item without the kit.';

COMMENT ON COLUMN "public"."hub_events"."actor_id" IS 'The signed-in user who did it; null for operators and for the system. No foreign key.';

COMMENT ON COLUMN "public"."hub_events"."asset_id" IS 'The affected listing. No foreign key.';

COMMENT ON COLUMN "public"."hub_events"."note" IS 'Note for admins and operators.';

COMMENT ON COLUMN "public"."hub_events"."public_note" IS 'The admin''s message to the creator about a listing that was hidden or removed, or about a ban.';

COMMENT ON COLUMN "public"."hub_events"."user_id" IS 'The affected user. No foreign key.';

COMMENT ON COLUMN "public"."hub_imports"."counts" IS 'Whether this row is counted: one row for each user other than the creator. Maintained by a trigger.';

COMMENT ON COLUMN "public"."hub_imports"."created" IS 'The rows that the import made: [{asset_type, table, id, hub_asset_id, title}].';

COMMENT ON COLUMN "public"."hub_payout_accounts"."charges_enabled" IS 'Whether the provider takes payments for the account: only then can its owner sell.';

COMMENT ON COLUMN "public"."hub_payout_accounts"."reported_at" IS 'The provider''s time of the newest event about the account; older events that arrive later change nothing.';

COMMENT ON COLUMN "public"."hub_pictures"."sha256" IS 'SHA-256 of the bytes. It is part of the picture''s address, so that an address never shows another picture.';

COMMENT ON COLUMN "public"."hub_profiles"."created_at" IS 'Shown as "member since": when the account was created, or the profile if it was made later.';

COMMENT ON COLUMN "public"."hub_profiles"."username" IS 'ASCII letters, digits, _ and -, 3 to 30; unique by private.username_key.';

COMMENT ON COLUMN "public"."hub_profiles"."verified_at" IS 'When an admin verified the identity of the creator, who then has a badge and pays a lower fee.';

COMMENT ON COLUMN "public"."hub_purchases"."revoked_reason" IS 'The state of the order, or operator: revoked by hand.';

COMMENT ON COLUMN "public"."hub_reports"."counts" IS 'Whether the report counts towards hiding. False when an earlier report of the reporter on this version was dismissed, when the reporter''s account was created after the version was restored, or when the reporter is younger than hub_settings.min_reporter_age, banned or deleted.';

COMMENT ON COLUMN "public"."hub_reports"."version" IS 'The version that was reported; after a dismissal the version that was current then.';

COMMENT ON COLUMN "public"."hub_reports"."work_holder" IS 'The holder of the rights in that work.';

COMMENT ON COLUMN "public"."hub_reports"."work_url" IS 'For a copyright report: the address of the work that the listing copies.';

COMMENT ON COLUMN "public"."hub_settings"."contact_url" IS 'Where people without an account report a work of theirs: an https or mailto address that the pages show.';

COMMENT ON COLUMN "public"."hub_settings"."currency" IS 'The currency of new prices (ISO 4217). Existing listings and orders keep their currency.';

COMMENT ON COLUMN "public"."hub_settings"."fee_bps" IS 'The platform''s share of a sale, in hundredths of a percent. Existing orders keep their share.';

COMMENT ON COLUMN "public"."hub_settings"."min_reporter_age" IS 'A report of a younger account is stored but does not count towards hiding a listing.';

COMMENT ON COLUMN "public"."hub_settings"."verified_fee_bps" IS 'The platform''s share of a sale of a verified creator.';

COMMENT ON COLUMN "public"."organization_members"."role" IS 'owner: everything. admin: invites, removes members and decides about reported listings. member: reads, shares, imports, stars and reports.';

COMMENT ON COLUMN "public"."organizations"."slug" IS 'Part of the address of its shelf: 3 to 40 small letters, digits and single hyphens. Unique by private.username_key.';

COMMENT ON COLUMN "public"."user_api_keys"."account" IS 'Keys of a pool with the same provider and account share their limits, such as the keys of one organization or project at the provider. At most 100 keys; null: the key shares its limits with no other key.';

COMMENT ON COLUMN "public"."user_api_keys"."api_key_encrypted" IS 'HPKE sealed text hpke.v1.<kid>.<enc>.<ciphertext>, bound to user_id. Made by: npm run seal -- --user <user_id>, which appends #<fingerprint>.<hint>; a trigger moves that part into fingerprint and key_hint.';

COMMENT ON COLUMN "public"."user_api_keys"."cooling_until" IS 'Copy of api_key_health.blocked_until, kept by a trigger; edit it there. When the block is over, an edit or the first lease that finds it expired clears this column.';

COMMENT ON COLUMN "public"."user_api_keys"."fingerprint" IS 'Identifies a key without revealing it: the first 32 hex digits of SHA-256 over keyhub-fingerprint:v1:<user_id>:<key>. Taken from the end of the sealed text; null when the text had none (npm run reseal adds it).';

COMMENT ON COLUMN "public"."user_api_keys"."generation" IS 'Rises when an operator replaces the ciphertext, re-enables the key, gives it to another user or resets its block; reports on leases of an older generation are stale.';

COMMENT ON COLUMN "public"."user_api_keys"."is_ready" IS 'True when the key may be leased without comparing times. A key whose cooldown has just ended becomes ready only when a lease clears the expired cooldown.';

COMMENT ON COLUMN "public"."user_api_keys"."key_hint" IS 'The last four characters of a key of 16 or more; characters other than letters, digits, _ and - are shown as *. Taken from the end of the sealed text.';

COMMENT ON COLUMN "public"."user_api_keys"."limited_models" IS 'Copy of the blocks in api_key_model_health, kept by a trigger; edit them there. An expired block stays listed until a lease for the model finds it.';

COMMENT ON COLUMN "public"."user_api_keys"."limited_until" IS 'The end of the block of each of limited_models, in the same order.';

COMMENT ON COLUMN "public"."user_api_keys"."priority" IS 'Keys with a higher priority are leased first.';

COMMENT ON COLUMN "public"."user_api_keys"."provider" IS 'Lower case, such as openai; null serves any provider.';

COMMENT ON COLUMN "public"."user_api_keys"."ready_at" IS 'The key may be leased when this is <= now; infinity when waiting cannot help. Leases and the view api_key_states both use it.';

COMMENT ON COLUMN "public"."user_api_keys"."sealed_kid" IS 'Name (kid) of the seal pair that the text was sealed to.';

COMMENT ON COLUMN "public"."user_api_keys"."settings" IS 'Returned with the lease: base_url (https), organization, project. Must not hold secrets.';

COMMENT ON COLUMN "public"."user_api_keys"."skipped_count" IS 'The amount that was added to usage_count when the key joined its peers or came back to them.';

COMMENT ON COLUMN "public"."user_api_keys"."unusable_reason" IS 'Set when the sealed text could not be opened; cleared when the ciphertext changes.';

COMMENT ON COLUMN "public"."user_api_keys"."unusable_since" IS 'When unusable_reason was set.';

COMMENT ON COLUMN "public"."user_api_keys"."usage_count" IS 'Orders the keys of one priority; rises by one with each lease. A key that is added, enabled, moved or comes back from a block starts at the least count of its peers; usage_count - skipped_count is the exact number of leases.';

COMMENT ON EXTENSION "fuzzystrmatch" IS 'determine similarities and distance between strings';

COMMENT ON FUNCTION "private"."accept_invitation"(text) IS 'Implements accept_invitation.';

COMMENT ON FUNCTION "private"."add_api_key"(text, text, text, text, integer) IS 'Implements add_api_key.';

COMMENT ON FUNCTION "private"."add_to_creators"(private.creator_change[]) IS 'Adds the changes of visible listings to the sums of their creators.';

COMMENT ON FUNCTION "private"."adds_secret"(text, text) IS 'Returns whether an edit of a short text adds something that looks like a secret and was not there before.';

COMMENT ON FUNCTION "private"."alert_once"(uuid, text, text, uuid, jsonb, double precision) IS 'Writes an alert for a pool and provider unless one of that kind was written less than quiet_seconds ago. The caller must prevent two concurrent calls.';

COMMENT ON FUNCTION "private"."alert_starvation"(public.api_key_starvations, text, jsonb) IS 'Writes an alert about a starvation.';

COMMENT ON FUNCTION "private"."all_sources"() IS 'Returns all source rows of all users.';

COMMENT ON FUNCTION "private"."allow_content"(uuid, text) IS 'Implements hub_allow_content.';

COMMENT ON FUNCTION "private"."api_key_health_before_update"() IS 'Keeps the reason of a block in step with the block when somebody edits it by hand.';

COMMENT ON FUNCTION "private"."api_key_model_health_before_insert"() IS 'Keeps at most 200 rows for a key.';

COMMENT ON FUNCTION "private"."api_key_model_health_before_update"() IS 'Does for the row of a model what private.api_key_health_before_update does for a key.';

COMMENT ON FUNCTION "private"."appeal"(uuid, text) IS 'Implements hub_appeal.';

COMMENT ON FUNCTION "private"."apply_account_event"(text, text, text, boolean, timestamp with time zone) IS 'Implements hub_apply_account_event.';

COMMENT ON FUNCTION "private"."apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) IS 'Implements hub_apply_payment_event.';

COMMENT ON FUNCTION "private"."apply_report"(uuid, uuid, uuid, public.api_key_usage_log, private.key_report) IS 'The locked path of report_api_key, for a report that may change the key: applies next_state to the key, or to one model of it. lease is null when the report names only a key. Returns the row of the log. Raises PT404, and 55P03 when another transaction holds the health row or reported first: nothing was done, call again.';

COMMENT ON FUNCTION "private"."as_one_line"(text) IS 'Returns a title or name as one line, without the characters that has_breaks_or_invisible refuses; null when nothing is left.';

COMMENT ON FUNCTION "private"."asset_card"(public.hub_assets) IS 'Returns the card of a listing that the caller may see.';

COMMENT ON FUNCTION "private"."asset_cards"(uuid[], uuid) IS 'Returns the cards of visible listings in the order of the given ids, or of listings on the shelf of an organization.';

COMMENT ON FUNCTION "private"."asset_for_admin"(uuid, boolean) IS 'Locks and returns an asset for an admin or operator. Raises 42501, PT404 asset_not_found.';

COMMENT ON FUNCTION "private"."asset_types"() IS 'Returns all types of assets.';

COMMENT ON FUNCTION "private"."ban_creator"(uuid, text, text) IS 'Implements hub_ban_creator.';

COMMENT ON FUNCTION "private"."begin_checkout"(uuid, text, text, integer) IS 'Implements hub_begin_checkout.';

COMMENT ON FUNCTION "private"."begin_onboarding"(uuid, text, text) IS 'Implements hub_begin_onboarding.';

COMMENT ON FUNCTION "private"."begin_organization_write"(uuid) IS 'Locks the caller''s profile and the organization; returns the caller''s role in it. Raises 42501 without an account, PT403 banned, PT404 organization_not_found.';

COMMENT ON FUNCTION "private"."begin_preview"(uuid, integer) IS 'Implements hub_begin_preview.';

COMMENT ON FUNCTION "private"."begin_refund"(uuid, integer, text) IS 'Implements hub_begin_refund.';

COMMENT ON FUNCTION "private"."begin_write"(uuid, boolean) IS 'Locks the profile and the user; every write to the hub calls it first. Raises 42501 without an account (PT401 invalid_credential when an edge function calls), PT403 banned, PT503 unavailable while the account is being deleted.';

COMMENT ON FUNCTION "private"."categories"() IS 'Implements hub_categories.';

COMMENT ON FUNCTION "private"."check_importable"(uuid, uuid, integer, text) IS 'Checks that a user may import that version. Raises PT403 purchase_required, PT404 asset_not_found, PT409 version_yanked.';

COMMENT ON FUNCTION "private"."check_key_settings"() IS 'Raises PT422 unless settings is an object with no members but the texts base_url, organization and project, none of which looks like a secret; the message never repeats them.';

COMMENT ON FUNCTION "private"."check_offer"(uuid, text, integer, text, text) IS 'Checks and returns the offer of a publication; it is empty unless the license is paid. Raises PT422 payout_account_required or validation_failed.';

COMMENT ON FUNCTION "private"."check_version_notes"(text, text) IS 'Checks label and changelog and returns them as they are stored; empty ones are null. Raises PT422 validation_failed.';

COMMENT ON FUNCTION "private"."clean"(text) IS 'Returns the text without white space around it; null when nothing of it is visible.';

COMMENT ON FUNCTION "private"."clear_audit_note"() IS 'Clears an admin''s note at the end of the statement that it belongs to.';

COMMENT ON FUNCTION "private"."close_appeals"() IS 'Closes the open appeals when the ban is lifted or the listing restored (accepted), and when it is removed (rejected).';

COMMENT ON FUNCTION "private"."close_links"(uuid, uuid) IS 'Revokes the invitations of an organization by which a user could come back, or that the user made.';

COMMENT ON FUNCTION "private"."close_reports"(uuid[], text) IS 'Closes all open reports of these assets with this outcome.';

COMMENT ON FUNCTION "private"."compare_creators"() IS 'Returns, for each creator, what private.hub_creators says and what the visible listings add up to.';

COMMENT ON FUNCTION "private"."compare_usage"() IS 'Returns, for each account, what private.workspace_usage says and what its rows add up to.';

COMMENT ON FUNCTION "private"."content_of"(text, jsonb) IS 'Returns the columns of a source row that an import writes: neither its name, nor a listing''s description, nor an API key.';

COMMENT ON FUNCTION "private"."content_sha256"(text, jsonb) IS 'Returns a hash that shows whether the content of a source row has changed. It covers the stored form, so it differs from the hash of a version.';

COMMENT ON FUNCTION "private"."copy_block_to_key"() IS 'Copies blocked_until to user_api_keys.cooling_until, as null when an edit moved it into the past; a reset raises the generation.';

COMMENT ON FUNCTION "private"."copy_model_block_to_key"() IS 'Keeps the copy of a model''s block in its key row; when a block ends earlier, empties the model marks of the tier.';

COMMENT ON FUNCTION "private"."copy_rows"(uuid, jsonb, uuid, integer, text, text, boolean) IS 'Inserts the rows of an import, and the row of hub_imports when they come from a listing. Raises PT403 purchase_required, PT404 asset_not_found, PT409 version_yanked, PT422 validation_failed.';

COMMENT ON FUNCTION "private"."count_categories"() IS 'Returns how many visible listings have each of the suggested tags.';

COMMENT ON FUNCTION "private"."count_creators"() IS 'Maintains private.hub_creators after a statement that changed visible listings.';

COMMENT ON FUNCTION "private"."count_installs"() IS 'Adds 1 to install_count with the first import of a user, and subtracts 1 when the user''s last import is deleted.';

COMMENT ON FUNCTION "private"."count_reports"() IS 'Maintains the counts of open reports; the counted report that reaches the threshold hides the asset. Raises PT409 too_many_open_reports.';

COMMENT ON FUNCTION "private"."count_source_usage"() IS 'Counts the changes of a statement in a source table. Raises PT422 limit_reached.';

COMMENT ON FUNCTION "private"."count_stars"() IS 'Changes star_count by the number of stars added or removed.';

COMMENT ON FUNCTION "private"."count_trending"(integer) IS 'Returns the ids of trending listings, best first, from at most `most` of the latest stars, imports and listings each; with null, from all of seven days.';

COMMENT ON FUNCTION "private"."count_usage"(uuid[], integer[], bigint[]) IS 'Adds rows and bytes to the sums of accounts. Raises PT422 limit_reached with the limit and its number.';

COMMENT ON FUNCTION "private"."create_organization"(text, text) IS 'Implements create_organization.';

COMMENT ON FUNCTION "private"."creator"(uuid) IS 'Returns a creator as cards show them; null when the account is deleted or banned.';

COMMENT ON FUNCTION "private"."creator_by_name"(text) IS 'Returns the creator who has a username, or who gave it up in the last 180 days; null for nobody and for a banned creator.';

COMMENT ON FUNCTION "private"."creator_cards"(uuid[]) IS 'Returns creators as the directory shows them, in the given order.';

COMMENT ON FUNCTION "private"."creator_totals"(uuid) IS 'Returns how much a creator has published, and how often it was installed and starred.';

COMMENT ON FUNCTION "private"."creators"(uuid[]) IS 'Returns the creators with these ids as cards show them, without deleted and banned ones.';

COMMENT ON FUNCTION "private"."creators_page"(text, text, jsonb, integer) IS 'Returns creators with visible listings, one page and one more, whose user name or display name contains q; names are compared by their keys.';

COMMENT ON FUNCTION "private"."delete_asset"(uuid) IS 'Implements hub_delete_asset.';

COMMENT ON FUNCTION "private"."delete_unpublished_listings"() IS 'Deletes registry rows that were never published together with their source rows; published ones stay.';

COMMENT ON FUNCTION "private"."deliver"(private.orders) IS 'Gives the buyer of a paid order access to the listing, if both still exist and the buyer does not have access already.';

COMMENT ON FUNCTION "private"."describe_copy"(uuid, uuid) IS 'Implements hub_copy.';

COMMENT ON FUNCTION "private"."directory"(text, text, text, integer) IS 'Implements hub_creators.';

COMMENT ON FUNCTION "private"."dismiss_update"(uuid, integer) IS 'Implements hub_dismiss_update.';

COMMENT ON FUNCTION "private"."drop_edited_source"() IS 'Removes source_text when the content that was read from it changes and source_text does not.';

COMMENT ON FUNCTION "private"."due_lines"(uuid) IS 'Returns what the ledger must hold for an order now, by kind and account.';

COMMENT ON FUNCTION "private"."edit_version"(uuid, integer, text, text) IS 'Implements hub_edit_version.';

COMMENT ON FUNCTION "private"."email_hash"(uuid, text) IS 'Returns the hash by which the address of an invitation is stored; the id makes the hashes of equal addresses differ.';

COMMENT ON FUNCTION "private"."end_starvations"(uuid, uuid, text) IS 'Ends the starvations that the lease of this key ends, and writes an alert for those that had one.';

COMMENT ON FUNCTION "private"."enforce_hourly_limit"(text, timestamp with time zone[], integer) IS 'Enforces an hourly limit, given the times of the calls of the last hour, newest first. Raises PT429 rate_limited with the kind, the limit and retry_after in seconds.';

COMMENT ON FUNCTION "private"."estimate_categories"(integer) IS 'Returns the same counts from a sample of `most` tags of listings; exact when there are fewer.';

COMMENT ON FUNCTION "private"."fault"(text, text, text) IS 'Returns one validation fault, as a list of one element.';

COMMENT ON FUNCTION "private"."feature_asset"(uuid, integer) IS 'Implements hub_feature_asset.';

COMMENT ON FUNCTION "private"."find_asset"(text) IS 'Returns the id of the asset with this id or slug, if the caller may see it.';

COMMENT ON FUNCTION "private"."first_attempt"(uuid) IS 'Returns how many forms of a slug (private.nth_slug) are skipped for a listing of that organization; null: of nobody, so that none is skipped.';

COMMENT ON FUNCTION "private"."fold"(text) IS 'Returns a text without case, accents and width.';

COMMENT ON FUNCTION "private"."following"(text, integer) IS 'Returns the ids of a page of hub_following, and its cursor.';

COMMENT ON FUNCTION "private"."following_page"(uuid, jsonb, integer) IS 'Returns visible listings of the creators whom a user follows, newest first, after a place.';

COMMENT ON FUNCTION "private"."forget_deleted_key"() IS 'Deletes the log rows of a deleted key together with its name: when the account is deleted, or when an operator deletes the row.';

COMMENT ON FUNCTION "private"."forget_model_blocks"() IS 'Deletes the model rows of a key that is reset, replaced, enabled or given away; TRUNCATE resets every model.';

COMMENT ON FUNCTION "private"."former_owner"(text) IS 'Returns the user who gave up the name with this key in the last 180 days.';

COMMENT ON FUNCTION "private"."free_names"(uuid, jsonb) IS 'Returns names for new rows of a workspace, by place: the title on one line, or "title (2)" and so on when a row of that type already has this name.';

COMMENT ON FUNCTION "private"."from_cursor"(text, jsonb) IS 'Decodes a cursor of this list to its place. Raises PT400 malformed_cursor for any other text.';

COMMENT ON FUNCTION "private"."get_response"(uuid, text, text, text) IS 'Returns the stored answer to this request of a user from the last 24 hours; null when there is none. Raises PT422 idempotency_key_reused.';

COMMENT ON FUNCTION "private"."has_breaks_or_invisible"(text) IS 'Returns whether a text of one line, such as a title or a name, has a line break, a tab or invisible characters.';

COMMENT ON FUNCTION "private"."has_invisible_characters"(text) IS 'Returns whether a text of several lines has invisible characters, which can make it look like another text.';

COMMENT ON FUNCTION "private"."has_many_acts"() IS 'Returns whether seven days hold more acts of one kind than hub_trending counts in a call.';

COMMENT ON FUNCTION "private"."hide_asset"(uuid, text, text) IS 'Implements hub_hide_asset.';

COMMENT ON FUNCTION "private"."hub_admins_before_insert"() IS 'Refuses a banned user as admin. Raises PT409 user_is_banned.';

COMMENT ON FUNCTION "private"."hub_appeals_apply"() IS 'Logs an appeal and its outcome; an accepted one restores the listing or lifts the ban, also when an operator edits the row.';

COMMENT ON FUNCTION "private"."hub_appeals_before_update"() IS 'Lets only answer change, and state once. Raises PT409 append_only or appeal_resolved.';

COMMENT ON FUNCTION "private"."hub_assets_begin_edit"() IS 'Takes the locks of an owner''s edit in the lock order of all writes. Raises PT403 banned.';

COMMENT ON FUNCTION "private"."hub_assets_check_text"() IS 'Normalises and checks those of title, description, tags and thumbnail that have changed. Raises PT422 mixed_script, validation_failed or secret_detected; never repeats a value.';

COMMENT ON FUNCTION "private"."hub_assets_derive_picture"() IS 'Maintains hub_assets.picture under any edit.';

COMMENT ON FUNCTION "private"."hub_assets_guard"() IS 'Maintains dependent columns under any edit and refuses changes of fixed columns. Raises PT409 asset_is_fixed.';

COMMENT ON FUNCTION "private"."hub_assets_guard_counters"() IS 'Keeps the value of a counter that is edited by hand.';

COMMENT ON FUNCTION "private"."hub_assets_have_content"() IS 'Refuses a public or shared listing whose current version is not stored, or is stored for other readers. Raises PT409 version_missing.';

COMMENT ON FUNCTION "private"."hub_assets_index"() IS 'Keeps the search document of a listing current while the listing is visible, and deletes it afterwards.';

COMMENT ON FUNCTION "private"."hub_assets_index_shelf"() IS 'Keeps the search document of a listing current while it is on a shelf, and deletes it afterwards.';

COMMENT ON FUNCTION "private"."hub_assets_limit_edits"() IS 'Counts an owner''s edit of a listing, at most 600 an hour. Raises PT429 rate_limited.';

COMMENT ON FUNCTION "private"."hub_assets_log"() IS 'Logs publication and moderation, also when somebody edits the row by hand.';

COMMENT ON FUNCTION "private"."hub_assets_on_restore"() IS 'Dismisses the open reports and records the reviewed version when is_hidden is cleared.';

COMMENT ON FUNCTION "private"."hub_assets_on_tombstone"() IS 'Deletes versions, items, receipts, stars, the picture and the entry in hub_featured when deleted_at is set; upholds the open reports when the listing was removed.';

COMMENT ON FUNCTION "private"."hub_bans_apply"() IS 'Hides all assets of a banned creator, upholds the open reports on them, and logs the ban.';

COMMENT ON FUNCTION "private"."hub_bans_before_insert"() IS 'Refuses a ban on an admin or on oneself. Raises PT422 cannot_ban_admin or cannot_ban_self.';

COMMENT ON FUNCTION "private"."hub_bans_before_update"() IS 'Refuses to move a ban to another user. Raises PT409 append_only.';

COMMENT ON FUNCTION "private"."hub_bans_lift"() IS 'Clears hidden_by_ban, and nothing else, when a ban is lifted.';

COMMENT ON FUNCTION "private"."hub_follows_before_insert"() IS 'Makes following idempotent and limits it. Raises PT403 banned, PT422 limit_reached or validation_failed.';

COMMENT ON FUNCTION "private"."hub_imports_before_write"() IS 'Refuses to move an import to another asset or user, and ignores edits of counts. Raises PT409 append_only.';

COMMENT ON FUNCTION "private"."hub_pictures_refresh_asset"() IS 'Updates hub_assets.picture when a picture changes.';

COMMENT ON FUNCTION "private"."hub_profiles_before_delete"() IS 'Refuses to delete a profile while its user exists. Raises PT409 append_only.';

COMMENT ON FUNCTION "private"."hub_profiles_before_write"() IS 'Checks the changed columns of a profile. Raises PT403 banned, PT409 username_taken or display_name_taken, PT422 validation_failed or secret_detected; never repeats a value.';

COMMENT ON FUNCTION "private"."hub_reports_before_insert"() IS 'Checks a new report and sets the columns that a reporter may not set. Raises PT403 banned, PT409 already_reported, PT422 details_required, own_asset or validation_failed.';

COMMENT ON FUNCTION "private"."hub_reports_before_update"() IS 'Keeps the fixed columns, sets those of a closed report, and stops counting a report of a deleted account. Raises PT409 report_is_fixed.';

COMMENT ON FUNCTION "private"."hub_stars_before_insert"() IS 'Makes starring idempotent. Raises PT403 banned.';

COMMENT ON FUNCTION "private"."hub_stars_before_update"() IS 'Refuses to move a star to another asset or user. Raises PT409 append_only.';

COMMENT ON FUNCTION "private"."import_asset"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text, boolean, uuid, boolean) IS
  'Imports planned rows into a user''s workspace, all or none, or updates the copy into_copy with them; a dry run does the same and rolls it back. hourly_limit is the limit of imports, or of previews for a dry run. Raises PT401 invalid_credential, PT403 banned or purchase_required, PT404 asset_not_found, PT409 modified_copy or version_yanked, PT422 idempotency_key_reused or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "private"."index_asset"(public.hub_assets) IS 'Writes the search document and the tags of a visible listing, and its new words as far as its creator may add more.';

COMMENT ON FUNCTION "private"."insert_copies"(uuid, jsonb, text, public.hub_assets, text, integer) IS 'Inserts planned rows into a user''s workspace, with their registry rows. Returns them as hub_imports.created has them. Raises PT422 validation_failed.';

COMMENT ON FUNCTION "private"."insert_listing"(uuid, text, uuid, text, text, text, text[], text, text, uuid, private.offer) IS 'Inserts a listing with the first free form of its slug.';

COMMENT ON FUNCTION "private"."insert_sources"(uuid, jsonb, text[]) IS 'Inserts the source rows of an import with the given names. Raises PT422 validation_failed.';

COMMENT ON FUNCTION "private"."invisible_characters"() IS 'Returns the characters that are invisible and that no script needs, as the inside of a bracket expression.';

COMMENT ON FUNCTION "private"."invisible_pattern"() IS 'Returns a regular expression for invisible characters, and for joiners and variation selectors where no script needs them.';

COMMENT ON FUNCTION "private"."invitation"(text) IS 'Implements invitation.';

COMMENT ON FUNCTION "private"."invite_member"(uuid, text, text, integer, integer) IS 'Implements invite_member.';

COMMENT ON FUNCTION "private"."is_admin"() IS 'Returns whether the caller is an admin of the hub. Policies write (select private.is_admin()), so that it runs once per statement.';

COMMENT ON FUNCTION "private"."is_banned"(uuid) IS 'Returns whether that user is banned from writing to the hub.';

COMMENT ON FUNCTION "private"."is_confirmed"(uuid, text, text) IS 'Returns whether this is a valid token of this user for this content.';

COMMENT ON FUNCTION "private"."is_current_content"(uuid, integer, text, text, jsonb) IS 'Returns whether a version has exactly this content: the same hash, license, and items in the same order.';

COMMENT ON FUNCTION "private"."is_https_url"(text) IS 'Returns whether a text is an https address of at most 2048 ASCII characters, without user name or password.';

COMMENT ON FUNCTION "private"."is_member"() IS 'Returns whether the caller is signed in with an account of their own.';

COMMENT ON FUNCTION "private"."is_member_of"(uuid, uuid) IS 'Returns whether that user belongs to that organization.';

COMMENT ON FUNCTION "private"."is_old_enough"(uuid) IS 'Returns whether an account has reached the age from which its reports count.';

COMMENT ON FUNCTION "private"."is_operator"() IS 'Returns whether the statement comes from the SQL editor or the dashboard, not from a request over the API.';

COMMENT ON FUNCTION "private"."is_own_shared"(jsonb, uuid) IS 'Returns whether an origin is a version that the given creator had shared in an organization.';

COMMENT ON FUNCTION "private"."is_reserved_name"(text) IS 'Returns whether a name with this key seems to speak for the hub: it is one of the words in the first list or begins with one in the second.';

COMMENT ON FUNCTION "private"."is_seen_by"(public.hub_assets, uuid) IS 'Returns whether a user sees a listing as a reader: it is visible, or it is on the shelf of one of the user''s organizations.';

COMMENT ON FUNCTION "private"."is_unchanged"(jsonb, jsonb) IS 'Returns whether one of the versions in an attribution has exactly this content, as its own payload or as an item of a kit. The name is not compared: a copy is named after its listing.';

COMMENT ON FUNCTION "private"."is_undelivered"(uuid) IS 'Returns whether an order is paid but its buyer has no access: the money is due back.';

COMMENT ON FUNCTION "private"."issue_my_agent_token"(text) IS 'Implements issue_my_agent_token.';

COMMENT ON FUNCTION "private"."joined_after_restore"(uuid, uuid, integer) IS 'Returns whether an account was created after the asset was restored with that version or a later one.';

COMMENT ON FUNCTION "private"."joined_attribution"(jsonb, jsonb) IS 'Returns an attribution together with the origins that only the earlier one names.';

COMMENT ON FUNCTION "private"."judge_order"(uuid) IS 'Returns the state of an order and the amounts that moved, according to its events.';

COMMENT ON FUNCTION "private"."judge_page_size"(integer) IS 'Checks that a page size is from 1 to 100. Raises PT422 validation_failed.';

COMMENT ON FUNCTION "private"."keep_deleted_key"() IS 'Keeps the name of a deleted key for its log rows; when the account is deleted, deletes the log rows instead.';

COMMENT ON FUNCTION "private"."keep_former_name"() IS 'Stores the user name that a profile had before; keeps the five newest of each user.';

COMMENT ON FUNCTION "private"."keep_overwritten"(uuid, jsonb, jsonb, text) IS 'Stores the overwritten content of a copy for hub_restore_copy.';

COMMENT ON FUNCTION "private"."keep_owner"() IS 'Gives an organization that has lost its last owner a new one: its oldest admin, otherwise its oldest member. Closes an organization without members.';

COMMENT ON FUNCTION "private"."keeps_origins"(jsonb, jsonb) IS 'Returns whether a changed attribution has the same root and parent, in any versions, and still names every work that it named before.';

COMMENT ON FUNCTION "private"."key_caller"(text, uuid) IS 'Returns the user whose pool a caller uses: the agent''s owner, or the signed-in user. Raises PT401 invalid_credential, also when auth has banned or soft-deleted that user.';

COMMENT ON FUNCTION "private"."key_owner"() IS 'Returns the caller, who must have an account. Refuses anonymous sessions.';

COMMENT ON FUNCTION "private"."lease_batch"(uuid, uuid, integer, text, text[], integer, text, bigint, uuid, timestamp with time zone) IS 'Makes the given number of leases from one tier, for a caller that has locked a ready key of it. Takes the least used keys from (start_count, start_id) on that are free for the model and that no other transaction has locked.';

COMMENT ON FUNCTION "private"."least_usage_count"(uuid, integer, uuid, boolean) IS 'Returns the least count of the other ready keys of a user and priority, or, with is_ready false, of the active keys that are not ready; null when there are none.';

COMMENT ON FUNCTION "private"."leave_organization"(uuid) IS 'Implements leave_organization.';

COMMENT ON FUNCTION "private"."led_organization_ids"() IS 'Returns the organizations of which the caller is an owner or admin; for policies, like private.member_organization_ids.';

COMMENT ON FUNCTION "private"."ledger_adds_up"() IS 'Refuses lines of an event that do not add up to zero. Raises PT409 ledger_unbalanced at the commit.';

COMMENT ON FUNCTION "private"."level_for_model"(uuid, integer, text, timestamp with time zone) IS 'Raises the count of keys whose block for the model is over to the least count of the keys that were free for it. At most 64 keys; never waits.';

COMMENT ON FUNCTION "private"."lexemes"(text, text, integer, integer) IS 'Returns the search terms of a text, as the text of a tsvector: words, pairs of characters, and, after ~, the endings of words with at least endings_from letters.';

COMMENT ON FUNCTION "private"."lift_report"(public.api_key_usage_log) IS 'Lifts the effect of a report where it still explains the state of its keys; returns whether there was any. Raises 55P03 like private.apply_report.';

COMMENT ON FUNCTION "private"."limit_calls"(uuid, text, integer) IS 'Counts a call of a user, such as a preview, an import, an edit or a picture, and enforces the hourly limit; null means no limit. Raises PT429 rate_limited.';

COMMENT ON FUNCTION "private"."limit_own_rows"(uuid, text, integer) IS 'Raises PT422 limit_reached when the owner already has the maximum number of keys or of live agents.';

COMMENT ON FUNCTION "private"."limit_publications"(uuid, integer) IS 'Enforces the hourly limit of publications; null means no limit. Raises PT429 rate_limited.';

COMMENT ON FUNCTION "private"."list_orders"(text, text, text) IS 'Implements hub_orders.';

COMMENT ON FUNCTION "private"."live_invitation"(text) IS 'Returns the invitation with that token if somebody can still join with it.';

COMMENT ON FUNCTION "private"."lock_before_user_deletion"() IS 'Locks all rows that the cascades of a deleted account will change, in the lock order.';

COMMENT ON FUNCTION "private"."lock_caller"() IS 'Locks the caller''s profile and account before a statement. Raises 42501 when the account is deleted.';

COMMENT ON FUNCTION "private"."lock_for_report"(uuid, uuid, text, text) IS 'Locks the rows that a report may change and returns the ids of the keys. reach: health (no key row), key, or account (the key, or all active keys of its account). model: also locks the rows of this model. Raises 55P03 when another transaction holds a row: nothing was done, call again.';

COMMENT ON FUNCTION "private"."lock_order"(uuid) IS 'Locks the buyer of an order, then the order. Raises PT503 unavailable while the account is being deleted.';

COMMENT ON FUNCTION "private"."lock_organization"(uuid) IS 'Locks an organization; returns false when it does not exist.';

COMMENT ON FUNCTION "private"."lock_origins"(uuid, jsonb) IS 'Locks the imported listing and the roots of its content.';

COMMENT ON FUNCTION "private"."lock_own_sources"(uuid) IS 'Locks all source rows of a user before they are deleted.';

COMMENT ON FUNCTION "private"."lock_reports"(uuid[], uuid) IS 'Locks the open reports on these assets and every report that this user made or resolved, all of them or none; returns their ids.';

COMMENT ON FUNCTION "private"."lock_source"(text, uuid, uuid) IS 'Locks a source row of a user, which comes before its registry row in the lock order; returns false when the user has no such row.';

COMMENT ON FUNCTION "private"."lock_with_stars"(uuid) IS 'Locks an asset that will become a tombstone, and its stars. Raises PT503 unavailable after 5 seconds of lock conflicts.';

COMMENT ON FUNCTION "private"."log_admins"() IS 'Logs users who became an admin and users who stopped being one.';

COMMENT ON FUNCTION "private"."log_event"(text, uuid, uuid, uuid, jsonb, boolean) IS 'Adds an entry to the audit log.';

COMMENT ON FUNCTION "private"."log_report"() IS 'Logs the outcome of a report.';

COMMENT ON FUNCTION "private"."looks_secret"(text) IS 'Returns whether a short text contains something that looks like a secret.';

COMMENT ON FUNCTION "private"."lower_low_water_mark"() IS 'Keeps the low-water mark of a tier, and its marks for models, at or below every key that becomes ready or gets a lower count.';

COMMENT ON FUNCTION "private"."make_document"(public.hub_assets) IS 'Returns the search document of a listing. No word and no tag holds a quote, a backslash or a blank.';

COMMENT ON FUNCTION "private"."make_moderation"() IS 'Inserts the moderation row of a new asset.';

COMMENT ON FUNCTION "private"."make_profile"(uuid, timestamp with time zone) IS 'Makes a profile with a free name for a user who has none.';

COMMENT ON FUNCTION "private"."member_organization_ids"() IS 'Returns the organizations of the caller. Policies write = any (array(select private.member_organization_ids())), so that it runs once per statement.';

COMMENT ON FUNCTION "private"."mirror_listing"() IS 'Sets hub_asset_id and is_public of a source row from its registry row, if there is one.';

COMMENT ON FUNCTION "private"."mixes_scripts"(text) IS 'Returns whether a word mixes Latin letters with Cyrillic or Greek letters that look like Latin ones.';

COMMENT ON FUNCTION "private"."my_agents"() IS 'Implements my_agents.';

COMMENT ON FUNCTION "private"."my_api_key_log"(uuid, uuid, text, timestamp with time zone) IS 'Implements my_api_key_log.';

COMMENT ON FUNCTION "private"."my_api_key_pools"() IS 'Implements my_api_key_pools.';

COMMENT ON FUNCTION "private"."my_api_keys"() IS 'Implements my_api_keys.';

COMMENT ON FUNCTION "private"."my_decisions"() IS 'Implements hub_my_decisions.';

COMMENT ON FUNCTION "private"."my_paid_content"() IS 'Returns the same for the caller. Policies write (select private.my_paid_content()), so that it runs once per statement.';

COMMENT ON FUNCTION "private"."my_purchases"(uuid) IS 'Implements hub_my_purchases.';

COMMENT ON FUNCTION "private"."name_key"(text) IS 'Returns a name without the details in which look-alike names differ: case, accents, signs, blanks, look-alike letters and digits.';

COMMENT ON FUNCTION "private"."name_keys"(text, text) IS 'Returns the keys of both names of a creator, each after a blank.';

COMMENT ON FUNCTION "private"."next_state"(private.key_state, private.key_report, timestamp with time zone) IS 'Returns the state of a key after a report at a given time, with the effect of the report. Holds what each rule of a report does to the state, and reads no table. Raises PT422 unknown_rule.';

COMMENT ON FUNCTION "private"."normalize_tags"(text[]) IS 'Normalises tags: NFKC, lower case, without a leading #, each tag once.';

COMMENT ON FUNCTION "private"."note_checkout"(uuid, text, text) IS 'Implements hub_note_checkout.';

COMMENT ON FUNCTION "private"."note_starvation"(uuid, text, text, jsonb) IS 'Records that a lease was refused, with the answer of pool_availability, and alerts once: after a minute, or at once when no key comes back by itself.';

COMMENT ON FUNCTION "private"."nth_slug"(text, integer) IS 'Returns the slug itself for the first attempt, then with -2 to -9, then with a random suffix.';

COMMENT ON FUNCTION "private"."offer_scan_token"(uuid, text, integer) IS 'Makes a token with which this user may publish this content in spite of the findings, valid for the given seconds. Raises PT403 banned.';

COMMENT ON FUNCTION "private"."open_appeals"() IS 'Implements hub_open_appeals.';

COMMENT ON FUNCTION "private"."order_for_status"(uuid, uuid) IS 'Implements hub_order_for_status.';

COMMENT ON FUNCTION "private"."order_rank"(text) IS 'Returns the rank of a state. An order moves only to states of a higher rank; only a won dispute leads back to paid.';

COMMENT ON FUNCTION "private"."orders_guard"() IS 'Keeps what was agreed, and lets the state move only forward, as the events say. Raises PT409 order_is_fixed.';

COMMENT ON FUNCTION "private"."orders_to_ask"(integer) IS 'Implements hub_orders_to_ask.';

COMMENT ON FUNCTION "private"."organization_by_slug"(uuid, text) IS 'Returns the organization with that slug; the user is a member of it and stays one until the commit. Raises PT404 organization_not_found.';

COMMENT ON FUNCTION "private"."organization_card"(uuid) IS 'Returns an organization as its members see it; null for everybody else.';

COMMENT ON FUNCTION "private"."organization_invitations"(uuid) IS 'Implements organization_invitations.';

COMMENT ON FUNCTION "private"."organization_of"(uuid, uuid) IS 'Locks the membership of a user who writes to a shelf. Raises PT404 organization_not_found when the user is not a member.';

COMMENT ON FUNCTION "private"."organization_review"(uuid, boolean, text) IS 'Implements organization_review.';

COMMENT ON FUNCTION "private"."organization_review_queue"(uuid) IS 'Implements organization_review_queue.';

COMMENT ON FUNCTION "private"."organizations_before_write"() IS 'Checks name and slug. Raises PT403 banned, PT409 slug_taken, PT422 mixed_script, secret_detected or validation_failed.';

COMMENT ON FUNCTION "private"."origins"(jsonb) IS 'Returns all works that an attribution names: root, parent and via.';

COMMENT ON FUNCTION "private"."own_attribution"(text, uuid) IS 'Returns the attribution of an item of the caller; null for an original.';

COMMENT ON FUNCTION "private"."own_copy"(uuid) IS 'Locks and returns one of the caller''s copies. Raises PT403 banned, PT404 asset_not_found.';

COMMENT ON FUNCTION "private"."own_key"(uuid) IS 'Locks and returns one of the caller''s keys. Raises PT404 key_not_found.';

COMMENT ON FUNCTION "private"."own_listing"(uuid, boolean) IS 'Locks and returns the caller''s own listing. Raises PT403 banned or not_owner (only for assets that the caller sees), PT404 asset_not_found, PT409 not_published.';

COMMENT ON FUNCTION "private"."own_log"(uuid, uuid, uuid, integer) IS 'Returns the newest log rows of each key of a pool and each of its callers.';

COMMENT ON FUNCTION "private"."own_names"(uuid) IS 'Returns the names of all source rows of a user, with their types.';

COMMENT ON FUNCTION "private"."own_version"(uuid, integer) IS 'Returns a version of the caller''s own listing, which it locks, and counts an edit. Raises PT403 banned or not_owner, PT404 asset_not_found or organization_not_found, PT409 not_published, PT429 rate_limited.';

COMMENT ON FUNCTION "private"."paid_content"(uuid) IS 'Returns the listings whose paid versions that user may read: the user''s own, and those with a live purchase.';

COMMENT ON FUNCTION "private"."pin"(uuid, integer) IS 'Implements hub_pin.';

COMMENT ON FUNCTION "private"."pool_availability"(uuid, text, text[], uuid[], text) IS 'Looks at a whole pool without locks. Returns null when a key that is not excluded is available; otherwise the answer of lease_api_key: the counts (limited: blocked for the model alone), the seconds until the first key is free, and, for a provider that the pool has no keys of, the first hundred providers of the pool.';

COMMENT ON FUNCTION "private"."popularity"(public.hub_assets) IS 'Returns the logarithm (base 2, rounded down) of 1 + stars + installs, where an install counts twice.';

COMMENT ON FUNCTION "private"."preview_slug"(text, uuid) IS 'Returns the form of a slug that a new listing would get if only visible listings existed, so that a preview discloses no others.';

COMMENT ON FUNCTION "private"."product_id"(private.offer, uuid) IS 'Returns the listing''s product id at the payment provider, which gets the product with its first checkout; null for a free listing.';

COMMENT ON FUNCTION "private"."protect_moderation"() IS 'Ignores edits of the counts by hand; refuses to delete the row of an existing asset. Raises PT409 append_only.';

COMMENT ON FUNCTION "private"."public_attribution"(jsonb, uuid) IS 'Returns an attribution as everybody may read it: without the versions that this creator had shared in an organization. Creators need no credit for their own work.';

COMMENT ON FUNCTION "private"."publication"(uuid, uuid, integer, boolean, text, text) IS 'Returns a version of a listing as readers get it, with its receipt; shown_slug replaces the slug in a preview.';

COMMENT ON FUNCTION "private"."publish_asset"(uuid, jsonb, text, boolean, integer, text, text) IS 'Implements hub_publish. hourly_limit is the limit of publications; hub_begin_preview counts previews. The ids and times in a preview belong to rows that were rolled back.';

COMMENT ON FUNCTION
  "private"."publish_snapshot"(uuid, text, uuid, text, text, text, text[], text, jsonb, text, text, jsonb, jsonb, jsonb, boolean, integer, text, text, text, integer, text, text) IS
  'Publishes a snapshot, with secrets removed, of a user''s source item: makes a listing or a new version, or changes nothing when the content is unchanged. With an organization, only its members can read it. Raises PT403 banned, PT404 organization_not_found or source_not_found, PT409 already_public, duplicate_content, item_hidden, label_taken, removed or scan_confirmation_required, PT422 mixed_script, organization_only, payout_account_required or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "private"."purchases_are_paid"() IS 'Requires that a live purchase has a paid order. Raises PT409 purchase_unpaid at the commit.';

COMMENT ON FUNCTION "private"."purchases_guard"() IS 'Requires that a purchase has the buyer, asset and price of its order and keeps them; it can only be revoked and given back. Raises PT409 order_is_fixed.';

COMMENT ON FUNCTION "private"."raise_model_mark"(uuid, integer, text) IS 'Moves the mark of a model in a tier up to the first ready key that is not limited for it. Does nothing while another transaction holds the tier. Never waits.';

COMMENT ON FUNCTION "private"."random_username"() IS 'Returns a user name of two words and a number; it discloses nothing about the account.';

COMMENT ON FUNCTION "private"."rebuild_tiers"(uuid) IS 'Rebuilds the tiers of a pool after rows came in without firing triggers, such as from a restored dump.';

COMMENT ON FUNCTION "private"."recently_disabled_keys"(uuid, text, double precision) IS 'Returns the keys of a pool and provider that reports disabled within the window and that are still disabled. Locks the breaker''s row until the transaction ends, so that the number cannot change.';

COMMENT ON FUNCTION "private"."reconcile"() IS 'Implements hub_reconcile.';

COMMENT ON FUNCTION "private"."refresh_mirror"() IS 'Refreshes the mirrors of a source row by an update that fires mirror_listing.';

COMMENT ON FUNCTION "private"."refresh_old_trending"() IS 'Renews the snapshot of trending on a hub without a schedule: the first star or import after a quarter of an hour counts at most 2,000 of the latest acts of each kind.';

COMMENT ON FUNCTION "private"."refresh_tier"(uuid, integer, boolean) IS 'Clears expired cooldowns, the earliest first; moves the low-water mark up to the first ready key; postpones the next expiry check. Does nothing while another transaction holds the tier, or, with only_expired, when no cooldown has expired. Never waits.';

COMMENT ON FUNCTION "private"."refuse_asset_type"(text) IS 'Raises PT422 validation_failed for an unknown asset type.';

COMMENT ON FUNCTION "private"."refuse_banned"() IS 'Raises PT403 banned for a banned caller; row level security alone would silently find no row.';

COMMENT ON FUNCTION "private"."refuse_change"() IS 'Refuses the statement, whatever the role. Raises PT409 append_only.';

COMMENT ON FUNCTION "private"."refuse_changed_copy"() IS 'Raises PT503 unavailable, so that the caller plans the update again.';

COMMENT ON FUNCTION "private"."refuse_faults"(jsonb) IS 'Raises PT422 validation_failed with all faults; does nothing when there are none.';

COMMENT ON FUNCTION "private"."refuse_hidden_items"(uuid, jsonb) IS 'Refuses items whose own listing moderation has hidden or removed. Raises PT409 item_hidden.';

COMMENT ON FUNCTION "private"."refuse_huge_usage_count"() IS 'Refuses a usage_count above 10^15 that was written by hand instead of counted. Raises PT422 validation_failed.';

COMMENT ON FUNCTION "private"."refuse_last_owner"(uuid, uuid) IS 'Called under the lock of the organization. Raises PT409 last_owner when nobody but this user is an owner.';

COMMENT ON FUNCTION "private"."refuse_more"(text, bigint, integer) IS 'Raises PT422 limit_reached when the number has reached its limit.';

COMMENT ON FUNCTION "private"."refuse_other_readers"(uuid, uuid, jsonb, jsonb) IS 'Refuses to publish a copy of a shared listing for readers outside its organization, also as an item of a kit; its creator may. Raises PT422 organization_only with each item.';

COMMENT ON FUNCTION "private"."refuse_role"(text, text[]) IS 'Raises PT403 role_required when a member''s role is none of the needed ones.';

COMMENT ON FUNCTION "private"."refuse_same_content"(uuid, uuid, text, text) IS 'Raises PT409 duplicate_content with the slug of the listing, unless its license or an admin allows the content.';

COMMENT ON FUNCTION "private"."refuse_secret"(text, text, text) IS 'Raises PT422 secret_detected when an edit adds something that looks like a secret.';

COMMENT ON FUNCTION "private"."refuse_snapshot_delete"() IS 'Refuses to delete a snapshot while its listing exists. Raises PT409 append_only.';

COMMENT ON FUNCTION "private"."refuse_state_edit"() IS 'Tells an operator which tables to edit instead.';

COMMENT ON FUNCTION "private"."refuse_usage"(text, bigint) IS 'Raises PT422 limit_reached.';

COMMENT ON FUNCTION "private"."refuse_version_change"() IS 'Refuses changes to the published part of a version. Raises PT409 append_only.';

COMMENT ON FUNCTION "private"."release_lease"(uuid, uuid) IS 'Takes back a lease whose key could not be opened: lowers the count and flags the key until its ciphertext changes.';

COMMENT ON FUNCTION "private"."remix_cards"(uuid[], uuid[], integer) IS 'Returns the cards of a page of remixes in the order of the given ids; the first `directs` of them are direct.';

COMMENT ON FUNCTION "private"."remix_page"(uuid, boolean, timestamp with time zone, uuid, integer) IS 'Returns visible remixes after a place, newest first: those made from the asset itself, or those made from one of its remixes.';

COMMENT ON FUNCTION "private"."remove_api_key"(uuid) IS 'Implements remove_api_key.';

COMMENT ON FUNCTION "private"."remove_asset"(uuid, text, text) IS 'Implements hub_remove_asset.';

COMMENT ON FUNCTION "private"."remove_invisible"(text) IS 'Returns a text without its invisible characters.';

COMMENT ON FUNCTION "private"."remove_member"(uuid, uuid) IS 'Implements remove_member.';

COMMENT ON FUNCTION "private"."rename_creator"() IS 'Updates the stored names of a creator, so that the search finds the present ones.';

COMMENT ON FUNCTION "private"."report_answer"(public.api_key_usage_log) IS 'Returns the answer of set-key-state to a report, from its row in the log.';

COMMENT ON FUNCTION "private"."report_same_answer"(uuid, uuid, public.api_key_usage_log, private.key_report) IS 'Takes a report whose answer the caller also got for another key: records it as caller_fault and lifts the effect of the other report. Returns null when the other report is not the caller''s, is older than a minute, differs, or when one of the two says that its key is dead: then the report counts like any other. Raises 55P03 like private.apply_report.';

COMMENT ON FUNCTION "private"."republish_asset"(uuid) IS 'Implements hub_republish_asset.';

COMMENT ON FUNCTION "private"."require_admin"() IS 'Refuses everybody but admins of the hub and operators.';

COMMENT ON FUNCTION "private"."reset_api_key"(uuid) IS 'Implements reset_api_key.';

COMMENT ON FUNCTION "private"."reset_install_counts"() IS 'Sets the counters to 0 when the table is truncated.';

COMMENT ON FUNCTION "private"."reset_report_counts"() IS 'Sets the counters to 0 when the table is truncated.';

COMMENT ON FUNCTION "private"."reset_star_counts"() IS 'Sets the counters to 0 when the table is truncated.';

COMMENT ON FUNCTION "private"."resolve_appeal"(uuid, boolean, text) IS 'Implements hub_resolve_appeal.';

COMMENT ON FUNCTION "private"."resolve_report"(uuid, text, text, text) IS 'Implements hub_resolve_report.';

COMMENT ON FUNCTION "private"."restore_api_key_health"() IS 'Gives a key a new health row when its row is deleted; the deletion acts as a reset.';

COMMENT ON FUNCTION "private"."restore_asset"(uuid, text) IS 'Implements hub_restore_asset.';

COMMENT ON FUNCTION "private"."restore_copy"(uuid) IS 'Implements hub_restore_copy.';

COMMENT ON FUNCTION "private"."revenue"(date, date) IS 'Implements hub_revenue.';

COMMENT ON FUNCTION "private"."review_queue"() IS 'Implements hub_review_queue.';

COMMENT ON FUNCTION "private"."revoke_invitation"(uuid) IS 'Implements revoke_invitation.';

COMMENT ON FUNCTION "private"."revoke_my_agent"(uuid) IS 'Implements revoke_my_agent.';

COMMENT ON FUNCTION "private"."root_of"(public.hub_assets) IS 'Returns the id of the listing where a lineage begins, as text; for an original its own id.';

COMMENT ON FUNCTION "private"."rows_of_copy"(uuid, uuid) IS 'Returns the rows that the import of a copy has made, with the items of the kit that they come from; item_ref_id is null for the listing itself. Returns nothing when the user has no such copy.';

COMMENT ON FUNCTION "private"."same_content"(uuid, public.hub_assets, text, jsonb) IS 'Returns the oldest visible listing of somebody else that has this content in a version, unless it or its creator is in the lineage of the asset.';

COMMENT ON FUNCTION "private"."search_by_column"(text, tsquery, tsquery, text[], text, uuid, text[], jsonb, integer) IS 'Returns visible listings in the order of a column, each with its value in that column.';

COMMENT ON FUNCTION "private"."search_by_relevance"(text, tsquery, jsonb, integer) IS 'Returns visible listings by how well they match: those worth ranking by score, then the rest by popularity. The last but one has its place, for the cursor.';

COMMENT ON FUNCTION "private"."search_candidates"(tsquery, jsonb) IS 'Returns the matches that are worth ranking: all, or the popular ones down to a floor. above is null on the first page, later the floor of the first page, or a JSON null when it had none.';

COMMENT ON FUNCTION "private"."search_facets"(private.search_request) IS 'Returns how many listings of a result have each type and license, and its most used tags and models.';

COMMENT ON FUNCTION "private"."search_page"(private.search_request, jsonb, integer) IS 'Returns the visible listings of one page and one more, and the place of the last but one, after which the next page begins.';

COMMENT ON FUNCTION "private"."search_plan"(text) IS 'Returns the queries for a typed text; matches is null when the text holds no word.';

COMMENT ON FUNCTION "private"."search_rare"(text, tsquery, jsonb, integer) IS 'Returns listings in the order of a column when few match, by the index of documents.';

COMMENT ON FUNCTION "private"."search_request"(text, text[], text[], text, text, text, text, text, text, integer, uuid) IS 'Checks the arguments of a search and returns them. Raises PT400 malformed_cursor, PT422 validation_failed with every fault.';

COMMENT ON FUNCTION "private"."searched_forms"(text) IS 'Returns the forms of a short text in which secrets are searched: without invisible characters, and also normalised (NFKC).';

COMMENT ON FUNCTION "private"."secret_patterns"() IS 'Returns patterns of texts that look like a secret, one per row; they work in Postgres and in JavaScript.';

COMMENT ON FUNCTION "private"."set_api_key_active"(uuid, boolean) IS 'Implements set_api_key_active.';

COMMENT ON FUNCTION "private"."set_audit_note"(text, text) IS 'Stores an admin''s note and the note for the creator. They go into the entries that this transaction adds to the audit log.';

COMMENT ON FUNCTION "private"."set_member_role"(uuid, uuid, text) IS 'Implements set_member_role.';

COMMENT ON FUNCTION "private"."set_picture"(uuid, text, jsonb, integer) IS 'Implements hub_set_picture.';

COMMENT ON FUNCTION "private"."settle_order"(uuid, text, text) IS 'Brings state, ledger and purchase of an order in line with its events; the new ledger lines belong to the given event.';

COMMENT ON FUNCTION "private"."shelf_page"(private.search_request, uuid, integer) IS 'Returns the listings of one page of a shelf, each with its value in the order; nothing when the caller is not a member.';

COMMENT ON FUNCTION "private"."shown_attribution"(jsonb) IS 'Returns an attribution as a badge shows it: root, parent and via with their authors'' current names and whether they are available, and a sentence about the original.';

COMMENT ON FUNCTION "private"."shown_origin"(jsonb) IS 'Returns an origin of an attribution with its author''s current name, and whether it is available or deleted.';

COMMENT ON FUNCTION "private"."slips"(text) IS 'Returns the beginning of a word with at most one letter left out, or at most two for a long word; nothing for a word with digits, with fewer than 4 or with more than 40 letters.';

COMMENT ON FUNCTION "private"."snapshot"(text, interval) IS 'Returns a snapshot that is not older than max_age; null when there is none.';

COMMENT ON FUNCTION "private"."source_bytes"(jsonb) IS 'Returns the number of bytes that a source row counts for. A new column of a source table changes it, so its migration must recount private.workspace_usage.';

COMMENT ON FUNCTION "private"."source_row"(text, uuid) IS 'Returns a source row with the caller''s rights; null when the caller cannot see such a row.';

COMMENT ON FUNCTION "private"."spelling_candidates"(text) IS 'Returns at most four words of which the given word may be a misspelling; none when a word of a listing begins with it.';

COMMENT ON FUNCTION "private"."starting_with"(text) IS 'Returns the text of a tsquery for all words with this beginning; it lists the words when they are few. Null when there is none.';

COMMENT ON FUNCTION "private"."store_response"(uuid, text, text, text, jsonb) IS 'Stores an answer for 24 hours, in the transaction of the request, and deletes the user''s expired answers.';

COMMENT ON FUNCTION "private"."suggested_tags"() IS 'Returns the suggested tags for browsing the hub: use cases and domains.';

COMMENT ON FUNCTION "private"."tag_bits"(text[]) IS 'Returns one of 64 bits for each tag, combined. A listing with all of the given tags has all of their bits; the reverse need not be true.';

COMMENT ON FUNCTION "private"."tags_are_valid"(text[]) IS 'Returns whether these are at most 20 tags of 1 to 64 letters, digits and + . _ : / -, in any script.';

COMMENT ON FUNCTION "private"."title_key"(text) IS 'Returns a form that is equal for titles that read alike.';

COMMENT ON FUNCTION "private"."to_cursor"(jsonb) IS 'Encodes a place in a list as a cursor.';

COMMENT ON FUNCTION "private"."tombstone"(text) IS 'Returns what is shown of a deleted listing: the fields of an attribution, or only deleted = true when moderation had hidden it. Raises PT404 asset_not_found for any other asset.';

COMMENT ON FUNCTION "private"."trending"(integer) IS 'Returns the ids of the visible listings that trend, best first.';

COMMENT ON FUNCTION "private"."unban_creator"(uuid) IS 'Implements hub_unban_creator.';

COMMENT ON FUNCTION "private"."unbooked"(uuid) IS 'Returns the amounts that the ledger of an order still lacks; none between two events.';

COMMENT ON FUNCTION "private"."unfeature_asset"(uuid) IS 'Implements hub_unfeature_asset.';

COMMENT ON FUNCTION "private"."unpublish_asset"(uuid) IS 'Implements hub_unpublish_asset.';

COMMENT ON FUNCTION "private"."unshare_all"() IS 'Takes the listings of a closed organization off its shelf; only their creators see them then.';

COMMENT ON FUNCTION "private"."unyank_version"(uuid, integer) IS 'Implements hub_unyank_version.';

COMMENT ON FUNCTION "private"."update_copy"(uuid, jsonb, uuid, integer, text, boolean, uuid, boolean) IS 'Replaces the content of an import''s rows with that of another version and adds the items that are new in it; deletes nothing. Raises PT403 purchase_required, PT404 asset_not_found, PT409 modified_copy or version_yanked, PT422 validation_failed, PT503 unavailable.';

COMMENT ON FUNCTION "private"."updates"() IS 'Implements hub_updates.';

COMMENT ON FUNCTION "private"."user_api_keys_after_write"() IS 'Makes the health row of a new key and applies an operator''s edit of a key to its health row.';

COMMENT ON FUNCTION "private"."user_api_keys_before_write"() IS 'Refuses unsealed text, without repeating it, and a key that the pool already has, by PT422. Moves fingerprint and hint from the text into their columns. Keeps generation, usage_count and the copies of blocks correct under any edit of a key row.';

COMMENT ON FUNCTION "private"."username_key"(text) IS 'Returns the form of a user name that must be unique: lower case, no separators, look-alike characters replaced by one of them.';

COMMENT ON FUNCTION "private"."users_make_profile"() IS 'Makes a profile for each new user; never makes a sign-up fail.';

COMMENT ON FUNCTION "private"."verify_creator"(text, boolean) IS 'Implements hub_verify_creator.';

COMMENT ON FUNCTION "private"."versions"(text) IS 'Implements hub_versions.';

COMMENT ON FUNCTION "private"."words"(text) IS 'Returns the words of a text, each whole and in parts (pairs of characters for scripts without spaces).';

COMMENT ON FUNCTION "private"."workspace_before_write"() IS 'Validates a row of any source table. Raises PT422 validation_failed.';

COMMENT ON FUNCTION "private"."write_content"(text, uuid, jsonb) IS 'Replaces the content of a source row; its name and the owner''s other columns stay.';

COMMENT ON FUNCTION "private"."write_version_notes"(uuid, integer, text, text, boolean) IS 'Writes label and changelog of a version; with keeps_missing, a null leaves the stored value as it is. Raises PT409 label_taken.';

COMMENT ON FUNCTION "private"."yank_version"(uuid, integer, text) IS 'Implements hub_yank_version.';

COMMENT ON FUNCTION "public"."accept_invitation"(text) IS 'Makes the caller a member of the organization: {id, slug, name}; a member stays one. Raises PT403 banned or other_address, PT404 invitation_not_found, PT422 limit_reached.';

COMMENT ON FUNCTION "public"."add_api_key"(text, text, text, text, integer) IS 'Adds a key to the caller''s pool. The caller has sealed it, bound to its own user id. Returns {id, name, hint}. At most 200 keys. Raises PT422 account_too_large, duplicate_key, key_not_sealed, limit_reached, provider_not_valid or validation_failed.';

COMMENT ON FUNCTION "public"."claim_api_key_alerts"(integer) IS 'For keyhub-alerts: writes alerts for pools that have been starved for a minute, then returns at most `most` unsent alerts of the last day, oldest first. No other call gets them for two minutes.';

COMMENT ON FUNCTION "public"."create_organization"(text, text) IS 'Makes an organization whose owner is the caller: {id, slug, name}. A user owns at most 20. Raises PT403 banned, PT409 slug_taken, PT422 limit_reached, mixed_script, secret_detected or validation_failed.';

COMMENT ON FUNCTION "public"."hub_allow_content"(uuid, text) IS 'For admins: lets a user publish content that is equal to a version of this listing. Raises 42501, PT404 asset_not_found or user_not_found.';

COMMENT ON FUNCTION "public"."hub_appeal"(uuid, text) IS 'Appeals the latest decision on the caller''s own hidden listing, or, with asset_id null, the ban of the caller; body: 1 to 2000 characters. Returns the id of the appeal. Raises PT404 asset_not_found, PT409 not_hidden, not_banned or already_appealed, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_apply_account_event"(text, text, text, boolean, timestamp with time zone) IS 'For payment-webhook: stores whether the provider takes payments for a creator''s account: {outcome}.';

COMMENT ON FUNCTION "public"."hub_apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) IS 'For payment-webhook: stores an event of the payment provider about an order and applies its effects: {outcome: applied, duplicate, mismatch or unknown; undelivered: whether the payment is due back}. Raises PT503 unavailable while the buyer''s account is being deleted.';

COMMENT ON FUNCTION "public"."hub_asset"(text, integer) IS 'Returns one listing with its content: the current version, or the given older one. Everybody may read an open version that is not yanked, its owner and admins any version, and importers any version except a yanked one that they did not import. For a deleted listing, returns only the fields of an attribution and deleted = true; if moderation had hidden it, only deleted = true. Raises PT404 asset_not_found.';

COMMENT ON FUNCTION "public"."hub_ban_creator"(uuid, text, text) IS 'For admins: hides all assets of a user and refuses all writes of the user to the hub; the user reads public_note. Idempotent. Raises PT404 user_not_found, PT422 cannot_ban_self or cannot_ban_admin.';

COMMENT ON FUNCTION "public"."hub_begin_checkout"(uuid, text, text, integer) IS 'For hub-checkout: returns the order for a listing that is on sale, the open one or a new one; with checkout_url when its payment page exists. Raises PT403 banned, PT404 asset_not_found, PT409 already_purchased or not_for_sale, PT422 own_asset, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_begin_onboarding"(uuid, text, text) IS 'For hub-checkout: returns a creator''s account at the provider, or null; stores the given new account unless there is one. Raises PT403 banned.';

COMMENT ON FUNCTION "public"."hub_begin_preview"(uuid, integer) IS 'For hub-publish: counts a preview before anything is read or scanned for it; hub_publish then gets no limit. Raises PT401 invalid_credential, PT403 banned, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_begin_refund"(uuid, integer, text) IS 'For hub-checkout, called as an admin: logs why a payment or a part of it is refunded, and returns what the provider needs for the refund. amount_cents null: all that is left. The order changes when the provider reports the refund. Raises PT404 order_not_found, also for everybody who is not an admin, PT409 not_refundable, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_categories"() IS 'Returns the suggested use-case and domain tags with the number of listings that have them: {items: [{tag, kind, count}]}.';

COMMENT ON FUNCTION "public"."hub_check_counters"() IS 'For operators: returns one row for each counter that differs from the number of rows it counts; none when all are consistent.';

COMMENT ON FUNCTION "public"."hub_copy"(uuid, uuid) IS 'For hub-import: returns the rows that an import has made: {asset_id, rows: [{asset_type, ref_id: of the item in the kit, null for the listing itself, id}]}. Raises PT404 asset_not_found.';

COMMENT ON FUNCTION "public"."hub_creator"(text) IS 'Returns a creator''s page: profile, totals, and the first page of their listings, which hub_search(creator => …) continues. For a name that was given up in the last 180 days, returns the page of its owner with the current username. Raises PT404 user_not_found.';

COMMENT ON FUNCTION "public"."hub_creators"(text, text, text, integer) IS 'The directory: returns creators with visible listings whose names contain q, ordered by installs, stars or the time of their first listing: {items, next_cursor}. Raises PT400 malformed_cursor, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_delete_asset"(uuid) IS 'Turns the caller''s own listing into a tombstone: versions and stars are deleted, slug and reports stay, remixes keep working; while somebody has bought it, it is only unpublished. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 not_published.';

COMMENT ON FUNCTION "public"."hub_dismiss_update"(uuid, integer) IS 'Makes hub_updates ignore versions up to this one for the caller''s copy. Raises PT403 banned, PT404 asset_not_found, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_edit_version"(uuid, integer, text, text) IS 'Replaces label and changelog of a version of the caller''s own listing; null or empty removes one. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 label_taken or not_published, PT422 secret_detected or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_feature_asset"(uuid, integer) IS 'For admins: adds a visible listing to the curated collection, at the end or at a place, or moves it there. Raises 42501, PT404 asset_not_found, PT409 not_visible.';

COMMENT ON FUNCTION "public"."hub_featured_assets"() IS 'Returns the curated collection in its order: {items}.';

COMMENT ON FUNCTION "public"."hub_following"(text, integer) IS 'Returns the listings of the creators whom the caller follows, newest first: {items, next_cursor}. Raises PT400 malformed_cursor, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_get_response"(uuid, text, text, text) IS 'For the edge functions: returns the stored answer to this request, so that a retry does not depend on later changes. Raises PT422 idempotency_key_reused.';

COMMENT ON FUNCTION "public"."hub_hide_asset"(uuid, text, text) IS 'For admins: hides a visible asset; the note is required, and its creator reads public_note. Raises PT404 asset_not_found, PT409 not_visible.';

COMMENT ON FUNCTION "public"."hub_import"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text, boolean, uuid, boolean) IS 'For hub-import: writes the rows that the core package has planned, in one transaction. Raises PT401 invalid_credential, PT403 banned or purchase_required, PT404 asset_not_found, PT409 modified_copy or version_yanked, PT422 idempotency_key_reused or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_my_decisions"() IS 'Returns the decisions of moderation on the caller''s listings and account (hidden, removed, banned), newest first, at most 200: category, the note for the creator, date, version, and the appeal. A banned user may call it.';

COMMENT ON FUNCTION "public"."hub_my_purchases"(uuid) IS 'Returns the newest 500 paid orders of the caller, or the one with that id in any state: [{order_id, asset_id, title, slug, asset_type, price_cents, currency, refunded_cents, state, readable, created_at, paid_at}]; slug is null when the listing cannot be opened.';

COMMENT ON FUNCTION "public"."hub_note_checkout"(uuid, text, text) IS 'For hub-checkout: stores the payment page that the provider made for an order.';

COMMENT ON FUNCTION "public"."hub_offer_scan_token"(uuid, text, integer) IS 'For hub-publish: makes a token with which this user may publish this content in spite of the findings. Raises PT403 banned.';

COMMENT ON FUNCTION "public"."hub_open_appeals"() IS 'For admins: returns open appeals, each with the decision that it is about, oldest first, at most 500.';

COMMENT ON FUNCTION "public"."hub_order_for_status"(uuid, uuid) IS 'For hub-checkout: returns the data for asking the provider about an order of that user, or, for an admin, of anybody: {order_id, checkout_id, payment_id, price_cents, currency, state}; null when there is no such order.';

COMMENT ON FUNCTION "public"."hub_orders"(text, text, text) IS 'For admins: returns orders, newest first; q is the id of an order, words of a title, or the username of a buyer or creator: {items: [{id, state, title, slug, asset_type, price_cents, currency, fee_cents, refunded_cents, created_at, paid_at, buyer, creator}], next_cursor}. Raises 42501, PT400 malformed_cursor.';

COMMENT ON FUNCTION "public"."hub_orders_to_ask"(integer) IS 'For hub-checkout: returns orders that have been open for more than an hour, and paid orders whose money is due back, oldest first: [{order_id, checkout_id, payment_id, price_cents, currency, undelivered}].';

COMMENT ON FUNCTION "public"."hub_picture"(uuid, text) IS 'Returns the picture of a listing that the caller may see, {media_type, bytes in base64}; null when the listing has no picture with this SHA-256.';

COMMENT ON FUNCTION "public"."hub_pin"(uuid, integer) IS 'Pins the caller''s copy to the version that it has: hub_updates does not list newer ones. Null: the copy follows its origin again. Raises PT403 banned, PT404 asset_not_found, PT409 version_yanked, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_prune"() IS 'For operators: deletes answers older than 24 hours, expired scan tokens, calls older than one hour, overwritten contents of copies older than 30 days, names given up 180 days ago, and words that no visible listing has any more; returns the number of rows.';

COMMENT ON FUNCTION "public"."hub_publish"(uuid, jsonb, text, boolean, integer, text, text) IS 'For hub-publish: publishes prepared content, with secrets removed: {asset_type, ref_id, slug, title, description, tags, thumbnail_url, license, payload, sha256, scan, redactions, items, label, changelog, organization, price_cents, currency, teaser, content_sha256 if the scan has findings}; a dry run returns what would be published and changes nothing. Raises PT403 banned, PT404 organization_not_found or source_not_found, PT409 already_public, duplicate_content, label_taken, removed or scan_confirmation_required, PT422 idempotency_key_reused, mixed_script, organization_only, payout_account_required, secret_detected or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_reconcile"() IS 'For operators: returns what does not agree. ledger, state, purchase: the books differ from the events (never, unless a trigger was disabled); mismatch, unknown: an event whose amount, currency or provider differs from its order, or an event without an order; refund_failed: the buyer did not get the money; undelivered: paid but not delivered, so the money is due back; open: open for more than an hour, and hub-checkout asks the provider.';

COMMENT ON FUNCTION "public"."hub_refresh_discovery"() IS 'For operators and schedules: computes trending and the counts of categories, so that no call has to.';

COMMENT ON FUNCTION "public"."hub_remixes"(uuid, text) IS 'Returns the visible remixes of an asset, direct ones first, then newest first: {items, next_cursor}. Raises PT400 malformed_cursor.';

COMMENT ON FUNCTION "public"."hub_remove_asset"(uuid, text, text) IS 'For admins: removes a hidden asset permanently; a tombstone keeps its id and slug, and its creator reads public_note. Raises PT404 asset_not_found, PT409 not_hidden.';

COMMENT ON FUNCTION "public"."hub_republish_asset"(uuid) IS 'Republishes the caller''s own listing with its current version, to the same readers as before; a hidden listing stays hidden. Raises PT403 banned or not_owner, PT404 asset_not_found or organization_not_found, PT409 not_published.';

COMMENT ON FUNCTION "public"."hub_resolve_appeal"(uuid, boolean, text) IS 'For admins: answers an appeal; accept restores the listing or lifts the ban. Raises PT404 appeal_not_found, PT409 appeal_resolved, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_resolve_report"(uuid, text, text, text) IS 'For admins: dismissed closes one report; upheld closes all open reports on the asset and hides it, and its creator reads public_note. Raises PT404 report_not_found, PT409 report_resolved, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_restore_asset"(uuid, text) IS 'For admins: restores a hidden asset and dismisses its open reports. Raises PT404 asset_not_found, PT409 not_hidden.';

COMMENT ON FUNCTION "public"."hub_restore_copy"(uuid) IS 'Brings back the content that the last update of the caller''s copy overwrote in the last 30 days: {id, asset_type, ref_id, title, version}. Raises PT403 banned, PT404 asset_not_found or nothing_overwritten.';

COMMENT ON FUNCTION "public"."hub_revenue"(date, date) IS 'Returns the caller''s earnings, from the ledger, by day (UTC) and listing, newest first: [{day, asset_id, title, slug, asset_type, currency, sales, gross_cents, fee_cents, refunds_cents, net_cents}]; net = gross - refunds - fee. Raises PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_review_queue"() IS 'For admins: returns the assets that are hidden or have open reports, with these reports; hidden ones first, at most 500.';

COMMENT ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) IS 'Returns visible listings by words and filters: {items, next_cursor, facets?}. Raises PT400 malformed_cursor, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_set_picture"(uuid, text, jsonb, integer) IS 'For hub-picture: gives a listing of the user a checked picture {media_type, bytes in base64, width, height}; with null, removes it. Returns {id, picture}. Raises PT403 banned or not_owner (only for visible assets), PT404 asset_not_found, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_shelf"(text, text, text[], text[], text, text, text, text, text, text, integer) IS 'For members: returns the listings that an organization shares, with the filters and sorts of hub_search: {items, next_cursor}. Raises PT400 malformed_cursor, PT404 organization_not_found, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_sources"(jsonb) IS 'Returns the caller''s own workspace items, without duplicates: [{asset_type, ref_id}] → [{asset_type, ref_id, content: the row, attribution}]. Leaves out items of other users. Raises PT422 validation_failed beyond 12 MiB of JSON.';

COMMENT ON FUNCTION "public"."hub_trending"(integer) IS 'Returns the listings that were installed, starred and remixed most in the last seven days: {items}. Raises PT422 validation_failed.';

COMMENT ON FUNCTION "public"."hub_unban_creator"(uuid) IS 'For admins: lifts a ban; assets that reports or admins have hidden stay hidden. Raises PT404 user_not_found.';

COMMENT ON FUNCTION "public"."hub_unchanged"(jsonb) IS 'For hub-publish: returns for each of contents [{payload, attribution}] whether it is the same as when it was imported: [boolean].';

COMMENT ON FUNCTION "public"."hub_unfeature_asset"(uuid) IS 'For admins: removes a listing from the curated collection; does nothing if the listing is not in it. Raises 42501.';

COMMENT ON FUNCTION "public"."hub_unpublish_asset"(uuid) IS 'Unpublishes the caller''s own listing, or takes it off its shelf; slug, stars, versions and published_at stay. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 not_published.';

COMMENT ON FUNCTION "public"."hub_unyank_version"(uuid, integer) IS 'Takes back the yank of a version of the caller''s own listing; a version that is newer than the current one becomes current again. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 not_published, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_updates"() IS 'Returns the caller''s copies whose source has a newer version (newer_version; not for pinned copies or dismissed versions) or whose version was withdrawn (yanked), and those with a source that was hidden for malicious code (malicious_code) or removed (removed).';

COMMENT ON FUNCTION "public"."hub_verify_creator"(text, boolean) IS 'For admins: marks a creator as verified, or removes the mark; later orders have the corresponding fee. Raises 42501, PT404 user_not_found.';

COMMENT ON FUNCTION "public"."hub_versions"(text) IS 'Returns the newest 100 versions of a listing, newest first: [{version, label, changelog, license, sha256, published_at, yanked, yank_reason, readable}]; readable says whether hub_asset gives the caller its content; sha256 is null for a paid version that the caller has not bought. Raises PT404 asset_not_found.';

COMMENT ON FUNCTION "public"."hub_yank_version"(uuid, integer, text) IS 'Withdraws a version of the caller''s own listing: it cannot be imported any more, and only the owner of a copy can read it. The newest version that is not yanked becomes the current one. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 last_version or not_published, PT422 secret_detected or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."invitation"(text) IS 'Returns the organization that an invitation is for: {name}. Raises PT404 invitation_not_found, also when it is used up, expired or revoked.';

COMMENT ON FUNCTION "public"."invite_member"(uuid, text, text, integer, integer) IS 'For owners and admins: makes an invitation; only owners may invite an admin. Returns {id, token, expires_at}; the token cannot be read again later. With email, only that account can accept it. At most 100 live ones. Raises PT403 banned or role_required, PT404 organization_not_found, PT422 limit_reached or validation_failed.';

COMMENT ON FUNCTION "public"."issue_agent_token"(uuid, text) IS 'Makes an agent of a user''s pool and returns its token, which cannot be read again later. For operators, in the SQL editor.';

COMMENT ON FUNCTION "public"."issue_my_agent_token"(text) IS 'Makes an agent of the caller''s pool: {id, token}; the token cannot be read again later. At most 50 live agents. Raises PT422 limit_reached or validation_failed.';

COMMENT ON FUNCTION "public"."keyhub_schedule"() IS 'For operators: makes or replaces every pg_cron job of the project and returns their names; returns none where pg_cron is not enabled.';

COMMENT ON FUNCTION "public"."lease_api_key"(text, uuid, text, text[], uuid, integer, integer, uuid[], text) IS 'Leases one eligible key of the caller''s pool. For the function get-active-key. kind is leased; none, with the reasons and the seconds until a key is free; or retry: other calls have locked the keys and this call must not wait for them; call again with attempt raised by one. With model, skips keys that are limited for it. With calls above 1, returns an array of that many leases; an answer without a key is for all of them. Skips the keys of exclude unless no other key is left. other_providers lists the providers of the pool when it has no key of the requested one. Raises PT401 invalid_credential, PT503 unavailable, and 55P03 when a lock was not granted in time: nothing was done, call again.';

COMMENT ON FUNCTION "public"."leave_organization"(uuid) IS 'Lets the caller leave the organization; when the last member leaves, it is closed. Raises PT403 banned, PT404 organization_not_found, PT409 last_owner.';

COMMENT ON FUNCTION "public"."my_agents"() IS 'The caller''s agents: [{id, name, created_at, revoked_at, last_used_at}].';

COMMENT ON FUNCTION "public"."my_api_key_log"(uuid, uuid, text, timestamp with time zone) IS 'Returns the last hundred leases and reports of the caller''s pool, newest first. Filters: a key, an agent (the caller''s own id: calls with an access token), an outcome (open: not reported yet), a time that the rows precede: [{id, at, reported_at, key_id, agent_id, model, outcome, error_code, effect, scope}]. The filters outcome and time search the last thousand rows of each key and agent.';

COMMENT ON FUNCTION "public"."my_api_key_pools"() IS 'The caller''s pool by provider, as api_key_pools shows it to operators.';

COMMENT ON FUNCTION "public"."my_api_keys"() IS 'The caller''s keys with their states, never their sealed texts: [{id, name, provider, account, priority, hint, state, why, since, seconds_left, limited_models, usage_count, last_outcome, last_error_code, last_reported_at, created_at}].';

COMMENT ON FUNCTION "public"."my_organizations"() IS 'Returns the organizations of the caller: [{id, slug, name, role, since, members}].';

COMMENT ON FUNCTION "public"."organization_invitations"(uuid) IS 'For owners and admins: returns the newest 200 invitations: [{id, role, for_address, invited_by, created_at, expires_at, max_uses, used, live}]. Raises PT404 organization_not_found.';

COMMENT ON FUNCTION "public"."organization_review"(uuid, boolean, text) IS 'For owners and admins: with keep, dismisses the open reports on a listing of their shelf and shows it again; otherwise hides it, and its creator reads the note. Raises PT403 banned or role_required, PT404 asset_not_found, PT409 hidden_by_hub, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."organization_review_queue"(uuid) IS 'For owners and admins: returns the listings on their shelf that are reported or hidden, hidden ones first, at most 200: [{asset_id, asset_type, slug, title, creator, is_hidden, hidden_reason, open_reports, reports}]. Raises PT404 organization_not_found.';

COMMENT ON FUNCTION "public"."prune_api_key_usage_log"(interval, integer, integer) IS 'Deletes at most batch log rows older than keep and returns their number. Continues where the last call stopped, through the whole log (call it until it returns 0) or through the given number of pages. Keeps the rows that explain a live block or a disabled key. Removes deleted keys that have no log row left from api_key_deleted.';

COMMENT ON FUNCTION "public"."reenable_keys"(uuid, text, timestamp with time zone) IS 'Enables the keys of a pool that reports have disabled since a given time, of one provider or (null) of all, and returns them. Keys that operators disabled stay disabled. For operators.';

COMMENT ON FUNCTION "public"."remove_api_key"(uuid) IS 'Deletes the caller''s key; its name and its log rows stay as long as the log is kept. Raises PT404 key_not_found.';

COMMENT ON FUNCTION "public"."remove_member"(uuid, uuid) IS 'Removes a member: owners may remove anybody, admins only those who are neither owner nor admin. The member keeps imported copies but gets no more updates. Raises PT403 banned or role_required, PT404 member_not_found or organization_not_found, PT409 last_owner.';

COMMENT ON FUNCTION "public"."report_and_lease"(jsonb, text, uuid, text, text[], uuid[], text) IS 'Calls report_api_key and then lease_api_key in one transaction: {reported, lease}. When lease has the kind retry, call lease_api_key alone. For the function get-active-key. Raises the errors of both; then neither was done.';

COMMENT ON FUNCTION "public"."report_api_key"(jsonb, text, uuid, uuid, uuid) IS 'Takes the outcome of one use of a key. For the function set-key-state. report has the fields of private.key_report, as core makes them: outcome, rule, error_code and the rule''s numbers; hint_given: the provider named a wait, even if it cannot be read. An agent may report on its own leases only, the owner of the pool on any. Raises PT401 invalid_credential, PT404 lease_not_found or key_not_found, PT409 already_reported, PT422 lease_key_mismatch, and 55P03 when a row stayed locked: nothing was done, call again.';

COMMENT ON FUNCTION "public"."report_successes"(uuid[], text, uuid) IS 'Reports the successes of one caller in one transaction. Returns an array with the answer of report_api_key for each lease, or {"kind": "retry"} for a lease that the caller must report alone, because the report may change the key, is refused, or would have to wait. Waits for no row. For the function set-key-state. Raises PT401 invalid_credential.';

COMMENT ON FUNCTION "public"."reseal_api_key"(uuid, text, text) IS 'Replaces a key''s sealed text with the same key sealed to a newer pair; returns false when the text changed meanwhile. For operators (npm run reseal).';

COMMENT ON FUNCTION "public"."reset_api_key"(uuid) IS 'Ends the blocks of the caller''s key, and of its models. Raises PT404 key_not_found.';

COMMENT ON FUNCTION "public"."revoke_invitation"(uuid) IS 'For owners and admins: revokes an invitation, so that nobody can join with it any more. Raises PT403 banned or role_required, PT404 invitation_not_found.';

COMMENT ON FUNCTION "public"."revoke_my_agent"(uuid) IS 'Revokes the token of the caller''s agent. Raises PT404 agent_not_found.';

COMMENT ON FUNCTION "public"."set_api_key_active"(uuid, boolean) IS 'Enables or disables the caller''s key. Raises PT404 key_not_found.';

COMMENT ON FUNCTION "public"."set_member_role"(uuid, uuid, text) IS 'For owners: makes a member an owner, admin or member. Raises PT403 banned or role_required, PT404 member_not_found or organization_not_found, PT409 last_owner, PT422 validation_failed.';

COMMENT ON FUNCTION "public"."settle_api_key_alerts"(uuid[], uuid[]) IS 'For keyhub-alerts: marks alerts as sent, and releases the failed ones for the next call.';

COMMENT ON FUNCTION "public"."undo_reports"(uuid, uuid, timestamp with time zone) IS 'Resets the blocks and enables the keys of a pool that an agent''s reports since a given time still explain (agent null: the owner''s reports), and returns them. Blocks and keys that operators have changed stay as they are. For operators.';

COMMENT ON SCHEMA "private" IS 'Internal: never exposed over the API.';

COMMENT ON TABLE "private"."api_key_breakers" IS 'One row per pool and provider that had a key disabled by a report. A report that is about to disable a key locks the row.';

COMMENT ON TABLE "private"."api_key_log_pruning" IS 'One row: the page of the usage log where pruning continues. A wrong value does no harm.';

COMMENT ON TABLE "private"."api_key_tiers" IS 'The tiers of each pool, and where the scan for the least used ready key starts. A tier that lost its keys keeps its row.';

COMMENT ON TABLE "private"."hub_allowed_content" IS 'Users who may publish content that equals a version of this listing, because an admin has checked it.';

COMMENT ON TABLE "private"."hub_bans" IS 'Creators who may not write to the hub. Triggers apply a ban when a row is inserted and lift it when the row is deleted.';

COMMENT ON TABLE "private"."hub_calls" IS 'Previews, imports, edits, pictures and checkouts of the last hour, for their limits. Each call deletes the expired rows of its user; hub_prune deletes those of all users.';

COMMENT ON TABLE "private"."hub_copies" IS 'One row for each copy of a listing.';

COMMENT ON TABLE "private"."hub_creators" IS 'Creators who have or had visible listings, with the sums over the visible ones. Maintained by triggers; hub_check_counters compares the sums.';

COMMENT ON TABLE "private"."hub_documents" IS 'Search documents of visible listings. Maintained by a trigger.';

COMMENT ON TABLE "private"."hub_former_names" IS 'User names that were given up: for 180 days nobody else may take one, and it leads to its former owner.';

COMMENT ON TABLE "private"."hub_idempotent_responses" IS 'Answers of hub-publish and hub-import by Idempotency-Key, for 24 hours.';

COMMENT ON TABLE "private"."hub_listing_tags" IS 'The tags of visible listings, with the columns of each sort. Maintained by a trigger.';

COMMENT ON TABLE "private"."hub_moderation" IS 'One row per asset, inserted with it. When its counted reports reach the threshold of private.count_reports, the asset is hidden.';

COMMENT ON TABLE "private"."hub_overwritten" IS 'Contents that updates of copies have overwritten, kept for 30 days and at most 10 per copy; hub_restore_copy brings one back.';

COMMENT ON TABLE "private"."hub_scan_tokens" IS 'Tokens for confirming the findings of a scan, the newest ten for each content. Only the hash of a token is stored.';

COMMENT ON TABLE "private"."hub_snapshots" IS 'Stored results of trending and of the counts of categories. hub_refresh_discovery writes both; writers of stars and imports renew trending.';

COMMENT ON TABLE "private"."hub_words" IS 'The words of all documents, for completing a beginning and for correcting a misspelling. hub_prune deletes words that no document holds.';

COMMENT ON TABLE "private"."ledger" IS 'Every amount that moved: what an account gained by an event, or lost when negative. The lines of an event add up to zero.';

COMMENT ON TABLE "private"."orders" IS 'Orders, as agreed when the checkout began. state follows from private.payment_events; besides it, only columns that become known later change.';

COMMENT ON TABLE "private"."organization_invitations" IS 'Links by which users join an organization. Only the hash of a token is stored.';

COMMENT ON TABLE "private"."payment_events" IS 'Events that the payment provider reported, each once. The state of an order and its ledger follow from the applied events, whatever the sequence in which they arrived.';

COMMENT ON TABLE "private"."shelf_documents" IS 'Search documents by which members find a shared listing. Maintained by a trigger.';

COMMENT ON TABLE "private"."workspace_usage" IS 'Rows and bytes of each account in the four source tables. Written by triggers; hub_check_counters compares it with the rows.';

COMMENT ON TABLE "public"."ai_model_settings" IS 'AI settings profiles of a user''s workspace. Only the columns on the allow-list of the core package are published.';

COMMENT ON TABLE "public"."api_key_agents" IS 'Agents and the SHA-256 (hex) of their tokens. Revoke with: update api_key_agents set revoked_at = now() where id = ...';

COMMENT ON TABLE "public"."api_key_alerts" IS 'Events that an operator should look at, by pool; keyhub-alerts sends them. Pruned with the usage log.';

COMMENT ON TABLE "public"."api_key_deleted" IS 'Deleted keys that still have rows in api_key_usage_log: written by a trigger, removed by pruning. Deleting a row here also deletes those log rows.';

COMMENT ON TABLE "public"."api_key_health" IS 'One row per key, made with the key. Reset a block with: update api_key_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ...';

COMMENT ON TABLE "public"."api_key_model_health" IS 'Blocks of one model of a key, at most 200 a key; the columns mean what they mean in api_key_health. Reset one with: update api_key_model_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ... and model = ...; a reset of the key in api_key_health resets them all.';

COMMENT ON TABLE "public"."api_key_starvations" IS 'Periods in which no key could be leased, by the provider and model that were asked for. Pruned with the usage log.';

COMMENT ON TABLE "public"."api_key_usage_log" IS 'Who leased which key when, and what was reported. id is the lease id. Never holds a provider''s error text.';

COMMENT ON TABLE "public"."custom_components" IS 'View components of a user''s workspace.';

COMMENT ON TABLE "public"."hub_admins" IS 'Admins of the hub, who moderate it. Operators edit the table: insert into hub_admins (user_id) values (...).';

COMMENT ON TABLE "public"."hub_appeals" IS 'Answers of creators to decisions of moderation. Setting state to accepted restores the listing or lifts the ban.';

COMMENT ON TABLE "public"."hub_asset_versions" IS 'Published snapshots, with secrets removed; deleted only with the listing. The owner may edit label and changelog, and yank a version; nothing else changes. Readers see the current version, and the open ones that are not yanked.';

COMMENT ON TABLE "public"."hub_assets" IS 'Central registry of the hub: listings, private rows of imported copies, and tombstones. Everybody sees the rows with is_visible, members of an organization those with is_shared.';

COMMENT ON TABLE "public"."hub_bundle_items" IS 'The items of a kit, as snapshots. Never updated; deleted only with the listing.';

COMMENT ON TABLE "public"."hub_events" IS 'Audit log of moderation and publication. Append-only for every role, also for operators.';

COMMENT ON TABLE "public"."hub_featured" IS 'The curated collection of the landing page, in order of position. Edited by operators.';

COMMENT ON TABLE "public"."hub_follows" IS 'Which users follow which creators; at most 1,000 per user. Following is idempotent.';

COMMENT ON TABLE "public"."hub_imports" IS 'One row for each import of an asset by a user. The asset''s install_count is the number of its rows with counts.';

COMMENT ON TABLE "public"."hub_payout_accounts" IS 'The accounts of creators at the payment provider, which receive their share.';

COMMENT ON TABLE "public"."hub_pictures" IS 'Pictures of listings, at most one per listing. hub-picture has checked the bytes and removed their metadata; everybody who may read a listing may read its picture.';

COMMENT ON TABLE "public"."hub_profiles" IS 'Public profile of a creator. A trigger makes one for each user.';

COMMENT ON TABLE "public"."hub_purchases" IS 'The right of a user to read a bought listing, while revoked_at is null. One row for each delivered order; deleted with the account, not with the listing.';

COMMENT ON TABLE "public"."hub_receipts" IS 'The places of removed secrets in a publication, for the owner: [{path, rule}], never a value.';

COMMENT ON TABLE "public"."hub_reports" IS 'Reports of listings. Setting resolved by hand dismisses a report; hub_resolve_report also does what follows from the outcome.';

COMMENT ON TABLE "public"."hub_settings" IS 'Settings of the hub, for operators: one row.';

COMMENT ON TABLE "public"."hub_stars" IS 'One star per user and asset. Starring is idempotent.';

COMMENT ON TABLE "public"."orchestrator_configs" IS 'Orchestrations of a user''s workspace: nodes [{id, type, position: {x, y}, data}], edges [{id, source, target}], stage_configs [{id, node_id, name, prompt_template_id?, component_id?, ai_model_setting_id?, settings}].';

COMMENT ON TABLE "public"."organization_members" IS 'The members of each organization. Triggers ensure that an organization with members has an owner.';

COMMENT ON TABLE "public"."organizations" IS 'Teams that share listings among their members. Only members see the row. The last member who leaves closes it: the row is deleted.';

COMMENT ON TABLE "public"."prompt_templates" IS 'Prompt templates of a user''s workspace.';

COMMENT ON TABLE "public"."user_api_keys" IS 'Provider API keys, sealed. A key may be leased when ready_at is not later than now. Order of selection: priority descending, usage_count ascending, id.';

COMMENT ON TYPE "private"."key_report" IS 'A report as core reads it: outcome, rule and the rule''s numbers. cause: the reason stored with a block that the report sets. issued_at and key_generation belong to its lease. scope: what the answer is about: model, key or account. model: the model of the report, else of its lease. dead: the answer says that the key is dead.';

COMMENT ON TYPE "private"."key_state" IS 'The fields of a key and its health row, or of the row of a model, that next_state reads. It fills in the last four: state before and after, effect, and what happened to the hint.';

COMMENT ON VIEW "private"."key_leases" IS 'The fields of a key that a lease returns. lease_api_key raises usage_count through this view and adds lease_id, leased_at and model.';

COMMENT ON VIEW "public"."api_key_pools" IS 'For operators: for each provider of a pool, how many keys are available for every model, limited for some models, cooling down and disabled; the seconds until the first cooling key is back; the leases of the last hour and how many of them failed, of the keys that exist now; starved_since: since when no key could be leased.';

COMMENT ON VIEW "public"."api_key_states" IS 'For operators: the state of each key, how long it lasts and why, and the models that it is limited for (api_key_model_health has the details). Only the functions know which seal pairs are live: a key sealed to another pair is skipped although it shows as available.';

COMMENT ON VIEW "public"."hub_listings" IS 'Visible listings as a gallery shows them: the columns of a card with its creator, and the number of the current version.';

REVOKE ALL ON FUNCTION "private"."accept_invitation"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."accept_invitation"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."add_api_key"(text, text, text, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."add_api_key"(text, text, text, text, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."add_to_creators"(private.creator_change[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."adds_secret"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."alert_once"(uuid, text, text, uuid, jsonb, double precision) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."alert_once"(uuid, text, text, uuid, jsonb, double precision) TO "service_role";

REVOKE ALL ON FUNCTION "private"."alert_starvation"(public.api_key_starvations, text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."alert_starvation"(public.api_key_starvations, text, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."all_sources"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."allow_content"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."allow_content"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."api_key_health_before_update"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."api_key_model_health_before_insert"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."api_key_model_health_before_update"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."appeal"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."appeal"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."apply_account_event"(text, text, text, boolean, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."apply_account_event"(text, text, text, boolean, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."apply_report"(uuid, uuid, uuid, public.api_key_usage_log, private.key_report) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."apply_report"(uuid, uuid, uuid, public.api_key_usage_log, private.key_report) TO "service_role";

REVOKE ALL ON FUNCTION "private"."as_one_line"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."asset_card"(public.hub_assets) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."asset_card"(public.hub_assets) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."asset_cards"(uuid[], uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."asset_cards"(uuid[], uuid) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."asset_for_admin"(uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."asset_types"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."asset_types"() TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."ban_creator"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."ban_creator"(uuid, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."begin_checkout"(uuid, text, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_checkout"(uuid, text, text, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."begin_onboarding"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_onboarding"(uuid, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."begin_organization_write"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."begin_preview"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_preview"(uuid, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."begin_refund"(uuid, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_refund"(uuid, integer, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."begin_write"(uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."categories"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."categories"() TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."check_importable"(uuid, uuid, integer, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_key_settings"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_offer"(uuid, text, integer, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_version_notes"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."clean"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."clear_audit_note"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."close_appeals"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."close_links"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."close_reports"(uuid[], text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."compare_creators"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."compare_creators"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."compare_usage"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."compare_usage"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."content_of"(text, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."content_sha256"(text, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."copy_block_to_key"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."copy_model_block_to_key"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."copy_rows"(uuid, jsonb, uuid, integer, text, text, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_categories"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_creators"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_installs"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_reports"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_source_usage"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_stars"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_trending"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_usage"(uuid[], integer[], bigint[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."create_organization"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."create_organization"(text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."creator"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."creator"(uuid) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."creator_by_name"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."creator_by_name"(text) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."creator_cards"(uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."creator_totals"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."creator_totals"(uuid) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."creators"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."creators"(uuid[]) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."creators_page"(text, text, jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."delete_asset"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."delete_asset"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."delete_unpublished_listings"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."deliver"(private.orders) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."describe_copy"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."describe_copy"(uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."directory"(text, text, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."directory"(text, text, text, integer) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."dismiss_update"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."dismiss_update"(uuid, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."drop_edited_source"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."due_lines"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."edit_version"(uuid, integer, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."edit_version"(uuid, integer, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."email_hash"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_starvations"(uuid, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_starvations"(uuid, uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."enforce_hourly_limit"(text, timestamp WITH time zone[], integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."estimate_categories"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."fault"(text, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."feature_asset"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."feature_asset"(uuid, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."find_asset"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."find_asset"(text) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."first_attempt"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."fold"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."fold"(text) TO "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."following"(text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."following"(text, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."following_page"(uuid, jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."forget_deleted_key"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."forget_model_blocks"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."former_owner"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."free_names"(uuid, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."from_cursor"(text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."from_cursor"(text, jsonb) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."get_response"(uuid, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_response"(uuid, text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."has_breaks_or_invisible"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."has_breaks_or_invisible"(text) TO "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."has_invisible_characters"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."has_invisible_characters"(text) TO "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."has_many_acts"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hide_asset"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."hide_asset"(uuid, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."hub_admins_before_insert"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_appeals_apply"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_appeals_before_update"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_assets_begin_edit"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_assets_check_text"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_assets_derive_picture"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_assets_guard"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_assets_guard_counters"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_assets_have_content"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_assets_index"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_assets_index_shelf"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_assets_limit_edits"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_assets_log"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_assets_on_restore"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_assets_on_tombstone"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_bans_apply"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_bans_before_insert"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_bans_before_update"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_bans_lift"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_follows_before_insert"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_imports_before_write"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_pictures_refresh_asset"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_profiles_before_delete"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_profiles_before_write"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_reports_before_insert"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_reports_before_update"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_stars_before_insert"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hub_stars_before_update"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."import_asset"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text, boolean, uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."import_asset"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text, boolean, uuid, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."index_asset"(public.hub_assets) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."insert_copies"(uuid, jsonb, text, public.hub_assets, text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."insert_listing"(uuid, text, uuid, text, text, text, text[], text, text, uuid, private.offer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."insert_sources"(uuid, jsonb, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."invisible_characters"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."invisible_characters"() TO "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."invisible_pattern"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."invisible_pattern"() TO "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."invitation"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."invitation"(text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."invite_member"(uuid, text, text, integer, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."invite_member"(uuid, text, text, integer, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_admin"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_admin"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_banned"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_banned"(uuid) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."is_confirmed"(uuid, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_current_content"(uuid, integer, text, text, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_https_url"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_https_url"(text) TO "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."is_member"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_member"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_member_of"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_old_enough"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_operator"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_own_shared"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_reserved_name"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_seen_by"(public.hub_assets, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_unchanged"(jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_unchanged"(jsonb, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_undelivered"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."issue_my_agent_token"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."issue_my_agent_token"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."joined_after_restore"(uuid, uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."joined_attribution"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_order"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_page_size"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."judge_page_size"(integer) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."keep_deleted_key"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_former_name"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_overwritten"(uuid, jsonb, jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_owner"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keeps_origins"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."key_caller"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."key_caller"(text, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."key_owner"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lease_batch"(uuid, uuid, integer, text, text[], integer, text, bigint, uuid, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lease_batch"(uuid, uuid, integer, text, text[], integer, text, bigint, uuid, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."least_usage_count"(uuid, integer, uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."least_usage_count"(uuid, integer, uuid, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."leave_organization"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."leave_organization"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."led_organization_ids"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."led_organization_ids"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."ledger_adds_up"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."level_for_model"(uuid, integer, text, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."level_for_model"(uuid, integer, text, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."lexemes"(text, text, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lift_report"(public.api_key_usage_log) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lift_report"(public.api_key_usage_log) TO "service_role";

REVOKE ALL ON FUNCTION "private"."limit_calls"(uuid, text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."limit_own_rows"(uuid, text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."limit_publications"(uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."list_orders"(text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_orders"(text, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."live_invitation"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_before_user_deletion"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_caller"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_for_report"(uuid, uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lock_for_report"(uuid, uuid, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."lock_order"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_organization"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_origins"(uuid, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_own_sources"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_reports"(uuid[], uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_source"(text, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_with_stars"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."log_admins"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."log_event"(text, uuid, uuid, uuid, jsonb, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."log_report"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."looks_secret"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lower_low_water_mark"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."make_document"(public.hub_assets) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."make_moderation"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."make_profile"(uuid, timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."member_organization_ids"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."member_organization_ids"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."mirror_listing"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mixes_scripts"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."my_agents"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."my_agents"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."my_api_key_log"(uuid, uuid, text, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."my_api_key_log"(uuid, uuid, text, timestamp WITH time zone) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."my_api_key_pools"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."my_api_key_pools"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."my_api_keys"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."my_api_keys"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."my_decisions"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."my_decisions"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."my_paid_content"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."my_paid_content"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."my_purchases"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."my_purchases"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."name_key"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."name_key"(text) TO "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."name_keys"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."next_state"(private.key_state, private.key_report, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."next_state"(private.key_state, private.key_report, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."normalize_tags"(text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."note_checkout"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_checkout"(uuid, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."note_starvation"(uuid, text, text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_starvation"(uuid, text, text, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."nth_slug"(text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."offer_scan_token"(uuid, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."offer_scan_token"(uuid, text, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."open_appeals"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."open_appeals"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."order_for_status"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."order_for_status"(uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."order_rank"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."orders_guard"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."orders_to_ask"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."orders_to_ask"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."organization_by_slug"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."organization_card"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."organization_card"(uuid) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."organization_invitations"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."organization_invitations"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."organization_of"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."organization_review"(uuid, boolean, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."organization_review"(uuid, boolean, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."organization_review_queue"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."organization_review_queue"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."organizations_before_write"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."origins"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."origins"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."own_attribution"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."own_attribution"(text, uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."own_copy"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."own_key"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."own_listing"(uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."own_log"(uuid, uuid, uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."own_names"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."own_version"(uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."paid_content"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."pin"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pin"(uuid, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."pool_availability"(uuid, text, text[], uuid[], text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pool_availability"(uuid, text, text[], uuid[], text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."popularity"(public.hub_assets) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."preview_slug"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."product_id"(private.offer, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."protect_moderation"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."public_attribution"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."publication"(uuid, uuid, integer, boolean, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."publish_asset"(uuid, jsonb, text, boolean, integer, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."publish_asset"(uuid, jsonb, text, boolean, integer, text, text) TO "service_role";

REVOKE ALL
  ON FUNCTION
    "private"."publish_snapshot"(uuid, text, uuid, text, text, text, text[], text, jsonb, text, text, jsonb, jsonb, jsonb, boolean, integer, text, text, text, integer, text, text)
  FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."purchases_are_paid"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."purchases_guard"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."raise_model_mark"(uuid, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."raise_model_mark"(uuid, integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."random_username"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."rebuild_tiers"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."rebuild_tiers"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."recently_disabled_keys"(uuid, text, double precision) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."recently_disabled_keys"(uuid, text, double precision) TO "service_role";

REVOKE ALL ON FUNCTION "private"."reconcile"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reconcile"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."refresh_mirror"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refresh_old_trending"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refresh_tier"(uuid, integer, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refresh_tier"(uuid, integer, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."refuse_asset_type"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_asset_type"(text) TO "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."refuse_banned"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_change"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_changed_copy"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_faults"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_hidden_items"(uuid, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_huge_usage_count"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_last_owner"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_more"(text, bigint, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_other_readers"(uuid, uuid, jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_role"(text, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_same_content"(uuid, uuid, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_secret"(text, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_snapshot_delete"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_state_edit"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_usage"(text, bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_version_change"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."release_lease"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."release_lease"(uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."remix_cards"(uuid[], uuid[], integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remix_cards"(uuid[], uuid[], integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."remix_page"(uuid, boolean, timestamp WITH time zone, uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remix_page"(uuid, boolean, timestamp WITH time zone, uuid, integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."remove_api_key"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remove_api_key"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."remove_asset"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remove_asset"(uuid, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."remove_invisible"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."remove_member"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remove_member"(uuid, uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."rename_creator"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."report_answer"(public.api_key_usage_log) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."report_answer"(public.api_key_usage_log) TO "service_role";

REVOKE ALL ON FUNCTION "private"."report_same_answer"(uuid, uuid, public.api_key_usage_log, private.key_report) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."report_same_answer"(uuid, uuid, public.api_key_usage_log, private.key_report) TO "service_role";

REVOKE ALL ON FUNCTION "private"."republish_asset"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."republish_asset"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."require_admin"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reset_api_key"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reset_api_key"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."reset_install_counts"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reset_report_counts"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reset_star_counts"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."resolve_appeal"(uuid, boolean, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."resolve_appeal"(uuid, boolean, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."resolve_report"(uuid, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."resolve_report"(uuid, text, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."restore_api_key_health"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."restore_asset"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."restore_asset"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."restore_copy"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."restore_copy"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."revenue"(date, date) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."revenue"(date, date) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."review_queue"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."review_queue"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."revoke_invitation"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."revoke_invitation"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."revoke_my_agent"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."revoke_my_agent"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."root_of"(public.hub_assets) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."rows_of_copy"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."same_content"(uuid, public.hub_assets, text, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_by_column"(text, tsquery, tsquery, text[], text, uuid, text[], jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_by_relevance"(text, tsquery, jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_candidates"(tsquery, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_facets"(private.search_request) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."search_facets"(private.search_request) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."search_page"(private.search_request, jsonb, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."search_page"(private.search_request, jsonb, integer) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."search_plan"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_rare"(text, tsquery, jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."search_request"(text, text[], text[], text, text, text, text, text, text, integer, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."search_request"(text, text[], text[], text, text, text, text, text, text, integer, uuid) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."searched_forms"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."secret_patterns"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."set_api_key_active"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."set_api_key_active"(uuid, boolean) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."set_audit_note"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."set_member_role"(uuid, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."set_member_role"(uuid, uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."set_picture"(uuid, text, jsonb, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."set_picture"(uuid, text, jsonb, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."settle_order"(uuid, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."shelf_page"(private.search_request, uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."shelf_page"(private.search_request, uuid, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."shown_attribution"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."shown_attribution"(jsonb) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."shown_origin"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."slips"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."snapshot"(text, interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."source_bytes"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."source_row"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."source_row"(text, uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."spelling_candidates"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."starting_with"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."store_response"(uuid, text, text, text, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."suggested_tags"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tag_bits"(text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tags_are_valid"(text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tags_are_valid"(text[]) TO "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."title_key"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."to_cursor"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."to_cursor"(jsonb) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."tombstone"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tombstone"(text) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."trending"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."trending"(integer) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."unban_creator"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unban_creator"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."unbooked"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."unfeature_asset"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unfeature_asset"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."unpublish_asset"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unpublish_asset"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."unshare_all"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."unyank_version"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unyank_version"(uuid, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."update_copy"(uuid, jsonb, uuid, integer, text, boolean, uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."updates"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."updates"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."user_api_keys_after_write"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."user_api_keys_before_write"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."username_key"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."username_key"(text) TO "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."users_make_profile"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."verify_creator"(text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."verify_creator"(text, boolean) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."versions"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."versions"(text) TO "anon", "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."words"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."workspace_before_write"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."write_content"(text, uuid, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."write_version_notes"(uuid, integer, text, text, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."yank_version"(uuid, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."yank_version"(uuid, integer, text) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."accept_invitation"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."accept_invitation"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."accept_invitation"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."add_api_key"(text, text, text, text, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."add_api_key"(text, text, text, text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."add_api_key"(text, text, text, text, integer) TO "postgres";

REVOKE ALL ON FUNCTION "public"."claim_api_key_alerts"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."claim_api_key_alerts"(integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."claim_api_key_alerts"(integer) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."create_organization"(text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."create_organization"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_organization"(text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_allow_content"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_allow_content"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_allow_content"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_appeal"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_appeal"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_appeal"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_apply_account_event"(text, text, text, boolean, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_apply_account_event"(text, text, text, boolean, timestamp WITH time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_apply_account_event"(text, text, text, boolean, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_asset"(text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_asset"(text, integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_asset"(text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_asset"(text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_asset"(text, integer) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_ban_creator"(uuid, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_ban_creator"(uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_ban_creator"(uuid, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_begin_checkout"(uuid, text, text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_begin_checkout"(uuid, text, text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_begin_checkout"(uuid, text, text, integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_begin_onboarding"(uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_begin_onboarding"(uuid, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_begin_onboarding"(uuid, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_begin_preview"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_begin_preview"(uuid, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_begin_preview"(uuid, integer) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_begin_refund"(uuid, integer, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_begin_refund"(uuid, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_begin_refund"(uuid, integer, text) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_categories"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_categories"() TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_categories"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_categories"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_categories"() TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_check_counters"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_check_counters"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_check_counters"() TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_copy"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_copy"(uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_copy"(uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_creator"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_creator"(text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_creator"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_creator"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_creator"(text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_creators"(text, text, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_creators"(text, text, text, integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_creators"(text, text, text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_creators"(text, text, text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_creators"(text, text, text, integer) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_delete_asset"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_delete_asset"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_delete_asset"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_dismiss_update"(uuid, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_dismiss_update"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_dismiss_update"(uuid, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_edit_version"(uuid, integer, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_edit_version"(uuid, integer, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_edit_version"(uuid, integer, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_feature_asset"(uuid, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_feature_asset"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_feature_asset"(uuid, integer) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_featured_assets"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_featured_assets"() TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_featured_assets"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_featured_assets"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_featured_assets"() TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_following"(text, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_following"(text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_following"(text, integer) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_get_response"(uuid, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_get_response"(uuid, text, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_get_response"(uuid, text, text, text) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_hide_asset"(uuid, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_hide_asset"(uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_hide_asset"(uuid, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_import"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text, boolean, uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_import"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text, boolean, uuid, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_import"(uuid, jsonb, text, uuid, integer, text, jsonb, jsonb, boolean, integer, text, text, boolean, uuid, boolean) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_my_decisions"() TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_my_decisions"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_my_decisions"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_my_purchases"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_my_purchases"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_my_purchases"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_note_checkout"(uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_note_checkout"(uuid, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_note_checkout"(uuid, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_offer_scan_token"(uuid, text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_offer_scan_token"(uuid, text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_offer_scan_token"(uuid, text, integer) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_open_appeals"() TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_open_appeals"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_open_appeals"() TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_order_for_status"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_order_for_status"(uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_order_for_status"(uuid, uuid) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_orders"(text, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_orders"(text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_orders"(text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_orders_to_ask"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_orders_to_ask"(integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_orders_to_ask"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_picture"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_picture"(uuid, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_picture"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_picture"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_picture"(uuid, text) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_pin"(uuid, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_pin"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_pin"(uuid, integer) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_prune"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_prune"() TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_publish"(uuid, jsonb, text, boolean, integer, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_publish"(uuid, jsonb, text, boolean, integer, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_publish"(uuid, jsonb, text, boolean, integer, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_reconcile"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_reconcile"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_reconcile"() TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_refresh_discovery"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_refresh_discovery"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_remixes"(uuid, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_remixes"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_remixes"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_remove_asset"(uuid, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_remove_asset"(uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_remove_asset"(uuid, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_republish_asset"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_republish_asset"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_republish_asset"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_resolve_appeal"(uuid, boolean, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_resolve_appeal"(uuid, boolean, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_resolve_appeal"(uuid, boolean, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_resolve_report"(uuid, text, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_resolve_report"(uuid, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_resolve_report"(uuid, text, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_restore_asset"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_restore_asset"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_restore_asset"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_restore_copy"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_restore_copy"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_restore_copy"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_revenue"(date, date) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_revenue"(date, date) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_revenue"(date, date) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_review_queue"() TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_review_queue"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_review_queue"() TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_search"(text, text[], text[], text, text, text, text, text, text, integer, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "public"."hub_set_picture"(uuid, text, jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_set_picture"(uuid, text, jsonb, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_set_picture"(uuid, text, jsonb, integer) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_shelf"(text, text, text[], text[], text, text, text, text, text, text, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_shelf"(text, text, text[], text[], text, text, text, text, text, text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_shelf"(text, text, text[], text[], text, text, text, text, text, text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_sources"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_sources"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_sources"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_trending"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_trending"(integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_trending"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_trending"(integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_trending"(integer) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_unban_creator"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_unban_creator"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_unban_creator"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_unchanged"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_unchanged"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_unchanged"(jsonb) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_unfeature_asset"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_unfeature_asset"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_unfeature_asset"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_unpublish_asset"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_unpublish_asset"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_unpublish_asset"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_unyank_version"(uuid, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_unyank_version"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_unyank_version"(uuid, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_updates"() TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_updates"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_updates"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_verify_creator"(text, boolean) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_verify_creator"(text, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_verify_creator"(text, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "public"."hub_versions"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."hub_versions"(text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_versions"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_versions"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_versions"(text) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."hub_yank_version"(uuid, integer, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."hub_yank_version"(uuid, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."hub_yank_version"(uuid, integer, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."invitation"(text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."invitation"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."invitation"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."invite_member"(uuid, text, text, integer, integer) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."invite_member"(uuid, text, text, integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."invite_member"(uuid, text, text, integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "public"."issue_agent_token"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."issue_agent_token"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."issue_my_agent_token"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."issue_my_agent_token"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."issue_my_agent_token"(text) TO "postgres";

REVOKE ALL ON FUNCTION "public"."keyhub_schedule"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."keyhub_schedule"() TO "postgres";

REVOKE ALL ON FUNCTION "public"."lease_api_key"(text, uuid, text, text[], uuid, integer, integer, uuid[], text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."lease_api_key"(text, uuid, text, text[], uuid, integer, integer, uuid[], text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."lease_api_key"(text, uuid, text, text[], uuid, integer, integer, uuid[], text) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."leave_organization"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."leave_organization"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."leave_organization"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_agents"() TO "authenticated";

REVOKE ALL ON FUNCTION "public"."my_agents"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_agents"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_api_key_log"(uuid, uuid, text, timestamp WITH time zone) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."my_api_key_log"(uuid, uuid, text, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_api_key_log"(uuid, uuid, text, timestamp WITH time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_api_key_pools"() TO "authenticated";

REVOKE ALL ON FUNCTION "public"."my_api_key_pools"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_api_key_pools"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_api_keys"() TO "authenticated";

REVOKE ALL ON FUNCTION "public"."my_api_keys"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_api_keys"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_organizations"() TO "authenticated";

REVOKE ALL ON FUNCTION "public"."my_organizations"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."my_organizations"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."organization_invitations"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."organization_invitations"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."organization_invitations"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."organization_review"(uuid, boolean, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."organization_review"(uuid, boolean, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."organization_review"(uuid, boolean, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."organization_review_queue"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."organization_review_queue"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."organization_review_queue"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "public"."prune_api_key_usage_log"(interval, integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."prune_api_key_usage_log"(interval, integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "public"."reenable_keys"(uuid, text, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."reenable_keys"(uuid, text, timestamp WITH time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."reenable_keys"(uuid, text, timestamp WITH time zone) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."remove_api_key"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."remove_api_key"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."remove_api_key"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."remove_member"(uuid, uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."remove_member"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."remove_member"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "public"."report_and_lease"(jsonb, text, uuid, text, text[], uuid[], text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."report_and_lease"(jsonb, text, uuid, text, text[], uuid[], text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."report_and_lease"(jsonb, text, uuid, text, text[], uuid[], text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."report_api_key"(jsonb, text, uuid, uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."report_api_key"(jsonb, text, uuid, uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."report_api_key"(jsonb, text, uuid, uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."report_successes"(uuid[], text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."report_successes"(uuid[], text, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."report_successes"(uuid[], text, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."reseal_api_key"(uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."reseal_api_key"(uuid, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."reset_api_key"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."reset_api_key"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."reset_api_key"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."revoke_invitation"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."revoke_invitation"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."revoke_invitation"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."revoke_my_agent"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."revoke_my_agent"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."revoke_my_agent"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."set_api_key_active"(uuid, boolean) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."set_api_key_active"(uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."set_api_key_active"(uuid, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."set_member_role"(uuid, uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."set_member_role"(uuid, uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."set_member_role"(uuid, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "public"."settle_api_key_alerts"(uuid[], uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."settle_api_key_alerts"(uuid[], uuid[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."settle_api_key_alerts"(uuid[], uuid[]) TO "service_role";

REVOKE ALL ON FUNCTION "public"."undo_reports"(uuid, uuid, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."undo_reports"(uuid, uuid, timestamp WITH time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."undo_reports"(uuid, uuid, timestamp WITH time zone) TO "service_role";

GRANT USAGE ON SCHEMA "private" TO "anon", "authenticated", "service_role";

REVOKE ALL ON SEQUENCE "public"."hub_events_id_seq" FROM "postgres";

GRANT SELECT, UPDATE, USAGE ON SEQUENCE "public"."hub_events_id_seq" TO "postgres";

GRANT INSERT, SELECT, UPDATE ON TABLE "private"."api_key_breakers" TO "service_role";

GRANT INSERT, SELECT, UPDATE ON TABLE "private"."api_key_tiers" TO "service_role";

GRANT SELECT ON TABLE "private"."hub_allowed_content" TO "service_role";

GRANT SELECT ON TABLE "private"."hub_bans" TO "service_role";

GRANT SELECT ON TABLE "private"."hub_calls" TO "service_role";

GRANT SELECT ON TABLE "private"."hub_copies" TO "service_role";

GRANT SELECT ON TABLE "private"."hub_creators" TO "service_role";

GRANT SELECT ON TABLE "private"."hub_documents" TO "service_role";

GRANT SELECT ON TABLE "private"."hub_former_names" TO "service_role";

GRANT SELECT ON TABLE "private"."hub_idempotent_responses" TO "service_role";

GRANT SELECT ON TABLE "private"."hub_listing_tags" TO "service_role";

GRANT SELECT ON TABLE "private"."hub_moderation" TO "service_role";

GRANT SELECT ON TABLE "private"."hub_overwritten" TO "service_role";

GRANT SELECT ON TABLE "private"."hub_scan_tokens" TO "service_role";

GRANT SELECT ON TABLE "private"."hub_snapshots" TO "service_role";

GRANT SELECT ON TABLE "private"."hub_words" TO "service_role";

GRANT SELECT ON TABLE "private"."ledger" TO "service_role";

GRANT SELECT ON TABLE "private"."orders" TO "service_role";

GRANT SELECT ON TABLE "private"."organization_invitations" TO "service_role";

GRANT SELECT ON TABLE "private"."payment_events" TO "service_role";

GRANT SELECT ON TABLE "private"."shelf_documents" TO "service_role";

GRANT SELECT ON TABLE "private"."workspace_usage" TO "service_role";

REVOKE ALL ON TABLE "public"."ai_model_settings" FROM "authenticated";

REVOKE ALL ("api_key") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("api_key"), UPDATE ("api_key") ON TABLE "public"."ai_model_settings" TO "authenticated";

REVOKE ALL ("extra") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("extra"), UPDATE ("extra") ON TABLE "public"."ai_model_settings" TO "authenticated";

REVOKE ALL ("generate_content_api") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("generate_content_api"), UPDATE ("generate_content_api") ON TABLE "public"."ai_model_settings" TO "authenticated";

REVOKE ALL ("max_output_tokens") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("max_output_tokens"), UPDATE ("max_output_tokens") ON TABLE "public"."ai_model_settings" TO "authenticated";

REVOKE ALL ("model_id") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("model_id"), UPDATE ("model_id") ON TABLE "public"."ai_model_settings" TO "authenticated";

REVOKE ALL ("name") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("name"), UPDATE ("name") ON TABLE "public"."ai_model_settings" TO "authenticated";

REVOKE ALL ("organization_code") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("organization_code"), UPDATE ("organization_code") ON TABLE "public"."ai_model_settings" TO "authenticated";

REVOKE ALL ("pricing") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("pricing"), UPDATE ("pricing") ON TABLE "public"."ai_model_settings" TO "authenticated";

REVOKE ALL ("source_format") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("source_format"), UPDATE ("source_format") ON TABLE "public"."ai_model_settings" TO "authenticated";

REVOKE ALL ("source_text") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("source_text"), UPDATE ("source_text") ON TABLE "public"."ai_model_settings" TO "authenticated";

REVOKE ALL ("temperature") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("temperature"), UPDATE ("temperature") ON TABLE "public"."ai_model_settings" TO "authenticated";

REVOKE ALL ("thinking_budget") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("thinking_budget"), UPDATE ("thinking_budget") ON TABLE "public"."ai_model_settings" TO "authenticated";

REVOKE ALL ("thinking_level") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("thinking_level"), UPDATE ("thinking_level") ON TABLE "public"."ai_model_settings" TO "authenticated";

REVOKE ALL ("top_k") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("top_k"), UPDATE ("top_k") ON TABLE "public"."ai_model_settings" TO "authenticated";

REVOKE ALL ("top_p") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("top_p"), UPDATE ("top_p") ON TABLE "public"."ai_model_settings" TO "authenticated";

GRANT DELETE, SELECT ON TABLE "public"."ai_model_settings" TO "authenticated";

REVOKE ALL ON TABLE "public"."ai_model_settings" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."ai_model_settings" TO "postgres";

REVOKE ALL ON TABLE "public"."ai_model_settings" FROM "service_role";

GRANT SELECT ON TABLE "public"."ai_model_settings" TO "service_role";

REVOKE ALL ON TABLE "public"."api_key_agents" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."api_key_agents" TO "postgres";

REVOKE ALL ON TABLE "public"."api_key_agents" FROM "service_role";

GRANT SELECT ON TABLE "public"."api_key_agents" TO "service_role";

REVOKE ALL ON TABLE "public"."api_key_alerts" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."api_key_alerts" TO "postgres";

REVOKE ALL ON TABLE "public"."api_key_alerts" FROM "service_role";

REVOKE ALL ("claimed_until") ON TABLE "public"."api_key_alerts" FROM "service_role";

GRANT UPDATE ("claimed_until") ON TABLE "public"."api_key_alerts" TO "service_role";

REVOKE ALL ("sent_at") ON TABLE "public"."api_key_alerts" FROM "service_role";

GRANT UPDATE ("sent_at") ON TABLE "public"."api_key_alerts" TO "service_role";

GRANT INSERT, SELECT ON TABLE "public"."api_key_alerts" TO "service_role";

REVOKE ALL ON TABLE "public"."api_key_deleted" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."api_key_deleted" TO "postgres";

REVOKE ALL ON TABLE "public"."api_key_deleted" FROM "service_role";

GRANT SELECT ON TABLE "public"."api_key_deleted" TO "service_role";

REVOKE ALL ON TABLE "public"."api_key_health" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."api_key_health" TO "postgres";

REVOKE ALL ON TABLE "public"."api_key_health" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."api_key_health" TO "service_role";

REVOKE ALL ON TABLE "public"."api_key_model_health" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."api_key_model_health" TO "postgres";

REVOKE ALL ON TABLE "public"."api_key_model_health" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."api_key_model_health" TO "service_role";

REVOKE ALL ON TABLE "public"."api_key_starvations" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."api_key_starvations" TO "postgres";

REVOKE ALL ON TABLE "public"."api_key_starvations" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."api_key_starvations" TO "service_role";

REVOKE ALL ON TABLE "public"."api_key_usage_log" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."api_key_usage_log" TO "postgres";

REVOKE ALL ON TABLE "public"."api_key_usage_log" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."api_key_usage_log" TO "service_role";

REVOKE ALL ON TABLE "public"."custom_components" FROM "authenticated";

REVOKE ALL ("description") ON TABLE "public"."custom_components" FROM "authenticated";

GRANT INSERT ("description"), UPDATE ("description") ON TABLE "public"."custom_components" TO "authenticated";

REVOKE ALL ("name") ON TABLE "public"."custom_components" FROM "authenticated";

GRANT INSERT ("name"), UPDATE ("name") ON TABLE "public"."custom_components" TO "authenticated";

REVOKE ALL ("props_schema") ON TABLE "public"."custom_components" FROM "authenticated";

GRANT INSERT ("props_schema"), UPDATE ("props_schema") ON TABLE "public"."custom_components" TO "authenticated";

REVOKE ALL ("source_format") ON TABLE "public"."custom_components" FROM "authenticated";

GRANT INSERT ("source_format"), UPDATE ("source_format") ON TABLE "public"."custom_components" TO "authenticated";

REVOKE ALL ("source_text") ON TABLE "public"."custom_components" FROM "authenticated";

GRANT INSERT ("source_text"), UPDATE ("source_text") ON TABLE "public"."custom_components" TO "authenticated";

REVOKE ALL ("source") ON TABLE "public"."custom_components" FROM "authenticated";

GRANT INSERT ("source"), UPDATE ("source") ON TABLE "public"."custom_components" TO "authenticated";

GRANT DELETE, SELECT ON TABLE "public"."custom_components" TO "authenticated";

REVOKE ALL ON TABLE "public"."custom_components" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."custom_components" TO "postgres";

REVOKE ALL ON TABLE "public"."custom_components" FROM "service_role";

GRANT SELECT ON TABLE "public"."custom_components" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_admins" FROM "authenticated";

GRANT SELECT ON TABLE "public"."hub_admins" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_admins" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_admins" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_admins" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_admins" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_appeals" FROM "authenticated";

GRANT SELECT ON TABLE "public"."hub_appeals" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_appeals" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_appeals" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_appeals" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_appeals" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_asset_versions" FROM "anon";

GRANT SELECT ON TABLE "public"."hub_asset_versions" TO "anon";

REVOKE ALL ON TABLE "public"."hub_asset_versions" FROM "authenticated";

GRANT SELECT ON TABLE "public"."hub_asset_versions" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_asset_versions" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_asset_versions" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_asset_versions" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_asset_versions" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_assets" FROM "anon";

GRANT SELECT ON TABLE "public"."hub_assets" TO "anon";

REVOKE ALL ON TABLE "public"."hub_assets" FROM "authenticated";

REVOKE ALL ("description") ON TABLE "public"."hub_assets" FROM "authenticated";

GRANT UPDATE ("description") ON TABLE "public"."hub_assets" TO "authenticated";

REVOKE ALL ("tags") ON TABLE "public"."hub_assets" FROM "authenticated";

GRANT UPDATE ("tags") ON TABLE "public"."hub_assets" TO "authenticated";

REVOKE ALL ("thumbnail_url") ON TABLE "public"."hub_assets" FROM "authenticated";

GRANT UPDATE ("thumbnail_url") ON TABLE "public"."hub_assets" TO "authenticated";

REVOKE ALL ("title") ON TABLE "public"."hub_assets" FROM "authenticated";

GRANT UPDATE ("title") ON TABLE "public"."hub_assets" TO "authenticated";

GRANT SELECT ON TABLE "public"."hub_assets" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_assets" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_assets" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_assets" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_assets" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_bundle_items" FROM "anon";

GRANT SELECT ON TABLE "public"."hub_bundle_items" TO "anon";

REVOKE ALL ON TABLE "public"."hub_bundle_items" FROM "authenticated";

GRANT SELECT ON TABLE "public"."hub_bundle_items" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_bundle_items" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_bundle_items" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_bundle_items" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_bundle_items" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_events" FROM "authenticated";

GRANT SELECT ON TABLE "public"."hub_events" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_events" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_events" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_events" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_events" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_featured" FROM "anon";

GRANT SELECT ON TABLE "public"."hub_featured" TO "anon";

REVOKE ALL ON TABLE "public"."hub_featured" FROM "authenticated";

GRANT SELECT ON TABLE "public"."hub_featured" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_featured" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_featured" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_featured" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_featured" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_follows" FROM "authenticated";

REVOKE ALL ("creator_id") ON TABLE "public"."hub_follows" FROM "authenticated";

GRANT INSERT ("creator_id") ON TABLE "public"."hub_follows" TO "authenticated";

GRANT DELETE, SELECT ON TABLE "public"."hub_follows" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_follows" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_follows" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_follows" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_follows" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_imports" FROM "authenticated";

GRANT SELECT ON TABLE "public"."hub_imports" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_imports" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_imports" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_imports" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_imports" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_payout_accounts" FROM "authenticated";

GRANT SELECT ON TABLE "public"."hub_payout_accounts" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_payout_accounts" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_payout_accounts" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_payout_accounts" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_payout_accounts" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_pictures" FROM "anon";

GRANT SELECT ON TABLE "public"."hub_pictures" TO "anon";

REVOKE ALL ON TABLE "public"."hub_pictures" FROM "authenticated";

GRANT SELECT ON TABLE "public"."hub_pictures" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_pictures" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_pictures" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_pictures" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_pictures" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_profiles" FROM "anon";

GRANT SELECT ON TABLE "public"."hub_profiles" TO "anon";

REVOKE ALL ON TABLE "public"."hub_profiles" FROM "authenticated";

REVOKE ALL ("avatar_url") ON TABLE "public"."hub_profiles" FROM "authenticated";

GRANT UPDATE ("avatar_url") ON TABLE "public"."hub_profiles" TO "authenticated";

REVOKE ALL ("display_name") ON TABLE "public"."hub_profiles" FROM "authenticated";

GRANT UPDATE ("display_name") ON TABLE "public"."hub_profiles" TO "authenticated";

REVOKE ALL ("username") ON TABLE "public"."hub_profiles" FROM "authenticated";

GRANT UPDATE ("username") ON TABLE "public"."hub_profiles" TO "authenticated";

GRANT SELECT ON TABLE "public"."hub_profiles" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_profiles" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_profiles" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_profiles" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_profiles" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_purchases" FROM "authenticated";

GRANT SELECT ON TABLE "public"."hub_purchases" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_purchases" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_purchases" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_purchases" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_purchases" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_receipts" FROM "authenticated";

GRANT SELECT ON TABLE "public"."hub_receipts" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_receipts" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_receipts" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_receipts" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_receipts" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_reports" FROM "authenticated";

REVOKE ALL ("asset_id") ON TABLE "public"."hub_reports" FROM "authenticated";

GRANT INSERT ("asset_id"), SELECT ("asset_id") ON TABLE "public"."hub_reports" TO "authenticated";

REVOKE ALL ("created_at") ON TABLE "public"."hub_reports" FROM "authenticated";

GRANT SELECT ("created_at") ON TABLE "public"."hub_reports" TO "authenticated";

REVOKE ALL ("details") ON TABLE "public"."hub_reports" FROM "authenticated";

GRANT INSERT ("details"), SELECT ("details") ON TABLE "public"."hub_reports" TO "authenticated";

REVOKE ALL ("id") ON TABLE "public"."hub_reports" FROM "authenticated";

GRANT SELECT ("id") ON TABLE "public"."hub_reports" TO "authenticated";

REVOKE ALL ("outcome") ON TABLE "public"."hub_reports" FROM "authenticated";

GRANT SELECT ("outcome") ON TABLE "public"."hub_reports" TO "authenticated";

REVOKE ALL ("reason") ON TABLE "public"."hub_reports" FROM "authenticated";

GRANT INSERT ("reason"), SELECT ("reason") ON TABLE "public"."hub_reports" TO "authenticated";

REVOKE ALL ("resolved") ON TABLE "public"."hub_reports" FROM "authenticated";

GRANT SELECT ("resolved") ON TABLE "public"."hub_reports" TO "authenticated";

REVOKE ALL ("version") ON TABLE "public"."hub_reports" FROM "authenticated";

GRANT SELECT ("version") ON TABLE "public"."hub_reports" TO "authenticated";

REVOKE ALL ("work_holder") ON TABLE "public"."hub_reports" FROM "authenticated";

GRANT INSERT ("work_holder"), SELECT ("work_holder") ON TABLE "public"."hub_reports" TO "authenticated";

REVOKE ALL ("work_url") ON TABLE "public"."hub_reports" FROM "authenticated";

GRANT INSERT ("work_url"), SELECT ("work_url") ON TABLE "public"."hub_reports" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_reports" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_reports" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_reports" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_reports" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_settings" FROM "anon";

REVOKE ALL ("contact_url") ON TABLE "public"."hub_settings" FROM "anon";

GRANT SELECT ("contact_url") ON TABLE "public"."hub_settings" TO "anon";

REVOKE ALL ("currency") ON TABLE "public"."hub_settings" FROM "anon";

GRANT SELECT ("currency") ON TABLE "public"."hub_settings" TO "anon";

REVOKE ALL ("fee_bps") ON TABLE "public"."hub_settings" FROM "anon";

GRANT SELECT ("fee_bps") ON TABLE "public"."hub_settings" TO "anon";

REVOKE ALL ("verified_fee_bps") ON TABLE "public"."hub_settings" FROM "anon";

GRANT SELECT ("verified_fee_bps") ON TABLE "public"."hub_settings" TO "anon";

REVOKE ALL ON TABLE "public"."hub_settings" FROM "authenticated";

REVOKE ALL ("contact_url") ON TABLE "public"."hub_settings" FROM "authenticated";

GRANT SELECT ("contact_url") ON TABLE "public"."hub_settings" TO "authenticated";

REVOKE ALL ("currency") ON TABLE "public"."hub_settings" FROM "authenticated";

GRANT SELECT ("currency") ON TABLE "public"."hub_settings" TO "authenticated";

REVOKE ALL ("fee_bps") ON TABLE "public"."hub_settings" FROM "authenticated";

GRANT SELECT ("fee_bps") ON TABLE "public"."hub_settings" TO "authenticated";

REVOKE ALL ("verified_fee_bps") ON TABLE "public"."hub_settings" FROM "authenticated";

GRANT SELECT ("verified_fee_bps") ON TABLE "public"."hub_settings" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_settings" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_settings" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_settings" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_settings" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_stars" FROM "authenticated";

REVOKE ALL ("asset_id") ON TABLE "public"."hub_stars" FROM "authenticated";

GRANT INSERT ("asset_id") ON TABLE "public"."hub_stars" TO "authenticated";

GRANT DELETE, SELECT ON TABLE "public"."hub_stars" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_stars" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_stars" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_stars" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_stars" TO "service_role";

REVOKE ALL ON TABLE "public"."orchestrator_configs" FROM "authenticated";

REVOKE ALL ("description") ON TABLE "public"."orchestrator_configs" FROM "authenticated";

GRANT INSERT ("description"), UPDATE ("description") ON TABLE "public"."orchestrator_configs" TO "authenticated";

REVOKE ALL ("edges") ON TABLE "public"."orchestrator_configs" FROM "authenticated";

GRANT INSERT ("edges"), UPDATE ("edges") ON TABLE "public"."orchestrator_configs" TO "authenticated";

REVOKE ALL ("name") ON TABLE "public"."orchestrator_configs" FROM "authenticated";

GRANT INSERT ("name"), UPDATE ("name") ON TABLE "public"."orchestrator_configs" TO "authenticated";

REVOKE ALL ("nodes") ON TABLE "public"."orchestrator_configs" FROM "authenticated";

GRANT INSERT ("nodes"), UPDATE ("nodes") ON TABLE "public"."orchestrator_configs" TO "authenticated";

REVOKE ALL ("source_format") ON TABLE "public"."orchestrator_configs" FROM "authenticated";

GRANT INSERT ("source_format"), UPDATE ("source_format") ON TABLE "public"."orchestrator_configs" TO "authenticated";

REVOKE ALL ("source_text") ON TABLE "public"."orchestrator_configs" FROM "authenticated";

GRANT INSERT ("source_text"), UPDATE ("source_text") ON TABLE "public"."orchestrator_configs" TO "authenticated";

REVOKE ALL ("stage_configs") ON TABLE "public"."orchestrator_configs" FROM "authenticated";

GRANT INSERT ("stage_configs"), UPDATE ("stage_configs") ON TABLE "public"."orchestrator_configs" TO "authenticated";

REVOKE ALL ("tags") ON TABLE "public"."orchestrator_configs" FROM "authenticated";

GRANT INSERT ("tags"), UPDATE ("tags") ON TABLE "public"."orchestrator_configs" TO "authenticated";

GRANT DELETE, SELECT ON TABLE "public"."orchestrator_configs" TO "authenticated";

REVOKE ALL ON TABLE "public"."orchestrator_configs" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."orchestrator_configs" TO "postgres";

REVOKE ALL ON TABLE "public"."orchestrator_configs" FROM "service_role";

GRANT SELECT ON TABLE "public"."orchestrator_configs" TO "service_role";

REVOKE ALL ON TABLE "public"."organization_members" FROM "authenticated";

GRANT SELECT ON TABLE "public"."organization_members" TO "authenticated";

REVOKE ALL ON TABLE "public"."organization_members" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."organization_members" TO "postgres";

REVOKE ALL ON TABLE "public"."organization_members" FROM "service_role";

GRANT SELECT ON TABLE "public"."organization_members" TO "service_role";

REVOKE ALL ON TABLE "public"."organizations" FROM "authenticated";

REVOKE ALL ("name") ON TABLE "public"."organizations" FROM "authenticated";

GRANT UPDATE ("name") ON TABLE "public"."organizations" TO "authenticated";

GRANT SELECT ON TABLE "public"."organizations" TO "authenticated";

REVOKE ALL ON TABLE "public"."organizations" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."organizations" TO "postgres";

REVOKE ALL ON TABLE "public"."organizations" FROM "service_role";

GRANT SELECT ON TABLE "public"."organizations" TO "service_role";

REVOKE ALL ON TABLE "public"."prompt_templates" FROM "authenticated";

REVOKE ALL ("content") ON TABLE "public"."prompt_templates" FROM "authenticated";

GRANT INSERT ("content"), UPDATE ("content") ON TABLE "public"."prompt_templates" TO "authenticated";

REVOKE ALL ("description") ON TABLE "public"."prompt_templates" FROM "authenticated";

GRANT INSERT ("description"), UPDATE ("description") ON TABLE "public"."prompt_templates" TO "authenticated";

REVOKE ALL ("name") ON TABLE "public"."prompt_templates" FROM "authenticated";

GRANT INSERT ("name"), UPDATE ("name") ON TABLE "public"."prompt_templates" TO "authenticated";

REVOKE ALL ("source_format") ON TABLE "public"."prompt_templates" FROM "authenticated";

GRANT INSERT ("source_format"), UPDATE ("source_format") ON TABLE "public"."prompt_templates" TO "authenticated";

REVOKE ALL ("source_text") ON TABLE "public"."prompt_templates" FROM "authenticated";

GRANT INSERT ("source_text"), UPDATE ("source_text") ON TABLE "public"."prompt_templates" TO "authenticated";

REVOKE ALL ("variables") ON TABLE "public"."prompt_templates" FROM "authenticated";

GRANT INSERT ("variables"), UPDATE ("variables") ON TABLE "public"."prompt_templates" TO "authenticated";

GRANT DELETE, SELECT ON TABLE "public"."prompt_templates" TO "authenticated";

REVOKE ALL ON TABLE "public"."prompt_templates" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."prompt_templates" TO "postgres";

REVOKE ALL ON TABLE "public"."prompt_templates" FROM "service_role";

GRANT SELECT ON TABLE "public"."prompt_templates" TO "service_role";

REVOKE ALL ON TABLE "public"."user_api_keys" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."user_api_keys" TO "postgres";

REVOKE ALL ON TABLE "public"."user_api_keys" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."user_api_keys" TO "service_role";

GRANT SELECT, UPDATE ON TABLE "private"."key_leases" TO "service_role";

REVOKE ALL ON TABLE "public"."api_key_pools" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."api_key_pools" TO "postgres";

REVOKE ALL ON TABLE "public"."api_key_pools" FROM "service_role";

GRANT SELECT ON TABLE "public"."api_key_pools" TO "service_role";

REVOKE ALL ON TABLE "public"."api_key_states" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."api_key_states" TO "postgres";

REVOKE ALL ON TABLE "public"."api_key_states" FROM "service_role";

GRANT SELECT ON TABLE "public"."api_key_states" TO "service_role";

REVOKE ALL ON TABLE "public"."hub_listings" FROM "anon";

GRANT SELECT ON TABLE "public"."hub_listings" TO "anon";

REVOKE ALL ON TABLE "public"."hub_listings" FROM "authenticated";

GRANT SELECT ON TABLE "public"."hub_listings" TO "authenticated";

REVOKE ALL ON TABLE "public"."hub_listings" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "public"."hub_listings" TO "postgres";

REVOKE ALL ON TABLE "public"."hub_listings" FROM "service_role";

GRANT SELECT ON TABLE "public"."hub_listings" TO "service_role";

ALTER TABLE "public"."ai_model_settings"
  ADD CONSTRAINT "ai_model_settings_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE INDEX ai_model_settings_user_id_idx ON public.ai_model_settings USING btree (user_id);

CREATE POLICY "ai_model_settings_delete" ON "public"."ai_model_settings"
  FOR DELETE
  TO "authenticated"
  USING (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member)));

CREATE POLICY "ai_model_settings_insert" ON "public"."ai_model_settings"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member)));

CREATE POLICY "ai_model_settings_select" ON "public"."ai_model_settings"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "ai_model_settings_update" ON "public"."ai_model_settings"
  FOR UPDATE
  TO "authenticated"
  USING (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

REVOKE ALL ("user_id") ON TABLE "public"."ai_model_settings" FROM "authenticated";

GRANT INSERT ("user_id") ON TABLE "public"."ai_model_settings" TO "authenticated";

ALTER TABLE "public"."custom_components"
  ADD CONSTRAINT "custom_components_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE INDEX custom_components_user_id_idx ON public.custom_components USING btree (user_id);

CREATE POLICY "custom_components_delete" ON "public"."custom_components"
  FOR DELETE
  TO "authenticated"
  USING (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member)));

CREATE POLICY "custom_components_insert" ON "public"."custom_components"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member)));

CREATE POLICY "custom_components_select" ON "public"."custom_components"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "custom_components_update" ON "public"."custom_components"
  FOR UPDATE
  TO "authenticated"
  USING (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

REVOKE ALL ("user_id") ON TABLE "public"."custom_components" FROM "authenticated";

GRANT INSERT ("user_id") ON TABLE "public"."custom_components" TO "authenticated";

ALTER TABLE "public"."hub_follows"
  ADD CONSTRAINT "hub_follows_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE POLICY "hub_follows_delete" ON "public"."hub_follows"
  FOR DELETE
  TO "authenticated"
  USING (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member)));

CREATE POLICY "hub_follows_insert" ON "public"."hub_follows"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member) AND (EXISTS ( SELECT
   FROM public.hub_profiles p
  WHERE (p.user_id = hub_follows.creator_id)))));

CREATE POLICY "hub_follows_select" ON "public"."hub_follows"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

REVOKE ALL ("user_id") ON TABLE "public"."hub_follows" FROM "authenticated";

GRANT INSERT ("user_id") ON TABLE "public"."hub_follows" TO "authenticated";

ALTER TABLE "public"."hub_reports"
  ADD CONSTRAINT "hub_reports_reporter_id_fkey" FOREIGN KEY (reporter_id) REFERENCES auth.users(id) ON DELETE SET NULL;

CREATE INDEX hub_reports_asset_id_idx ON public.hub_reports USING btree (asset_id, reporter_id);

CREATE UNIQUE INDEX hub_reports_open_key ON public.hub_reports USING btree (asset_id, reporter_id)
  WHERE (NOT resolved);

CREATE INDEX hub_reports_reporter_id_idx ON public.hub_reports USING btree (reporter_id)
  WHERE (reporter_id IS NOT NULL);

CREATE POLICY "hub_reports_insert" ON "public"."hub_reports"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((reporter_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member) AND (EXISTS ( SELECT
   FROM public.hub_assets a
  WHERE
    ((a.id = hub_reports.asset_id) AND (a.is_visible OR (a.is_shared AND (a.organization_id = ANY (ARRAY( SELECT private.member_organization_ids() AS
    member_organization_ids))))))))));

CREATE POLICY "hub_reports_select" ON "public"."hub_reports"
  FOR SELECT
  TO "authenticated"
  USING ((reporter_id = ( SELECT auth.uid() AS uid)));

REVOKE ALL ("reporter_id") ON TABLE "public"."hub_reports" FROM "authenticated";

GRANT INSERT ("reporter_id"), SELECT ("reporter_id") ON TABLE "public"."hub_reports" TO "authenticated";

ALTER TABLE "public"."hub_stars"
  ADD CONSTRAINT "hub_stars_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE INDEX hub_stars_user_id_idx ON public.hub_stars USING btree (user_id);

CREATE POLICY "hub_stars_delete" ON "public"."hub_stars"
  FOR DELETE
  TO "authenticated"
  USING (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member)));

CREATE POLICY "hub_stars_insert" ON "public"."hub_stars"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member) AND (EXISTS ( SELECT
   FROM public.hub_assets a
  WHERE
    ((a.id = hub_stars.asset_id) AND (a.is_visible OR (a.is_shared AND (a.organization_id = ANY (ARRAY( SELECT private.member_organization_ids() AS
    member_organization_ids))))))))));

CREATE POLICY "hub_stars_select" ON "public"."hub_stars"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

REVOKE ALL ("user_id") ON TABLE "public"."hub_stars" FROM "authenticated";

GRANT INSERT ("user_id") ON TABLE "public"."hub_stars" TO "authenticated";

ALTER TABLE "public"."orchestrator_configs"
  ADD CONSTRAINT "orchestrator_configs_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE INDEX orchestrator_configs_user_id_idx ON public.orchestrator_configs USING btree (user_id);

CREATE POLICY "orchestrator_configs_delete" ON "public"."orchestrator_configs"
  FOR DELETE
  TO "authenticated"
  USING (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member)));

CREATE POLICY "orchestrator_configs_insert" ON "public"."orchestrator_configs"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member)));

CREATE POLICY "orchestrator_configs_select" ON "public"."orchestrator_configs"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "orchestrator_configs_update" ON "public"."orchestrator_configs"
  FOR UPDATE
  TO "authenticated"
  USING (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

REVOKE ALL ("user_id") ON TABLE "public"."orchestrator_configs" FROM "authenticated";

GRANT INSERT ("user_id") ON TABLE "public"."orchestrator_configs" TO "authenticated";

ALTER TABLE "public"."prompt_templates"
  ADD CONSTRAINT "prompt_templates_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE INDEX prompt_templates_user_id_idx ON public.prompt_templates USING btree (user_id);

CREATE POLICY "prompt_templates_delete" ON "public"."prompt_templates"
  FOR DELETE
  TO "authenticated"
  USING (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member)));

CREATE POLICY "prompt_templates_insert" ON "public"."prompt_templates"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member)));

CREATE POLICY "prompt_templates_select" ON "public"."prompt_templates"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "prompt_templates_update" ON "public"."prompt_templates"
  FOR UPDATE
  TO "authenticated"
  USING (((user_id = ( SELECT auth.uid() AS uid)) AND ( SELECT private.is_member() AS is_member)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

REVOKE ALL ("user_id") ON TABLE "public"."prompt_templates" FROM "authenticated";

GRANT INSERT ("user_id") ON TABLE "public"."prompt_templates" TO "authenticated";

ALTER TABLE "public"."hub_assets"
  ADD CONSTRAINT "hub_assets_asset_type_check" CHECK ((asset_type = ANY (private.asset_types())));

ALTER TABLE "public"."hub_assets"
  ADD CONSTRAINT "hub_assets_tags_check" CHECK (private.tags_are_valid(tags));

ALTER TABLE "public"."hub_assets"
  ADD CONSTRAINT "hub_assets_thumbnail_url_check" CHECK (private.is_https_url(thumbnail_url));

ALTER TABLE "public"."hub_bundle_items"
  ADD CONSTRAINT "hub_bundle_items_asset_type_check" CHECK ((asset_type = ANY (private.asset_types())));

ALTER TABLE "public"."hub_profiles"
  ADD CONSTRAINT "hub_profiles_avatar_url_check" CHECK (private.is_https_url(avatar_url));

ALTER TABLE "public"."hub_profiles"
  ADD CONSTRAINT "hub_profiles_display_name_check"
    CHECK (((char_length(btrim(display_name)) >= 1) AND (char_length(btrim(display_name)) <= 80) AND (NOT private.has_breaks_or_invisible(display_name))));

ALTER TABLE "public"."hub_reports"
  ADD CONSTRAINT "hub_reports_work_check"
    CHECK
    ((private.is_https_url(work_url) AND ((char_length(work_holder) >= 1) AND (char_length(work_holder) <= 200)) AND ((reason = 'copyright'::text) OR (COALESCE(work_url,
    work_holder) IS NULL))));

ALTER TABLE "public"."hub_settings"
  ADD CONSTRAINT "hub_settings_contact_url_check"
    CHECK ((private.is_https_url(contact_url) OR ((char_length(contact_url) <= 320) AND (contact_url ~ '^mailto:[^\s@<>"]+@[^\s@<>"?]+$'::text))));

CREATE INDEX hub_profiles_display_name_idx ON public.hub_profiles USING btree (private.fold(display_name), created_at)
  WHERE (display_name IS NOT NULL);

CREATE INDEX hub_profiles_name_key_idx ON public.hub_profiles USING btree (private.name_key(display_name))
  WHERE (display_name IS NOT NULL);

CREATE UNIQUE INDEX hub_profiles_username_key ON public.hub_profiles USING btree (private.username_key(username));

CREATE UNIQUE INDEX organizations_slug_key ON public.organizations USING btree (private.username_key(slug));
