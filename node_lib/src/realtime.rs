//! What the operating system can do for a thread that must not be late; all of it is best effort and needs permission.

use crate::log::Log;
use rustix::mm::{MlockAllFlags, mlockall};
use rustix::thread::{CpuSet, sched_setaffinity};
use thread_priority::unix::{
    RealtimeThreadSchedulePolicy, ThreadSchedulePolicy, set_thread_priority_and_policy, thread_native_id,
};
use thread_priority::{ThreadPriority, ThreadPriorityValue};

/// What is wanted for the thread that calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Realtime {
    /// Priority with SCHED_FIFO, 1 … 99; 0 leaves the ordinary scheduler.
    pub priority: u8,
    /// The one processor on which it runs; `None` leaves it to the system.
    pub processor: Option<usize>,
    /// Keeps the whole process in memory.
    pub lock_memory: bool,
}

impl Realtime {
    /// Asks for it, on the thread that it is for; the log hears what was granted and what not.
    pub fn apply(&self, log: &Log) {
        for line in self.ask() {
            match line {
                Ok(granted) => log.info(granted),
                Err(refused) => log.warn(refused),
            }
        }
    }

    fn ask(&self) -> Vec<Result<String, String>> {
        let mut lines = vec![];
        if self.priority > 0 {
            lines.push(match fifo(self.priority) {
                Ok(()) => Ok(format!("SCHED_FIFO with priority {}", self.priority)),
                Err(e) => Err(format!(
                    "no SCHED_FIFO with priority {}: {e}; allow it with `ulimit -r` (limits.conf: rtprio) or CAP_SYS_NICE",
                    self.priority
                )),
            });
        }
        if let Some(processor) = self.processor {
            let mut set = CpuSet::new();
            if processor < CpuSet::MAX_CPU {
                set.set(processor);
            }
            lines.push(match sched_setaffinity(None, &set) {
                Ok(()) => Ok(format!("on processor {processor} only")),
                Err(e) => Err(format!("cannot run on processor {processor} only: {e}")),
            });
        }
        if self.lock_memory {
            lines.push(match mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE) {
                Ok(()) => Ok("memory locked".into()),
                Err(e) => Err(format!(
                    "memory not locked: {e}; allow it with `ulimit -l` (limits.conf: memlock) or CAP_IPC_LOCK"
                )),
            });
        }
        lines
    }
}

fn fifo(priority: u8) -> Result<(), String> {
    let value = ThreadPriorityValue::try_from(priority).map_err(|e| e.to_string())?;
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Crossplatform(value), policy)
        .map_err(|e| format!("{e:?}"))
}
