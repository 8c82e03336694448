//! The simulated bus on a pseudo-terminal, in real time.

use crate::codec::reg;
use crate::port::wait;
use crate::sim::{Faults, Plant, SimBus, Supply};
use rustix::event::{PollFd, PollFlags};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use rustix::thread::set_current_timer_slack;
use std::io;
use std::num::NonZeroU64;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

/// The simulator looks at the line at least and at most this often, ns.
const LOOK: (u64, u64) = (100_000, 1_000_000);

/// What can change while it runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions {
    /// What goes wrong.
    pub faults: Faults,
    /// The battery that all servos hang on.
    pub supply: Supply,
    /// Whether the plug is pulled: the device is gone.
    pub unplugged: bool,
    /// Whether the servos' power is cut: their working memories are lost.
    pub dark: bool,
    /// Torque at every shaft, N·m.
    pub load: f64,
}

/// How one servo really is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Truth {
    /// On the bus.
    pub id: u8,
    /// Of its shaft from the middle, rad.
    pub angle: f64,
    /// Whether it has torque.
    pub on: bool,
    /// Its torque register.
    pub torque: u8,
}

#[derive(Debug, Default)]
struct Shared {
    conditions: Conditions,
    /// Torque at the shaft of each id, N·m.
    loads: Vec<f64>,
    truth: Vec<Truth>,
    stop: bool,
}

/// A running simulator; dropping it ends it and takes the link away.
#[derive(Debug)]
pub struct Simulator {
    shared: Arc<Mutex<Shared>>,
    thread: Option<JoinHandle<()>>,
}

fn lock(shared: &Mutex<Shared>) -> std::sync::MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Simulator {
    /// Opens a pseudo-terminal and links it to `link`, which stays the same when the terminal is unplugged and plugged in.
    pub fn start<P: Plant + Send + 'static>(
        sim: SimBus<P>,
        conditions: Conditions,
        link: PathBuf,
    ) -> io::Result<Simulator> {
        let plug = if conditions.unplugged { None } else { Some(Plug::open(&link)?) };
        let shared = Arc::new(Mutex::new(Shared { conditions, loads: vec![0.0; 256], ..Shared::default() }));
        let thread = std::thread::Builder::new().name("servos".into()).spawn({
            let shared = shared.clone();
            move || live(sim, plug, &link, &shared)
        })?;
        Ok(Simulator { shared, thread: Some(thread) })
    }

    /// Changes the conditions.
    pub fn set(&self, conditions: Conditions) {
        lock(&self.shared).conditions = conditions;
    }

    /// Puts a load on one servo, N·m at its shaft: what it must give to stay. Holds until the next.
    pub fn load(&self, id: u8, torque: f64) {
        lock(&self.shared).loads[usize::from(id)] = torque;
    }

    /// How the servos really are.
    pub fn truth(&self) -> Vec<Truth> {
        lock(&self.shared).truth.clone()
    }

    /// Waits for its end, which never comes by itself.
    pub fn join(mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        lock(&self.shared).stop = true;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The host's side of the line.
#[derive(Debug)]
struct Plug {
    master: OwnedFd,
    /// Held open so that the terminal outlives hosts that come and go.
    slave: OwnedFd,
    link: PathBuf,
    device: PathBuf,
}

impl Plug {
    fn open(link: &Path) -> io::Result<Plug> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let name = ptsname(&master, vec![])?;
        let device = PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes()));
        let slave =
            rustix::fs::open(&device, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
        let mut termios = tcgetattr(&slave)?;
        // Before a host makes it raw, the terminal would echo and translate.
        termios.make_raw();
        tcsetattr(&slave, OptionalActions::Now, &termios)?;
        let flags = rustix::fs::fcntl_getfl(&master)?;
        rustix::fs::fcntl_setfl(&master, flags | OFlags::NONBLOCK)?;
        let named = |e: io::Error| io::Error::new(e.kind(), format!("link {}: {e}", link.display()));
        // One that a simulator before this one left; whatever else has the name is somebody's own.
        if std::fs::read_link(link).is_ok_and(|to| to.starts_with("/dev/pts")) {
            std::fs::remove_file(link).map_err(named)?;
        }
        std::os::unix::fs::symlink(&device, link).map_err(named)?;
        Ok(Plug { master, slave, link: link.into(), device })
    }
}

impl Drop for Plug {
    fn drop(&mut self) {
        // Unless somebody else has taken the name over.
        if std::fs::read_link(&self.link).is_ok_and(|to| to == self.device) {
            let _ = std::fs::remove_file(&self.link);
        }
    }
}

fn live<P: Plant>(mut sim: SimBus<P>, mut plug: Option<Plug>, link: &Path, shared: &Mutex<Shared>) {
    let _ = set_current_timer_slack(NonZeroU64::new(1));
    let start = Instant::now();
    let (mut heard, mut said) = ([0; 1024], Vec::with_capacity(1024));
    loop {
        let now = start.elapsed().as_nanos() as u64;
        let unplugged = {
            let mut shared = lock(shared);
            if shared.stop {
                return;
            }
            sim.faults.clone_from(&shared.conditions.faults);
            sim.supply = shared.conditions.supply;
            let power = !shared.conditions.dark;
            sim.servos.iter_mut().for_each(|s| s.power(power));
            sim.servos
                .iter_mut()
                .for_each(|s| s.load = shared.conditions.load + shared.loads[usize::from(s.id())]);
            let truth = sim.servos.iter().map(|s| Truth {
                id: s.id(),
                angle: s.angle(),
                on: s.is_on(),
                torque: s.get(&reg::TORQUE) as u8,
            });
            shared.truth.clear();
            shared.truth.extend(truth);
            shared.conditions.unplugged
        };
        if unplugged && plug.take().is_some() {
            sim.unplug();
        } else if !unplugged && plug.is_none() {
            // A name that cannot be linked now may be free later.
            plug = Plug::open(link).ok();
        }
        if let Some(plug) = &plug {
            if let Ok(termios) = tcgetattr(&plug.slave) {
                sim.set_host_baud(termios.output_speed());
            }
            // What the host has written by now is on the wire from now on.
            while let Ok(n) = rustix::io::read(&plug.master, &mut heard)
                && n > 0
            {
                sim.write(now, &heard[..n]);
            }
        }
        said.clear();
        sim.read(now, &mut said);
        if let Some(plug) = plug.as_ref().filter(|_| !said.is_empty()) {
            // A host that does not read loses bytes, as on a real line.
            let _: Result<usize, Errno> = rustix::io::write(&plug.master, &said);
        }
        let next = sim.next_event().unwrap_or(u64::MAX).saturating_sub(now).clamp(LOOK.0, LOOK.1);
        let result = match &plug {
            Some(plug) => wait(&mut [PollFd::new(&plug.master, PollFlags::IN)], next),
            None => wait(&mut [], LOOK.1),
        };
        if result.is_err() {
            return;
        }
    }
}
