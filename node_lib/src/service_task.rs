//! Services: each is a task that waits for requests, has them dealt with, and answers.

use crate::log::Log;
use futures::{Stream, StreamExt};
use r2r::{ServiceRequest, WrappedServiceTypeSupport};
use std::future::Future;
use std::time::Duration;

/// A caller may be known by its request before it is known as a listener; rmw gives up on it after a tenth of a second.
const TRIES: usize = 10;
const PAUSE: Duration = Duration::from_millis(50);

/// Answers requests, one after the other for `serial`, else each as soon as its answer is there. `None`: the node is ending,
/// and nobody is answered.
pub(crate) fn serve<T, A>(
    name: String,
    mut requests: impl Stream<Item = ServiceRequest<T>> + Unpin + Send + 'static,
    log: Log,
    serial: bool,
    mut answer: impl FnMut(T::Request) -> A + Send + 'static,
) where
    T: WrappedServiceTypeSupport + Clone + 'static,
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
                for left in (0..TRIES).rev() {
                    match request.clone().respond(response.clone()) {
                        Err(r2r::Error::RCL_RET_TIMEOUT) if left > 0 => tokio::time::sleep(PAUSE).await,
                        Err(e) => {
                            return log.warn(format!("{name}: the answer did not reach its caller: {e}"));
                        }
                        Ok(()) => return,
                    }
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
