SET local check_function_bodies = off;

COMMENT ON COLUMN "private"."api_key_breakers"."key_ids" IS 'The keys that reports disabled last, including all that recently_disabled_keys can still count.';

COMMENT ON COLUMN "private"."hub_copies"."dismissed_version" IS 'hub_updates does not announce versions of the origin up to this one, because the owner has dismissed them.';

COMMENT ON COLUMN "private"."hub_documents"."popularity" IS 'The logarithm (base 2) of the listing''s stars and installs (private.popularity): it seldom changes, so the row is seldom written.';

COMMENT ON COLUMN "private"."hub_moderation"."reviewed_at" IS 'When the asset was last restored. Reports by accounts created later are not counted for reviewed_version and older versions.';

COMMENT ON COLUMN "private"."hub_overwritten"."sha256" IS 'The value of hub_copies.sha256 before the update; hub_restore_copy writes it back.';

COMMENT ON COLUMN "private"."hub_snapshots"."value" IS 'Null: the last seven days have so few stars, imports and listings that each call counts them.';

COMMENT ON COLUMN "private"."hub_words"."added_by" IS 'The creator whose listing first had the word; an account adds at most 5,000 words.';

COMMENT ON COLUMN "private"."hub_words"."slips" IS 'Forms of the word with letters left out (private.slips): two words that differ by a typing error have one of these forms in common. A form that 64 words have is not stored for further words.';

COMMENT ON COLUMN "private"."payment_events"."provider_fee_cents" IS 'The provider''s fee for that payment, refund or dispute, as far as the provider has reported one.';

COMMENT ON COLUMN "private"."shelf_documents"."title_key" IS 'The folded title: a listing whose title equals the query comes first.';

COMMENT ON COLUMN "public"."api_key_alerts"."claimed_until" IS 'Until this time one call of keyhub-alerts is sending the alert; afterwards another call may send it.';

COMMENT ON COLUMN "public"."api_key_alerts"."sent_at" IS 'When keyhub-alerts delivered the alert to KEYHUB_ALERT_URL.';

COMMENT ON COLUMN "public"."api_key_alerts"."user_api_key_id" IS 'The key that caused the alert. No foreign key: the alert outlives the key.';

COMMENT ON COLUMN "public"."api_key_health"."consecutive_failures" IS 'Number of rate and quota blocks in a row, without a success between them: the exponent of the cooldown.';

COMMENT ON COLUMN "public"."api_key_health"."last_failure_at" IS 'Time of the newest failure that blocked or disabled the key; a success on a lease issued before that time is stale.';

COMMENT ON COLUMN "public"."api_key_health"."rate_blocked_until" IS 'End of the last block by a rate or quota failure. Failures on leases issued before that time do not raise consecutive_failures, because they have the same cause.';

COMMENT ON COLUMN "public"."api_key_health"."reason" IS 'What set the present block or disabled the key: an outcome of set-key-state, many_at_once (the breaker), blocked_by_operator or disabled_by_operator.';

COMMENT ON COLUMN "public"."api_key_health"."reason_log_id" IS 'The usage log row of the report behind reason. No foreign key; pruning keeps this row while the block lasts or the key is disabled.';

COMMENT ON COLUMN "public"."api_key_health"."recent_server_errors" IS 'Times of the newest tolerated server errors in a row, oldest first. When there are more than the threshold within the window of the report, the key cools down.';

COMMENT ON COLUMN "public"."api_key_model_health"."caused_by_log_id" IS 'The usage log row of the report behind reason. No foreign key; pruning keeps this row while the block lasts.';

COMMENT ON COLUMN "public"."api_key_model_health"."reset_at" IS 'When an operator last reset the block of the model; a report on a lease issued before that time is stale.';

COMMENT ON COLUMN "public"."api_key_starvations"."ended_at" IS 'When a key was leased again; null while the starvation lasts.';

COMMENT ON COLUMN "public"."api_key_usage_log"."blocked_until" IS 'The end of the block of the key or model after the report, as the call returned it.';

COMMENT ON COLUMN "public"."api_key_usage_log"."consecutive_failures" IS 'The consecutive_failures of the key or model after the report, as the call returned it.';

COMMENT ON COLUMN "public"."api_key_usage_log"."scope" IS 'What the reported answer was about: request, model, key or account; null where the answer says nothing about a key.';

COMMENT ON COLUMN "public"."hub_asset_versions"."changelog" IS 'What changed in this version, as plain text for readers.';

COMMENT ON COLUMN "public"."hub_asset_versions"."is_open" IS 'Whether readers still see the version when another version is current. False for versions that were published before histories were open.';

COMMENT ON COLUMN "public"."hub_asset_versions"."organization_id" IS 'The organization whose members may read the version; null: everybody. Never changes, whatever happens to the listing. No foreign key: a closed organization has no members.';

COMMENT ON COLUMN "public"."hub_asset_versions"."yanked_at" IS 'When the owner withdrew the version: it cannot be imported any more; users who imported this version can still read it.';

COMMENT ON COLUMN "public"."hub_assets"."attribution" IS 'What the listing was imported or remixed from: {root, parent, via: [...], claimed}; root, parent and each of via are {id, title, slug, creator_id, license, version, remix_depth}. Written once; an update of a copy changes only the versions and never removes an origin.';

COMMENT ON COLUMN "public"."hub_assets"."deleted_at" IS 'When the listing became a tombstone: its content is deleted, id and slug stay. Setting this column makes triggers delete the content.';

