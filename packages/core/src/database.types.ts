// Made from the migrations by: npm run generate. Do not edit.

export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[];

export type Database = {
  public: {
    Tables: {
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
      api_key_usage_log: {
        Row: {
          agent_id: string | null;
          blocked_until: string | null;
          consecutive_failures: number | null;
          effect: string | null;
          error_code: string | null;
          id: string;
          issued_at: string | null;
          key_generation: number;
          outcome: string | null;
          reported_at: string | null;
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
          effect?: string | null;
          error_code?: string | null;
          id?: string;
          issued_at?: string | null;
          key_generation: number;
          outcome?: string | null;
          reported_at?: string | null;
          state_after?: string | null;
          state_before?: string | null;
          user_api_key_id: string;
          user_id: string;
        };
        Update: {
          agent_id?: string | null;
          blocked_until?: string | null;
          consecutive_failures?: number | null;
          effect?: string | null;
          error_code?: string | null;
          id?: string;
          issued_at?: string | null;
          key_generation?: number;
          outcome?: string | null;
          reported_at?: string | null;
          state_after?: string | null;
          state_before?: string | null;
          user_api_key_id?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "api_key_usage_log_user_api_key_id_fkey";
            columns: ["user_api_key_id"];
            isOneToOne: false;
            referencedRelation: "api_key_states";
            referencedColumns: ["user_api_key_id"];
          },
          {
            foreignKeyName: "api_key_usage_log_user_api_key_id_fkey";
            columns: ["user_api_key_id"];
            isOneToOne: false;
            referencedRelation: "user_api_keys";
            referencedColumns: ["id"];
          },
        ];
      };
      user_api_keys: {
        Row: {
          api_key_encrypted: string;
          cooling_until: string | null;
          created_at: string;
          generation: number;
          id: string;
          is_active: boolean;
          is_ready: boolean | null;
          key_name: string;
          priority: number;
          provider: string | null;
          ready_at: string | null;
          sealed_kid: string | null;
          unusable_reason: string | null;
          unusable_since: string | null;
          updated_at: string;
          usage_count: number;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          api_key_encrypted: string;
          cooling_until?: string | null;
          created_at?: string;
          generation?: number;
          id?: string;
          is_active?: boolean;
          is_ready?: never;
          key_name: string;
          priority?: number;
          provider?: string | null;
          ready_at?: never;
          sealed_kid?: never;
          unusable_reason?: string | null;
          unusable_since?: string | null;
          updated_at?: string;
          usage_count?: number;
          user_id: string;
        };
        Update: {
          api_key_encrypted?: string;
          cooling_until?: string | null;
          created_at?: string;
          generation?: number;
          id?: string;
          is_active?: boolean;
          is_ready?: never;
          key_name?: string;
          priority?: number;
          provider?: string | null;
          ready_at?: never;
          sealed_kid?: never;
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
      api_key_states: {
        Row: {
          caused_by_log_id: string | null;
          consecutive_failures: number;
          key_name: string;
          last_effect: string | null;
          last_error_code: string | null;
          last_outcome: string | null;
          last_reported_at: string | null;
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
          caused_by_log_id?: string | null;
          consecutive_failures?: number | null;
          key_name?: string | null;
          last_effect?: string | null;
          last_error_code?: string | null;
          last_outcome?: string | null;
          last_reported_at?: string | null;
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
          caused_by_log_id?: string | null;
          consecutive_failures?: number | null;
          key_name?: string | null;
          last_effect?: string | null;
          last_error_code?: string | null;
          last_outcome?: string | null;
          last_reported_at?: string | null;
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
    };
    Functions: {
      issue_agent_token: { Args: { name: string; user_id: string }; Returns: string };
      lease_api_key: {
        Args: {
          live_kids?: string[];
          provider?: string;
          token_hash?: string;
          user_id?: string;
          void_lease_id?: string;
        };
        Returns: Json;
      };
      prune_api_key_usage_log: { Args: { batch?: number; keep?: string }; Returns: number };
      report_api_key: {
        Args: {
          base_seconds?: number;
          cap_seconds?: number;
          error_code?: string;
          forget_seconds?: number;
          hint_at?: string;
          hint_cap_seconds?: number;
          hint_seconds?: number;
          jitter?: number;
          key_id?: string;
          lease_id?: string;
          outcome: string;
          rule: string;
          token_hash?: string;
          tolerated?: number;
          user_id?: string;
          window_seconds?: number;
        };
        Returns: Json;
      };
      reseal_api_key: { Args: { expected: string; key_id: string; resealed: string }; Returns: boolean };
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
