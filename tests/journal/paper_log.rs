//! A shared log in memory, which can be told to be as troublesome as a real one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use coterie::journal::replicated::log::{
    Code, Delivered, LogEvent, LogListener, Publication, SharedLog, Subject,
};

/// The log; each node has a [`PaperHandle`] on it.
#[derive(Clone, Default)]
pub(crate) struct PaperLog(Arc<Mutex<Paper>>);

#[derive(Default)]
struct Paper {
    messages: Vec<(Option<Subject>, Bytes, Option<Code>)>,
    last: HashMap<Subject, u64>,
    listeners: Vec<Arc<dyn LogListener>>,
    /// Messages that were sent, and may arrive a second time later.
    echoes: Vec<Publication>,
    trouble: Option<fastrand::Rng>,
    /// The next message is delivered with a flipped bit.
    flips: bool,
    /// The next message is not delivered at all.
    skips: bool,
    /// The next message is delivered with another running check value in it.
    lies: bool,
    /// A node may found the log although another one already has.
    founds_again: bool,
    is_cut_off: bool,
    /// The oldest message that is kept; 0 keeps all.
    first: u64,
    longest: Option<usize>,
}

/// One node's connection to the log.
pub(crate) struct PaperHandle {
    log: PaperLog,
    listener: Mutex<Option<Arc<dyn LogListener>>>,
    way: Arc<Mutex<Way>>,
}

/// The way between a node and the log.
#[derive(Default)]
struct Way {
    /// How many more messages get to the log; None means all.
    left: Option<usize>,
    /// Messages that did not get to the log yet.
    held: Vec<Publication>,
    /// From where the node wants to read again, which it asked while its messages were held.
    again: Option<u64>,
    /// Events that the log sent to a node that sleeps.
    unheard: Option<Vec<LogEvent>>,
}

/// Passes the log's events to a node, or keeps them while it sleeps.
struct Ear {
    listener: Arc<dyn LogListener>,
    way: Arc<Mutex<Way>>,
}

impl LogListener for Ear {
    fn hear(&self, event: LogEvent) {
        match &mut self.way.lock().unwrap().unheard {
            Some(unheard) => unheard.push(event),
            None => self.listener.hear(event),
        }
    }
}

impl std::fmt::Debug for PaperHandle {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("PaperHandle")
    }
}

impl PaperLog {
    /// A log whose messages must not be longer than this.
    pub(crate) fn of_messages(longest: usize) -> Self {
        let log = Self::default();
        log.paper().longest = Some(longest);
        log
    }

    /// A connection for one node.
    pub(crate) fn handle(&self) -> Arc<PaperHandle> {
        let (listener, way) = (Mutex::default(), Arc::default());
        Arc::new(PaperHandle { log: self.clone(), listener, way })
    }

    /// The next message claims to all nodes that its writer's copy has another running check value.
    pub(crate) fn lies_next(&self) {
        self.paper().lies = true;
    }

    /// From now on, answers are lost, some messages are refused without need, and some arrive
    /// twice.
    pub(crate) fn troubles(&self, seed: u64) {
        self.paper().trouble = Some(fastrand::Rng::with_seed(seed));
    }

    /// The next message reaches all nodes with a flipped bit.
    pub(crate) fn flips_next(&self) {
        self.paper().flips = true;
    }

    /// The next message reaches no node by itself.
    pub(crate) fn skips_next(&self) {
        self.paper().skips = true;
    }

    /// Two nodes that found the log at the same time both succeed, as while an engine elects a
    /// leader.
    pub(crate) fn lets_two_found(&self) {
        self.paper().founds_again = true;
    }

    /// Cuts all nodes off from the log, or ends that.
    pub(crate) fn is_cut_off(&self, is_cut_off: bool) {
        self.paper().is_cut_off = is_cut_off;
    }

    /// Forgets the messages before this one.
    pub(crate) fn forgets_before(&self, first: u64) {
        self.paper().first = first;
    }

