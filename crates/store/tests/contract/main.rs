//! What every store must do, written against the contract alone.
//!
//! A backend is one line at the end of this file. The list of tests stands in one place, so that no backend can miss one;
//! a test that is not in the list is dead code, and the build says so.

#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

mod access;
mod backend;
mod changes;
mod concurrency;
mod conflicts;
mod deliveries;
mod erasure;
mod history;
mod locate;
mod log;
mod matches;
mod model;
mod moves;
mod outbox;
mod queue;
mod queue_model;
mod scan;
mod searches;
mod secrets;
mod sites;
mod told;
mod versions;

macro_rules! contract_suite {
    ($name:ident, $backend:ty) => {
        mod $name {
            contract_suite! { @tests $backend;
                locate: an_advert_is_found_by_each_of_its_identities,
                    an_unknown_identity_is_not_found_and_answers_keep_their_order,
                    of_two_adverts_at_one_address_the_first_is_meant,
                    an_advert_is_found_by_what_identifies_it_now,
                    live_adverts_are_listed_the_longest_unseen_first;
                versions: a_created_property_is_there_at_version_one,
                    a_change_makes_the_next_version_and_keeps_the_one_before,
                    a_crawl_replaces_the_document_of_the_same_version,
                    the_steps_of_a_set_build_on_each_other,
                    properties_that_do_not_exist_are_missing_from_the_answer,
                    properties_and_adverts_are_counted,
                    everything_is_still_there_after_reopening;
                scan: every_property_is_given_once_as_it_is_now,
                    the_number_of_parts_and_the_size_of_pieces_change_nothing,
                    properties_that_are_gone_are_not_given,
                    what_is_written_meanwhile_is_given_or_in_the_log;
                moves: an_advert_that_moves_leaves_one_property_and_joins_another,
                    a_property_that_loses_its_last_advert_is_gone,
                    a_property_made_again_goes_on_counting_versions,
                    an_advert_can_move_back_and_forth;
                conflicts: a_change_built_on_another_version_is_refused,
                    a_new_property_must_not_exist,
                    a_version_of_a_property_that_is_gone_is_refused,
                    a_claimed_identity_must_be_free,
                    a_reference_of_another_advert_cannot_be_taken,
                    a_removal_built_on_another_version_is_refused,
                    a_set_is_written_whole_or_not_at_all;
                log: entries_say_what_happened_in_the_order_it_happened,
                    the_log_is_read_from_any_position_and_in_pieces_of_any_size,
                    property_and_search_changes_share_one_order,
                    a_search_counts_its_versions,
                    the_head_is_at_least_where_a_commit_was_and_wakes_followers,
                    the_head_does_not_move_for_what_was_refused;
                erasure: an_erased_advert_leaves_its_property_and_every_version_of_it,
                    the_last_advert_takes_its_property_with_it,
                    an_erased_advert_leaves_its_former_homes,
                    the_entries_about_an_erased_advert_become_blanks_and_positions_stay_dense,
                    an_unknown_advert_cannot_be_erased,
                    what_was_erased_can_come_again,
                    versions_grow_even_across_an_erasure,
                    an_erasure_is_still_done_after_reopening;
                access: a_key_is_kept_with_its_user,
                    keys_of_one_user_name_share_the_user,
                    a_key_id_is_given_once,
                    revoking_keeps_the_first_date,
                    an_unknown_key_is_neither_found_nor_revoked,
                    a_note_is_kept_replaced_and_removed;
                sites: a_site_is_known_from_the_first_advert_that_names_it,
                    an_erasure_forgets_sites_that_only_the_erased_advert_named,
                    what_was_refused_makes_no_site_known,
                    a_site_is_made_and_changed_by_its_key,
                    a_site_is_not_put_into_a_category_that_is_not_there,
                    a_category_name_is_given_once,
                    a_deleted_category_leaves_its_sites_and_never_returns,
                    the_directory_is_given_when_it_has_changed;
                searches: a_search_is_kept_as_it_was_given_and_found_by_id_and_number,
                    only_its_owner_changes_and_deletes_a_search,
                    an_owner_has_no_more_searches_than_they_may,
                    of_two_creators_at_the_limit_one_succeeds,
                    a_number_is_never_given_twice,
                    searches_are_read_as_they_were_at_a_position,
                    a_list_holds_one_owner_s_searches_in_the_order_asked;
                matches: what_is_recorded_reads_back_in_order,
                    matches_built_on_another_position_are_refused_whole,
                    matches_are_known_by_property,
                    a_match_is_found_by_where_its_property_was_first_told_of,
                    filing_in_pieces_changes_no_answer,
                    of_a_deleted_search_no_match_is_shown,
                    an_erased_property_takes_its_matches_with_it,
                    a_property_that_keeps_an_advert_keeps_its_matches,
                    many_versions_are_read_at_once_in_the_order_asked;
                outbox: what_is_owed_is_taken_apart_and_queued_once,
                    ids_have_the_mark_of_their_time,
                    a_piece_may_end_in_the_middle_of_a_notice,
                    of_two_that_take_in_one_succeeds,
                    what_is_owed_for_a_deleted_search_or_an_erased_property_is_left_out;
                queue: lanes_are_walked_each_with_its_earliest,
                    what_is_due_comes_in_order_and_with_the_time_to_look_again,
                    what_was_tried_goes_out_again_as_it_was,
                    only_what_is_pending_and_due_or_new_is_claimed,
                    a_settlement_counts_only_under_its_own_lease,
                    attempts_are_kept_in_order_and_failures_counted,
                    the_last_alert_never_goes_back,
                    only_what_is_pending_is_cancelled,
                    what_waits_for_a_channel_that_leads_nowhere_is_cancelled_with_the_change,
                    leases_are_taken_back_when_they_have_run_out,
                    what_is_interrupted_again_and_again_has_failed,
                    what_waits_is_counted,
                    ids_of_others_do_nothing;
                told: a_delivery_says_what_it_tells_of,
                    an_event_says_since_when_the_search_knows_the_property,
                    documents_are_kept_as_they_were_first_sent,
                    who_is_not_told_how_to_reach_the_advertiser_never_is,
                    of_what_was_erased_nothing_is_told_any_more,
                    a_document_written_before_an_erasure_is_not_kept_after_it,
                    a_notice_of_an_event_that_is_not_there_is_told_without_it;
                history: deliveries_are_listed_by_every_filter_and_the_newest_first,
                    deliveries_are_listed_in_pages,
                    what_waits_for_a_deleted_search_is_cancelled_with_it,
                    one_is_sent_again_whatever_became_of_it,
                    what_failed_since_a_moment_is_sent_again,
                    only_what_came_to_an_end_before_a_moment_is_forgotten,
                    documents_are_forgotten_by_when_they_were_kept,
                    a_delivery_names_its_match;
                secrets: a_first_secret_is_given_once_and_then_stays,
                    a_rotation_keeps_the_secrets_before,
                    secrets_that_are_over_or_too_many_are_forgotten;
                concurrency: many_writers_make_one_log_without_gaps,
                    of_many_claims_of_one_identity_one_succeeds,
                    of_many_changes_of_one_version_one_succeeds;
                model: the_store_agrees_with_the_model;
                queue_model: the_queue_agrees_with_the_model;
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