COMMENT ON COLUMN "public"."hub_assets"."hidden_by_ban" IS 'True while the creator is banned, which hides the listing. Maintained from private.hub_bans; kept when a banned creator deletes the account.';

COMMENT ON COLUMN "public"."hub_assets"."hidden_reason" IS 'reports (the threshold), moderator, organization_reports or organization (the same on a shelf), the reason of an upheld report, or removed. The creator can read it.';

COMMENT ON COLUMN "public"."hub_assets"."install_count" IS 'Number of distinct signed-in users, other than the creator, who imported the listing. Maintained by a trigger.';

COMMENT ON COLUMN "public"."hub_assets"."is_shared" IS 'True while the listing is on the shelf of its organization, where only members see it.';

COMMENT ON COLUMN "public"."hub_assets"."is_visible" IS 'True while the listing is public on the hub: policies, indexes and functions use no other predicate for that.';

COMMENT ON COLUMN "public"."hub_assets"."organization_id" IS 'The organization in which the listing is or was shared. Stays when the listing is taken off the shelf or the organization is closed. Null: the listing was never shared, or it has been published for everybody since. No foreign key: content for members only stays private when the organization is gone.';

COMMENT ON COLUMN "public"."hub_assets"."picture" IS 'SHA-256 of the listing''s picture in hub_pictures; null without a picture. Maintained by a trigger.';

COMMENT ON COLUMN "public"."hub_assets"."pinned_version" IS 'For a copy: the version of its origin to which the owner has pinned the copy, so that newer versions are not announced. Null: newer versions are announced.';

COMMENT ON COLUMN "public"."hub_assets"."published_at" IS 'When the listing was first published for everybody; republishing does not change it.';

COMMENT ON COLUMN "public"."hub_assets"."shared_at" IS 'When the listing was put on the shelf of its organization; null: it is not on a shelf.';

COMMENT ON COLUMN "public"."hub_assets"."slug" IS 'Part of the permalink. Made at the first publication, and once more when a shared listing is first published for everybody; a copy that was never published has copy-<random>. Unique, also among tombstones.';

COMMENT ON COLUMN "public"."hub_assets"."star_count" IS 'Number of the listing''s rows in hub_stars. Maintained by a trigger.';

COMMENT ON COLUMN "public"."hub_imports"."counts" IS 'Whether install_count includes this import: true for one import of each user other than the creator. Maintained by a trigger.';

COMMENT ON COLUMN "public"."hub_purchases"."revoked_reason" IS 'The state of the order that revoked the purchase, or operator: somebody revoked it by hand.';

COMMENT ON COLUMN "public"."hub_reports"."work_holder" IS 'For a copyright report: the holder of the rights in the copied work.';

COMMENT ON COLUMN "public"."hub_settings"."verified_fee_bps" IS 'The platform''s share of a sale of a verified creator, in hundredths of a percent.';

COMMENT ON COLUMN "public"."organizations"."slug" IS 'Part of the address of the organization''s shelf: 3 to 40 small letters, digits and single hyphens. Unique by private.username_key.';

COMMENT ON COLUMN "public"."user_api_keys"."cooling_until" IS 'Copy of api_key_health.blocked_until, kept by a trigger; edit that column instead. After the block has ended, an edit of the key or the first lease that finds the block expired clears this column.';

COMMENT ON COLUMN "public"."user_api_keys"."fingerprint" IS 'Identifies a key without revealing it: the first 32 hex digits of SHA-256 over keyhub-fingerprint:v1:<user_id>:<key>. Taken from the end of the sealed text; null when the text had no fingerprint (npm run reseal adds one).';

COMMENT ON COLUMN "public"."user_api_keys"."limited_models" IS 'Copy of the blocks in api_key_model_health, kept by a trigger; edit that table instead. An expired block stays listed until a lease for its model removes it.';

COMMENT ON COLUMN "public"."user_api_keys"."limited_until" IS 'The end of the block of each model in limited_models, in the same order.';

COMMENT ON COLUMN "public"."user_api_keys"."ready_at" IS 'The key may be leased from this time on; infinity: the key is disabled or cannot be opened, so waiting does not help. Leases and the view api_key_states both use it.';

COMMENT ON COLUMN "public"."user_api_keys"."skipped_count" IS 'The part of usage_count that no lease has added: it was added when the key joined its tier or came back from a block.';

COMMENT ON COLUMN "public"."user_api_keys"."unusable_reason" IS 'Why the sealed text could not be opened; the key is not leased while this is set. Cleared when the ciphertext or the owner changes.';

COMMENT ON COLUMN "public"."user_api_keys"."usage_count" IS 'Of the keys of one priority, the key with the lowest usage_count is leased first; each lease adds one. A key that is added, enabled, moved or comes back from a block starts at the least count of the other keys of its tier; usage_count - skipped_count is the exact number of leases.';

COMMENT ON FUNCTION "private"."accept_invitation"(text) IS 'Inserts the caller as a member under the lock of the organization and counts the use of the invitation. Called by public.accept_invitation.';

COMMENT ON FUNCTION "private"."add_api_key"(text, text, text, text, integer) IS 'Checks the name and the limit of 200 keys, then inserts the key. Called by public.add_api_key.';

COMMENT ON FUNCTION "private"."add_to_creators"(private.creator_change[]) IS 'Adds the given changes of listings, installs and stars to the sums of their creators.';

