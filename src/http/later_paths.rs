//! Paths of later clients: `/v2` and `/v4` serve what `/v3` serves, and on a compatibility
//! host whose name begins with `v2.` the version is left out. One table of routes serves
//! them all, so a path is put into its form here, before it is looked up.

use actix_web::dev::ServiceRequest;
use actix_web::http::Uri;
use actix_web::http::uri::PathAndQuery;
use actix_web::web::{Bytes, Data};

use crate::http::app_state::AppState;
use crate::http::dialect;

/// What stands in front of the paths of other versions.
const VERSIONS: [&str; 2] = ["/v2/", "/v4/"];
/// How the host begins that serves only the second version.
const HOST: &str = "v2.";

/// Puts the path of a request into the form in which the table of routes has it.
pub fn enter(request: &mut ServiceRequest) {
    // Most requests ask in that form.
    if request.path().starts_with("/v3/") {
        return;
    }
    let Some(path) = served(request.path(), is_second_version(request)) else { return };
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
}

/// The path as the table has it, if it is another one.
fn served(path: &str, is_second_version: bool) -> Option<String> {
    let (compat, below) = match path.strip_prefix("/compat") {
        Some(below) => ("/compat", below),
        None => ("", path),
    };
    if let Some(rest) = VERSIONS.iter().find_map(|version| below.strip_prefix(version)) {
        return Some(format!("{compat}/v3/{rest}"));
    }
    let is_bare = is_second_version && compat.is_empty() && path != "/" && !path.starts_with("/v3");
    is_bare.then(|| format!("/v3{path}"))
}

fn is_second_version(request: &ServiceRequest) -> bool {
    let app = request.app_data::<Data<AppState>>();
    let host = dialect::host_name(request.request());
    host.starts_with(HOST) && app.is_some_and(|app| dialect::is_compat_host(app, &host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_versions_are_served_by_the_third() {
        let served = |path| served(path, false);
        assert_eq!(served("/v4/groups/1").as_deref(), Some("/v3/groups/1"));
        assert_eq!(served("/v2/users/1").as_deref(), Some("/v3/users/1"));
        assert_eq!(served("/compat/v4/groups").as_deref(), Some("/compat/v3/groups"));
        for path in ["/v3/groups", "/compat/v3/groups", "/pictures", "/v5/groups", "/v4", "/"] {
            assert_eq!(served(path), None, "{path}");
        }
    }

    #[test]
    fn the_host_of_the_second_version_leaves_it_out() {
        let served = |path| served(path, true);
        assert_eq!(served("/users/1").as_deref(), Some("/v3/users/1"));
        assert_eq!(served("/v2/users/1").as_deref(), Some("/v3/users/1"));
        for path in ["/v3/users/1", "/compat/v3/groups", "/"] {
            assert_eq!(served(path), None, "{path}");
        }
    }
}
