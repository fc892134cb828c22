//! Whether the log's servers sync before they acknowledge, which only their monitoring ports
//! report. A server whose monitoring port is off or blocked cannot be asked.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use serde_json::Value;

use journal::replicated::nats_survey::ServerReport;

/// Address of a monitoring port that is closed to other machines.
const LOOPBACK: &str = "127.0.0.1";
/// The usual monitoring port. The port for clients plus `ABOVE` is tried before it (4222, 8222).
const USUAL: u16 = 8222;
const ABOVE: u16 = 4000;
/// How long connecting, and each read and write, may take.
const PATIENCE: Duration = Duration::from_millis(500);
/// The maximum length of a response, in bytes.
const LONGEST: u64 = 1 << 20;

/// Whether every server that reports it syncs before it acknowledges; `None` if none reports it.
/// Blocks.
pub fn syncs_always(servers: &[ServerReport]) -> Option<bool> {
    let told: Vec<bool> = servers.iter().filter_map(asked).collect();
    (!told.is_empty()).then(|| told.into_iter().all(|it| it))
}

/// Asks the monitoring ports at the server's host, and those of this machine, which may be the
/// server's.
fn asked(server: &ServerReport) -> Option<bool> {
    let hosts = [server.host.as_str(), LOOPBACK];
    let ports = [server.port.checked_add(ABOVE), Some(USUAL)];
    let places =
        hosts.iter().flat_map(|host| ports.iter().flatten().map(move |port| (*host, *port)));
    places.into_iter().find_map(|(host, port)| {
        let answer = fetched(host, port).ok()?;
        let (_, body) = answer.split_once("\r\n\r\n")?;
        let page = serde_json::from_str(body).ok()?;
        if is_of(&page, server.id.as_deref()) { told(&page) } else { None }
    })
}

/// Whether a page is that of the server with this id.
fn is_of(page: &Value, id: Option<&str>) -> bool {
    id.is_some() && page.get("server_id").and_then(Value::as_str) == id
}

fn fetched(host: &str, port: u16) -> io::Result<String> {
    let address = (host, port).to_socket_addrs()?.next();
    let address = address.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(format!("GET /jsz HTTP/1.0\r\nHost: {host}\r\n\r\n").as_bytes())?;
    let mut answer = String::new();
    stream.take(LONGEST).read_to_string(&mut answer)?;
    Ok(answer)
}

/// Whether the page about the log reports `sync_always`, which is absent where it is off; `None` if
/// the server has no log.
fn told(page: &Value) -> Option<bool> {
    let config = page.get("config")?.as_object()?;
    config.contains_key("store_dir").then(|| config.get("sync_always") == Some(&Value::Bool(true)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn missing_sync_report_counts_as_no() {
        let page = |config: Value| json!({"config": config, "streams": 1});
        let always = page(json!({"store_dir": "/s", "sync_always": true}));
        let late = page(json!({"store_dir": "/s", "sync_interval": 120_000_000_000_u64}));
        assert_eq!((told(&always), told(&late), told(&json!({}))), (Some(true), Some(false), None));
    }

    #[test]
    fn pages_of_other_servers_do_not_count() {
        let page = json!({"server_id": "NA"});
        assert!(is_of(&page, Some("NA")) && !is_of(&page, Some("NB")) && !is_of(&page, None));
        assert!(!is_of(&json!({}), Some("NA")) && !is_of(&json!({}), None));
    }
}