COMMENT ON FUNCTION "private"."alert_starvation"(public.api_key_starvations, text, jsonb) IS 'Writes an alert of the given kind with the model, the start and the expected end of a starvation.';

COMMENT ON FUNCTION "private"."allow_content"(uuid, text) IS 'Stores that a user may publish content that equals a version of a listing, and logs it. Called by public.hub_allow_content.';

COMMENT ON FUNCTION "private"."api_key_health_before_update"() IS 'When somebody edits a block by hand, stores blocked_by_operator as the reason of a longer block and clears the reason of a reset block. Raises PT422 health_row_is_bound when the row would move to another key.';

COMMENT ON FUNCTION "private"."api_key_model_health_before_insert"() IS 'Keeps at most 200 rows for a key: deletes first the rows without a block, then those whose block ends first.';

COMMENT ON FUNCTION "private"."api_key_model_health_before_update"() IS 'Does for the row of a model what private.api_key_health_before_update does for a key, and stores the time of a reset in reset_at. Raises PT422 health_row_is_bound.';

COMMENT ON FUNCTION "private"."appeal"(uuid, text) IS 'Checks that the caller''s listing is hidden or the caller banned, and inserts an appeal. Called by public.hub_appeal.';

COMMENT ON FUNCTION "private"."apply_account_event"(text, text, text, boolean, timestamp with time zone) IS 'Stores an event about a payout account and updates charges_enabled unless a newer event was applied. Called by public.hub_apply_account_event.';

COMMENT ON FUNCTION "private"."apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) IS 'Stores an event about an order, judges whether it fits the order, and settles the order if it does. Called by public.hub_apply_payment_event.';

COMMENT ON FUNCTION "private"."ban_creator"(uuid, text, text) IS 'Inserts a ban; triggers apply it. Called by public.hub_ban_creator.';

COMMENT ON FUNCTION "private"."begin_checkout"(uuid, text, text, integer) IS 'Returns the buyer''s open order if its terms still hold; otherwise expires it and makes a new one. Called by public.hub_begin_checkout.';

COMMENT ON FUNCTION "private"."begin_onboarding"(uuid, text, text) IS 'Stores a creator''s payout account if it is the first one at the provider, and returns the stored one. Called by public.hub_begin_onboarding.';

COMMENT ON FUNCTION "private"."begin_preview"(uuid, integer) IS 'Locks the user''s profile and counts a preview. Called by public.hub_begin_preview.';

COMMENT ON FUNCTION "private"."begin_refund"(uuid, integer, text) IS 'Checks the amount of a refund and logs the request; the ledger does not change yet. Called by public.hub_begin_refund.';

COMMENT ON FUNCTION "private"."categories"() IS 'Returns the stored counts of categories if they are at most 30 minutes old, otherwise an estimate. Called by public.hub_categories.';

COMMENT ON FUNCTION "private"."close_appeals"() IS 'Closes the open appeals: as accepted when the ban is lifted or the listing restored, as rejected when the listing is removed.';

COMMENT ON FUNCTION "private"."compare_creators"() IS 'Returns, for each creator, the sums stored in private.hub_creators beside the sums of the visible listings.';

COMMENT ON FUNCTION "private"."compare_usage"() IS 'Returns, for each account, the sums stored in private.workspace_usage beside the sums of its source rows.';

COMMENT ON FUNCTION "private"."content_of"(text, jsonb) IS 'Returns the content of a source row: the columns that an update of a copy overwrites. Leaves out the name, the description and tags of an orchestration, and an API key.';

COMMENT ON FUNCTION "private"."count_source_usage"() IS 'Adds the rows and bytes that a statement changes in a source table to private.workspace_usage. Raises PT422 limit_reached.';

COMMENT ON FUNCTION "private"."count_trending"(integer) IS 'Returns the ids of trending listings, best first, counted from the stars, imports and new listings of seven days: the latest `most` of each kind, or, with null, all.';

COMMENT ON FUNCTION "private"."count_usage"(uuid[], integer[], bigint[]) IS 'Adds rows and bytes to the sums of accounts; each may be negative. Raises PT422 limit_reached with the limit and its number.';

COMMENT ON FUNCTION "private"."create_organization"(text, text) IS 'Inserts an organization with the caller as owner, unless the caller owns 20 already. Called by public.create_organization.';

COMMENT ON FUNCTION "private"."delete_asset"(uuid) IS 'Makes the caller''s listing a tombstone, or only unpublishes it while a buyer has access. Called by public.hub_delete_asset.';

COMMENT ON FUNCTION "private"."deliver"(private.orders) IS 'Gives the buyer of a paid order access to the listing, if buyer and listing still exist and the buyer does not have access already.';

COMMENT ON FUNCTION "private"."describe_copy"(uuid, uuid) IS 'Returns the rows that the import of a copy has made, as JSON. Called by public.hub_copy.';

COMMENT ON FUNCTION "private"."directory"(text, text, text, integer) IS 'Checks the arguments and returns a page of the directory. Called by public.hub_creators.';

COMMENT ON FUNCTION "private"."dismiss_update"(uuid, integer) IS 'Stores the version up to which the owner of a copy has dismissed updates. Called by public.hub_dismiss_update.';

COMMENT ON FUNCTION "private"."edit_version"(uuid, integer, text, text) IS 'Checks and replaces label and changelog of a version. Called by public.hub_edit_version.';

