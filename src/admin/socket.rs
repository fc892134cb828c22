//! The admin socket: `admin.sock` in the data directory, for the tools of this binary.
//!
//! Only root and the account that the server runs under may use it. The socket's mode is 0600
//! before it gets its name, and the kernel is asked for the caller's uid.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;

use crate::admin::Administration;
use crate::admin::protocol::{AdminReply, AdminRequest, LINE_BYTES, VERSION};
use domain::audit::Operator;

/// The socket's name in the data directory.
pub const NAME: &str = "admin.sock";
/// The folder in which the socket is created before it is renamed into place.
const DRAFT: &str = "admin.new";
/// The maximum number of connections at a time.
const AT_ONCE: usize = 16;
/// How long a connection may be silent before it is closed.
const SILENCE: Duration = Duration::from_secs(60);

/// The open socket. Its file is removed on drop.
#[derive(Debug)]
pub struct AdminSocket {
    path: PathBuf,
    serving: tokio::task::JoinHandle<()>,
}

impl AdminSocket {
    /// Opens the socket in the data directory, which this process has locked, and serves requests.
    ///
    /// # Errors
    /// If the socket cannot be created.
    pub fn open(data: &Path, administration: Arc<Administration>) -> io::Result<Self> {
        let listener = bind(data)?;
        let serving = actix::spawn(serve(listener, administration));
        Ok(Self { path: data.join(NAME), serving })
    }
}

impl Drop for AdminSocket {
    fn drop(&mut self) {
        self.serving.abort();
        // A file that cannot be removed does no harm: the next start replaces it.
        drop(fs::remove_file(&self.path));
    }
}

fn bind(data: &Path) -> io::Result<UnixListener> {
    let draft = data.join(DRAFT);
    match fs::remove_dir_all(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    DirBuilder::new().mode(0o700).create(&draft)?;
    let (_open, path) = short(&draft)?;
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(draft.join(NAME), Permissions::from_mode(0o600))?;
    fs::rename(draft.join(NAME), data.join(NAME))?;
    fs::remove_dir(&draft)?;
    Ok(listener)
}

/// Returns a path to the socket in this folder that fits the 108 bytes of a socket address, however
/// deep the folder lies. The path is valid while the returned file is open.
pub fn short(folder: &Path) -> io::Result<(File, PathBuf)> {
    let open = File::open(folder)?;
    let path = PathBuf::from(format!("/proc/self/fd/{}", open.as_raw_fd())).join(NAME);
    Ok((open, path))
}

async fn serve(listener: UnixListener, administration: Arc<Administration>) {
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    loop {
        let Ok(turn) = Arc::clone(&turns).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let administration = Arc::clone(&administration);
                actix::spawn(async move {
                    if let Err(error) = answer(stream, administration).await {
                        tracing::debug!(%error, "answering a tool on the admin socket failed");
                    }
                    drop(turn);
                });
            }
            Err(error) => {
                tracing::warn!(
                    %error,
                    "accepting a connection on the admin socket failed; retrying in 1 s"
                );
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

async fn answer(stream: UnixStream, administration: Arc<Administration>) -> io::Result<()> {
    let caller = stream.peer_cred()?.uid();
    let own = rustix::process::geteuid().as_raw();
    let (read, mut write) = stream.into_split();
    if caller != own && caller != 0 {
        let refusal = AdminReply::Refused(format!("uid {caller} may not administer this server"));
        return say(&mut write, &refusal).await;
    }
    let mut lines = BufReader::new(read);
    loop {
        let mut line = Vec::new();
        let mut bounded = (&mut lines).take(LINE_BYTES as u64);
        let reading = bounded.read_until(b'\n', &mut line);
        let read = tokio::time::timeout(SILENCE, reading).await;
        if read.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?? == 0 {
            return Ok(());
        }
        let reply = match read_command(&line) {
            Ok(request) => administration.fulfil(request.command, Operator::of_uid(caller)).await,
            Err(why) => AdminReply::Refused(why),
        };
        say(&mut write, &reply).await?;
    }
}

fn read_command(line: &[u8]) -> Result<AdminRequest, String> {
    /// The field that requests of every version have.
    #[derive(serde::Deserialize)]
    struct Versioned {
        v: u32,
    }
    let plain = |error: serde_json::Error| format!("the request is invalid: {error}");
    let Versioned { v } = serde_json::from_slice(line).map_err(plain)?;
    if v != VERSION {
        return Err(format!(
            "the running server has protocol version {VERSION}, and the tool has version {v}; restart \
             the server, or use the tools of its version"
        ));
    }
    serde_json::from_slice(line).map_err(plain)
}

async fn say(write: &mut (impl AsyncWriteExt + Unpin), reply: &AdminReply) -> io::Result<()> {
    let mut line = serde_json::to_vec(reply)?;
    line.push(b'\n');
    write.write_all(&line).await
}
