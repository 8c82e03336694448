//! Opens an action: its services and topics.

use crate::action::{ActionServer, ActionType, GoalId};
use crate::qos;
use crate::setup::{Node, Setup};
use r2r::action_msgs::srv::CancelGoal;
use std::time::Duration;

/// How often goals that ended long ago are looked for.
const LOOK: Duration = Duration::from_secs(10);

/// A node that pursues the goals of an action.
pub trait ActionNode<T: ActionType>: Node {
    /// The action server that its goals come to.
    fn action_server(&mut self) -> &mut ActionServer<T>;
    /// A goal has come. Gives whether it is accepted; it may have ended by then.
    fn begin_goal(&mut self, id: &GoalId, goal: T::Goal) -> bool;
    /// Somebody wants a goal cancelled. Gives whether that is accepted; [`ActionServer::end`] says when it is done.
    fn cancel_goal(&mut self, id: &GoalId) -> bool;
}

impl<N: Node> Setup<N> {
    /// Offers an action.
    pub fn action<T: ActionType>(&mut self, name: &str) -> anyhow::Result<ActionServer<T>>
    where
        N: ActionNode<T>,
    {
        self.service::<T::SendGoal>(&format!("{name}/_action/send_goal"), |node, request| {
            let (id, goal) = T::destructure_goal_request_msg(request);
            let id = GoalId(id.uuid);
            let Some(stamp) = node.action_server().add(&id) else {
                return T::make_goal_response_msg(false, Default::default());
            };
            let accepted = node.begin_goal(&id, goal);
            if !accepted {
                node.action_server().remove(&id);
            }
            node.action_server().tell_status();
            T::make_goal_response_msg(accepted, stamp)
        })?;
        self.service::<CancelGoal::Service>(&format!("{name}/_action/cancel_goal"), |node, request| {
            let wanted = match node.action_server().to_cancel(&request.goal_info) {
                Ok(wanted) => wanted,
                Err(return_code) => return CancelGoal::Response { return_code, goals_canceling: vec![] },
            };
            let (asked, mut goals_canceling) = (!wanted.is_empty(), vec![]);
            for id in wanted {
                if node.cancel_goal(&id) {
                    goals_canceling.extend(node.action_server().canceling(&id));
                }
            }
            node.action_server().tell_status();
            let rejected = asked && goals_canceling.is_empty();
            let (none, refused) = (CancelGoal::Response::ERROR_NONE, CancelGoal::Response::ERROR_REJECTED);
            let return_code = if rejected { refused as i8 } else { none as i8 };
            CancelGoal::Response { return_code, goals_canceling }
        })?;
        self.pending_service::<T::GetResult>(&format!("{name}/_action/get_result"), |node, request| {
            node.action_server().result(&GoalId(T::destructure_result_request_msg(request).uuid))
        })?;
        self.every(LOOK, |node| node.action_server().forget_old());
        let feedback = self.port(&format!("{name}/_action/feedback"), qos::EVENTS)?;
        let status = self.port(&format!("{name}/_action/status"), qos::LATCHED)?;
        Ok(ActionServer::new(feedback, status, self.clock()))
    }
}