COMMENT ON FUNCTION "private"."end_starvations"(uuid, uuid, text) IS 'Ends the open starvations whose provider and model fit the leased key, and writes a pool_recovered alert for each that had an alert.';

COMMENT ON FUNCTION "private"."estimate_categories"(integer) IS 'Returns the counts of count_categories, estimated from a sample of `most` tags of listings; exact when the hub has fewer.';

COMMENT ON FUNCTION "private"."feature_asset"(uuid, integer) IS 'Inserts a visible listing into hub_featured or changes its position. Called by public.hub_feature_asset.';

COMMENT ON FUNCTION "private"."first_attempt"(uuid) IS 'Returns how many forms of private.nth_slug a listing skips: 9 for a listing of an organization, which gets a random suffix, and 0 for a public one.';

COMMENT ON FUNCTION "private"."fold"(text) IS 'Returns a text in lower case, without accents and full-width forms, so that different spellings of a word compare as equal.';

COMMENT ON FUNCTION "private"."hide_asset"(uuid, text, text) IS 'Hides a visible or shared asset for the reason moderator. Called by public.hub_hide_asset.';

COMMENT ON FUNCTION "private"."hub_appeals_before_update"() IS 'Refuses every change but those of answer and state; state changes once, from open. Raises PT409 append_only or appeal_resolved.';

COMMENT ON FUNCTION "private"."hub_assets_begin_edit"() IS 'Locks the profile of a client who edits listings, then all listings of that client, in the lock order of all writes. Raises PT403 banned.';

COMMENT ON FUNCTION "private"."hub_assets_derive_picture"() IS 'Sets hub_assets.picture to the SHA-256 of the listing''s row in hub_pictures, whatever value a statement wrote.';

COMMENT ON FUNCTION "private"."hub_assets_guard_counters"() IS 'Ignores edits of star_count and install_count by hand, so that only the triggers of the counted tables change them.';

COMMENT ON FUNCTION "private"."hub_assets_index_shelf"() IS 'Keeps the search document of a listing current while the listing is on a shelf, and deletes it afterwards.';

COMMENT ON FUNCTION "private"."hub_bans_apply"() IS 'Hides all assets of a banned creator, upholds the open reports on them, stops counting the creator''s own open reports, and logs the ban.';

COMMENT ON FUNCTION "private"."hub_reports_before_update"() IS 'Refuses to reopen a report or to change its asset, version or reporter. Fills outcome, resolved_by and version of a report that is closed, and stops counting a report of a deleted account. Raises PT409 report_is_fixed.';

COMMENT ON FUNCTION "private"."hub_stars_before_insert"() IS 'Skips the insert when the star exists already, so that starring is idempotent. Raises PT403 banned.';

COMMENT ON FUNCTION "private"."invitation"(text) IS 'Returns the name of the organization of a live invitation. Called by public.invitation.';

COMMENT ON FUNCTION "private"."invite_member"(uuid, text, text, integer, integer) IS 'Checks the caller''s role and the limits and inserts an invitation. Called by public.invite_member.';

COMMENT ON FUNCTION "private"."issue_my_agent_token"(text) IS 'Checks the name and the limit of 50 live agents, then makes an agent. Called by public.issue_my_agent_token.';

COMMENT ON FUNCTION "private"."joined_attribution"(jsonb, jsonb) IS 'Returns an attribution together with the origins that only the earlier attribution names, which it adds to via.';

COMMENT ON FUNCTION "private"."keep_overwritten"(uuid, jsonb, jsonb, text) IS 'Stores the overwritten content of a copy for hub_restore_copy; keeps the newest ten of each copy.';

COMMENT ON FUNCTION "private"."key_owner"() IS 'Returns the caller, who must have an account. Raises 42501 for anonymous sessions.';

COMMENT ON FUNCTION "private"."leave_organization"(uuid) IS 'Deletes the caller''s membership, unless the caller is the last owner and others stay. Called by public.leave_organization.';

COMMENT ON FUNCTION "private"."lift_report"(public.api_key_usage_log) IS 'Lifts the effect of a report on each key and model whose state the report still explains; returns whether it lifted anything. Raises 55P03 like private.apply_report.';

COMMENT ON FUNCTION "private"."list_orders"(text, text, text) IS 'Returns a page of orders after checking that the caller is an admin. Called by public.hub_orders.';

COMMENT ON FUNCTION "private"."log_event"(text, uuid, uuid, uuid, jsonb, boolean) IS 'Adds an entry to the audit log, with the caller as actor (none with by_system) and with the notes of set_audit_note.';

COMMENT ON FUNCTION "private"."make_document"(public.hub_assets) IS 'Returns the search document of a listing. No word and no tag holds a quote, a backslash or a blank, so the text needs no escaping.';

COMMENT ON FUNCTION "private"."my_agents"() IS 'Returns the caller''s agents with the time of their last use. Called by public.my_agents.';

COMMENT ON FUNCTION "private"."my_api_key_log"(uuid, uuid, text, timestamp with time zone) IS 'Filters the newest 1,000 log rows of each key and agent of the caller and returns the newest 100. Called by public.my_api_key_log.';

COMMENT ON FUNCTION "private"."my_api_key_pools"() IS 'Returns the rows of api_key_pools that belong to the caller. Called by public.my_api_key_pools.';

COMMENT ON FUNCTION "private"."my_api_keys"() IS 'Returns the keys of the caller with their states. Called by public.my_api_keys.';

COMMENT ON FUNCTION "private"."my_decisions"() IS 'Returns the decisions on the caller''s listings and account with their appeals. Called by public.hub_my_decisions.';

