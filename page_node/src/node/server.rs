//! The page over HTTP, and the way to its sockets. Every request is looked at by [`guard`]; nothing but a socket changes anything.

use super::assets;
use super::hub::Hub;
use super::listener::Door;
use super::session;
use crate::access::Refused;
use crate::recordings;
use crate::request::LONGEST;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

/// Between tries to open a port that others have.
const AGAIN: Duration = Duration::from_secs(2);
/// The WebSocket's protocol, and what stands in front of the token beside it: browsers can send no other header.
const PROTOCOL: &str = "gaitway";
const TOKEN: &str = "token.";
/// A recording is sent in pieces of this size.
const PIECE: usize = 64 * 1024;

/// Serves until the process ends. A port that is taken does not keep a robot from walking: it is tried again.
pub(super) async fn run(hub: Arc<Hub>) {
    let port = u16::try_from(hub.settings.borrow().http_port).unwrap_or(0);
    let address = SocketAddr::new(hub.access.address(), port);
    let listener = loop {
        match TcpListener::bind(address).await {
            Ok(listener) => break listener,
            Err(e) => hub.log.error(format!("the page cannot be served at {address}: {e}; trying again")),
        }
        tokio::time::sleep(AGAIN).await;
    };
    let address = listener.local_addr().unwrap_or(address);
    let how = if hub.access.needs_token() { "#token=… (the parameter token)" } else { "" };
    hub.log.info(format!("the page is at http://{address}/{how}"));
    let app = Router::new()
        .route("/", get(|| async { assets::index() }))
        .route("/plain", get(|| async { assets::plain() }))
        .route("/{file}", get(|Path(file): Path<String>| async move { assets::file(&file) }))
        .route("/robot.urdf", get(robot))
        .route("/mesh/{name}", get(mesh))
        .route("/recordings/{*name}", get(recording))
        .route("/ws", get(socket))
        .layer(middleware::from_fn_with_state(hub.clone(), guard))
        .with_state(hub.clone());
    let browsers = usize::try_from(hub.settings.borrow().max_clients).unwrap_or(1);
    if let Err(e) = axum::serve(Door::new(listener, browsers), app).await {
        hub.log.error(format!("the page is served no more: {e}"));
    }
}

fn text_of(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Who may ask at all, and what browsers may do with the answer.
async fn guard(State(hub): State<Arc<Hub>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let host = text_of(headers, header::HOST);
    // An Origin that is no text is nobody's page.
    let origin = headers.get(header::ORIGIN).map(|value| value.to_str().unwrap_or("null"));
    let checked = hub.access.check_host(host).and_then(|()| hub.access.check_origin(origin, host));
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(refused) => refuse(&hub, refused),
    };
    let policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
                  frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn refuse(hub: &Hub, refused: Refused) -> Response {
    hub.refused.fetch_add(1, Ordering::Relaxed);
    let status = if refused == Refused::Token { StatusCode::UNAUTHORIZED } else { StatusCode::FORBIDDEN };
    (status, format!("{refused}\n")).into_response()
}

/// The token beside the socket's protocol, or as programs send it.
fn token(headers: &HeaderMap) -> Option<&str> {
    let offered = text_of(headers, header::SEC_WEBSOCKET_PROTOCOL).unwrap_or_default();
    let beside = offered.split(',').find_map(|protocol| protocol.trim().strip_prefix(TOKEN));
    beside.or_else(|| text_of(headers, header::AUTHORIZATION)?.strip_prefix("Bearer "))
}

async fn socket(State(hub): State<Arc<Hub>>, headers: HeaderMap, upgrade: WebSocketUpgrade) -> Response {
    if let Err(refused) = hub.access.check_token(token(&headers)) {
        return refuse(&hub, refused);
    }
    let most = usize::try_from(hub.settings.borrow().max_clients).unwrap_or(1);
    let Some(seat) = session::Seat::take(&hub, most) else {
        hub.refused.fetch_add(1, Ordering::Relaxed);
        return (StatusCode::SERVICE_UNAVAILABLE, format!("{most} browsers watch already\n")).into_response();
    };
    let upgrade = upgrade.max_message_size(LONGEST).max_frame_size(LONGEST).protocols([PROTOCOL]);
    upgrade.on_upgrade(move |socket| session::run(seat, socket))
}

async fn robot(State(hub): State<Arc<Hub>>, headers: HeaderMap) -> Response {
    if let Err(refused) = hub.access.check_token(token(&headers)) {
        return refuse(&hub, refused);
    }
    match &hub.state().robot {
        Some(robot) => ([(header::CONTENT_TYPE, "application/xml")], robot.urdf.clone()).into_response(),
        None => (StatusCode::NOT_FOUND, "no robot is known yet\n").into_response(),
    }
}

/// A file by the name that the robot's URDF gives it.
async fn mesh(State(hub): State<Arc<Hub>>, headers: HeaderMap, Path(name): Path<String>) -> Response {
    if let Err(refused) = hub.access.check_token(token(&headers)) {
        return refuse(&hub, refused);
    }
    let meshes = hub.state().robot.as_ref().map(|robot| robot.meshes.clone()).unwrap_or_default();
    let prefixes = std::env::var("AMENT_PREFIX_PATH").unwrap_or_default();
    let find = move || meshes.find(&name, &prefixes);
    let file = match tokio::task::spawn_blocking(find).await.ok().flatten() {
        Some(path) => tokio::fs::File::open(path).await.ok(),
        None => None,
    };
    let kind = [(header::CONTENT_TYPE, "application/octet-stream")];
    file.map_or_else(
        || (StatusCode::NOT_FOUND, "no mesh of this robot\n").into_response(),
        |file| (kind, pieces(file)).into_response(),
    )
}

async fn recording(State(hub): State<Arc<Hub>>, headers: HeaderMap, Path(name): Path<String>) -> Response {
    if let Err(refused) = hub.access.check_token(token(&headers)) {
        return refuse(&hub, refused);
    }
    let folder = hub.settings.borrow().recordings.clone();
    if folder.is_empty() {
        return (StatusCode::NOT_FOUND, "there is no folder of recordings: the parameter recordings\n")
            .into_response();
    }
    let wanted = name.clone();
    let find = move || recordings::find(std::path::Path::new(&folder), &wanted).map_err(|e| e.to_string());
    let found = tokio::task::spawn_blocking(find).await.unwrap_or_else(|e| Err(e.to_string()));
    let file = match found {
        Ok(path) => tokio::fs::File::open(path).await.map_err(|e| e.to_string()),
        Err(e) => Err(e),
    };
    match file {
        Ok(file) => {
            let short = name.rsplit('/').next().unwrap_or(&name);
            let disposition = format!("attachment; filename=\"{short}\"");
            let headers = [
                (header::CONTENT_TYPE, "application/octet-stream".to_string()),
                (header::CONTENT_DISPOSITION, disposition),
            ];
            (headers, pieces(file)).into_response()
        }
        Err(e) => (StatusCode::NOT_FOUND, format!("{e}\n")).into_response(),
    }
}

/// A file may be larger than the memory.
fn pieces(file: tokio::fs::File) -> Body {
    let next = |mut file: tokio::fs::File| async move {
        let mut piece = Vec::with_capacity(PIECE);
        match (&mut file).take(PIECE as u64).read_to_end(&mut piece).await {
            Ok(0) => None,
            Ok(_) => Some((Ok::<_, std::io::Error>(Bytes::from(piece)), file)),
            Err(e) => Some((Err(e), file)),
        }
    };
    Body::from_stream(futures::stream::unfold(file, next))
}
