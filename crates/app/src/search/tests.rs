//! Who waits for the index, and for how long.

use super::*;

fn search(within: Duration) -> Search {
    Search { visible_within: within, ..Search::default() }
}

const LONG: Duration = Duration::from_secs(3_600);

#[tokio::test]
async fn nobody_waits_for_an_index_that_is_being_built() {
    search(LONG).visible(Position(5)).await;
}

#[tokio::test]
async fn a_writer_waits_until_the_index_has_what_was_written() {
    let search = Arc::new(search(LONG));
    search.open(&Arc::default(), Duration::ZERO);
    let mut writers = tokio::task::JoinSet::new();
    for position in [1, 2, 3] {
        let search = Arc::clone(&search);
        writers.spawn(async move {
            search.visible(Position(position)).await;
            position
        });
    }
    for position in [1, 2, 3] {
        search.publish(Position(position));
        assert_eq!(writers.join_next().await.unwrap().unwrap(), position);
    }
    search.visible(Position(2)).await;
    assert_eq!(search.status().late_answers, 0);
}

#[tokio::test]
async fn a_stuck_index_delays_one_answer_and_no_other_until_it_has_caught_up() {
    let search = search(Duration::from_millis(1));
    search.open(&Arc::default(), Duration::ZERO);
    search.visible(Position(1)).await;
    assert_eq!(search.status().late_answers, 1);
    let search = Search { visible_within: LONG, ..search };
    search.visible(Position(2)).await;
    assert_eq!(search.status().late_answers, 2);
    search.publish(Position(2));
    search.caught_up();
    assert!(!search.is_late.load(Ordering::Relaxed));
    search.visible(Position(2)).await;
    assert_eq!(search.status().late_answers, 2);
}
