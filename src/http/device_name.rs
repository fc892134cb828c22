//! Names of devices, in lists of sessions and of trusted devices.

use actix_web::HttpRequest;
use actix_web::http::header::USER_AGENT;

/// Longest name of a device, in characters.
const DEVICE_CHARS: usize = 60;

/// The browser and system that a request names, for people: `Firefox, Linux`; `None` if it names
/// none.
pub(super) fn device_name(request: &HttpRequest) -> Option<String> {
    let agent = request.headers().get(USER_AGENT).and_then(|it| it.to_str().ok());
    Some(named(agent?)).filter(|name| !name.is_empty())
}

fn named(agent: &str) -> String {
    // Browsers also name those that they are compatible with, so the order matters.
    let browsers = [
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ];
    let systems = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("CrOS", "ChromeOS"),
        ("Linux", "Linux"),
    ];
    let first = |names: &[(&str, &'static str)]| {
        names.iter().find(|(part, _)| agent.contains(part)).map(|(_, name)| *name)
    };
    match (first(&browsers), first(&systems)) {
        (Some(browser), Some(system)) => format!("{browser}, {system}"),
        (Some(name), None) => name.to_owned(),
        (None, _) => {
            let product = agent.split_whitespace().next().unwrap_or_default();
            let plain = product.chars().filter(|sign| sign.is_ascii_graphic()).take(DEVICE_CHARS);
            plain.collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_is_named_by_browser_and_system() {
        let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
        let edge = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like \
                    Gecko) Chrome/140.0 Safari/537.36 Edg/140.0";
        assert_eq!(named(firefox), "Firefox, Linux");
        assert_eq!(named(edge), "Edge, Windows");
        assert_eq!(named("curl/8.1"), "curl/8.1");
        assert_eq!(named(""), "");
    }
}
