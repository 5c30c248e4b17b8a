//! The same behaviour on SQLite and on PostgreSQL.

use crate::behaviour;
use crate::support::*;
use collie_engine::ports::{ProjectedStep, ProjectionJournal};

/// Tests of one database.
macro_rules! behaves {
    ($name:ident, $home:expr) => {
        mod $name {
            use super::*;

            #[tokio::test]
            async fn what_is_told_twice_or_late_changes_nothing() {
                let Some(home) = $home else { return };
                behaviour::what_is_told_twice_or_late_changes_nothing(&home).await;
            }

            behaves!(@each $home,
                what_is_missing_is_said,
                all_or_nothing_is_written,
                recordings_can_be_let_go_of,
                sessions_are_kept_until_they_end,
                requests_from_outside_are_known_again,
                pause_and_requests_are_taken);
        }
    };
    (@each $home:expr, $($behaviour:ident),*) => {
        $(
            #[tokio::test]
            async fn $behaviour() {
                let Some(home) = $home else { return };
                behaviour::$behaviour(&*home.open().await).await;
            }
        )*
    };
}

behaves!(sqlite, Home::sqlite());
behaves!(postgres, Home::postgres());

/// Everything that is told of loops, for people to compare.
async fn told(journal: &dyn ProjectionJournal, steps: &[ProjectedStep]) -> String {
    journal.project(steps).await.unwrap();
    let mut told = format!(
        "{:#?}{:#?}",
        journal.loops().await.unwrap(),
        journal.spending().await.unwrap()
    );
    for number in 1..=3 {
        let id = id(number);
        told += &format!("{:#?}", journal.timeline(&id).await.unwrap());
        told += &format!("{:#?}", journal.runs(&id).await.unwrap());
        for entry in journal.recorded(&id).await.unwrap() {
            let recorded = entry.recorded.unwrap();
            told += &format!("{:?}{:#?}{:?}", entry.entry, recorded.event, recorded.after);
        }
    }
    let insights = journal.insights().await.unwrap();
    told + &format!("{:#?}{:#?}", insights.runs, insights.spending)
}

#[tokio::test]
async fn both_tell_the_same_of_the_same_loops() {
    let Some(postgres) = Home::postgres() else {
        return;
    };
    let sqlite = Home::sqlite().unwrap();
    let mut steps: Vec<_> = [1, 2].into_iter().flat_map(begun_and_cancelled).collect();
    steps.push(begun_and_cancelled(3)[0].clone());
    let expected = told(&*sqlite.open().await, &steps).await;
    let found = told(&*postgres.open().await, &steps).await;
    assert!(expected.contains("openai/large") && expected.contains("cancel"));
    assert_eq!(found, expected);
}
