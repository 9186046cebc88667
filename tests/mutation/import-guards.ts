import type { Mutation } from "./mutation.ts";

/** Guards of importing and of what shows lineage. */
export const importMutations: Mutation[] = [
  {
    name: "import: a banned user imports nothing, and nothing beside a ban",
    in: "private.import_asset",
    from: "perform private.begin_write(import_asset.user_id);",
    to: "",
  },
  {
    name: "import: the same request again is answered under the lock",
    in: "private.import_asset",
    from: "if answer is not null then",
    to: "if false then",
  },
  {
    name: "import: an answer is kept",
    in: "private.import_asset",
    from: "perform private.keep_answer(",
    to: "perform private.recall_answer(import_asset.user_id, 'hub-import', null, null) where false; perform jsonb_build_array(",
  },
  {
    name: "import: a dry run writes nothing",
    in: "private.import_asset",
    from: "if import_asset.dry_run then\n      raise",
    to: "if false then\n      raise",
  },
  {
    name: "import: what was read is looked at again under the lock",
    in: "private.copy_rows",
    from: "if (source.is_visible or (source.deleted_at is null and source.creator_id = copy_rows.user_id)) is not true",
    to: "if false",
  },
  {
    name: "import: of what is not visible only its owner's",
    in: "private.copy_rows",
    from: "source.creator_id = copy_rows.user_id",
    to: "true",
  },
  {
    name: "import: it is the content that was read",
    in: "private.copy_rows",
    from: "and v.sha256 = copy_rows.sha256",
    to: "",
  },
  {
    name: "import: a listing that is counted is recorded",
    in: "private.copy_rows",
    from: "where source.id is not null",
    to: "where false",
  },
  {
    name: "import: a root that is being erased is waited for",
    in: "private.copy_rows",
    from: "order by a.id\n  for key share;",
    to: "order by a.id;",
  },
  {
    name: "import: in a kit the parent stands on the main row only",
    in: "private.copy_rows",
    from: "case when r.place = 1 and copy_rows.mode = 'remix' then source.id end",
    to: "case when copy_rows.mode = 'remix' then source.id end",
  },
  {
    name: "import: a remix stands one deeper",
    in: "private.copy_rows",
    from: "then source.remix_depth + 1 else 0 end",
    to: "then 1 else 0 end",
  },
  {
    name: "import: a use has no parent until it is published",
    in: "private.copy_rows",
    from: "case when r.place = 1 and copy_rows.mode = 'remix' then source.id end",
    to: "case when r.place = 1 then source.id end",
  },
  {
    name: "import: a claim is no parent",
    in: "private.publish_snapshot",
    from: "if asset.attribution ? 'parent' and",
    to: "if asset.attribution is not null and",
  },
  {
    name: "import: a name that is taken is not given twice",
    in: "private.free_names",
    from: "or (w.asset_type, w.name) in (select m.asset_type, m.name from mine m) as is_taken",
    to: "as is_taken",
  },
  {
    name: "import: an author who is banned is not named",
    in: "private.creator",
    from: "and not private.is_banned(p.user_id)",
    to: "",
  },
  {
    name: "import: an attribution shows no author's id",
    in: "private.shown_origin",
    from: "- 'creator_id'",
    to: "- 'nothing'",
  },
  {
    name: "import: a hidden original cannot be opened",
    in: "private.shown_origin",
    from: "coalesce(a.is_visible, false)",
    to: "a.id is not null",
  },
  {
    name: "import: what was never published leaves no tombstone",
    in: "private.tombstone",
    from: "and a.published_at is not null",
    to: "",
  },
  {
    name: "import: remix lists hold visible rows only",
    in: "public.hub_remixes",
    from: "where r.is_visible\n",
    to: "where true\n",
  },
  {
    name: "import: a cursor belongs to its list",
    in: "private.from_cursor",
    from: "if place -> 'list' is distinct from from_cursor.list then",
    to: "if place is null then",
  },
  {
    name: "import: a cursor is what was given here",
    in: "public.hub_remixes",
    from: "or not pg_input_is_valid(place ->> 'id', 'uuid')",
    to: "",
  },
  {
    name: "import: updates are of the caller's copies",
    in: "private.updates",
    from: "where c.creator_id = (select auth.uid())\n      and c.deleted_at is null\n      and s.is_visible",
    to: "where c.deleted_at is null\n      and s.is_visible",
  },
  {
    name: "import: no newer version of what nobody can see",
    in: "private.updates",
    from: "and s.is_visible",
    to: "",
  },
  {
    name: "import: a token may outlive its account",
    in: "private.import_asset",
    from: "if not exists (select from auth.users u where u.id = import_asset.user_id) then",
    to: "if false then",
  },
];
