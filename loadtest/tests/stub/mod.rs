//! A server that keeps the promises of the API in memory, or breaks one on request.
//!
//! It exists to test the tester: it uses threads and locks, and is not fast. The promise that it
//! breaks must show in the report, or the checks of the load tester are worth nothing.

mod answers;
mod wire;

use std::collections::HashMap;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use wire::Request;

/// The one promise that the stub breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// One socket misses one message.
    LoseDelivery,
    /// One socket gets one message a second time, with a number of its own.
    RepeatDelivery,
    /// One message's `n` leaves a hole.
    SkipNumber,
    /// One acknowledged message is not stored.
    ForgetMessage,
    /// One message is listed twice.
    ListTwice,
    /// One message is refused with 409, but still stored and delivered.
    KeepRefused,
    /// `count` is one too many.
    Miscount,
    /// One acknowledged image is not stored.
    ForgetImage,
    /// One bot misses one message.
    LoseCallback,
    /// A socket is closed in the middle of the load.
    CloseSocket,
    /// The first group is not listed.
    ForgetGroup,
    /// One socket that reconnects is not sent one of the messages that it missed.
    LoseReplay,
    /// Files stay open after each message.
    LeakFiles,
    /// A body that is not JSON is accepted as a message.
    TakeAnything,
}

/// The guid of system messages, which no fault strikes.
const SYSTEM: &str = "system";

/// The number of the message that the fault affects, counted over all groups.
const STRIKE: usize = 20;

pub(crate) struct Stub {
    addr: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl Stub {
    pub(crate) fn start(fault: Fault) -> Self {
        Self::over(Arc::new(Mutex::new(State::new(fault))))
    }

    /// Starts another node of the same installation.
    pub(crate) fn node(&self) -> Self {
        Self::over(Arc::clone(&self.state))
    }

    fn over(state: Arc<Mutex<State>>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let addr = listener.local_addr().unwrap();
        let kept = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                kept.lock().unwrap().visits.entry(addr).and_modify(|it| *it += 1).or_insert(1);
                let state = Arc::clone(&kept);
                std::thread::spawn(move || visit(stream, &state));
            }
        });
        Self { addr, state }
    }

    /// How many connections this node has accepted.
    pub(crate) fn visits(&self) -> usize {
        self.state.lock().unwrap().visits.get(&self.addr).copied().unwrap_or_default()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.addr)
    }
}

struct State {
    fault: Fault,
    ids: u64,
    posted: usize,
    people: Vec<String>,
    groups: Vec<Group>,
    /// The group that stands for the chat of each pair of people.
    chats: HashMap<(usize, usize), usize>,
    sockets: Vec<(usize, TcpStream)>,
    results_asked: usize,
    visits: HashMap<SocketAddr, usize>,
    images: usize,
    /// Every event that was sent, with its group, for replays after a cursor.
    log: Vec<(usize, Vec<u8>)>,
    /// How many sockets have reconnected so far.
    back: usize,
    leaked: Vec<std::fs::File>,
}

#[derive(Default)]
struct Group {
    members: Vec<usize>,
    added: usize,
    n: u64,
    lines: Vec<Line>,
    /// Host and path of the callback URLs of its bots.
    hooks: Vec<(String, String)>,
}

struct Line {
    id: u64,
    guid: String,
}

impl State {
    fn new(fault: Fault) -> Self {
        Self {
            fault,
            ids: 17_000_000_000_000_000,
            posted: 0,
            people: vec![],
            groups: vec![],
            chats: HashMap::new(),
            sockets: vec![],
            results_asked: 0,
            visits: HashMap::new(),
            images: 0,
            log: vec![],
            back: 0,
            leaked: vec![],
        }
    }

    /// Returns the events that a person missed after a cursor.
    fn missed(&mut self, person: usize, after: usize) -> Vec<Vec<u8>> {
        self.back += 1;
        let is_theirs = |group: usize| self.groups[group].members.contains(&person);
        let theirs = self.log[after..].iter().filter(|(group, _)| is_theirs(*group));
        let mut frames: Vec<Vec<u8>> = theirs.map(|(_, frame)| frame.clone()).collect();
        if self.fault == Fault::LoseReplay && self.back == 1 {
            frames.pop();
        }
        frames
    }

