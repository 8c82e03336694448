//! Services of others: asked from the node's own tasks, never from its cycle.

use crate::setup::{Node, Setup};
use r2r::{QosProfile, WrappedServiceTypeSupport};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallError {
    /// Nobody answered in time: the node is not there, or too busy.
    Silent {
        /// Name of the service.
        service: String,
        /// How long it was waited for.
        limit: Duration,
    },
    /// The request could not be sent.
    Unsent {
        /// Name of the service.
        service: String,
        /// What rcl says.
        reason: String,
    },
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::Silent { service, limit } => {
                write!(f, "{service} did not answer within {} s", limit.as_secs_f64())
            }
            CallError::Unsent { service, reason } => write!(f, "{service} could not be asked: {reason}"),
        }
    }
}

impl std::error::Error for CallError {}

/// A service of another node.
pub struct Client<T: WrappedServiceTypeSupport> {
    client: Arc<r2r::Client<T>>,
    name: Arc<str>,
}

impl<T: WrappedServiceTypeSupport> Clone for Client<T> {
    fn clone(&self) -> Self {
        Client { client: self.client.clone(), name: self.name.clone() }
    }
}

impl<T: WrappedServiceTypeSupport + 'static> Client<T> {
    /// Asks, and waits for the answer no longer than `limit`.
    pub async fn call(&self, request: &T::Request, limit: Duration) -> Result<T::Response, CallError> {
        let unsent =
            |e: r2r::Error| CallError::Unsent { service: self.name.to_string(), reason: e.to_string() };
        let answer = self.client.request(request).map_err(unsent)?;
        match tokio::time::timeout(limit, answer).await {
            Ok(answer) => answer.map_err(unsent),
            Err(_) => Err(CallError::Silent { service: self.name.to_string(), limit }),
        }
    }
}

impl<N: Node> Setup<N> {
    /// Makes a service of another node available, whether it is there yet or not.
    pub fn client<T: WrappedServiceTypeSupport + 'static>(
        &mut self,
        name: &str,
    ) -> anyhow::Result<Client<T>> {
        let client = self.inner.node.create_client::<T>(name, QosProfile::services_default());
        let client = client.map_err(|e| anyhow::anyhow!("service \"{name}\": {e}"))?;
        Ok(Client { client: Arc::new(client), name: name.into() })
    }
}
