import type { Mutation } from "./mutation.ts";

/** Guards of publishing, in the SQL behind hub-publish. */
export const publishMutations: Mutation[] = [
  {
    name: "publish: one request of a user after the other",
    in: "private.publish_asset",
    from: "perform private.begin_write(publish_asset.user_id);",
    to: "",
  },
  {
    name: "publish: an answer is given again",
    in: "private.publish_asset",
    from: "if answer is not null then",
    to: "if false then",
  },
  {
    name: "publish: a preview is undone",
    in: "private.publish_asset",
    from: "if publish_asset.dry_run then",
    to: "if false then",
  },
  {
    name: "publish: a preview does not count towards the limit",
    in: "private.publish_asset",
    from: "case when not publish_asset.dry_run then publish_asset.hourly_limit end",
    to: "publish_asset.hourly_limit",
  },
  {
    name: "publish: an answer belongs to one request",
    in: "private.recall_answer",
    from: "if kept.request_sha256 <> recall_answer.request_sha256 then",
    to: "if false then",
  },
  {
    name: "publish: an answer belongs to one user",
    in: "private.recall_answer",
    from: "where h.user_id = recall_answer.user_id",
    to: "where true",
  },
  {
    name: "publish: an answer is given for a day",
    in: "private.recall_answer",
    from: "and h.created_at > clock_timestamp() - interval '24 hours'",
    to: "",
  },
  {
    name: "publish: old answers are forgotten",
    in: "private.keep_answer",
    from: "where h.user_id = keep_answer.user_id and h.created_at <= clock_timestamp() - interval '24 hours'",
    to: "where false",
  },
  {
    name: "publish: a confirmation is of one user",
    in: "private.is_confirmed",
    from: "where t.user_id = is_confirmed.user_id",
    to: "where true",
  },
  {
    name: "publish: a confirmation is for one content",
    in: "private.is_confirmed",
    from: "and t.content_sha256 = is_confirmed.content_sha256",
    to: "",
  },
  {
    name: "publish: a confirmation needs its token",
    in: "private.is_confirmed",
    from: "and t.token_sha256 = encode(sha256(convert_to(is_confirmed.scan_token, 'UTF8')), 'hex')",
    to: "",
  },
  {
    name: "publish: a confirmation ends",
    in: "private.is_confirmed",
    from: "and t.expires_at > clock_timestamp()",
    to: "",
  },
  {
    name: "publish: what was found has to be confirmed",
    in: "private.publish_snapshot",
    from: "if not publish_snapshot.confirmed then",
    to: "if false then",
  },
  {
    name: "publish: sixty an hour",
    in: "private.limit_publications",
    from: "if cardinality(recent) >= limit_publications.hourly_limit then",
    to: "if false then",
  },
  {
    name: "publish: the limit is each user's own",
    in: "private.limit_publications",
    from: "where e.user_id = limit_publications.user_id",
    to: "where true",
  },
  {
    name: "publish: a tombstone's lineage still binds",
    in: "private.own_attribution",
    from: "and a.creator_id = (select auth.uid())",
    to: "and a.creator_id = (select auth.uid()) and a.deleted_at is null",
  },
  {
    name: "publish: items are the same by their content",
    in: "private.is_current_content",
    from: "'sha256', i.sha256,",
    to: "",
  },
  {
    name: "publish: a kit is no way around moderation",
    in: "private.refuse_hidden_items",
    from: "if hidden is not null then",
    to: "if false then",
  },
  {
    name: "publish: a parent is held until it is referred to",
    in: "private.publish_snapshot",
    from: "'{parent,id}')::uuid for key share;",
    to: "'{parent,id}')::uuid;",
  },
  {
    name: "publish: what was published does not live on in its answer",
    in: "private.publish_asset",
    from: "answer::jsonb - array['payload', 'items', 'sha256', 'license']",
    to: "answer::jsonb",
  },
  {
    name: "publish: other content is another version",
    in: "private.is_current_content",
    from: "and v.sha256 = is_current_content.sha256",
    to: "",
  },
];
