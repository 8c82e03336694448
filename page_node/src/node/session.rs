//! One browser: what it says, what it is told.
//!
//! Reading and writing are two tasks, so that a stop is heard from a browser that no longer listens. A browser that does not take what it is sent
//! skips snapshots, is told everything anew when it missed events, and is dropped when it takes nothing at all.

use super::hub::Hub;
use super::orders::{self, fulfil};
use crate::drive::{ClientId, Verdict};
use crate::protocol::Told;
use crate::request::{Wish, read};
use axum::extract::ws::{Message, Utf8Bytes, WebSocket};
use futures::stream::SplitSink;
use futures::{SinkExt as _, StreamExt as _};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, mpsc};

/// A browser that does not take a message for so long is gone.
const DEAF: Duration = Duration::from_secs(5);
/// Answers that may wait for a browser, and requests that are under way for it.
const WAITING: usize = 64;
const UNDER_WAY: usize = 8;

/// A place among the browsers; given back when dropped, and whoever drove from it drives no more.
pub(super) struct Seat {
    hub: Arc<Hub>,
    client: ClientId,
}

impl Seat {
    /// Unless there are too many.
    pub(super) fn take(hub: &Arc<Hub>, most: usize) -> Option<Seat> {
        let one_more = |clients| (clients < most).then_some(clients + 1);
        hub.clients.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok()?;
        Some(Seat { hub: hub.clone(), client: hub.next_client.fetch_add(1, Ordering::Relaxed) })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.hub.clients.fetch_sub(1, Ordering::Relaxed);
        release(&self.hub, self.client);
        self.hub.tell_drive();
    }
}

fn release(hub: &Hub, client: ClientId) {
    let drove = hub.state().drive.release(client);
    if drove {
        hub.command([0.0; 3]);
        hub.tell_drive();
    }
}

/// Until the browser is gone.
pub(super) async fn run(seat: Seat, socket: WebSocket) {
    let (hub, client) = (seat.hub.clone(), seat.client);
    let (sender, mut receiver) = socket.split();
    let (answers, waiting) = mpsc::channel(WAITING);
    let mut writer = tokio::spawn(write(hub.clone(), client, sender, waiting));
    let places = Arc::new(Semaphore::new(UNDER_WAY));
    hub.tell_drive();
    loop {
        let message = tokio::select! {
            message = receiver.next() => message,
            // A browser that cannot be told anything is gone.
            _ = &mut writer => break,
        };
        match message {
            Some(Ok(Message::Text(text))) => take(&hub, client, &text, &answers, &places),
            Some(Ok(Message::Close(_))) | Some(Err(_)) | None => break,
            // Frames that are no text say nothing here.
            Some(Ok(_)) => {}
        }
    }
    writer.abort();
    drop(seat);
}

/// One request. What stops and what drives waits for nobody.
fn take(
    hub: &Arc<Hub>,
    client: ClientId,
    text: &Utf8Bytes,
    answers: &mpsc::Sender<Utf8Bytes>,
    places: &Arc<Semaphore>,
) {
    let reply = |answers: &mpsc::Sender<Utf8Bytes>, id, answer: orders::Answer| {
        let (ok, (text, data)) = match answer {
            Ok(done) => (true, done),
            Err(why) => (false, (why, serde_json::Value::Null)),
        };
        // A browser that takes no answers gets none.
        let _ = answers.try_send(Told::Reply { id, ok, text: &text, data }.to_text().into());
    };
    let request = match read(text) {
        Ok(request) => request,
        Err(why) => return reply(answers, 0, Err(why)),
    };
    let id = request.id;
    match request.wish {
        Wish::Stop => {
            orders::stop(hub);
            reply(answers, id, Ok((String::new(), serde_json::Value::Null)));
        }
        Wish::Drive { forward, left, turn } => {
            if let Err(why) = drive(hub, client, [forward, left, turn]) {
                reply(answers, id, Err(why));
            }
        }
        Wish::Release => release(hub, client),
        wish => match places.clone().try_acquire_owned() {
            Ok(place) => {
                let (hub, answers) = (hub.clone(), answers.clone());
                tokio::spawn(async move {
                    reply(&answers, id, fulfil(&hub, wish).await);
                    drop(place);
                });
            }
            Err(_) => reply(answers, id, Err(format!("{UNDER_WAY} requests are under way already"))),
        },
    }
}

fn drive(hub: &Hub, client: ClientId, stick: [f64; 3]) -> Result<(), String> {
    let (velocity, lease) = {
        let params = hub.settings.borrow();
        (params.velocity(stick), params.lease)
    };
    let (verdict, is_new, is_sooner) = {
        let (now, mut state) = (hub.now(), hub.state());
        let (driver, until) = (state.drive.driver(), state.drive.until());
        let verdict = state.drive.hold(client, now, lease);
        (verdict, driver != Some(client), state.drive.until() < until)
    };
    match verdict {
        Verdict::Drives => {
            hub.command(velocity);
            if is_new || is_sooner {
                hub.driving.notify_one();
            }
            if is_new {
                hub.tell_drive();
            }
            Ok(())
        }
        Verdict::Taken(other) => Err(format!("browser {other} drives")),
        Verdict::Stopped => Err("stopped: clear the stop first".into()),
    }
}

async fn write(
    hub: Arc<Hub>,
    client: ClientId,
    mut sender: SplitSink<WebSocket, Message>,
    mut answers: mpsc::Receiver<Utf8Bytes>,
) {
    let (mut frames, mut events) = (hub.frames.subscribe(), hub.events.subscribe());
    let mut first = everything(&hub, client);
    loop {
        for text in first.drain(..) {
            if !send(&hub, &mut sender, text).await {
                return;
            }
        }
        let text = tokio::select! {
            biased;
            Some(answer) = answers.recv() => answer,
            event = events.recv() => match event {
                Ok(event) => event,
                Err(RecvError::Lagged(_)) => {
                    first = everything(&hub, client);
                    continue;
                }
                Err(RecvError::Closed) => return,
            },
            Ok(()) = frames.changed() => frames.borrow_and_update().clone(),
        };
        if !send(&hub, &mut sender, text).await {
            return;
        }
    }
}

async fn send(hub: &Hub, sender: &mut SplitSink<WebSocket, Message>, text: Utf8Bytes) -> bool {
    match tokio::time::timeout(DEAF, sender.send(Message::Text(text))).await {
        Ok(sent) => sent.is_ok(),
        Err(_) => {
            hub.dropped.fetch_add(1, Ordering::Relaxed);
            false
        }
    }
}

/// What a browser needs to know when it comes, or after it missed something.
fn everything(hub: &Hub, client: ClientId) -> Vec<Utf8Bytes> {
    let hello = {
        let params = hub.settings.borrow();
        let (can_save, can_record) = (!params.saved.is_empty(), !params.recordings.is_empty());
        Told::Hello { client, can_save, can_record }.to_text()
    };
    let state = hub.state();
    let mut all: Vec<Utf8Bytes> = vec![hello.into(), hub.limits_text()];
    if let Some(robot) = &state.robot {
        all.push(Told::Robot { chains: &robot.chains }.to_text().into());
    }
    let joints = &state.scene.joints;
    all.push(Told::Names { revision: joints.revision(), names: joints.names() }.to_text().into());
    all.push(Told::Health(state.health.view(hub.now())).to_text().into());
    all.push(hub.drive_text(&state));
    hub.recorder.with_view(|view| all.push(Told::Recording(view).to_text().into()));
    all.push(Told::Log(state.lines.all()).to_text().into());
    all
}
