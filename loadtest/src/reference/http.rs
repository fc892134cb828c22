//! The trivial HTTP server: a JSON body in, a small JSON body out, no state.
//!
//! Built like the server (actix-web, its own worker threads, TCP_NODELAY), so
//! what a post costs beyond this is what Coterie itself does.

use std::net::TcpListener;

use actix_web::{App, HttpResponse, HttpServer, web};
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize)]
struct Post {
    message: NewMessage,
}

#[derive(Debug, Deserialize)]
struct NewMessage {
    source_guid: String,
    text: String,
}

#[derive(Debug, Serialize)]
struct Posted {
    source_guid: String,
    length: usize,
}

async fn post(body: web::Json<Post>) -> HttpResponse {
    let NewMessage { source_guid, text } = body.into_inner().message;
    HttpResponse::Created().json(Posted { source_guid, length: text.len() })
}

async fn get() -> HttpResponse {
    HttpResponse::Ok().json(Posted { source_guid: String::new(), length: 0 })
}

/// Answers with as many bytes as the path asks for: the cost of moving a page at all.
async fn page(length: web::Path<usize>) -> HttpResponse {
    let length = length.into_inner().min(crate::ws::frame::MAX_PAYLOAD);
    HttpResponse::Ok().content_type("application/json").body(vec![b'1'; length])
}

/// Serves until stdin closes or a signal comes.
pub fn serve() -> std::io::Result<()> {
    super::end_with_stdin();
    actix_web::rt::System::new().block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let addr = listener.local_addr()?;
        let server = HttpServer::new(|| {
            App::new()
                .route("/v3/groups/{id}/messages", web::post().to(post))
                .route("/trivial", web::get().to(get))
                .route("/page/{bytes}", web::get().to(page))
        })
        .tcp_nodelay(true)
        .shutdown_timeout(1)
        .listen(listener)?
        .run();
        super::announce(addr);
        server.await
    })
}