COMMENT ON FUNCTION "private"."my_paid_content"() IS 'Returns private.paid_content of the caller. Policies write (select private.my_paid_content()), so that it runs once per statement.';

COMMENT ON FUNCTION "private"."my_purchases"(uuid) IS 'Returns the caller''s orders with what was refunded. Called by public.hub_my_purchases.';

COMMENT ON FUNCTION "private"."next_state"(private.key_state, private.key_report, timestamp with time zone) IS 'Returns the state of a key after a report at a given time, with the effect of the report. Has one branch for each rule of a report, and reads no table. Raises PT422 unknown_rule.';

COMMENT ON FUNCTION "private"."note_checkout"(uuid, text, text) IS 'Stores id and address of the payment page, unless the order has one. Called by public.hub_note_checkout.';

COMMENT ON FUNCTION "private"."open_appeals"() IS 'Returns the open appeals after checking that the caller is an admin. Called by public.hub_open_appeals.';

COMMENT ON FUNCTION "private"."order_for_status"(uuid, uuid) IS 'Returns an order of the user, or any order for an admin. Called by public.hub_order_for_status.';

COMMENT ON FUNCTION "private"."orders_guard"() IS 'Refuses to change the agreed columns, or paid_at, payment_id and delivered_at once they are set. Allows only the state that follows from the events, and a lower rank only from disputed to paid. Raises PT409 order_is_fixed.';

COMMENT ON FUNCTION "private"."orders_to_ask"(integer) IS 'Returns old open orders and paid orders that were never delivered, at most `most` of each. Called by public.hub_orders_to_ask.';

COMMENT ON FUNCTION "private"."organization_invitations"(uuid) IS 'Returns the invitations of an organization to its owners and admins. Called by public.organization_invitations.';

COMMENT ON FUNCTION "private"."organization_review"(uuid, boolean, text) IS 'Keeps or hides a listing of a shelf and closes its open reports. Called by public.organization_review.';

COMMENT ON FUNCTION "private"."organization_review_queue"(uuid) IS 'Returns the reported and hidden listings of a shelf to the owners and admins of its organization. Called by public.organization_review_queue.';

COMMENT ON FUNCTION "private"."own_log"(uuid, uuid, uuid, integer) IS 'Returns, for each key of a pool and each of its callers, the newest looked_at rows of the log.';

COMMENT ON FUNCTION "private"."own_version"(uuid, integer) IS 'Locks the caller''s own listing, counts the call as an edit and returns a version of that listing. Raises PT403 banned or not_owner, PT404 asset_not_found or organization_not_found, PT409 not_published, PT429 rate_limited.';

COMMENT ON FUNCTION "private"."pin"(uuid, integer) IS 'Sets or clears pinned_version of the caller''s copy. Called by public.hub_pin.';

COMMENT ON FUNCTION "private"."publish_asset"(uuid, jsonb, text, boolean, integer, text, text) IS 'Publishes, or in a dry run publishes and rolls back; a repeated request gets the stored answer. Called by public.hub_publish. hourly_limit is the limit of publications; hub_begin_preview counts previews. The ids and times in a preview belong to rows that were rolled back.';

COMMENT ON FUNCTION "private"."purchases_guard"() IS 'Requires that a purchase has the buyer, asset and price of its order, and refuses to change them; a purchase can only be revoked and given back. Raises PT409 order_is_fixed.';

COMMENT ON FUNCTION "private"."reconcile"() IS 'Returns what does not agree between orders, purchases, ledger and events. Called by public.hub_reconcile.';

COMMENT ON FUNCTION "private"."refuse_more"(text, bigint, integer) IS 'Raises PT422 limit_reached when held has reached most.';

COMMENT ON FUNCTION "private"."refuse_state_edit"() IS 'Refuses to edit the view api_key_states and names the tables to edit instead. Raises PT422 read_only.';

COMMENT ON FUNCTION "private"."refuse_usage"(text, bigint) IS 'Raises PT422 limit_reached with the name of the limit and its number.';

COMMENT ON FUNCTION "private"."release_lease"(uuid, uuid) IS 'Takes back a lease whose key could not be opened: deletes its log row, lowers the count, and sets unusable_reason, so that the key is not leased until its ciphertext changes.';

COMMENT ON FUNCTION "private"."remove_api_key"(uuid) IS 'Deletes one of the caller''s keys. Called by public.remove_api_key.';

COMMENT ON FUNCTION "private"."remove_asset"(uuid, text, text) IS 'Makes a hidden asset a tombstone with the reason removed. Called by public.hub_remove_asset.';

COMMENT ON FUNCTION "private"."remove_member"(uuid, uuid) IS 'Deletes a membership and revokes the links by which the member could come back. Called by public.remove_member.';

COMMENT ON FUNCTION "private"."report_same_answer"(uuid, uuid, public.api_key_usage_log, private.key_report) IS 'Handles a report whose answer the caller also got for another key: records the report as caller_fault and lifts the effect of the other report. Returns null when the other report is not the caller''s, is older than a minute, differs, or when one of the two says that its key is dead: then report_api_key processes the report like any other. Raises 55P03 like private.apply_report.';

COMMENT ON FUNCTION "private"."republish_asset"(uuid) IS 'Makes the caller''s listing public again, or puts it on its organization''s shelf again. Called by public.hub_republish_asset.';