    /// A stranger publishes a message without a fence; on a subject that is none of the log if it
    /// is None.
    pub(crate) fn receives(&self, subject: Option<Subject>, payload: Bytes) {
        self.receives_with(subject, payload, None);
    }

    /// The same, with a code beside the message.
    pub(crate) fn receives_with(
        &self,
        subject: Option<Subject>,
        payload: Bytes,
        code: Option<Code>,
    ) {
        let mut paper = self.paper();
        let sequence = paper.add(subject, payload.clone(), code);
        let tell = |it: &Arc<dyn LogListener>| {
            it.hear(delivered(sequence, subject, payload.clone(), code, false));
        };
        paper.listeners.iter().for_each(tell);
    }

    /// The messages that have been stored.
    pub(crate) fn messages(&self) -> Vec<(Option<Subject>, Bytes)> {
        self.coded().into_iter().map(|(subject, payload, _)| (subject, payload)).collect()
    }

    /// The same, each with its code.
    pub(crate) fn coded(&self) -> Vec<(Option<Subject>, Bytes, Option<Code>)> {
        self.paper().messages.clone()
    }

    /// How many messages have been stored.
    pub(crate) fn len(&self) -> usize {
        self.paper().messages.len()
    }

    fn paper(&self) -> MutexGuard<'_, Paper> {
        self.0.lock().unwrap()
    }
}

impl Paper {
    fn add(&mut self, subject: Option<Subject>, payload: Bytes, code: Option<Code>) -> u64 {
        self.messages.push((subject, payload, code));
        let sequence = self.messages.len() as u64;
        if let Some(subject) = subject {
            self.last.insert(subject, sequence);
        }
        sequence
    }

    fn store(&mut self, message: &Publication) -> bool {
        let last = self.last.get(&message.subject).copied().unwrap_or(0);
        let is_founding = self.founds_again && message.subject == Subject::Installation;
        if last != message.fence && !is_founding {
            return false;
        }
        let sequence = self.add(Some(message.subject), message.payload.clone(), message.code);
        let mut payload = message.payload.clone();
        if std::mem::take(&mut self.flips) {
            let mut bytes = payload.to_vec();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 4;
            payload = bytes.into();
        }
        if std::mem::take(&mut self.lies) {
            let mut bytes = payload.to_vec();
            bytes[48] ^= 1;
            let crc = crc32c::crc32c(&bytes[8..]);
            bytes[4..8].copy_from_slice(&crc.to_le_bytes());
            payload = bytes.into();
        }
        if !std::mem::take(&mut self.skips) {
            let tell = |it: &Arc<dyn LogListener>| {
                let (subject, code) = (Some(message.subject), message.code);
                it.hear(delivered(sequence, subject, payload.clone(), code, false));
            };
            self.listeners.iter().for_each(tell);
        }
        true
    }

    /// The fate of a message: whether it is stored, and whether its sender gets an answer.
    fn fate(&mut self, message: &Publication) -> (bool, bool) {
        let Some(random) = &mut self.trouble else { return (true, true) };
        if random.u8(..) < 40 {
            self.echoes.push(message.clone());
        }
        (random.u8(..) >= 60, random.u8(..) >= 60)
    }

    fn echo(&mut self) {
        let Some(random) = &mut self.trouble else { return };
        if !self.echoes.is_empty() && random.u8(..) < 40 {
            let echo = self.echoes.swap_remove(random.usize(..self.echoes.len()));
            self.store(&echo);
        }
    }
}

fn delivered(
    sequence: u64,
    subject: Option<Subject>,
    payload: Bytes,
    code: Option<Code>,
    is_agreed: bool,
) -> LogEvent {
    LogEvent::Delivered(Delivered { sequence, subject, payload, code, is_agreed, room: None })
}

impl PaperHandle {
    /// Lets so many more messages of this node reach the log; later ones are held until
    /// [`Self::wakes`], and so is a wish to read again.
    pub(crate) fn stops_after(&self, messages: usize) {
        self.way.lock().unwrap().left = Some(messages);
    }

