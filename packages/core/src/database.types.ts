// Made from the migrations by: npm run generate. Do not edit.

export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[];

export type Database = {
  public: {
    Tables: {
      ai_model_settings: {
        Row: {
          api_key: string | null;
          created_at: string;
          extra: Json | null;
          generate_content_api: string | null;
          id: string;
          max_output_tokens: number | null;
          model_id: string | null;
          name: string;
          organization_code: string | null;
          pricing: Json | null;
          source_format: string | null;
          source_text: string | null;
          temperature: number | null;
          thinking_budget: number | null;
          thinking_level: string | null;
          top_k: number | null;
          top_p: number | null;
          updated_at: string;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          api_key?: string | null;
          created_at?: string;
          extra?: Json | null;
          generate_content_api?: string | null;
          id?: string;
          max_output_tokens?: number | null;
          model_id?: string | null;
          name: string;
          organization_code?: string | null;
          pricing?: Json | null;
          source_format?: string | null;
          source_text?: string | null;
          temperature?: number | null;
          thinking_budget?: number | null;
          thinking_level?: string | null;
          top_k?: number | null;
          top_p?: number | null;
          updated_at?: string;
          user_id?: string;
        };
        Update: {
          api_key?: string | null;
          created_at?: string;
          extra?: Json | null;
          generate_content_api?: string | null;
          id?: string;
          max_output_tokens?: number | null;
          model_id?: string | null;
          name?: string;
          organization_code?: string | null;
          pricing?: Json | null;
          source_format?: string | null;
          source_text?: string | null;
          temperature?: number | null;
          thinking_budget?: number | null;
          thinking_level?: string | null;
          top_k?: number | null;
          top_p?: number | null;
          updated_at?: string;
          user_id?: string;
        };
        Relationships: [];
      };
      api_key_agents: {
        Row: {
          created_at: string;
          id: string;
          name: string;
          revoked_at: string | null;
          token_hash: string;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          id?: string;
          name: string;
          revoked_at?: string | null;
          token_hash: string;
          user_id: string;
        };
        Update: {
          created_at?: string;
          id?: string;
          name?: string;
          revoked_at?: string | null;
          token_hash?: string;
          user_id?: string;
        };
        Relationships: [];
      };
      api_key_alerts: {
        Row: {
          claimed_until: string | null;
          created_at: string;
          detail: NonNullable<Json>;
          id: string;
          key_name: string | null;
          kind: string;
          provider: string | null;
          sent_at: string | null;
          user_api_key_id: string | null;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          claimed_until?: string | null;
          created_at?: string;
          detail?: NonNullable<Json>;
          id?: string;
          key_name?: string | null;
          kind: string;
          provider?: string | null;
          sent_at?: string | null;
          user_api_key_id?: string | null;
          user_id: string;
        };
        Update: {
          claimed_until?: string | null;
          created_at?: string;
          detail?: NonNullable<Json>;
          id?: string;
          key_name?: string | null;
          kind?: string;
          provider?: string | null;
          sent_at?: string | null;
          user_api_key_id?: string | null;
          user_id?: string;
        };
        Relationships: [];
      };
      api_key_deleted: {
        Row: {
          deleted_at: string;
          fingerprint: string | null;
          id: string;
          key_hint: string | null;
          key_name: string;
          provider: string | null;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          deleted_at?: string;
          fingerprint?: string | null;
          id: string;
          key_hint?: string | null;
          key_name: string;
          provider?: string | null;
          user_id: string;
        };
        Update: {
          deleted_at?: string;
          fingerprint?: string | null;
          id?: string;
          key_hint?: string | null;
          key_name?: string;
          provider?: string | null;
          user_id?: string;
        };
        Relationships: [];
      };
      api_key_health: {
        Row: {
          blocked_until: string | null;
          consecutive_failures: number;
          last_effect: string | null;
          last_error_code: string | null;
          last_failure_at: string | null;
          last_outcome: string | null;
          last_reported_at: string | null;
          rate_blocked_until: string | null;
          reason: string | null;
          reason_code: string | null;
          reason_log_id: string | null;
          reason_since: string | null;
          recent_server_errors: string[];
          user_api_key_id: string;
        };
        ComputedFields: never;
        Insert: {
          blocked_until?: string | null;
          consecutive_failures?: number;
          last_effect?: string | null;
          last_error_code?: string | null;
          last_failure_at?: string | null;
          last_outcome?: string | null;
          last_reported_at?: string | null;
          rate_blocked_until?: string | null;
          reason?: string | null;
          reason_code?: string | null;
          reason_log_id?: string | null;
          reason_since?: string | null;
          recent_server_errors?: string[];
          user_api_key_id: string;
        };
        Update: {
          blocked_until?: string | null;
          consecutive_failures?: number;
          last_effect?: string | null;
          last_error_code?: string | null;
          last_failure_at?: string | null;
          last_outcome?: string | null;
          last_reported_at?: string | null;
          rate_blocked_until?: string | null;
          reason?: string | null;
          reason_code?: string | null;
          reason_log_id?: string | null;
          reason_since?: string | null;
          recent_server_errors?: string[];
          user_api_key_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "api_key_health_user_api_key_id_fkey";
            columns: ["user_api_key_id"];
            isOneToOne: true;
            referencedRelation: "api_key_states";
            referencedColumns: ["user_api_key_id"];
          },
          {
            foreignKeyName: "api_key_health_user_api_key_id_fkey";
            columns: ["user_api_key_id"];
            isOneToOne: true;
            referencedRelation: "user_api_keys";
            referencedColumns: ["id"];
          },
        ];
      };
      api_key_model_health: {
        Row: {
          blocked_until: string | null;
          caused_by_log_id: string | null;
          consecutive_failures: number;
          last_failure_at: string | null;
          last_reported_at: string | null;
          model: string;
          rate_blocked_until: string | null;
          reason: string | null;
          reason_code: string | null;
          reason_since: string | null;
          reset_at: string | null;
          user_api_key_id: string;
        };
        ComputedFields: never;
        Insert: {
          blocked_until?: string | null;
          caused_by_log_id?: string | null;
          consecutive_failures?: number;
          last_failure_at?: string | null;
          last_reported_at?: string | null;
          model: string;
          rate_blocked_until?: string | null;
          reason?: string | null;
          reason_code?: string | null;
          reason_since?: string | null;
          reset_at?: string | null;
          user_api_key_id: string;
        };
        Update: {
          blocked_until?: string | null;
          caused_by_log_id?: string | null;
          consecutive_failures?: number;
          last_failure_at?: string | null;
          last_reported_at?: string | null;
          model?: string;
          rate_blocked_until?: string | null;
          reason?: string | null;
          reason_code?: string | null;
          reason_since?: string | null;
          reset_at?: string | null;
          user_api_key_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "api_key_model_health_user_api_key_id_fkey";
            columns: ["user_api_key_id"];
            isOneToOne: false;
            referencedRelation: "api_key_states";
            referencedColumns: ["user_api_key_id"];
          },
          {
            foreignKeyName: "api_key_model_health_user_api_key_id_fkey";
            columns: ["user_api_key_id"];
            isOneToOne: false;
            referencedRelation: "user_api_keys";
            referencedColumns: ["id"];
          },
        ];
      };
      api_key_starvations: {
        Row: {
          alerted_at: string | null;
          ended_at: string | null;
          id: string;
          last_refused_at: string;
          model: string | null;
          provider: string | null;
          refusals: number;
          since: string;
          soonest_at: string | null;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          alerted_at?: string | null;
          ended_at?: string | null;
          id?: string;
          last_refused_at: string;
          model?: string | null;
          provider?: string | null;
          refusals?: number;
          since: string;
          soonest_at?: string | null;
          user_id: string;
        };
        Update: {
          alerted_at?: string | null;
          ended_at?: string | null;
          id?: string;
          last_refused_at?: string;
          model?: string | null;
          provider?: string | null;
          refusals?: number;
          since?: string;
          soonest_at?: string | null;
          user_id?: string;
        };
        Relationships: [];
      };
      api_key_usage_log: {
        Row: {
          agent_id: string | null;
          blocked_until: string | null;
          consecutive_failures: number | null;
          dead: boolean | null;
          effect: string | null;
          error_code: string | null;
          hint: string | null;
          id: string;
          issued_at: string | null;
          key_generation: number;
          model: string | null;
          outcome: string | null;
          reported_at: string | null;
          scope: string | null;
          state_after: string | null;
          state_before: string | null;
          user_api_key_id: string;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          agent_id?: string | null;
          blocked_until?: string | null;
          consecutive_failures?: number | null;
          dead?: boolean | null;
          effect?: string | null;
          error_code?: string | null;
          hint?: string | null;
          id?: string;
          issued_at?: string | null;
          key_generation: number;
          model?: string | null;
          outcome?: string | null;
          reported_at?: string | null;
          scope?: string | null;
          state_after?: string | null;
          state_before?: string | null;
          user_api_key_id: string;
          user_id: string;
        };
        Update: {
          agent_id?: string | null;
          blocked_until?: string | null;
          consecutive_failures?: number | null;
          dead?: boolean | null;
          effect?: string | null;
          error_code?: string | null;
          hint?: string | null;
          id?: string;
          issued_at?: string | null;
          key_generation?: number;
          model?: string | null;
          outcome?: string | null;
          reported_at?: string | null;
          scope?: string | null;
          state_after?: string | null;
          state_before?: string | null;
          user_api_key_id?: string;
          user_id?: string;
        };
        Relationships: [];
      };
      custom_components: {
        Row: {
          created_at: string;
          description: string | null;
          hub_asset_id: string | null;
          id: string;
          is_public: boolean;
          name: string;
          props_schema: NonNullable<Json>;
          source: string;
          source_format: string | null;
          source_text: string | null;
          updated_at: string;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          description?: string | null;
          hub_asset_id?: string | null;
          id?: string;
          is_public?: boolean;
          name: string;
          props_schema?: NonNullable<Json>;
          source?: string;
          source_format?: string | null;
          source_text?: string | null;
          updated_at?: string;
          user_id?: string;
        };
        Update: {
          created_at?: string;
          description?: string | null;
          hub_asset_id?: string | null;
          id?: string;
          is_public?: boolean;
          name?: string;
          props_schema?: NonNullable<Json>;
          source?: string;
          source_format?: string | null;
          source_text?: string | null;
          updated_at?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "custom_components_hub_asset_id_fkey";
            columns: ["hub_asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_assets";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "custom_components_hub_asset_id_fkey";
            columns: ["hub_asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_listings";
            referencedColumns: ["id"];
          },
        ];
      };
      hub_admins: {
        Row: {
          created_at: string;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          user_id: string;
        };
        Update: {
          created_at?: string;
          user_id?: string;
        };
        Relationships: [];
      };
      hub_appeals: {
        Row: {
          answer: string | null;
          asset_id: string | null;
          body: string;
          created_at: string;
          event_id: number;
          id: string;
          resolved_at: string | null;
          state: string;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          answer?: string | null;
          asset_id?: string | null;
          body: string;
          created_at?: string;
          event_id: number;
          id?: string;
          resolved_at?: string | null;
          state?: string;
          user_id: string;
        };
        Update: {
          answer?: string | null;
          asset_id?: string | null;
          body?: string;
          created_at?: string;
          event_id?: number;
          id?: string;
          resolved_at?: string | null;
          state?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "hub_appeals_asset_id_fkey";
            columns: ["asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_assets";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "hub_appeals_asset_id_fkey";
            columns: ["asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_listings";
            referencedColumns: ["id"];
          },
        ];
      };
      hub_asset_versions: {
        Row: {
          asset_id: string;
          changelog: string | null;
          created_at: string;
          is_open: boolean;
          label: string | null;
          license: string;
          organization_id: string | null;
          payload: NonNullable<Json>;
          scan: Json | null;
          sha256: string;
          version: number;
          yank_reason: string | null;
          yanked_at: string | null;
        };
        ComputedFields: never;
        Insert: {
          asset_id: string;
          changelog?: string | null;
          created_at?: string;
          is_open?: boolean;
          label?: string | null;
          license: string;
          organization_id?: string | null;
          payload: NonNullable<Json>;
          scan?: Json | null;
          sha256: string;
          version: number;
          yank_reason?: string | null;
          yanked_at?: string | null;
        };
        Update: {
          asset_id?: string;
          changelog?: string | null;
          created_at?: string;
          is_open?: boolean;
          label?: string | null;
          license?: string;
          organization_id?: string | null;
          payload?: NonNullable<Json>;
          scan?: Json | null;
          sha256?: string;
          version?: number;
          yank_reason?: string | null;
          yanked_at?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "hub_asset_versions_asset_id_fkey";
            columns: ["asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_assets";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "hub_asset_versions_asset_id_fkey";
            columns: ["asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_listings";
            referencedColumns: ["id"];
          },
        ];
      };
      hub_assets: {
        Row: {
          asset_type: string;
          attribution: Json | null;
          content_updated_at: string | null;
          created_at: string;
          creator_id: string | null;
          currency: string | null;
          current_version: number;
          deleted_at: string | null;
          description: string | null;
          hidden_at: string | null;
          hidden_by_ban: boolean;
          hidden_reason: string | null;
          id: string;
          install_count: number;
          is_hidden: boolean;
          is_public: boolean;
          is_shared: boolean;
          is_visible: boolean;
          license: string;
          organization_id: string | null;
          parent_asset_id: string | null;
          payment_product_id: string | null;
          picture: string | null;
          pinned_version: number | null;
          price_cents: number;
          published_at: string | null;
          ref_id: string;
          remix_depth: number;
          shared_at: string | null;
          slug: string;
          source_asset_id: string | null;
          star_count: number;
          tags: string[];
          teaser: string | null;
          thumbnail_url: string | null;
          title: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          asset_type: string;
          attribution?: Json | null;
          content_updated_at?: string | null;
          created_at?: string;
          creator_id?: string | null;
          currency?: string | null;
          current_version?: number;
          deleted_at?: string | null;
          description?: string | null;
          hidden_at?: string | null;
          hidden_by_ban?: boolean;
          hidden_reason?: string | null;
          id?: string;
          install_count?: number;
          is_hidden?: boolean;
          is_public?: boolean;
          is_shared?: never;
          is_visible?: never;
          license?: string;
          organization_id?: string | null;
          parent_asset_id?: string | null;
          payment_product_id?: string | null;
          picture?: string | null;
          pinned_version?: number | null;
          price_cents?: number;
          published_at?: string | null;
          ref_id: string;
          remix_depth?: number;
          shared_at?: string | null;
          slug: string;
          source_asset_id?: string | null;
          star_count?: number;
          tags?: string[];
          teaser?: string | null;
          thumbnail_url?: string | null;
          title: string;
          updated_at?: string;
        };
        Update: {
          asset_type?: string;
          attribution?: Json | null;
          content_updated_at?: string | null;
          created_at?: string;
          creator_id?: string | null;
          currency?: string | null;
          current_version?: number;
          deleted_at?: string | null;
          description?: string | null;
          hidden_at?: string | null;
          hidden_by_ban?: boolean;
          hidden_reason?: string | null;
          id?: string;
          install_count?: number;
          is_hidden?: boolean;
          is_public?: boolean;
          is_shared?: never;
          is_visible?: never;
          license?: string;
          organization_id?: string | null;
          parent_asset_id?: string | null;
          payment_product_id?: string | null;
          picture?: string | null;
          pinned_version?: number | null;
          price_cents?: number;
          published_at?: string | null;
          ref_id?: string;
          remix_depth?: number;
          shared_at?: string | null;
          slug?: string;
          source_asset_id?: string | null;
          star_count?: number;
          tags?: string[];
          teaser?: string | null;
          thumbnail_url?: string | null;
          title?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "hub_assets_creator_profile_fkey";
            columns: ["creator_id"];
            isOneToOne: false;
            referencedRelation: "hub_profiles";
            referencedColumns: ["user_id"];
          },
          {
            foreignKeyName: "hub_assets_parent_asset_id_fkey";
            columns: ["parent_asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_assets";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "hub_assets_parent_asset_id_fkey";
            columns: ["parent_asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_listings";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "hub_assets_source_asset_id_fkey";
            columns: ["source_asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_assets";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "hub_assets_source_asset_id_fkey";
            columns: ["source_asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_listings";
            referencedColumns: ["id"];
          },
        ];
      };
      hub_bundle_items: {
        Row: {
          asset_id: string;
          asset_type: string;
          attribution: Json | null;
          license: string;
          payload: NonNullable<Json>;
          position: number;
          ref_id: string;
          sha256: string;
          title: string;
          version: number;
        };
        ComputedFields: never;
        Insert: {
          asset_id: string;
          asset_type: string;
          attribution?: Json | null;
          license: string;
          payload: NonNullable<Json>;
          position: number;
          ref_id: string;
          sha256: string;
          title: string;
          version: number;
        };
        Update: {
          asset_id?: string;
          asset_type?: string;
          attribution?: Json | null;
          license?: string;
          payload?: NonNullable<Json>;
          position?: number;
          ref_id?: string;
          sha256?: string;
          title?: string;
          version?: number;
        };
        Relationships: [
          {
            foreignKeyName: "hub_bundle_items_asset_id_fkey";
            columns: ["asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_assets";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "hub_bundle_items_asset_id_fkey";
            columns: ["asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_listings";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "hub_bundle_items_version_fkey";
            columns: ["asset_id", "version"];
            isOneToOne: false;
            referencedRelation: "hub_asset_versions";
            referencedColumns: ["asset_id", "version"];
          },
        ];
      };
      hub_events: {
        Row: {
          action: string;
          actor_id: string | null;
          asset_id: string | null;
          at: string;
          details: NonNullable<Json>;
          id: number;
          note: string | null;
          public_note: string | null;
          report_id: string | null;
          user_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          action: string;
          actor_id?: string | null;
          asset_id?: string | null;
          at?: string;
          details?: NonNullable<Json>;
          id?: never;
          note?: string | null;
          public_note?: string | null;
          report_id?: string | null;
          user_id?: string | null;
        };
        Update: {
          action?: string;
          actor_id?: string | null;
          asset_id?: string | null;
          at?: string;
          details?: NonNullable<Json>;
          id?: never;
          note?: string | null;
          public_note?: string | null;
          report_id?: string | null;
          user_id?: string | null;
        };
        Relationships: [];
      };
      hub_featured: {
        Row: {
          asset_id: string;
          created_at: string;
          position: number;
        };
        ComputedFields: never;
        Insert: {
          asset_id: string;
          created_at?: string;
          position?: number;
        };
        Update: {
          asset_id?: string;
          created_at?: string;
          position?: number;
        };
        Relationships: [
          {
            foreignKeyName: "hub_featured_asset_id_fkey";
            columns: ["asset_id"];
            isOneToOne: true;
            referencedRelation: "hub_assets";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "hub_featured_asset_id_fkey";
            columns: ["asset_id"];
            isOneToOne: true;
            referencedRelation: "hub_listings";
            referencedColumns: ["id"];
          },
        ];
      };
      hub_follows: {
        Row: {
          creator_id: string;
          followed_at: string;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          creator_id: string;
          followed_at?: string;
          user_id?: string;
        };
        Update: {
          creator_id?: string;
          followed_at?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "hub_follows_creator_id_fkey";
            columns: ["creator_id"];
            isOneToOne: false;
            referencedRelation: "hub_profiles";
            referencedColumns: ["user_id"];
          },
        ];
      };
      hub_imports: {
        Row: {
          asset_id: string;
          counts: boolean;
          created: NonNullable<Json>;
          created_at: string;
          id: string;
          mode: string;
          user_id: string;
          version: number;
        };
        ComputedFields: never;
        Insert: {
          asset_id: string;
          counts?: boolean;
          created?: NonNullable<Json>;
          created_at?: string;
          id?: string;
          mode: string;
          user_id: string;
          version: number;
        };
        Update: {
          asset_id?: string;
          counts?: boolean;
          created?: NonNullable<Json>;
          created_at?: string;
          id?: string;
          mode?: string;
          user_id?: string;
          version?: number;
        };
        Relationships: [
          {
            foreignKeyName: "hub_imports_asset_id_fkey";
            columns: ["asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_assets";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "hub_imports_asset_id_fkey";
            columns: ["asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_listings";
            referencedColumns: ["id"];
          },
        ];
      };
      hub_payout_accounts: {
        Row: {
          account_id: string;
          charges_enabled: boolean;
          created_at: string;
          provider: string;
          reported_at: string | null;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          account_id: string;
          charges_enabled?: boolean;
          created_at?: string;
          provider: string;
          reported_at?: string | null;
          user_id: string;
        };
        Update: {
          account_id?: string;
          charges_enabled?: boolean;
          created_at?: string;
          provider?: string;
          reported_at?: string | null;
          user_id?: string;
        };
        Relationships: [];
      };
      hub_pictures: {
        Row: {
          asset_id: string;
          bytes: string;
          created_at: string;
          height: number;
          media_type: string;
          sha256: string;
          width: number;
        };
        ComputedFields: never;
        Insert: {
          asset_id: string;
          bytes: string;
          created_at?: string;
          height: number;
          media_type: string;
          sha256?: never;
          width: number;
        };
        Update: {
          asset_id?: string;
          bytes?: string;
          created_at?: string;
          height?: number;
          media_type?: string;
          sha256?: never;
          width?: number;
        };
        Relationships: [
          {
            foreignKeyName: "hub_pictures_asset_id_fkey";
            columns: ["asset_id"];
            isOneToOne: true;
            referencedRelation: "hub_assets";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "hub_pictures_asset_id_fkey";
            columns: ["asset_id"];
            isOneToOne: true;
            referencedRelation: "hub_listings";
            referencedColumns: ["id"];
          },
        ];
      };
      hub_profiles: {
        Row: {
          avatar_url: string | null;
          created_at: string;
          display_name: string | null;
          user_id: string;
          username: string;
          verified_at: string | null;
        };
        ComputedFields: never;
        Insert: {
          avatar_url?: string | null;
          created_at?: string;
          display_name?: string | null;
          user_id: string;
          username: string;
          verified_at?: string | null;
        };
        Update: {
          avatar_url?: string | null;
          created_at?: string;
          display_name?: string | null;
          user_id?: string;
          username?: string;
          verified_at?: string | null;
        };
        Relationships: [];
      };
      hub_purchases: {
        Row: {
          asset_id: string;
          currency: string;
          id: string;
          order_id: string;
          price_cents: number;
          purchased_at: string;
          revoked_at: string | null;
          revoked_reason: string | null;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          asset_id: string;
          currency: string;
          id?: string;
          order_id: string;
          price_cents: number;
          purchased_at?: string;
          revoked_at?: string | null;
          revoked_reason?: string | null;
          user_id: string;
        };
        Update: {
          asset_id?: string;
          currency?: string;
          id?: string;
          order_id?: string;
          price_cents?: number;
          purchased_at?: string;
          revoked_at?: string | null;
          revoked_reason?: string | null;
          user_id?: string;
        };
        Relationships: [];
      };
      hub_receipts: {
        Row: {
          asset_id: string;
          created_at: string;
          redactions: NonNullable<Json>;
          version: number;
        };
        ComputedFields: never;
        Insert: {
          asset_id: string;
          created_at?: string;
          redactions?: NonNullable<Json>;
          version: number;
        };
        Update: {
          asset_id?: string;
          created_at?: string;
          redactions?: NonNullable<Json>;
          version?: number;
        };
        Relationships: [
          {
            foreignKeyName: "hub_receipts_asset_id_fkey";
            columns: ["asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_assets";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "hub_receipts_asset_id_fkey";
            columns: ["asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_listings";
            referencedColumns: ["id"];
          },
        ];
      };
      hub_reports: {
        Row: {
          asset_id: string;
          counts: boolean;
          created_at: string;
          details: string | null;
          id: string;
          note: string | null;
          outcome: string | null;
          reason: string;
          reporter_id: string | null;
          resolved: boolean;
          resolved_by: string | null;
          version: number;
          work_holder: string | null;
          work_url: string | null;
        };
        ComputedFields: never;
        Insert: {
          asset_id: string;
          counts?: boolean;
          created_at?: string;
          details?: string | null;
          id?: string;
          note?: string | null;
          outcome?: string | null;
          reason: string;
          reporter_id?: string | null;
          resolved?: boolean;
          resolved_by?: string | null;
          version?: number;
          work_holder?: string | null;
          work_url?: string | null;
        };
        Update: {
          asset_id?: string;
          counts?: boolean;
          created_at?: string;
          details?: string | null;
          id?: string;
          note?: string | null;
          outcome?: string | null;
          reason?: string;
          reporter_id?: string | null;
          resolved?: boolean;
          resolved_by?: string | null;
          version?: number;
          work_holder?: string | null;
          work_url?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "hub_reports_asset_id_fkey";
            columns: ["asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_assets";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "hub_reports_asset_id_fkey";
            columns: ["asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_listings";
            referencedColumns: ["id"];
          },
        ];
      };
      hub_settings: {
        Row: {
          contact_url: string | null;
          currency: string;
          fee_bps: number;
          id: boolean;
          min_reporter_age: string;
          verified_fee_bps: number;
        };
        ComputedFields: never;
        Insert: {
          contact_url?: string | null;
          currency?: string;
          fee_bps?: number;
          id?: boolean;
          min_reporter_age?: string;
          verified_fee_bps?: number;
        };
        Update: {
          contact_url?: string | null;
          currency?: string;
          fee_bps?: number;
          id?: boolean;
          min_reporter_age?: string;
          verified_fee_bps?: number;
        };
        Relationships: [];
      };
      hub_stars: {
        Row: {
          asset_id: string;
          starred_at: string;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          asset_id: string;
          starred_at?: string;
          user_id?: string;
        };
        Update: {
          asset_id?: string;
          starred_at?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "hub_stars_asset_id_fkey";
            columns: ["asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_assets";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "hub_stars_asset_id_fkey";
            columns: ["asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_listings";
            referencedColumns: ["id"];
          },
        ];
      };
      orchestrator_configs: {
        Row: {
          created_at: string;
          description: string | null;
          edges: NonNullable<Json>;
          hub_asset_id: string | null;
          id: string;
          is_public: boolean;
          name: string;
          nodes: NonNullable<Json>;
          source_format: string | null;
          source_text: string | null;
          stage_configs: NonNullable<Json>;
          tags: string[];
          updated_at: string;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          description?: string | null;
          edges?: NonNullable<Json>;
          hub_asset_id?: string | null;
          id?: string;
          is_public?: boolean;
          name: string;
          nodes?: NonNullable<Json>;
          source_format?: string | null;
          source_text?: string | null;
          stage_configs?: NonNullable<Json>;
          tags?: string[];
          updated_at?: string;
          user_id?: string;
        };
        Update: {
          created_at?: string;
          description?: string | null;
          edges?: NonNullable<Json>;
          hub_asset_id?: string | null;
          id?: string;
          is_public?: boolean;
          name?: string;
          nodes?: NonNullable<Json>;
          source_format?: string | null;
          source_text?: string | null;
          stage_configs?: NonNullable<Json>;
          tags?: string[];
          updated_at?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "orchestrator_configs_hub_asset_id_fkey";
            columns: ["hub_asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_assets";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "orchestrator_configs_hub_asset_id_fkey";
            columns: ["hub_asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_listings";
            referencedColumns: ["id"];
          },
        ];
      };
      organization_members: {
        Row: {
          created_at: string;
          organization_id: string;
          role: string;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          organization_id: string;
          role?: string;
          user_id: string;
        };
        Update: {
          created_at?: string;
          organization_id?: string;
          role?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "organization_members_organization_id_fkey";
            columns: ["organization_id"];
            isOneToOne: false;
            referencedRelation: "organizations";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "organization_members_profile_fkey";
            columns: ["user_id"];
            isOneToOne: false;
            referencedRelation: "hub_profiles";
            referencedColumns: ["user_id"];
          },
        ];
      };
      organizations: {
        Row: {
          created_at: string;
          id: string;
          name: string;
          slug: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          id?: string;
          name: string;
          slug: string;
        };
        Update: {
          created_at?: string;
          id?: string;
          name?: string;
          slug?: string;
        };
        Relationships: [];
      };
      prompt_templates: {
        Row: {
          content: string;
          created_at: string;
          description: string | null;
          hub_asset_id: string | null;
          id: string;
          name: string;
          source_format: string | null;
          source_text: string | null;
          updated_at: string;
          user_id: string;
          variables: NonNullable<Json>;
        };
        ComputedFields: never;
        Insert: {
          content?: string;
          created_at?: string;
          description?: string | null;
          hub_asset_id?: string | null;
          id?: string;
          name: string;
          source_format?: string | null;
          source_text?: string | null;
          updated_at?: string;
          user_id?: string;
          variables?: NonNullable<Json>;
        };
        Update: {
          content?: string;
          created_at?: string;
          description?: string | null;
          hub_asset_id?: string | null;
          id?: string;
          name?: string;
          source_format?: string | null;
          source_text?: string | null;
          updated_at?: string;
          user_id?: string;
          variables?: NonNullable<Json>;
        };
        Relationships: [
          {
            foreignKeyName: "prompt_templates_hub_asset_id_fkey";
            columns: ["hub_asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_assets";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "prompt_templates_hub_asset_id_fkey";
            columns: ["hub_asset_id"];
            isOneToOne: false;
            referencedRelation: "hub_listings";
            referencedColumns: ["id"];
          },
        ];
      };
      user_api_keys: {
        Row: {
          account: string | null;
          api_key_encrypted: string;
          cooling_until: string | null;
          created_at: string;
          fingerprint: string | null;
          generation: number;
          id: string;
          is_active: boolean;
          is_ready: boolean | null;
          key_hint: string | null;
          key_name: string;
          limited_models: string[] | null;
          limited_until: string[] | null;
          priority: number;
          provider: string | null;
          ready_at: string | null;
          sealed_kid: string | null;
          settings: NonNullable<Json>;
          skipped_count: number;
          unusable_reason: string | null;
          unusable_since: string | null;
          updated_at: string;
          usage_count: number;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          account?: string | null;
          api_key_encrypted: string;
          cooling_until?: string | null;
          created_at?: string;
          fingerprint?: string | null;
          generation?: number;
          id?: string;
          is_active?: boolean;
          is_ready?: never;
          key_hint?: string | null;
          key_name: string;
          limited_models?: string[] | null;
          limited_until?: string[] | null;
          priority?: number;
          provider?: string | null;
          ready_at?: never;
          sealed_kid?: never;
          settings?: NonNullable<Json>;
          skipped_count?: number;
          unusable_reason?: string | null;
          unusable_since?: string | null;
          updated_at?: string;
          usage_count?: number;
          user_id: string;
        };
        Update: {
          account?: string | null;
          api_key_encrypted?: string;
          cooling_until?: string | null;
          created_at?: string;
          fingerprint?: string | null;
          generation?: number;
          id?: string;
          is_active?: boolean;
          is_ready?: never;
          key_hint?: string | null;
          key_name?: string;
          limited_models?: string[] | null;
          limited_until?: string[] | null;
          priority?: number;
          provider?: string | null;
          ready_at?: never;
          sealed_kid?: never;
          settings?: NonNullable<Json>;
          skipped_count?: number;
          unusable_reason?: string | null;
          unusable_since?: string | null;
          updated_at?: string;
          usage_count?: number;
          user_id?: string;
        };
        Relationships: [];
      };
    };
    Views: {
      api_key_pools: {
        Row: {
          available: number | null;
          cooling_down: number | null;
          disabled: number | null;
          failures_last_hour: number | null;
          leases_last_hour: number | null;
          limited: number | null;
          provider: string | null;
          soonest_seconds: number | null;
          starved_since: string | null;
          user_id: string;
        };
        ComputedFields: never;
        Relationships: [];
      };
      api_key_states: {
        Row: {
          account: string | null;
          caused_by_log_id: string | null;
          consecutive_failures: number;
          fingerprint: string | null;
          key_hint: string | null;
          key_name: string;
          last_effect: string | null;
          last_error_code: string | null;
          last_outcome: string | null;
          last_reported_at: string | null;
          limited_models: string[] | null;
          priority: number;
          provider: string | null;
          sealed_kid: string | null;
          seconds_left: number | null;
          since: string | null;
          state: string | null;
          usage_count: number;
          user_api_key_id: string;
          user_id: string;
          why: string | null;
        };
        ComputedFields: never;
        Insert: {
          account?: string | null;
          caused_by_log_id?: string | null;
          consecutive_failures?: number | null;
          fingerprint?: string | null;
          key_hint?: string | null;
          key_name?: string | null;
          last_effect?: string | null;
          last_error_code?: string | null;
          last_outcome?: string | null;
          last_reported_at?: string | null;
          limited_models?: string[] | null;
          priority?: number | null;
          provider?: string | null;
          sealed_kid?: string | null;
          seconds_left?: number | null;
          since?: string | null;
          state?: string | null;
          usage_count?: number | null;
          user_api_key_id?: string | null;
          user_id?: string | null;
          why?: string | null;
        };
        Update: {
          account?: string | null;
          caused_by_log_id?: string | null;
          consecutive_failures?: number | null;
          fingerprint?: string | null;
          key_hint?: string | null;
          key_name?: string | null;
          last_effect?: string | null;
          last_error_code?: string | null;
          last_outcome?: string | null;
          last_reported_at?: string | null;
          limited_models?: string[] | null;
          priority?: number | null;
          provider?: string | null;
          sealed_kid?: string | null;
          seconds_left?: number | null;
          since?: string | null;
          state?: string | null;
          usage_count?: number | null;
          user_api_key_id?: string | null;
          user_id?: string | null;
          why?: string | null;
        };
        Relationships: [];
      };
      hub_listings: {
        Row: {
          asset_type: string;
          content_updated_at: string | null;
          creator: Json | null;
          currency: string | null;
          description: string | null;
          id: string;
          install_count: number;
          license: string;
          picture: string | null;
          price_cents: number;
          published_at: string | null;
          remix_depth: number;
          slug: string;
          star_count: number;
          tags: string[];
          thumbnail_url: string | null;
          title: string;
          version: number;
        };
        ComputedFields: never;
        Relationships: [];
      };
    };
    Functions: {
      accept_invitation: { Args: { token: string }; Returns: Json };
      add_api_key: {
        Args: { account?: string; key_name: string; priority?: number; provider?: string; sealed: string };
        Returns: Json;
      };
      claim_api_key_alerts: {
        Args: { most: number };
        Returns: {
          created_at: string;
          detail: Json;
          id: string;
          key_name: string;
          kind: string;
          provider: string;
          user_api_key_id: string;
          user_id: string;
        }[];
      };
      create_organization: { Args: { name: string; slug: string }; Returns: Json };
      hub_allow_content: { Args: { asset_id: string; username: string }; Returns: undefined };
      hub_appeal: { Args: { asset_id?: string; body?: string }; Returns: string };
      hub_apply_account_event: {
        Args: {
          account_id: string;
          at: string;
          charges_enabled: boolean;
          event_id: string;
          provider: string;
        };
        Returns: Json;
      };
      hub_apply_payment_event: {
        Args: {
          amount_cents?: number;
          currency?: string;
          event_id: string;
          kind: string;
          object_id?: string;
          order_id: string;
          payment_id?: string;
          provider: string;
          provider_fee_cents?: number;
        };
        Returns: Json;
      };
      hub_asset: { Args: { id_or_slug: string; version?: number }; Returns: Json };
      hub_ban_creator: {
        Args: { public_note?: string; reason?: string; user_id: string };
        Returns: undefined;
      };
      hub_begin_checkout: {
        Args: { hourly_limit: number; listing: string; provider: string; user_id: string };
        Returns: Json;
      };
      hub_begin_onboarding: {
        Args: { account_id?: string; provider: string; user_id: string };
        Returns: string;
      };
      hub_begin_preview: { Args: { hourly_limit: number; user_id: string }; Returns: undefined };
      hub_begin_refund: { Args: { amount_cents: number; order_id: string; reason: string }; Returns: Json };
      hub_categories: { Args: Record<PropertyKey, never>; Returns: Json };
      hub_check_counters: {
        Args: Record<PropertyKey, never>;
        Returns: {
          asset_id: string;
          counted: number;
          counter: string;
          stored: number;
        }[];
      };
      hub_copy: { Args: { into_copy: string; user_id: string }; Returns: Json };
      hub_creator: { Args: { username: string }; Returns: Json };
      hub_creators: {
        Args: { cursor?: string; page_size?: number; q?: string; sort?: string };
        Returns: Json;
      };
      hub_delete_asset: { Args: { asset_id: string }; Returns: undefined };
      hub_dismiss_update: { Args: { asset_id: string; version: number }; Returns: undefined };
      hub_edit_version: {
        Args: { asset_id: string; changelog?: string; label?: string; version: number };
        Returns: undefined;
      };
      hub_feature_asset: { Args: { asset_id: string; place?: number }; Returns: undefined };
      hub_featured_assets: { Args: Record<PropertyKey, never>; Returns: Json };
      hub_following: { Args: { cursor?: string; page_size?: number }; Returns: Json };
      hub_get_response: {
        Args: { endpoint: string; idempotency_key: string; request_sha256: string; user_id: string };
        Returns: Json;
      };
      hub_hide_asset: { Args: { asset_id: string; note: string; public_note?: string }; Returns: undefined };
      hub_import: {
        Args: {
          asset_id?: string;
          attribution?: Json;
          dry_run?: boolean;
          hourly_limit?: number;
          idempotency_key?: string;
          into_copy?: string;
          mode: string;
          overwrite?: boolean;
          pinned?: boolean;
          request_sha256?: string;
          rows: Json;
          sha256?: string;
          user_id: string;
          version?: number;
          warnings?: Json;
        };
        Returns: Json;
      };
      hub_my_decisions: {
        Args: Record<PropertyKey, never>;
        Returns: {
          action: string;
          appeal: Json;
          asset_id: string;
          asset_type: string;
          at: string;
          category: string;
          id: number;
          in_force: boolean;
          note: string;
          title: string;
          version: number;
        }[];
      };
      hub_my_purchases: { Args: { order_id?: string }; Returns: Json };
      hub_note_checkout: {
        Args: { checkout_id: string; checkout_url: string; order_id: string };
        Returns: undefined;
      };
      hub_offer_scan_token: {
        Args: { content_sha256: string; seconds: number; user_id: string };
        Returns: string;
      };
      hub_open_appeals: {
        Args: Record<PropertyKey, never>;
        Returns: {
          action: string;
          asset_id: string;
          asset_type: string;
          body: string;
          category: string;
          created_at: string;
          decided_at: string;
          id: string;
          note: string;
          slug: string;
          title: string;
          user_id: string;
          username: string;
          version: number;
        }[];
      };
      hub_order_for_status: { Args: { order_id: string; user_id: string }; Returns: Json };
      hub_orders: { Args: { cursor?: string; q?: string; state?: string }; Returns: Json };
      hub_orders_to_ask: { Args: { most: number }; Returns: Json };
      hub_picture: { Args: { asset_id: string; sha256: string }; Returns: Json };
      hub_pin: { Args: { asset_id: string; version?: number }; Returns: undefined };
      hub_prune: { Args: Record<PropertyKey, never>; Returns: number };
      hub_publish: {
        Args: {
          dry_run: boolean;
          hourly_limit: number;
          idempotency_key: string;
          publication: Json;
          request_sha256: string;
          scan_token: string;
          user_id: string;
        };
        Returns: Json;
      };
      hub_reconcile: {
        Args: Record<PropertyKey, never>;
        Returns: {
          detail: Json;
          order_id: string;
          problem: string;
        }[];
      };
      hub_refresh_discovery: { Args: Record<PropertyKey, never>; Returns: undefined };
      hub_remixes: { Args: { asset_id: string; cursor?: string }; Returns: Json };
      hub_remove_asset: {
        Args: { asset_id: string; note?: string; public_note?: string };
        Returns: undefined;
      };
      hub_republish_asset: { Args: { asset_id: string }; Returns: undefined };
      hub_resolve_appeal: { Args: { accept: boolean; answer?: string; id: string }; Returns: undefined };
      hub_resolve_report: {
        Args: { note?: string; outcome: string; public_note?: string; report_id: string };
        Returns: undefined;
      };
      hub_restore_asset: { Args: { asset_id: string; note?: string }; Returns: undefined };
      hub_restore_copy: { Args: { asset_id: string }; Returns: Json };
      hub_revenue: { Args: { from: string; to: string }; Returns: Json };
      hub_review_queue: {
        Args: Record<PropertyKey, never>;
        Returns: {
          asset_id: string;
          asset_type: string;
          counting_reports: number;
          creator_banned: boolean;
          creator_id: string;
          creator_username: string;
          current_version: number;
          deleted_at: string;
          hidden_at: string;
          hidden_reason: string;
          is_hidden: boolean;
          is_public: boolean;
          open_reports: number;
          reports: Json;
          reviewed_version: number;
          slug: string;
          title: string;
        }[];
      };
      hub_search: {
        Args: {
          cardinality?: string;
          creator?: string;
          cursor?: string;
          facets?: boolean;
          license?: string;
          model?: string;
          page_size?: number;
          q?: string;
          sort?: string;
          tags?: string[];
          types?: string[];
        };
        Returns: Json;
      };
      hub_set_picture: {
        Args: { hourly_limit: number; id_or_slug: string; picture: Json; user_id: string };
        Returns: Json;
      };
      hub_shelf: {
        Args: {
          cardinality?: string;
          creator?: string;
          cursor?: string;
          license?: string;
          model?: string;
          organization: string;
          page_size?: number;
          q?: string;
          sort?: string;
          tags?: string[];
          types?: string[];
        };
        Returns: Json;
      };
      hub_sources: { Args: { items: Json }; Returns: Json };
      hub_trending: { Args: { page_size?: number }; Returns: Json };
      hub_unban_creator: { Args: { user_id: string }; Returns: undefined };
      hub_unchanged: { Args: { contents: Json }; Returns: Json };
      hub_unfeature_asset: { Args: { asset_id: string }; Returns: undefined };
      hub_unpublish_asset: { Args: { asset_id: string }; Returns: undefined };
      hub_unyank_version: { Args: { asset_id: string; version: number }; Returns: undefined };
      hub_updates: { Args: Record<PropertyKey, never>; Returns: Json };
      hub_verify_creator: { Args: { username: string; verified: boolean }; Returns: undefined };
      hub_versions: { Args: { id_or_slug: string }; Returns: Json };
      hub_yank_version: { Args: { asset_id: string; reason?: string; version: number }; Returns: undefined };
      invitation: { Args: { token: string }; Returns: Json };
      invite_member: {
        Args: { days?: number; email?: string; max_uses?: number; organization_id: string; role?: string };
        Returns: Json;
      };
      issue_agent_token: { Args: { name: string; user_id: string }; Returns: string };
      issue_my_agent_token: { Args: { name: string }; Returns: Json };
      keyhub_schedule: { Args: Record<PropertyKey, never>; Returns: string[] };
      lease_api_key: {
        Args: {
          attempt?: number;
          calls?: number;
          exclude?: string[];
          live_kids?: string[];
          model?: string;
          provider?: string;
          release_lease_id?: string;
          token_hash?: string;
          user_id?: string;
        };
        Returns: Json;
      };
      leave_organization: { Args: { organization_id: string }; Returns: undefined };
      my_agents: { Args: Record<PropertyKey, never>; Returns: Json };
      my_api_key_log: {
        Args: { agent_id?: string; before?: string; key_id?: string; outcome?: string };
        Returns: Json;
      };
      my_api_key_pools: { Args: Record<PropertyKey, never>; Returns: Json };
      my_api_keys: { Args: Record<PropertyKey, never>; Returns: Json };
      my_organizations: { Args: Record<PropertyKey, never>; Returns: Json };
      organization_invitations: { Args: { organization_id: string }; Returns: Json };
      organization_review: { Args: { asset_id: string; keep: boolean; note?: string }; Returns: undefined };
      organization_review_queue: { Args: { organization_id: string }; Returns: Json };
      prune_api_key_usage_log: { Args: { batch?: number; keep?: string; pages?: number }; Returns: number };
      reenable_keys: {
        Args: { provider: string; since: string; user_id: string };
        Returns: {
          disabled_at: string;
          key_name: string;
          reason_code: string;
          user_api_key_id: string;
        }[];
      };
      remove_api_key: { Args: { key_id: string }; Returns: undefined };
      remove_member: { Args: { organization_id: string; user_id: string }; Returns: undefined };
      report_and_lease: {
        Args: {
          exclude?: string[];
          live_kids?: string[];
          model?: string;
          provider?: string;
          report: Json;
          token_hash?: string;
          user_id?: string;
        };
        Returns: Json;
      };
      report_api_key: {
        Args: { key_id?: string; lease_id?: string; report: Json; token_hash?: string; user_id?: string };
        Returns: Json;
      };
      report_successes: {
        Args: { lease_ids: string[]; token_hash?: string; user_id?: string };
        Returns: Json;
      };
      reseal_api_key: { Args: { expected: string; key_id: string; resealed: string }; Returns: boolean };
      reset_api_key: { Args: { key_id: string }; Returns: undefined };
      revoke_invitation: { Args: { invitation_id: string }; Returns: undefined };
      revoke_my_agent: { Args: { agent_id: string }; Returns: undefined };
      set_api_key_active: { Args: { active: boolean; key_id: string }; Returns: undefined };
      set_member_role: {
        Args: { organization_id: string; role: string; user_id: string };
        Returns: undefined;
      };
      settle_api_key_alerts: { Args: { failed: string[]; sent: string[] }; Returns: undefined };
      undo_reports: {
        Args: { agent_id: string; since: string; user_id: string };
        Returns: {
          key_name: string;
          model: string;
          reason: string;
          reason_code: string;
          user_api_key_id: string;
        }[];
      };
    };
    Enums: {
      [_ in never]: never;
    };
    CompositeTypes: {
      [_ in never]: never;
    };
  };
};

type DatabaseWithoutInternals = Omit<Database, "__InternalSupabase">;

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">];

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])[TableName] extends {
      Row: infer R;
    }
    ? R
    : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    ? (DefaultSchema["Tables"] & DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends {
        Row: infer R;
      }
      ? R
      : never
    : never;

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Insert: infer I;
    }
    ? I
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
        Insert: infer I;
      }
      ? I
      : never
    : never;

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Update: infer U;
    }
    ? U
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
        Update: infer U;
      }
      ? U
      : never
    : never;

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    | keyof DefaultSchema["Enums"]
    | { schema: keyof DatabaseWithoutInternals },
  EnumName extends DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never = never,
> = DefaultSchemaEnumNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
    ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
    : never;

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never = never,
> = PublicCompositeTypeNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
    ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
    : never;

export const Constants = {
  public: {
    Enums: {},
  },
} as const;
