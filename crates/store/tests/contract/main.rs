//! The contract tests: what every store must do, one module per storage trait.
//!
//! A backend is one line at the end of this file. The list of tests is in one place, so that no backend can miss one; a test that is
//! not in the list is dead code, and the compiler warns about it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod access;
mod adverts;
mod backend;
mod changes;
mod deliveries;
mod delivery_fixtures;
mod log;
mod maintenance;
mod matches;
mod model;
mod recipients;
mod retention;
mod searches;
mod sites;
mod usage;

use adverts::{conflicts, erasure, grouping, lineage, locate, moves, scan, versions};
use deliveries::{listing, outbox, queue, queue_model, secrets, subject};
use log::{concurrency, entries};

macro_rules! contract_suite {
    ($name:ident, $backend:ty) => {
        mod $name {
            contract_suite! { @tests $backend;
                locate: adverts_are_located_by_each_identity,
                    unknown_identities_return_none_in_request_order,
                    oldest_advert_wins_a_shared_url,
                    changed_identities_replace_old_ones,
                    overdue_adverts_are_found_in_pieces,
                    live_adverts_of_a_site_are_listed_by_id;
                versions: created_property_has_version_one,
                    change_adds_a_version_and_keeps_the_previous_one,
                    crawl_replaces_the_document_of_the_same_version,
                    steps_of_a_set_see_earlier_steps,
                    missing_properties_are_left_out,
                    properties_and_adverts_are_counted,
                    data_survives_reopening;
                scan: scan_returns_every_property_once,
                    scan_result_is_independent_of_parts_and_limits,
                    scan_skips_removed_properties,
                    concurrent_writes_are_scanned_or_logged;
                moves: moved_advert_leaves_one_property_and_joins_another,
                    property_without_adverts_is_removed,
                    recreated_property_continues_its_versions,
                    advert_moves_back_and_forth;
                grouping: signatures_are_kept_until_replaced,
                    signatures_are_back_filled_without_a_log_entry,
                    newest_adverts_are_read_backwards,
                    decisions_are_read_in_order,
                    erasure_covers_decisions_and_lineage;
                lineage: merge_moves_all_adverts_in_one_step,
                    merged_id_leads_to_the_last_survivor,
                    recreated_id_leads_to_itself,
                    lineage_names_who_decided,
                    move_from_a_missing_property_conflicts,
                    erased_cause_of_a_merge_leaves_its_entry;
                conflicts: change_of_a_stale_revision_conflicts,
                    new_property_conflicts_with_an_existing_one,
                    change_of_a_removed_property_conflicts,
                    taken_identity_conflicts,
                    released_identity_is_free_for_a_later_step,
                    taken_site_reference_conflicts,
                    removal_of_a_stale_revision_conflicts,
                    change_sets_are_atomic;
                entries: entries_record_changes_in_order,
                    log_is_read_from_any_position_with_any_limit,
                    properties_and_searches_share_one_log,
                    search_entries_name_their_version,
                    head_advances_before_a_commit_returns,
                    head_ignores_refused_commits,
                    committed_properties_are_taken_once;
                erasure: erasure_removes_the_advert_from_every_version,
                    erasing_the_last_advert_removes_the_property,
                    erasure_covers_previous_properties,
                    erased_log_entries_stay_without_content,
                    erasing_an_unknown_advert_returns_none,
                    erased_advert_can_be_created_again,
                    versions_grow_across_an_erasure,
                    erasure_survives_reopening;
                access: key_is_stored_with_its_user,
                    keys_of_one_user_name_share_the_user,
                    key_ids_are_unique,
                    revoking_again_keeps_the_first_date,
                    unknown_key_is_neither_found_nor_revoked,
                    settings_of_a_key_are_kept_and_replaced,
                    sessions_are_kept_until_they_are_deleted_or_expired;
                usage: counts_are_added_up_by_key_and_day,
                    usage_is_listed_by_every_filter,
                    last_use_never_goes_back,
                    only_older_days_are_pruned;
                maintenance: metadata_is_stored_replaced_and_deleted;
                sites: first_advert_adds_its_site,
                    erasure_deletes_sites_without_other_adverts,
                    refused_commits_add_no_site,
                    site_is_created_and_changed_by_key,
                    unknown_category_is_refused,
                    category_names_are_unique,
                    deleted_category_keeps_its_sites_and_its_id,
                    directory_is_returned_only_if_changed;
                searches: search_is_found_by_id_and_number,
                    search_is_found_by_its_token,
                    only_the_owner_changes_or_deletes_a_search,
                    search_limit_per_owner_is_enforced,
                    concurrent_creation_at_the_limit_succeeds_once,
                    search_numbers_are_never_reused,
                    searches_are_read_as_of_a_position,
                    list_returns_one_owner_in_the_requested_order;
                matches: recorded_groups_read_back_in_order,
                    batch_on_another_checkpoint_is_refused,
                    matched_searches_are_found_by_property,
                    match_is_found_by_first_log_position,
                    inherited_searches_count_and_are_not_listed,
                    indexing_does_not_change_results,
                    matches_are_counted_by_period,
                    matches_of_a_deleted_search_are_not_listed,
                    erased_property_loses_its_matches,
                    property_with_remaining_adverts_keeps_its_matches,
                    versions_are_read_in_request_order;
                retention: old_entries_go_with_the_versions_they_replaced,
                    reading_deleted_entries_fails,
                    what_is_needed_holds_the_log_back,
                    shown_versions_and_matches_stay,
                    matches_of_expired_properties_go_in_pieces,
                    interrupted_deletion_leaves_whole_matches,
                    removed_property_leaves_nothing,
                    expired_properties_are_erased_only_unchanged,
                    erasure_covers_what_retention_left;
                outbox: outbox_is_enqueued_once,
                    ids_carry_their_epoch,
                    batch_may_end_inside_an_entry,
                    concurrent_enqueue_succeeds_once,
                    deleted_searches_and_erased_properties_are_left_out;
                queue: lanes_are_listed_with_their_earliest_due_date,
                    due_deliveries_are_ordered_with_next_due_date,
                    attempted_batch_is_repeated_as_it_was,
                    only_due_or_new_deliveries_are_claimed,
                    settlement_requires_its_own_lease,
                    attempts_are_stored_in_order_and_failures_counted,
                    last_alert_date_never_decreases,
                    only_pending_deliveries_are_cancelled,
                    silenced_channel_cancels_its_pending_deliveries,
                    expired_leases_are_reaped,
                    repeated_interruptions_fail_a_delivery,
                    queue_depth_counts_pending_and_leased,
                    foreign_ids_are_ignored;
                subject: delivery_has_its_subject,
                    event_delivery_has_the_first_match_date,
                    documents_are_stored_as_first_sent,
                    hidden_contacts_stay_hidden,
                    merged_property_keeps_its_deliveries,
                    event_of_a_move_is_delivered,
                    erased_subject_is_none,
                    document_rendered_before_an_erasure_is_not_stored,
                    missing_event_leaves_the_subject_without_event;
                listing: deliveries_are_listed_by_every_filter,
                    attempts_since_a_date_are_found_within_a_limit,
                    deliveries_are_listed_in_pages,
                    deleting_a_search_cancels_its_deliveries,
                    one_delivery_is_replayed_from_any_final_state,
                    failed_deliveries_since_a_date_are_replayed,
                    only_old_ended_deliveries_are_pruned,
                    documents_are_pruned_by_date,
                    listed_delivery_names_its_match;
                secrets: first_secret_is_kept,
                    rotation_keeps_previous_secrets,
                    expired_and_excess_secrets_are_deleted;
                concurrency: concurrent_writers_leave_no_gaps_in_the_log,
                    concurrent_claims_of_an_identity_succeed_once,
                    concurrent_changes_of_a_revision_succeed_once;
                recipients: recipient_is_asked_and_confirms;
                model: store_agrees_with_the_model;
                queue_model: queue_agrees_with_the_model;
            }
        }
    };
    (@tests $backend:ty; $($module:ident: $($test:ident),+;)+) => {$(
        mod $module {$(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                crate::$module::$test::<$backend>().await;
            }
        )+}
    )+};
}

contract_suite!(sqlite, crate::backend::Sqlite);
contract_suite!(postgres, crate::backend::Postgres);