    /// Waits until so many messages of this node are held.
    pub(crate) fn waits_for_held(&self, messages: usize) {
        for _ in 0..60_000 {
            if self.way.lock().unwrap().held.len() >= messages {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("the node says nothing");
    }

    /// From now on the node sends and receives nothing, as when its process is stopped.
    pub(crate) fn sleeps(&self) {
        self.stops_after(0);
        self.way.lock().unwrap().unheard = Some(Vec::new());
    }

    /// Delivers everything that was held, in both directions.
    pub(crate) fn wakes(&self) {
        let way = std::mem::take(&mut *self.way.lock().unwrap());
        way.held.into_iter().for_each(|message| self.publish(message));
        way.again.into_iter().for_each(|from| self.read_again(from));
        way.unheard.into_iter().flatten().for_each(|event| self.hear(event));
    }

    /// From now on every message of this node reaches the log.
    pub(crate) fn flows(&self) {
        self.way.lock().unwrap().left = None;
    }

    fn tell_from(
        &self,
        from: u64,
        listener: &Arc<dyn LogListener>,
        paper: &Paper,
        is_agreed: bool,
    ) {
        let from = usize::try_from(from.max(paper.first).max(1) - 1).unwrap();
        for (index, (subject, payload, code)) in paper.messages.iter().enumerate().skip(from) {
            let sequence = index as u64 + 1;
            listener.hear(delivered(sequence, *subject, payload.clone(), *code, is_agreed));
        }
    }

    fn hear(&self, event: LogEvent) {
        if let Some(listener) = &*self.listener.lock().unwrap() {
            listener.hear(event);
        }
    }
}

impl SharedLog for PaperHandle {
    fn begin(&self, listener: Arc<dyn LogListener>, from: u64) {
        let listener = Arc::new(Ear { listener, way: Arc::clone(&self.way) });
        let mut paper = self.log.paper();
        let last = paper.messages.len() as u64;
        let listener: Arc<dyn LogListener> = listener;
        listener.hear(LogEvent::Reaches { first: paper.first.max(1), last });
        self.tell_from(from, &listener, &paper, false);
        paper.listeners.push(Arc::clone(&listener));
        *self.listener.lock().unwrap() = Some(listener);
    }

    fn read_again(&self, from: u64) {
        {
            let mut way = self.way.lock().unwrap();
            if way.left == Some(0) {
                way.again = Some(from);
                return;
            }
        }
        let paper = self.log.paper();
        let listener = self.listener.lock().unwrap().clone();
        if let (Some(listener), true) = (&listener, from < paper.first) {
            listener.hear(LogEvent::Trimmed { first: paper.first });
        }
        listener.iter().for_each(|it| self.tell_from(from, it, &paper, true));
    }

    fn publish(&self, message: Publication) {
        {
            let mut way = self.way.lock().unwrap();
            match &mut way.left {
                Some(0) => return way.held.push(message),
                Some(left) => *left -= 1,
                None => {}
            }
        }
        let mut paper = self.log.paper();
        paper.echo();
        let (may_store, is_told) = paper.fate(&message);
        let is_stored = may_store && paper.store(&message);
        drop(paper);
        if !is_stored || !is_told {
            let Publication { subject, number, .. } = message;
            self.hear(LogEvent::Doubtful { subject, number });
        }
    }

    fn ask_last(&self, subject: Subject) {
        let sequence = self.log.paper().last.get(&subject).copied().unwrap_or(0);
        self.hear(LogEvent::Last { subject, sequence });
    }

    fn end(&self, grace: Duration) {
        // In this log no message is ever under way at this point.
        if grace.is_zero() {
            self.hear(LogEvent::Over);
        }
    }

    fn is_reachable(&self) -> bool {
        !self.log.paper().is_cut_off
    }

    fn longest(&self) -> usize {
        self.log.paper().longest.unwrap_or(9 << 20)
    }
}
