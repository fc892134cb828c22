//! The rules of the calendar: answers, changes, reminders and limits.

use super::*;
use crate::calendar::details::LocalMoment;

const ANA: UserId = UserId::new(1);
const BEN: UserId = UserId::new(2);
const ID: CalendarEventId = CalendarEventId::new(7);

fn at(second: u64) -> Timestamp {
    Timestamp::from_seconds(second)
}

fn local(second: u64) -> LocalMoment {
    LocalMoment { at: at(second), offset: 60 }
}

fn climb() -> EventDetails {
    EventDetails {
        name: "Climb".to_owned(),
        description: None,
        starts: local(1000),
        ends: local(2000),
        is_all_day: false,
        timezone: "Europe/Berlin".to_owned(),
        location: None,
        reminders: vec![600, 0],
    }
}

fn planned() -> Calendar {
    let mut calendar = Calendar::default();
    let made = MadeEvent { id: ID, creator: ANA, at: at(1), details: climb() };
    calendar.apply(at(1), &CalendarChange::Made(made));
    calendar
}

fn acts(
    calendar: &mut Calendar,
    by: (UserId, bool),
    action: CalendarAction,
    now: u64,
) -> Result<bool, CalendarRefusal> {
    let change = calendar.act(ID, by.0, by.1, action, at(now))?;
    change.iter().for_each(|change| calendar.apply(at(now), change));
    Ok(change.is_some())
}

#[test]
fn an_answer_changes_until_the_end_and_can_be_taken_back() {
    let mut calendar = planned();
    let mut answers = |going, now| {
        acts(&mut calendar, (BEN, false), CalendarAction::Answer(going), now)
            .map(|_| calendar.get(ID).unwrap().answers.clone())
    };
    assert_eq!(answers(Some(false), 10), Ok(BTreeMap::from([(ANA, true), (BEN, false)])));
    assert_eq!(answers(Some(true), 1999), Ok(BTreeMap::from([(ANA, true), (BEN, true)])));
    assert_eq!(answers(None, 1999), Ok(BTreeMap::from([(ANA, true)])));
    assert_eq!(answers(Some(true), 2000), Err(CalendarRefusal::Over));
    assert_eq!(acts(&mut calendar, (ANA, false), CalendarAction::Answer(Some(true)), 9), Ok(false));
}

#[test]
fn creator_and_admins_change_an_event() {
    let mut calendar = planned();
    let change = |starts, ends| {
        let starts = Some(local(starts));
        let ends = Some(local(ends));
        CalendarAction::Change(Box::new(EventChange { starts, ends, ..EventChange::default() }))
    };
    let mut changes = |by, action| acts(&mut calendar, by, action, 1500);
    assert_eq!(changes((BEN, false), change(3000, 4000)), Err(CalendarRefusal::NotTheMaker));
    assert_eq!(changes((BEN, true), change(3000, 4000)), Ok(true));
    assert_eq!(changes((ANA, false), change(3000, 4000)), Ok(false));
    assert_eq!(changes((ANA, false), change(4000, 3000)), Err(CalendarRefusal::EndsFirst));
    assert_eq!(changes((ANA, false), change(100, 1500)), Err(CalendarRefusal::Past));
    assert_eq!(changes((ANA, false), CalendarAction::Cancel), Ok(true));
    assert_eq!(changes((ANA, false), CalendarAction::Cancel), Err(CalendarRefusal::Over));
}

#[test]
fn last_due_reminder_fires_once_per_change() {
    let mut calendar = planned();
    let next = |calendar: &Calendar| calendar.get(ID).unwrap().next_reminder();
    assert_eq!(next(&calendar), Some(at(400)));
    assert_eq!(calendar.remind(ID, at(399)), AlarmAnswer::NotBefore(at(400)));
    let first = CalendarChange::Reminded { event: ID, before: 600 };
    assert_eq!(calendar.remind(ID, at(400)), AlarmAnswer::Rung(first.clone()));
    let last = CalendarChange::Reminded { event: ID, before: 0 };
    assert_eq!(calendar.remind(ID, at(1000)), AlarmAnswer::Rung(last.clone()));
    calendar.apply(at(400), &first);
    assert_eq!(calendar.remind(ID, at(999)), AlarmAnswer::NotBefore(at(1000)));
    calendar.apply(at(1000), &last);
    assert_eq!(calendar.remind(ID, at(5000)), AlarmAnswer::NothingToDo);
    let starts = Some(local(1800));
    let ends = None;
    let later = EventChange { starts, ends, ..EventChange::default() };
    acts(&mut calendar, (ANA, false), CalendarAction::Change(Box::new(later)), 1100).unwrap();
    assert_eq!(next(&calendar), Some(at(1200)));
}

#[test]
fn reminder_of_an_ended_event_stays_due() {
    let mut calendar = Calendar::default();
    let details = EventDetails { ends: local(1000), reminders: vec![0], ..climb() };
    let made = |id, details| {
        CalendarChange::Made(MadeEvent {
            id: CalendarEventId::new(id),
            creator: ANA,
            at: at(1),
            details,
        })
    };
    calendar.apply(at(1), &made(ID.get(), details));
    calendar.apply(at(1500), &made(8, climb()));
    let rung = CalendarChange::Reminded { event: ID, before: 0 };
    assert_eq!(calendar.remind(ID, at(1500)), AlarmAnswer::Rung(rung.clone()));
    let event = |now| calendar.get(ID).unwrap().is_worth_a_reminder(at(now));
    assert_eq!((event(1000), event(1299), event(1300)), (true, true, false));
    calendar.apply(at(1500), &rung);
    calendar.apply(at(1501), &made(9, climb()));
    assert!(calendar.get(ID).is_none());
}

#[test]
fn new_name_keeps_reminders_that_are_due() {
    let mut calendar = planned();
    let change = |change| CalendarAction::Change(Box::new(change));
    let name = EventChange { name: Some("Hike".to_owned()), ..EventChange::default() };
    acts(&mut calendar, (ANA, false), change(name), 450).unwrap();
    let first = CalendarChange::Reminded { event: ID, before: 600 };
    assert_eq!(calendar.remind(ID, at(450)), AlarmAnswer::Rung(first));
    let later = EventChange { starts: Some(local(1040)), ..EventChange::default() };
    acts(&mut calendar, (ANA, false), change(later), 451).unwrap();
    assert_eq!(calendar.remind(ID, at(451)), AlarmAnswer::NotBefore(at(1040)));
}

#[test]
fn events_end_within_the_calendar() {
    let end = |second| EventDetails { ends: local(second), ..climb() };
    let calendar = Calendar::default();
    assert_eq!(calendar.admit(&end(253_402_214_400), at(5)), Ok(()));
    assert_eq!(calendar.admit(&end(253_402_214_401), at(5)), Err(CalendarRefusal::Past));
}

#[test]
fn so_many_events_are_ahead() {
    let mut calendar = Calendar::default();
    for id in 0..PLANNED_EVENTS as u64 {
        let id = CalendarEventId::new(id);
        let made = MadeEvent { id, creator: ANA, at: at(1), details: climb() };
        calendar.apply(at(1), &CalendarChange::Made(made));
    }
    assert_eq!(calendar.admit(&climb(), at(5)), Err(CalendarRefusal::Full));
    assert_eq!(calendar.admit(&climb(), at(2000)), Err(CalendarRefusal::Past));
}