COMMENT ON FUNCTION "private"."reset_api_key"(uuid) IS 'Resets the blocks of one of the caller''s keys and of its models. Called by public.reset_api_key.';

COMMENT ON FUNCTION "private"."reset_install_counts"() IS 'Sets install_count of all listings to 0 when hub_imports is truncated.';

COMMENT ON FUNCTION "private"."reset_report_counts"() IS 'Sets open_reports and counting_reports of all assets to 0 when hub_reports is truncated.';

COMMENT ON FUNCTION "private"."reset_star_counts"() IS 'Sets star_count of all listings to 0 when hub_stars is truncated.';

COMMENT ON FUNCTION "private"."resolve_appeal"(uuid, boolean, text) IS 'Sets state and answer of an appeal; triggers apply the outcome. Called by public.hub_resolve_appeal.';

COMMENT ON FUNCTION "private"."resolve_report"(uuid, text, text, text) IS 'Dismisses one report, or upholds all open reports on the asset and hides the asset. Called by public.hub_resolve_report.';

COMMENT ON FUNCTION "private"."restore_api_key_health"() IS 'Gives a key a new health row when its health row is deleted or the table is truncated; either is a reset of the key.';

COMMENT ON FUNCTION "private"."restore_asset"(uuid, text) IS 'Clears is_hidden; triggers then dismiss the open reports. Called by public.hub_restore_asset.';

COMMENT ON FUNCTION "private"."restore_copy"(uuid) IS 'Writes the newest overwritten content back to the caller''s copy; content that was edited since is kept as overwritten. Called by public.hub_restore_copy.';

COMMENT ON FUNCTION "private"."revenue"(date, date) IS 'Sums the caller''s lines of the ledger by day and listing, for at most 1,100 days. Called by public.hub_revenue.';

COMMENT ON FUNCTION "private"."review_queue"() IS 'Returns the review queue after checking that the caller is an admin. Called by public.hub_review_queue.';

COMMENT ON FUNCTION "private"."revoke_invitation"(uuid) IS 'Sets revoked_at of an invitation, for owners and admins. Called by public.revoke_invitation.';

COMMENT ON FUNCTION "private"."revoke_my_agent"(uuid) IS 'Revokes one of the caller''s agents, keeping the time of an earlier revocation. Called by public.revoke_my_agent.';

COMMENT ON FUNCTION "private"."search_by_relevance"(text, tsquery, jsonb, integer) IS 'Returns visible listings by how well they match: those worth ranking by score, then the rest by popularity. Only the last but one row has its place in the list, from which the next page continues.';

COMMENT ON FUNCTION "private"."set_api_key_active"(uuid, boolean) IS 'Enables or disables one of the caller''s keys. Called by public.set_api_key_active.';

COMMENT ON FUNCTION "private"."set_audit_note"(text, text) IS 'Stores an admin''s note and the note for the creator. private.log_event copies both into the entries that this transaction adds to the audit log.';

COMMENT ON FUNCTION "private"."set_member_role"(uuid, uuid, text) IS 'Changes a member''s role under the lock of the organization; revokes links when the role becomes member. Called by public.set_member_role.';

COMMENT ON FUNCTION "private"."set_picture"(uuid, text, jsonb, integer) IS 'Stores or removes the picture of a user''s listing and counts the call. Called by public.hub_set_picture.';

COMMENT ON FUNCTION "private"."shelf_page"(private.search_request, uuid, integer) IS 'Returns the listings of one page of a shelf, each with the value by which it is sorted; nothing when the caller is not a member.';

COMMENT ON FUNCTION "private"."source_bytes"(jsonb) IS 'Returns the number of bytes that a source row adds to the size of a workspace. A new column of a source table changes this number, so its migration must recount private.workspace_usage.';

COMMENT ON FUNCTION "private"."title_key"(text) IS 'Returns the folded words of a title: titles that differ only in case, accents or signs have the same key.';

COMMENT ON FUNCTION "private"."unban_creator"(uuid) IS 'Deletes a ban; triggers lift it. Called by public.hub_unban_creator.';

COMMENT ON FUNCTION "private"."unbooked"(uuid) IS 'Returns the amounts that the ledger of an order still lacks; no row once every event is booked.';

COMMENT ON FUNCTION "private"."unfeature_asset"(uuid) IS 'Deletes a listing from hub_featured. Called by public.hub_unfeature_asset.';

COMMENT ON FUNCTION "private"."unpublish_asset"(uuid) IS 'Clears is_public and shared_at of the caller''s listing. Called by public.hub_unpublish_asset.';

COMMENT ON FUNCTION "private"."unyank_version"(uuid, integer) IS 'Takes back a yank, makes the version current again if it is newer than the current one, and logs this. Called by public.hub_unyank_version.';

COMMENT ON FUNCTION "private"."updates"() IS 'Returns the updates of the caller''s copies, each with its kind. Called by public.hub_updates.';

COMMENT ON FUNCTION "private"."user_api_keys_after_write"() IS 'Makes the health row of a new key. Clears the block of a key that is replaced, enabled or given away, and stores disabled_by_operator as the reason of a key that is disabled.';

COMMENT ON FUNCTION "private"."verify_creator"(text, boolean) IS 'Sets or clears verified_at of a creator and logs the change. Called by public.hub_verify_creator.';

COMMENT ON FUNCTION "private"."versions"(text) IS 'Returns the versions of a listing that the caller may know of. Called by public.hub_versions.';

