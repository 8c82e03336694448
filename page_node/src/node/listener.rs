//! The door: no more connections than there are places, and none for those who come in and say nothing. Connections cost file descriptors, which the
//! process needs for DDS and for the servos' port.

use axum::serve::Listener;
use std::future::Future as _;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};

/// Beside the browsers' sockets: for those that fetch the page, the robot, a recording.
const FETCHING: usize = 48;
/// A connection that is sent nothing for so long has asked for nothing. A socket is sent snapshots all the time.
const IDLE: Duration = Duration::from_secs(20);
/// Between tries when the machine gives no connection.
const AGAIN: Duration = Duration::from_millis(200);

/// Lets connections in.
pub(super) struct Door {
    listener: TcpListener,
    places: Arc<Semaphore>,
}

impl Door {
    /// For so many browsers.
    pub(super) fn new(listener: TcpListener, browsers: usize) -> Door {
        Door { listener, places: Arc::new(Semaphore::new(browsers + FETCHING)) }
    }
}

impl Listener for Door {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            match self.listener.accept().await {
                // Closed at once where there is no place.
                Ok((stream, from)) => {
                    if let Ok(place) = self.places.clone().try_acquire_owned() {
                        // A stick's word must not wait for company.
                        let _ = stream.set_nodelay(true);
                        return (Connection { stream, idle: Box::pin(sleep(IDLE)), _place: place }, from);
                    }
                }
                Err(_) => sleep(AGAIN).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection that ends when nothing is sent on it for long.
pub(super) struct Connection {
    stream: TcpStream,
    idle: Pin<Box<Sleep>>,
    _place: OwnedSemaphorePermit,
}

impl Connection {
    /// Something is sent: the time begins anew.
    fn sent(&mut self, sent: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if matches!(sent, Poll::Ready(Ok(bytes)) if bytes > 0) {
            self.idle.as_mut().reset(Instant::now() + IDLE);
        }
        sent
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.idle.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Pin::new(&mut self.stream).poll_read(cx, into),
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write(cx, data);
        self.sent(sent)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        data: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write_vectored(cx, data);
        self.sent(sent)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
