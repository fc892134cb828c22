//! Descriptions of pages elsewhere, as existing clients ask for them beside a link. Served below
//! `/v1`, on any host, and only where the operator wants link previews.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use serde_json::{Value, json};

use crate::http::app_state::AppState;
use crate::http::body::Query;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::reply::Answer;
use outgoing::OutgoingFault;
use outgoing::target::TargetRefusal;
use subscribers::previews::{PageDescription, PageFault};
use wire::fields::{Fields, Problems};

/// `GET /v1/urls/preview`
pub(super) async fn show(app: web::Data<AppState>, caller: Caller, query: Query) -> Answer {
    let previews = app.previews.as_ref().ok_or_else(ApiError::no_such_path)?;
    let mut problems = Problems::default();
    let url = Fields::of(&query.0, &mut problems).required_text("url");
    let url = problems.or(url)?;
    let page = previews.describe(caller.user, url).await.map_err(refusal)?;
    Ok(HttpResponse::Ok().json(described(page)))
}

fn refusal(fault: PageFault) -> ApiError {
    let status = match &fault {
        PageFault::Fetch(OutgoingFault::Refused(refusal)) => {
            let status = match refusal {
                TargetRefusal::Private { .. } => StatusCode::FORBIDDEN,
                TargetRefusal::Form | TargetRefusal::Credentials => StatusCode::BAD_REQUEST,
            };
            return ApiError::new(status, format!("url {refusal}"));
        }
        PageFault::Fetch(_) => StatusCode::NOT_FOUND,
        PageFault::NotHtml | PageFault::Work(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        PageFault::Busy => return ApiError::unavailable(),
    };
    ApiError::new(status, fault)
}

fn described(page: PageDescription) -> Value {
    let links = |kind: &str, href: Option<String>| {
        let link = |href| json!({"href": href, "type": "image", "rel": [kind], "media": {}});
        href.map(link).into_iter().collect::<Vec<Value>>()
    };
    json!({
        "meta": {
            "title": page.title.unwrap_or_default(),
            "description": page.description.unwrap_or_default(),
            "site": page.site.unwrap_or_default(),
            "canonical": page.canonical,
        },
        "links": {
            "thumbnail": links("thumbnail", page.picture),
            "icon": links("icon", page.icon),
        },
        "rel": [],
    })
}