COMMENT ON FUNCTION "private"."yank_version"(uuid, integer, text) IS 'Yanks a version, makes another one current if necessary, and logs this. Called by public.hub_yank_version.';

COMMENT ON FUNCTION "public"."add_api_key"(text, text, text, text, integer) IS 'Adds a key to the caller''s pool. The caller has sealed the key, bound to the caller''s user id. Returns {id, name, hint}. At most 200 keys. Raises PT422 account_too_large, duplicate_key, key_not_sealed, limit_reached, provider_not_valid or validation_failed.';

COMMENT ON FUNCTION "public"."claim_api_key_alerts"(integer) IS 'For keyhub-alerts: writes alerts for pools that have been starved for a minute, then returns at most `most` unsent alerts of the last day, oldest first. No other call returns these alerts for two minutes.';

COMMENT ON FUNCTION "public"."hub_apply_payment_event"(text, text, text, uuid, text, integer, text, integer, text) IS 'For payment-webhook and hub-checkout: stores an event of the payment provider about an order and applies its effects: {outcome: applied, duplicate, mismatch or unknown; undelivered: whether the payment is due back}. Raises PT503 unavailable while the buyer''s account is being deleted.';

COMMENT ON FUNCTION "public"."hub_begin_preview"(uuid, integer) IS 'For hub-publish: counts a preview before anything is read or scanned for it, so the dry run of hub_publish counts nothing. Raises PT401 invalid_credential, PT403 banned, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_check_counters"() IS 'For operators: returns one row for each counter that differs from the number of rows it counts; none when all are consistent. For the counters of accounts and creators, asset_id holds the id of the user.';

COMMENT ON FUNCTION "public"."hub_feature_asset"(uuid, integer) IS 'For admins: adds a visible listing to the curated collection, at the end or at the given place, or moves it to that place. Raises 42501, PT404 asset_not_found, PT409 not_visible.';

COMMENT ON FUNCTION "public"."hub_orders"(text, text, text) IS 'For admins: returns orders, newest first; q is the id of an order, a part of a title, or the username of a buyer or creator: {items: [{id, state, title, slug, asset_type, price_cents, currency, fee_cents, refunded_cents, created_at, paid_at, buyer, creator}], next_cursor}. Raises 42501, PT400 malformed_cursor.';

COMMENT ON FUNCTION "public"."hub_orders_to_ask"(integer) IS 'For payment-webhook: returns orders that have been open for more than an hour, and paid orders that were never delivered, so that their money is due back, oldest first and at most `most` of each: [{order_id, checkout_id, payment_id, price_cents, currency, undelivered}].';

COMMENT ON FUNCTION "public"."hub_publish"(uuid, jsonb, text, boolean, integer, text, text) IS 'For hub-publish: publishes prepared content, with secrets removed: {asset_type, ref_id, slug, title, description, tags, thumbnail_url, license, payload, sha256, scan, redactions, items, label, changelog, organization, price_cents, currency, teaser, content_sha256 if the scan has findings}; a dry run returns what would be published and changes nothing. Raises PT403 banned, PT404 organization_not_found or source_not_found, PT409 already_public, duplicate_content, item_hidden, label_taken, removed or scan_confirmation_required, PT422 idempotency_key_reused, mixed_script, organization_only, payout_account_required or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_reconcile"() IS 'For operators: returns what does not agree. ledger, state, purchase: the books differ from the events (never, unless a trigger was disabled); mismatch, unknown: an event whose amount, currency or provider differs from its order, or an event without an order; refund_failed: the buyer did not get the money; undelivered: paid but not delivered, so the money is due back; open: open for more than an hour, and payment-webhook asks the provider every hour.';

COMMENT ON FUNCTION "public"."hub_refresh_discovery"() IS 'For operators and schedules: computes trending and the counts of categories, so that no call of a reader has to count them.';

COMMENT ON FUNCTION "public"."hub_review_queue"() IS 'For admins: returns the assets that are hidden or have open reports, with these reports; hidden ones first, at most 500. Leaves out the assets that the admins of an organization review.';

COMMENT ON FUNCTION "public"."hub_unchanged"(jsonb) IS 'For hub-publish: returns for each of contents [{payload, attribution}] whether it still equals a version or kit item that its attribution names: [boolean].';

COMMENT ON FUNCTION "public"."hub_unyank_version"(uuid, integer) IS 'Takes back the yank of a version of the caller''s own listing; a version that is newer than the current one becomes current again, if it is for the same readers and is paid or free like the current one. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 not_published, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."hub_updates"() IS 'Returns the caller''s copies about which there is news: the parent has a newer version (newer_version; not for pinned copies or dismissed versions), the version that the copy was made from was withdrawn (yanked), or an origin was hidden for malicious code (malicious_code) or removed (removed).';

COMMENT ON FUNCTION "public"."hub_verify_creator"(text, boolean) IS 'For admins: marks a creator as verified, or removes the mark; later orders have the fee of a verified creator, or the usual one. Raises 42501, PT404 user_not_found.';

COMMENT ON FUNCTION "public"."hub_versions"(text) IS 'Returns the newest 100 versions of a listing, newest first: [{version, label, changelog, license, sha256, published_at, yanked, yank_reason, readable}]; readable: whether hub_asset returns the content of the version to the caller; sha256 is null for a paid version that the caller has not bought. Raises PT404 asset_not_found.';

