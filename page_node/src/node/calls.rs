//! Services of the robot's nodes.

use super::PageNode;
use crate::request::Order;
use node_lib::r2r::gait_msgs::srv::PlayMotion;
use node_lib::r2r::rcl_interfaces::srv::{DescribeParameters, GetParameters, ListParameters, SetParameters};
use node_lib::r2r::std_srvs::srv::Trigger;
use node_lib::{Client, Setup};
use std::collections::BTreeMap;
use std::time::Duration;

/// How long an answer is waited for. The bus names servos that did not confirm an order within a second or two.
pub(super) const PATIENCE: Duration = Duration::from_secs(4);

/// The parameter services of one node.
pub(super) struct ParameterClients {
    pub list: Client<ListParameters::Service>,
    pub describe: Client<DescribeParameters::Service>,
    pub get: Client<GetParameters::Service>,
    pub set: Client<SetParameters::Service>,
}

/// All of them.
pub(super) struct Calls {
    orders: BTreeMap<Order, Client<Trigger::Service>>,
    pub stop: Client<Trigger::Service>,
    pub clear_stop: Client<Trigger::Service>,
    pub play: Client<PlayMotion::Service>,
    pub parameters: BTreeMap<String, ParameterClients>,
}

impl Calls {
    pub(super) fn open(setup: &mut Setup<PageNode>, nodes: &[String]) -> anyhow::Result<Calls> {
        let mut orders = BTreeMap::new();
        for order in Order::ALL {
            orders.insert(order, setup.client(order.service())?);
        }
        let mut parameters = BTreeMap::new();
        for node in nodes {
            let clients = ParameterClients {
                list: setup.client(&format!("{node}/list_parameters"))?,
                describe: setup.client(&format!("{node}/describe_parameters"))?,
                get: setup.client(&format!("{node}/get_parameters"))?,
                set: setup.client(&format!("{node}/set_parameters"))?,
            };
            parameters.insert(node.clone(), clients);
        }
        Ok(Calls {
            orders,
            stop: setup.client("herkulex_node/stop")?,
            clear_stop: setup.client("herkulex_node/clear_stop")?,
            play: setup.client("gait_node/play")?,
            parameters,
        })
    }

    /// Gives an order: what its node said, or why it did not do it.
    pub(super) async fn order(&self, order: Order) -> Result<String, String> {
        match self.orders.get(&order) {
            Some(client) => trigger(client, PATIENCE).await,
            None => Err(format!("{order:?} is not known here")),
        }
    }
}

/// Calls a service without words.
pub(super) async fn trigger(client: &Client<Trigger::Service>, patience: Duration) -> Result<String, String> {
    let answer = client.call(&Trigger::Request::default(), patience).await.map_err(|e| e.to_string())?;
    if answer.success { Ok(answer.message) } else { Err(answer.message) }
}
