//! Actions: goals that take time, tell how far they are, and can be cancelled.
//!
//! r2r 0.9.7 has action servers, but drops its handle of a goal when a cancel is accepted (`cancel_goal`): the goal's status stays
//! "canceling" and it can no longer be aborted; and goals that ended are never forgotten (the loop of `handle_goal_expired` does
//! not run). Here an action is what it is on the wire, three services and two topics, which r2r serves well.

use crate::port::Port;
use crate::time::RosClock;
use r2r::action_msgs::msg::{GoalInfo, GoalStatus, GoalStatusArray};
use r2r::action_msgs::srv::CancelGoal;
use r2r::builtin_interfaces::msg::Time;
use r2r::unique_identifier_msgs::msg::UUID;
use r2r::{WrappedActionTypeSupport, WrappedServiceTypeSupport, WrappedTypesupport};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// A result is kept for those who ask late, as long as rcl_action keeps it.
const KEPT: Duration = Duration::from_secs(15 * 60);

/// What r2r generates for an action, with what threads ask for.
pub trait ActionType:
    WrappedActionTypeSupport<
        Goal: Send,
        Result: Send,
        FeedbackMessage: WrappedTypesupport + Send,
        SendGoal: WrappedServiceTypeSupport<Request: Send, Response: Send> + 'static,
        GetResult: WrappedServiceTypeSupport<Request: Send, Response: Send> + 'static,
    > + 'static
{
}

impl<T> ActionType for T where
    T: WrappedActionTypeSupport<
            Goal: Send,
            Result: Send,
            FeedbackMessage: WrappedTypesupport + Send,
            SendGoal: WrappedServiceTypeSupport<Request: Send, Response: Send> + 'static,
            GetResult: WrappedServiceTypeSupport<Request: Send, Response: Send> + 'static,
        > + 'static
{
}

/// What answers whoever waits for a goal's end.
pub(crate) type ResultMessage<T> =
    <<T as WrappedActionTypeSupport>::GetResult as WrappedServiceTypeSupport>::Response;

/// Names one goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalId(pub(crate) Vec<u8>);

/// How a goal ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalEnd {
    /// It was reached.
    Succeeded,
    /// It was cancelled, and that is done.
    Canceled,
    /// It failed, or something else took over.
    Aborted,
}

struct Goal<T: ActionType> {
    id: GoalId,
    accepted: Time,
    status: i8,
    result: Option<T::Result>,
    waiting: Vec<oneshot::Sender<ResultMessage<T>>>,
    ended: Option<Instant>,
}

/// The goals of one action, owned by the node's state.
pub struct ActionServer<T: ActionType> {
    goals: Vec<Goal<T>>,
    feedback: Port<T::FeedbackMessage>,
    status: Port<GoalStatusArray>,
    clock: RosClock,
}

impl<T: ActionType> ActionServer<T> {
    pub(crate) fn new(
        feedback: Port<T::FeedbackMessage>,
        status: Port<GoalStatusArray>,
        clock: RosClock,
    ) -> ActionServer<T> {
        ActionServer { goals: vec![], feedback, status, clock }
    }

    /// Tells whoever follows a goal how far it is.
    pub fn feedback(&mut self, id: &GoalId, feedback: T::Feedback) {
        let message = T::make_feedback_msg(UUID { uuid: id.0.clone() }, feedback);
        self.feedback.send(|own| *own = message);
    }

    /// A goal ends; one that has ended stays as it is.
    pub fn end(&mut self, id: &GoalId, end: GoalEnd, result: T::Result) {
        let active = |goal: &&mut Goal<T>| goal.id == *id && goal.ended.is_none();
        let Some(goal) = self.goals.iter_mut().find(active) else { return };
        goal.status = match end {
            GoalEnd::Succeeded => GoalStatus::STATUS_SUCCEEDED as i8,
            GoalEnd::Canceled => GoalStatus::STATUS_CANCELED as i8,
            GoalEnd::Aborted => GoalStatus::STATUS_ABORTED as i8,
        };
        for waiting in goal.waiting.drain(..) {
            // Whoever asked may have gone.
            let _ = waiting.send(T::make_result_response_msg(goal.status, result.clone()));
        }
        (goal.result, goal.ended) = (Some(result), Some(Instant::now()));
        self.tell_status();
    }

