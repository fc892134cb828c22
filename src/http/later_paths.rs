//! Paths of later and of existing clients. `/v2` and `/v4` serve what `/v3` serves; `/compat`
//! before any version serves it in the dialect of existing clients; and on a compatibility host
//! whose name begins with `v2.` the version is left out. On the picture host an image has its name
//! alone as path. One table of routes serves them all, so
//! paths are rewritten here before routing.

use actix_web::HttpMessage as _;
use actix_web::dev::ServiceRequest;
use actix_web::http::Uri;
use actix_web::http::uri::PathAndQuery;
use actix_web::web::{Bytes, Data};

use crate::http::app_state::AppState;
use crate::http::dialect::{self, BelowCompat, COMPAT};
use domain::attachment::ImageRef;

/// Prefixes of other versions.
const VERSIONS: [&str; 2] = ["/v2/", "/v4/"];
/// Prefix of compatibility hosts that serve the second version only.
const HOST: &str = "v2.";

/// Rewrites the path of a request to the form that the table of routes has.
pub fn enter(request: &mut ServiceRequest) {
    // Most paths have that form already.
    if request.path().starts_with("/v3/") {
        return;
    }
    let image = image_at_picture_host(request);
    let found = image.map(|path| ServedPath { path, is_compat: false });
    let found = found.or_else(|| served(request.path(), is_second_version(request)));
    let Some(ServedPath { path, is_compat }) = found else { return };
    let path = match request.uri().query() {
        Some(query) => format!("{path}?{query}"),
        None => path,
    };
    let mut parts = request.uri().clone().into_parts();
    let Ok(path) = PathAndQuery::from_maybe_shared(Bytes::from(path)) else { return };
    parts.path_and_query = Some(path);
    let Ok(uri) = Uri::from_parts(parts) else { return };
    request.match_info_mut().get_mut().update(&uri);
    request.head_mut().uri = uri;
    if is_compat {
        request.extensions_mut().insert(BelowCompat);
    }
}

/// A path in the form that the table of routes has.
#[derive(Debug, PartialEq, Eq)]
struct ServedPath {
    path: String,
    /// Whether the original path began with `/compat`.
    is_compat: bool,
}

/// The path in the form that the table of routes has, or `None` if it needs no change.
fn served(path: &str, is_second_version: bool) -> Option<ServedPath> {
    let (is_compat, below) = match path.strip_prefix(COMPAT) {
        Some(below) => (true, below),
        None => (false, path),
    };
    if let Some(rest) = VERSIONS.iter().find_map(|version| below.strip_prefix(version)) {
        return Some(ServedPath { path: format!("/v3/{rest}"), is_compat });
    }
    if is_compat {
        let is_known = below == "/v3" || below.starts_with("/v3/");
        return is_known.then(|| ServedPath { path: below.to_owned(), is_compat });
    }
    let is_bare = is_second_version && path != "/" && !path.starts_with("/v3");
    is_bare.then(|| ServedPath { path: format!("/v3{path}"), is_compat })
}

/// The path of an image whose name is the whole path on the picture host.
fn image_at_picture_host(request: &ServiceRequest) -> Option<String> {
    let image = ImageRef::named(request.path().strip_prefix('/')?)?;
    let app = request.app_data::<Data<AppState>>()?;
    let is_there = app.instance.is_picture_host(&dialect::host_name(request.request()));
    is_there.then(|| image.path().to_owned())
}

fn is_second_version(request: &ServiceRequest) -> bool {
    let app = request.app_data::<Data<AppState>>();
    let host = dialect::host_name(request.request());
    host.starts_with(HOST) && app.is_some_and(|app| dialect::is_compat_host(app, &host))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rewritten path, with " as before" if it is served in the compatible dialect.
    fn told(path: &str, is_second_version: bool) -> Option<String> {
        let way = |it: &ServedPath| if it.is_compat { " as before" } else { "" };
        served(path, is_second_version).map(|it| format!("{}{}", it.path, way(&it)))
    }

    #[test]
    fn other_versions_are_served_by_the_third() {
        let served = |path| told(path, false);
        assert_eq!(served("/v4/groups/1").as_deref(), Some("/v3/groups/1"));
        assert_eq!(served("/v2/users/1").as_deref(), Some("/v3/users/1"));
        for path in ["/v3/groups", "/pictures", "/v5/groups", "/v4", "/"] {
            assert_eq!(served(path), None, "{path}");
        }
    }

    #[test]
    fn compat_prefix_gives_the_original_dialect() {
        for path in ["/compat/v3/groups", "/compat/v2/groups", "/compat/v4/groups"] {
            assert_eq!(told(path, false).as_deref(), Some("/v3/groups as before"), "{path}");
        }
        assert_eq!(told("/compat/v3", false).as_deref(), Some("/v3 as before"));
        for path in ["/compat", "/compat/", "/compat/v31", "/compat/pictures", "/compatible"] {
            assert_eq!(told(path, false), None, "{path}");
        }
    }

    #[test]
    fn v2_host_omits_the_version() {
        let served = |path| told(path, true);
        assert_eq!(served("/users/1").as_deref(), Some("/v3/users/1"));
        assert_eq!(served("/v2/users/1").as_deref(), Some("/v3/users/1"));
        assert_eq!(served("/compat/v3/groups").as_deref(), Some("/v3/groups as before"));
        for path in ["/v3/users/1", "/compat/groups", "/"] {
            assert_eq!(served(path), None, "{path}");
        }
    }
}
