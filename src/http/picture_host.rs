//! URLs of images in responses on a compatibility host. Existing clients recognize an image by its
//! host, so there every image of this server is named at the picture host.
//!
//! Messages and groups are rendered once for all readers, with the public URL in front. Here the
//! beginning of each such URL is replaced in the finished JSON.

use std::future::poll_fn;
use std::pin::{Pin, pin};

use actix_web::body::{BoxBody, MessageBody as _};
use actix_web::dev::ServiceResponse;
use actix_web::http::Method;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use actix_web::web::{Bytes, Data};
use actix_web::{Error, HttpMessage as _};

use crate::http::app_state::AppState;
use crate::http::dialect;

/// Marks a request whose response was rewritten.
struct Renamed;

/// Names the images in a JSON response at the picture host, if the request came to a compatibility
/// host and there is a picture host. Called for a response again, it changes nothing.
///
/// # Errors
/// If the body of the response fails.
pub async fn renamed(answer: ServiceResponse) -> Result<ServiceResponse, Error> {
    let Some((from, to)) = folders(&answer) else { return Ok(answer) };
    let (request, response) = answer.into_parts();
    let (response, body) = response.into_parts();
    let pieces = pieces_of(pin!(body)).await?;
    let body = Bytes::from(replaced(&pieces.concat(), &from, &to));
    request.extensions_mut().insert(Renamed);
    Ok(ServiceResponse::new(request, response.set_body(BoxBody::new(body))))
}

/// Collects a body in the pieces in which it is handed out; nothing is copied.
pub(super) async fn pieces_of(mut body: Pin<&mut BoxBody>) -> Result<Vec<Bytes>, Error> {
    let mut pieces = Vec::new();
    while let Some(piece) = poll_fn(|context| body.as_mut().poll_next(context)).await {
        pieces.push(piece?);
    }
    Ok(pieces)
}

/// The beginning of an image's URL as a text in JSON, and the one to put in its place; `None` if
/// nothing is to be replaced.
fn folders(answer: &ServiceResponse) -> Option<(Vec<u8>, Vec<u8>)> {
    let request = answer.request();
    let headers = answer.headers();
    let is_json = headers.get(CONTENT_TYPE).is_some_and(|it| it == "application/json");
    if !is_json || headers.contains_key(CONTENT_ENCODING) || request.method() == Method::HEAD {
        return None;
    }
    let app = request.app_data::<Data<AppState>>()?;
    let (own, shown) = app.image_folders.as_ref()?;
    let is_meant =
        dialect::is_on_compat_host(app, request) && !request.extensions().contains::<Renamed>();
    is_meant.then(|| (beginning(own), beginning(shown)))
}

/// A JSON text that begins with a folder, up to there.
fn beginning(folder: &str) -> Vec<u8> {
    format!("\"{folder}").into_bytes()
}

fn replaced(body: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.windows(from.len()).position(|window| window == from) {
        let (before, found) = rest.split_at(at);
        out.extend_from_slice(before);
        // A quote after a backslash is inside a text.
        let is_inside = before.last() == Some(&b'\\');
        out.extend_from_slice(if is_inside { from } else { to });
        rest = &found[from.len()..];
    }
    out.extend_from_slice(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_beginning_of_a_text_is_replaced() {
        let body =
            br#"{"a":"http://h/images/1","b":["http://h/images/2"],"c":"at http://h/images/3",
            "d":"\"http://h/images/4\""}"#;
        let expected = br#"{"a":"https://i/1","b":["https://i/2"],"c":"at http://h/images/3",
            "d":"\"http://h/images/4\""}"#;
        let done = replaced(body, &beginning("http://h/images/"), &beginning("https://i/"));
        assert_eq!(done, expected);
        assert_eq!(replaced(&done, &beginning("http://h/images/"), &beginning("x")), expected);
    }
}