    fn person(&self, token: &str) -> usize {
        self.people.iter().position(|known| known == token).expect("a known token")
    }

    /// Whether the fault happens now.
    fn strikes(&self, fault: Fault) -> bool {
        self.fault == fault && self.posted == STRIKE
    }

    /// Stores a line and sends it to everyone in the group.
    fn post(&mut self, group: usize, guid: &str) -> u64 {
        self.ids += 1;
        self.posted += usize::from(guid != SYSTEM);
        let skip = self.strikes(Fault::SkipNumber);
        let forget = self.strikes(Fault::ForgetMessage);
        let place = &mut self.groups[group];
        place.n += 1 + u64::from(skip);
        let id = self.ids;
        if !forget {
            place.lines.push(Line { id, guid: guid.to_owned() });
        }
        if self.fault == Fault::LeakFiles {
            // Several per message, since few messages are sent where the machine is busy.
            self.leaked.extend((0..4).map(|_| std::fs::File::open("/dev/null").unwrap()));
        }
        if guid != SYSTEM {
            self.call_back(group, id);
        }
        self.announce(group, guid);
        if self.strikes(Fault::RepeatDelivery) {
            self.groups[group].n += 1;
            self.announce(group, guid);
        }
        id
    }

    /// Calls the bots of a group back, without waiting for them.
    fn call_back(&self, group: usize, id: u64) {
        let lost = usize::from(self.strikes(Fault::LoseCallback));
        for (host, path) in self.groups[group].hooks.iter().skip(lost) {
            let (host, path) = (host.clone(), path.clone());
            std::thread::spawn(move || wire::call_back(&host, &path, id));
        }
    }

    fn announce(&mut self, group: usize, guid: &str) {
        let frame = wire::event(group, self.groups[group].n, guid);
        self.log.push((group, frame.clone()));
        let members = &self.groups[group].members;
        let lose = self.strikes(Fault::LoseDelivery);
        let close = self.strikes(Fault::CloseSocket);
        for (place, (person, socket)) in self.sockets.iter().enumerate() {
            match place {
                0 if lose => {}
                0 if close => wire::write_to(socket, &[0x88, 2, 0x0f, 0xa2]),
                _ if members.contains(person) => wire::write_to(socket, &frame),
                _ => {}
            }
        }
    }
}

/// One connection: requests until it ends, or a WebSocket.
fn visit(stream: TcpStream, state: &Mutex<State>) {
    stream.set_nodelay(true).unwrap();
    let mut reader = wire::Reader::new(stream.try_clone().unwrap());
    while let Some(request) = reader.request() {
        if request.path == "/v3/push" {
            return listen(stream, reader, state);
        }
        let (status, body) = answers::answer(&mut state.lock().unwrap(), &request);
        wire::respond(&stream, status, &body);
    }
}

fn listen(stream: TcpStream, mut reader: wire::Reader, state: &Mutex<State>) {
    wire::upgrade(&stream);
    let Some((token, after)) = reader.hello() else {
        return;
    };
    {
        let mut state = state.lock().unwrap();
        let person = state.person(&token);
        wire::write_to(&stream, &wire::text(r#"{"t":"welcome","v":1,"hb":25}"#));
        for frame in after.map(|after| state.missed(person, after)).unwrap_or_default() {
            wire::write_to(&stream, &frame);
        }
        let synced = format!(r#"{{"t":"synced","c":"{}"}}"#, state.log.len());
        wire::write_to(&stream, &wire::text(&synced));
        wire::write_to(&stream, &wire::text(r#"{"t":"ping","c":"0"}"#));
        state.sockets.push((person, stream.try_clone().unwrap()));
    }
    // Reads the answer to the ping, and then until the connection ends.
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    reader.drain();
}