    /// A goal has come; gives when, unless there is one of this name already.
    pub(crate) fn add(&mut self, id: &GoalId) -> Option<Time> {
        if self.goals.iter().any(|goal| goal.id == *id) {
            return None;
        }
        let accepted = self.clock.now();
        let status = GoalStatus::STATUS_EXECUTING as i8;
        let id = id.clone();
        self.goals.push(Goal {
            id,
            accepted: accepted.clone(),
            status,
            result: None,
            waiting: vec![],
            ended: None,
        });
        Some(accepted)
    }

    /// A goal was refused after all.
    pub(crate) fn remove(&mut self, id: &GoalId) {
        self.goals.retain(|goal| goal.id != *id);
    }

    /// Whoever asks gets the result when it is there.
    pub(crate) fn result(&mut self, id: &GoalId) -> oneshot::Receiver<ResultMessage<T>> {
        let (sender, receiver) = oneshot::channel();
        let answer = match self.goals.iter_mut().find(|goal| goal.id == *id) {
            None => T::make_result_response_msg(GoalStatus::STATUS_UNKNOWN as i8, T::Result::default()),
            Some(goal) => match &goal.result {
                Some(result) => T::make_result_response_msg(goal.status, result.clone()),
                None => {
                    goal.waiting.push(sender);
                    return receiver;
                }
            },
        };
        let _ = sender.send(answer);
        receiver
    }

    /// The goals that a request wants cancelled (none named: all, or all up to a time), or why none.
    pub(crate) fn to_cancel(&self, info: &GoalInfo) -> Result<Vec<GoalId>, i8> {
        let (named, until) = (info.goal_id.uuid.iter().any(|byte| *byte != 0), RosClock::ns(&info.stamp));
        let is_named = |goal: &Goal<T>| named && goal.id.0 == info.goal_id.uuid;
        if named && until == 0 {
            match self.goals.iter().find(|goal| is_named(goal)) {
                None => return Err(CancelGoal::Response::ERROR_UNKNOWN_GOAL_ID as i8),
                Some(goal) if goal.ended.is_some() => {
                    return Err(CancelGoal::Response::ERROR_GOAL_TERMINATED as i8);
                }
                Some(_) => {}
            }
        }
        let wanted = |goal: &&Goal<T>| {
            let by_time = if until == 0 { !named } else { RosClock::ns(&goal.accepted) <= until };
            goal.status == GoalStatus::STATUS_EXECUTING as i8 && (is_named(goal) || by_time)
        };
        Ok(self.goals.iter().filter(wanted).map(|goal| goal.id.clone()).collect())
    }

    /// A cancel was accepted; gives what the answer says of the goal.
    pub(crate) fn canceling(&mut self, id: &GoalId) -> Option<GoalInfo> {
        let goal = self.goals.iter_mut().find(|goal| goal.id == *id)?;
        if goal.ended.is_none() {
            goal.status = GoalStatus::STATUS_CANCELING as i8;
        }
        Some(goal.info())
    }

    /// Tells the status of all goals.
    pub(crate) fn tell_status(&mut self) {
        let goals = &self.goals;
        self.status.send(|array| {
            array.status_list.clear();
            array
                .status_list
                .extend(goals.iter().map(|goal| GoalStatus { goal_info: goal.info(), status: goal.status }));
        });
    }

    /// Forgets what ended long ago.
    pub(crate) fn forget_old(&mut self) {
        let before = self.goals.len();
        self.goals.retain(|goal| goal.ended.is_none_or(|ended| ended.elapsed() < KEPT));
        if self.goals.len() != before {
            self.tell_status();
        }
    }
}

impl<T: ActionType> Goal<T> {
    fn info(&self) -> GoalInfo {
        GoalInfo { goal_id: UUID { uuid: self.id.0.clone() }, stamp: self.accepted.clone() }
    }
}
