//! A wrong method, told in the envelope like every other refusal. Which methods there
//! are stands in `Allow`, which actix takes from the routes of the path.

use actix_web::ResponseError;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::ALLOW;
use actix_web::middleware::Next;

use crate::http::error::ApiError;

/// Puts the envelope around answers that say 405 and nothing else.
///
/// # Errors
/// Those of what it wraps.
pub async fn explain<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let answer = next.call(request).await?;
    if answer.status() != StatusCode::METHOD_NOT_ALLOWED {
        return Ok(answer.map_into_boxed_body());
    }
    let allowed = answer.headers().get(ALLOW).and_then(|it| it.to_str().ok());
    let refusal = match allowed {
        Some(allowed) => {
            let reason = format!("this path does not serve that method; it serves {allowed}");
            ApiError::new(StatusCode::METHOD_NOT_ALLOWED, reason).with_header(ALLOW, allowed)
        }
        None => {
            ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "this path does not serve that method")
        }
    };
    let told = refusal.error_response();
    Ok(answer.into_response(told))
}
