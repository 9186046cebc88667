/**
 * The one table of error codes. `status` is the HTTP status of the code, `title` a short,
 * fixed English text, and `detail` explains the error or what the caller can do (internal_error has none).
 * SQL raises the same codes: `errcode = 'PT' || status`, `message = code` (PostgREST turns PT422 into a 422).
 */
export const problems = {
  malformed_json: {
    status: 400,
    title: "The body is not valid JSON",
    detail: "The body could not be parsed. Send one JSON object in UTF-8.",
  },
  malformed_host: {
    status: 400,
    title: "The Host header is not a host",
    detail: "Send one Host header with a name or an address.",
  },
  malformed_cursor: {
    status: 400,
    title: "The cursor belongs to another list",
    detail: "Send next_cursor unchanged with the same arguments, or no cursor to start from the beginning.",
  },
  invalid_signature: {
    status: 400,
    title: "The signature is not the payment provider's",
    detail: "It is missing, wrong, or too old.",
  },
  missing_credential: {
    status: 401,
    title: "No credential was sent",
    detail: "Send an agent token or a user access token as Authorization: Bearer.",
  },
  invalid_credential: {
    status: 401,
    title: "The credential is invalid, expired or revoked",
    detail: "Send a valid agent token or user access token as Authorization: Bearer.",
  },
  account_required: {
    status: 401,
    title: "This needs an account",
    detail: "Sign in; an anonymous session can read and import locally only.",
  },
  not_found: { status: 404, title: "Nothing is found at this address", detail: "Check the path." },
  key_not_found: {
    status: 404,
    title: "No such key in the caller's pool",
    detail: "key_id is not the id of a key in the pool of this credential.",
  },
  agent_not_found: {
    status: 404,
    title: "No such agent of the caller",
    detail: "agent_id is not the id of an agent of this account.",
  },
  lease_not_found: {
    status: 404,
    title: "No such lease in the caller's pool",
    detail: "lease_id is not the id of a lease of the pool of this credential.",
  },
  organization_not_found: {
    status: 404,
    title: "No such organization of the caller",
    detail: "The caller belongs to no organization of this name.",
  },
  member_not_found: {
    status: 404,
    title: "No such member",
    detail: "The user does not belong to this organization.",
  },
  invitation_not_found: {
    status: 404,
    title: "Nobody can join with this invitation",
    detail: "It is unknown, used up, expired or revoked. Ask for another one.",
  },
  unknown_provider: {
    status: 404,
    title: "The pool has no key of this provider",
    detail:
      "The pool only has keys for the providers in `providers`, and no key that may be used for every provider.",
  },
  role_required: {
    status: 403,
    title: "The caller's role in the organization does not allow this",
    detail: "`roles` names the roles that may do it.",
  },
  other_address: {
    status: 403,
    title: "The invitation is for another address",
    detail: "Sign in with the account of the address that was invited.",
  },
  banned: {
    status: 403,
    title: "The account is banned from the hub",
    detail:
      "Everything can still be read, and the ban can be appealed; nothing can be published, starred, reported or changed.",
  },
  not_owner: {
    status: 403,
    title: "The asset belongs to somebody else",
    detail: "Only its creator can do this.",
  },
  purchase_required: {
    status: 403,
    title: "This has to be bought first",
    detail: "Only its buyers can read the content of a paid listing.",
  },
  asset_not_found: {
    status: 404,
    title: "No such asset",
    detail: "It does not exist, or the caller cannot see it.",
  },
  source_not_found: {
    status: 404,
    title: "No such item in the caller's workspace",
    detail: "ref_id is not the id of an item of that type in the caller's workspace.",
  },
  order_not_found: { status: 404, title: "No such order", detail: "Check order_id." },
  payments_not_configured: {
    status: 404,
    title: "Nothing is sold here",
    detail: "The operator of this hub has not set up a payment provider.",
  },
  report_not_found: { status: 404, title: "No such report", detail: "Check report_id." },
  appeal_not_found: { status: 404, title: "No such appeal", detail: "Check id." },
  user_not_found: { status: 404, title: "No such user", detail: "Check user_id." },
  upstream_not_configured: {
    status: 404,
    title: "The gateway does not forward to this provider",
    detail: "It forwards to `providers`. The operator's setting KEYHUB_UPSTREAMS adds others.",
  },
  method_not_allowed: {
    status: 405,
    title: "This method is not allowed here",
    detail: "The Allow header names the allowed methods.",
  },
  already_reported: {
    status: 409,
    title: "The caller has reported this already",
    detail: "A lease has one outcome, and each user one open report per asset. The first one counts.",
  },
  already_purchased: {
    status: 409,
    title: "The caller has bought this already",
    detail: "Import it, or open it in the purchases.",
  },
  not_for_sale: {
    status: 409,
    title: "The listing is not for sale",
    detail: "It is free, or its creator cannot take payments at present.",
  },
  not_refundable: {
    status: 409,
    title: "Nothing can be refunded",
    detail: "The order is not paid, is disputed, or is already refunded in full.",
  },
  order_is_fixed: {
    status: 409,
    title: "This part of an order cannot be changed",
    detail: "The agreed terms do not change, and the state follows the messages of the payment provider.",
  },
  ledger_unbalanced: {
    status: 409,
    title: "The lines of an event do not add up to zero",
    detail: "In one event, the accounts must gain and lose the same amount in total.",
  },
  purchase_unpaid: {
    status: 409,
    title: "A purchase needs a paid order",
    detail: "Revoke the purchase, or wait for the payment.",
  },
  not_published: {
    status: 409,
    title: "The item is not published",
    detail: "It has no listing, or its listing has no version. Publish it first.",
  },
  not_exportable: {
    status: 409,
    title: "The listing cannot be exported",
    detail: "errors lists the faults of its content.",
  },
  too_many_authors: {
    status: 409,
    title: "The work has too many authors",
    detail: "A copy names every author, and this one would have more than a copy can name.",
  },
  not_visible: {
    status: 409,
    title: "The asset is not visible",
    detail: "Only a visible asset can be hidden.",
  },
  not_hidden: {
    status: 409,
    title: "The asset is not hidden",
    detail: "Only a hidden asset can be restored, removed or appealed.",
  },
  removed: {
    status: 409,
    title: "The listing was removed by moderation",
    detail: "This item cannot be published again.",
  },
  not_banned: {
    status: 409,
    title: "The account is not banned",
    detail: "Only a ban can be appealed without a listing.",
  },
  already_appealed: {
    status: 409,
    title: "This decision has been appealed already",
    detail: "Each decision can be appealed once. hub_my_decisions has the appeal and its answer.",
  },
  appeal_resolved: {
    status: 409,
    title: "The appeal is resolved already",
    detail: "An appeal is answered once.",
  },
  report_resolved: {
    status: 409,
    title: "The report is resolved already",
    detail: "A report is resolved once.",
  },
  too_many_open_reports: {
    status: 409,
    title: "Too many reports of the caller are open",
    detail: "Wait until moderators have resolved some of them.",
  },
  display_name_taken: {
    status: 409,
    title: "Another member has this shown name",
    detail: "Choose another one. Case, accents, signs and look-alike letters do not make a name different.",
  },
  already_public: {
    status: 409,
    title: "The listing is public",
    detail: "Unpublish it first; then it can be shared in an organization.",
  },
  slug_taken: {
    status: 409,
    title: "The short name is taken",
    detail: "Choose another one. Separators and look-alike characters do not make it different.",
  },
  last_owner: {
    status: 409,
    title: "An organization must have an owner",
    detail: "Make somebody else an owner first.",
  },
  hidden_by_hub: {
    status: 409,
    title: "The hub has hidden the listing",
    detail: "Only the admins of the hub decide about it.",
  },
  username_taken: {
    status: 409,
    title: "The user name is taken",
    detail: "Choose another one. Case, separators and look-alike characters do not make a name different.",
  },
  user_is_banned: {
    status: 409,
    title: "The user is banned",
    detail: "Lift the ban before making them an admin.",
  },
  append_only: {
    status: 409,
    title: "These rows cannot be changed or deleted",
    detail: "The detail names the table.",
  },
  version_missing: {
    status: 409,
    title: "A public listing needs its current version to be stored",
    detail: "Publishing stores one.",
  },
  asset_is_fixed: {
    status: 409,
    title: "This part of an asset cannot be changed",
    detail: "The detail names the columns.",
  },
  report_is_fixed: {
    status: 409,
    title: "This part of a report cannot be changed",
    detail:
      "The asset and the reporter of a report cannot change, and a resolved report cannot be opened again.",
  },
  gone: {
    status: 410,
    title: "The listing was deleted",
    detail: "Its content is deleted; `asset` holds what is still known.",
  },
  body_too_large: { status: 413, title: "The body is too large", detail: "Send a smaller body." },
  misdirected_host: {
    status: 421,
    title: "The server does not answer to this host name",
    detail: "Use a name of this machine, or a name in the setting KEYHUB_HOSTS.",
  },
  unsupported_media_type: {
    status: 415,
    title: "The body must be application/json",
    detail: "Send Content-Type: application/json.",
  },
  validation_failed: {
    status: 422,
    title: "The body does not match the contract",
    detail: "errors names every fault.",
  },
  details_required: {
    status: 422,
    title: "This reason needs details",
    detail: "Describe in `details` what is wrong.",
  },
  own_asset: {
    status: 422,
    title: "The asset is the caller's own",
    detail: "Only assets of others can be reported or bought.",
  },
  item_hidden: {
    status: 409,
    title: "An item is hidden by moderation",
    detail:
      "errors lists the items. Hidden or removed content cannot be published as a part of something else.",
  },
  duplicate_content: {
    status: 409,
    title: "Somebody else has published this content",
    detail:
      "`slug` names the listing. Its license requires that copies name their origin: import it instead, and publish your copy.",
  },
  label_taken: {
    status: 409,
    title: "Another version has this label",
    detail: "A label names one version of a listing.",
  },
  last_version: {
    status: 409,
    title: "This is the only version that can be imported",
    detail: "A listing must keep one version that can be imported. Unpublish the listing instead.",
  },
  version_yanked: {
    status: 409,
    title: "The version was withdrawn by its creator",
    detail: "It can no longer be imported. Take another version.",
  },
  modified_copy: {
    status: 409,
    title: "The copy was edited",
    detail:
      "`items` lists the edited items. Send overwrite to replace them; hub_restore_copy can restore them for 30 days.",
  },
  nothing_overwritten: {
    status: 404,
    title: "There is nothing to bring back",
    detail: "No update has overwritten this copy in the last 30 days.",
  },
  scan_confirmation_required: {
    status: 409,
    title: "The component does something that its users should know",
    detail: "Read `findings`. To publish anyway, send the request again with `scan_token`.",
  },
  secret_detected: {
    status: 422,
    title: "Something looks like a secret",
    detail: "errors lists the fields. Remove the secret, or write a placeholder such as {{API_KEY}}.",
  },
  idempotency_key_reused: {
    status: 422,
    title: "The Idempotency-Key belongs to another request",
    detail: "Use a new key for each request. Use the same key only to retry the same request.",
  },
  license_incompatible: {
    status: 422,
    title: "The license does not allow this",
    detail: "errors lists the items. Choose a license that the licenses of their sources allow.",
  },
  payout_account_required: {
    status: 422,
    title: "Selling needs a payout account",
    detail: "Set up a payout account first; the payment provider must take payments for it.",
  },
  cannot_ban_self: { status: 422, title: "Admins cannot ban themselves", detail: "Check user_id." },
  cannot_ban_admin: {
    status: 422,
    title: "Admins cannot be banned",
    detail: "An operator must first remove them as an admin.",
  },
  lease_key_mismatch: {
    status: 422,
    title: "The lease belongs to another key",
    detail: "Leave key_id out, or send the key_id that came with the lease.",
  },
  key_not_sealed: {
    status: 422,
    title: "api_key_encrypted is not a sealed text",
    detail: "Seal the key first: npm run seal -- --user <user_id>.",
  },
  settings_not_valid: {
    status: 422,
    title: "The settings of the key are not valid",
    detail:
      "Allowed: base_url (https, without user info, query or fragment), organization and project; no secrets.",
  },
  provider_not_valid: {
    status: 422,
    title: "The provider's name is not valid",
    detail: "Letters a to z, digits and . _ -, beginning with a letter or digit; at most 63 characters.",
  },
  mixed_script: {
    status: 422,
    title: "A word mixes scripts",
    detail: "`path` has a word of Latin letters with Cyrillic or Greek ones that look like them.",
  },
  organization_only: {
    status: 422,
    title: "A part of this may only be shared in its organization",
    detail:
      "`errors` lists the parts that come from the shelf of an organization. Share it there, or leave these parts out.",
  },
  limit_reached: {
    status: 422,
    title: "The account has reached a limit",
    detail: "`limit` names the limit and `most` is its number. Delete something first.",
  },
  rate_limited: {
    status: 429,
    title: "Too many calls within an hour",
    detail: "`limit` names the limit. Try again after `retry_after` seconds.",
  },
  internal_error: { status: 500, title: "Something went wrong on our side" },
  upstream_unreachable: {
    status: 502,
    title: "The provider could not be reached",
    detail: "The connection failed before an answer began.",
  },
  upstream_refused: {
    status: 502,
    title: "The gateway refuses to send a key to this address",
    detail: "The provider redirects to another host, or its host leads to a private address.",
  },
  unusable_key: {
    status: 502,
    title: "The leased key has characters that no request can hold",
    detail: "An operator must replace the key.",
  },
  upstream_timeout: {
    status: 504,
    title: "The provider did not answer in time",
    detail: "No answer began within the gateway's limit.",
  },
  keys_cooling_down: {
    status: 503,
    title: "Every usable key is cooling down",
    detail: "Try again after `retry_after` seconds.",
  },
  no_active_key: {
    status: 503,
    title: "There is no usable key",
    detail: "Waiting does not help: an operator must add, enable or reseal a key.",
  },
  unavailable: {
    status: 503,
    title: "The service cannot answer at the moment",
    detail:
      "Try again shortly. The call may have been carried out: the same report or Idempotency-Key can safely be sent again.",
  },
} as const satisfies Record<string, { status: number; title: string; detail?: string }>;

export type ProblemCode = keyof typeof problems;

/** Returns whether a text, such as the message of a SQL error, is one of our codes. */
export function isProblemCode(text: unknown): text is ProblemCode {
  return typeof text === "string" && Object.hasOwn(problems, text);
}
