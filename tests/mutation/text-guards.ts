import type { Mutation } from "./mutation.ts";

/** Of texts, of what operators edit, and of what is told of what is gone. */
export const textMutations: Mutation[] = [
  {
    name: "hub: wide letters are letters",
    in: "private.readings",
    from: "(values (s.seen), (normalize(s.seen, nfkc)))",
    to: "(values (s.seen))",
  },
  {
    name: "hub: what nobody sees splits no secret",
    in: "private.readings",
    from: "regexp_replace(readings.value, '[\\u200c\\u200d\\ufe0e\\ufe0f' || private.unseen_characters() || ']', '', 'g')",
    to: "readings.value",
  },
  {
    name: "hub: what could be read before is no news",
    in: "private.brings_secret",
    from: "where not exists (",
    to: "where true or not exists (",
  },
  {
    name: "hub: a secret beside what could be read before is news",
    in: "private.brings_secret",
    from: "where not exists (",
    to: "where brings_secret.before is null and not exists (",
  },
  {
    name: "hub: tags are searched as they came",
    in: "private.hub_assets_check_text",
    from: "private.brings_secret(array_to_string(before.tags, ' '), array_to_string(sent_tags, ' '))",
    to: "false",
  },
  {
    name: "hub: an edit is not judged by the title it leaves",
    in: "private.hub_assets_check_text",
    from: "if tg_op = 'INSERT' or new.title is distinct from before.title then",
    to: "if true then",
  },
  {
    name: "hub: no tag holds what nobody sees",
    in: "private.hub_assets_check_text",
    from: "private.has_odd_characters(u.tag) or",
    to: "",
  },
  {
    name: "hub: no title holds what nobody sees",
    in: "private.hub_assets_check_text",
    from: "elsif private.has_odd_characters(new.title) then",
    to: "elsif false then",
  },
  {
    name: "hub: no description holds what nobody sees",
    in: "private.hub_assets_check_text",
    from: "elsif private.has_odd_text(new.description) then",
    to: "elsif false then",
  },
  {
    name: "hub: no name holds what nobody sees",
    in: "private.hub_profiles_before_write",
    from: "elsif private.has_odd_characters(new.display_name) then",
    to: "elsif false then",
  },
  {
    name: "hub: names are searched for secrets",
    in: "private.hub_profiles_before_write",
    from: "if secrets <> '[]' then",
    to: "if false then",
  },
  {
    name: "hub: a tombstone of what was hidden tells nothing",
    in: "private.tombstone",
    from: "if asset.is_hidden or asset.hidden_by_ban then",
    to: "if asset.hidden_by_ban then",
  },
  {
    name: "hub: nor that of a banned creator",
    in: "private.tombstone",
    from: "if asset.is_hidden or asset.hidden_by_ban then",
    to: "if asset.is_hidden then",
  },
  {
    name: "hub: a version is numbered behind all that are stored",
    in: "private.publish_snapshot",
    from: "greatest(asset.current_version, max(v.version)) + 1",
    to: "asset.current_version + 1",
  },
  {
    name: "hub: what was published once keeps its slug",
    in: "private.hub_assets_guard",
    from: "new.published_at := coalesce(new.published_at, old.published_at);",
    to: "",
  },
  {
    name: "hub: lineage stays fixed without a version",
    in: "private.hub_assets_guard",
    from: "if (old.current_version > 0 or old.published_at is not null) and (",
    to: "if old.current_version > 0 and (",
  },
  {
    name: "hub: an item is read once",
    in: "public.hub_sources",
    from: "select distinct r.asset_type",
    to: "select r.asset_type",
  },
  {
    name: "hub: reading has an end",
    in: "public.hub_sources",
    from: "if bytes > max_bytes then",
    to: "if false then",
  },
  {
    name: "hub: accounts made after a restore do not count",
    in: "private.hub_reports_before_insert",
    from: "and not private.is_later_account(new.reporter_id, new.asset_id, new.version)",
    to: "",
  },
  {
    name: "hub: accounts made after a restore count on the next version",
    in: "private.is_later_account",
    from: "and m.reviewed_version >= is_later_account.version",
    to: "",
  },
  {
    name: "hub: accounts that were there before a restore count",
    in: "private.is_later_account",
    from: "and m.reviewed_at < coalesce(",
    to: "and m.reviewed_at is distinct from coalesce(",
  },
  {
    name: "hub: how old an account is, is what auth says",
    in: "private.is_later_account",
    from: "(select u.created_at from auth.users u where u.id = is_later_account.user_id),",
    to: "",
  },
  {
    name: "hub: what is for private use is not seen",
    in: "private.unseen_characters",
    from: "\\ue000-\\uf8ff",
    to: "",
  },
];
