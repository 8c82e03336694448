//! Services: each is a task that waits for requests, has them dealt with, and answers.

use crate::log::Log;
use futures::{Stream, StreamExt};
use r2r::{ServiceRequest, WrappedServiceTypeSupport};
use std::future::Future;

/// Answers requests, one after the other for `serial`, else each as soon as its answer is there. `None`: the node is ending,
/// and nobody is answered.
pub(crate) fn serve<T, A>(
    name: String,
    mut requests: impl Stream<Item = ServiceRequest<T>> + Unpin + Send + 'static,
    log: Log,
    serial: bool,
    mut answer: impl FnMut(T::Request) -> A + Send + 'static,
) where
    T: WrappedServiceTypeSupport + 'static,
    T::Request: Send,
    T::Response: Send,
    A: Future<Output = Option<T::Response>> + Send + 'static,
{
    tokio::spawn(async move {
        while let Some(mut request) = requests.next().await {
            let response = answer(std::mem::take(&mut request.message));
            let (name, log) = (name.clone(), log.clone());
            let respond = async move {
                let Some(response) = response.await else { return };
                if let Err(e) = request.respond(response) {
                    log.warn(format!("{name}: the answer did not reach its caller: {e}"));
                }
            };
            if serial {
                respond.await;
            } else {
                tokio::spawn(respond);
            }
        }
    });
}
