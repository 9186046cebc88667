SET local check_function_bodies = off;

COMMENT ON COLUMN "private"."hub_creators"."names" IS 'The username and the display name in the form in which a search compares them, made by private.name_keys.';

COMMENT ON FUNCTION "private"."index_asset"(public.hub_assets) IS 'Writes the search document and the tags of a visible listing. Adds its words that no listing has yet, until its creator has added as many as a creator may.';

COMMENT ON FUNCTION "private"."log_event"(text, uuid, uuid, uuid, jsonb, boolean) IS 'Adds an entry to the audit log. The actor is the caller; with by_system it is null. The entry gets the notes that set_audit_note has stored, but public_note only if the action is hidden, removed or banned.';

COMMENT ON FUNCTION "public"."undo_reports"(uuid, uuid, timestamp with time zone) IS 'For operators: takes back what the reports of an agent since a given time have done to a pool. If one of these reports caused the present block of a key, the block ends; if one of them disabled a key, the key is enabled. Returns the keys that it changed. Blocks and keys that an operator has changed since stay as they are. With null as agent_id it takes back the reports that the owner made with an access token.';