COMMENT ON FUNCTION "public"."hub_yank_version"(uuid, integer, text) IS 'Withdraws a version of the caller''s own listing: it cannot be imported any more, and only its creator, admins and users who imported it can read it. If it was the current version, the newest version that is not yanked becomes current. Raises PT403 banned or not_owner, PT404 asset_not_found, PT409 last_version or not_published, PT422 secret_detected or validation_failed, PT429 rate_limited.';

COMMENT ON FUNCTION "public"."invitation"(text) IS 'Returns the organization that an invitation is for: {name}. Raises PT404 invitation_not_found, also when the invitation is used up, expired or revoked.';

COMMENT ON FUNCTION "public"."invite_member"(uuid, text, text, integer, integer) IS 'For owners and admins: makes an invitation; only owners may invite an admin. Returns {id, token, expires_at}; the token cannot be read again later. With email, only the account with that address can accept it. At most 100 live invitations per organization. Raises PT403 banned or role_required, PT404 organization_not_found, PT422 limit_reached or validation_failed.';

COMMENT ON FUNCTION "public"."lease_api_key"(text, uuid, text, text[], uuid, integer, integer, uuid[], text) IS 'Leases one eligible key of the caller''s pool. For the function get-active-key. kind is leased; none, with the reasons and the seconds until a key is free; or retry: other calls have locked the keys and this call must not wait for them; call again with attempt raised by one. With model, skips keys that are limited for it. With calls above 1, returns an array of that many leases; an answer without a key applies to all of these calls. Skips the keys of exclude unless no other key is left. other_providers lists the providers of the pool when it has no key of the requested one. Raises PT401 invalid_credential, PT503 unavailable, and 55P03 when a lock was not granted in time: nothing was done, call again.';

COMMENT ON FUNCTION "public"."prune_api_key_usage_log"(interval, integer, integer) IS 'Deletes at most batch log rows older than keep and returns their number. Continues where the last call stopped, through the whole log (call it until it returns 0) or through the given number of pages. Keeps the rows that explain a live block or a disabled key. Also deletes alerts and starvations older than keep, and the rows of api_key_deleted that have no log row left.';

COMMENT ON FUNCTION "public"."report_api_key"(jsonb, text, uuid, uuid, uuid) IS 'Records the outcome of one use of a key and changes the state of the key accordingly. For the function set-key-state. report has the fields of private.key_report, as core makes them: outcome, rule, error_code and the rule''s numbers; hint_given: the provider named a wait, even if it cannot be read. An agent may report on its own leases only, the owner of the pool on any. Raises PT401 invalid_credential, PT404 lease_not_found or key_not_found, PT409 already_reported, PT422 lease_key_mismatch, and 55P03 when a row stayed locked: nothing was done, call again.';

COMMENT ON FUNCTION "public"."report_successes"(uuid[], text, uuid) IS 'Reports the successes of one caller in one transaction. Returns an array with the answer of report_api_key for each lease, or {"kind": "retry"} for a lease that the caller must report with report_api_key, because the report may change the key, is refused, or would have to wait. Waits for no row. For the function set-key-state. Raises PT401 invalid_credential.';

COMMENT ON TABLE "private"."api_key_breakers" IS 'One row per pool and provider that had a key disabled by a report. A report that is about to disable a key locks the row, so that two reports cannot both disable the last key that the breaker allows.';

COMMENT ON TABLE "private"."api_key_log_pruning" IS 'One row: the page of the usage log where pruning continues. A wrong value does no harm: pruning then starts at another page.';

COMMENT ON TABLE "private"."hub_calls" IS 'Previews, imports, edits, pictures and checkouts of the last hour, for their limits. Each call deletes the expired rows of its user and kind; hub_prune deletes those of all users.';

COMMENT ON TABLE "private"."hub_moderation" IS 'One row per asset, inserted with the asset. When counting_reports reaches the threshold of private.count_reports, the asset is hidden.';

COMMENT ON TABLE "private"."hub_words" IS 'The words of all documents, for completing the beginning of a word and for correcting a misspelling. hub_prune deletes words that no document holds.';

COMMENT ON TABLE "private"."orders" IS 'Orders, as agreed when the checkout began. state follows from private.payment_events; apart from state, only columns whose value becomes known later change, such as paid_at.';

COMMENT ON TABLE "public"."api_key_model_health" IS 'Blocks of one model of a key, at most 200 a key; the columns mean what they mean in api_key_health. Reset one with: update api_key_model_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ... and model = ...; a reset of the key in api_key_health resets all its models.';

COMMENT ON TABLE "public"."hub_imports" IS 'One row for each import of an asset by a user. The asset''s install_count is the number of its rows where counts is true.';

COMMENT ON TABLE "public"."hub_reports" IS 'Reports of listings. Setting resolved by hand dismisses a report; hub_resolve_report can also uphold one, which hides the listing.';

COMMENT ON TABLE "public"."organizations" IS 'Teams that share listings among their members. Only members see the row. The last member who leaves closes the organization: the row is deleted.';

COMMENT ON TYPE "private"."key_report" IS 'A report as core reads it: outcome, rule and the rule''s numbers. cause: the reason stored with a block that the report sets. issued_at and key_generation come from the lease of the report. scope: what the answer is about: model, key or account. model: the model of the report, else of its lease. dead: the answer says that the key is dead.';

COMMENT ON TYPE "private"."key_state" IS 'The fields of a key and its health row, or of the row of a model, that next_state reads. next_state fills in the last four: state before and after, effect, and what happened to the hint.';
