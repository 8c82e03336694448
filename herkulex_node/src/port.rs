//! The serial port: raw, non-blocking, any baud rate.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;
use rustix::termios::{ControlModes, OptionalActions, QueueSelector, tcflush, tcgetattr, tcsetattr};
use rustix::time::Timespec;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// A port that takes nothing for so long is as good as gone, ns.
const STUCK: u64 = 200_000_000;

/// An open port.
#[derive(Debug)]
pub struct Port {
    fd: OwnedFd,
    low_latency: bool,
}

impl Port {
    /// Opens a port: 8N1, raw, nobody else's while it is open. TIOCEXCL keeps strangers out, but lets root in and is not known
    /// to pseudo-terminals; so everything of ours takes an advisory lock on the device as well, which ends with the process
    /// however it ends.
    pub fn open(path: &str, baud: u32) -> io::Result<Port> {
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = rustix::fs::open(path, flags, Mode::empty())?;
        flock(&fd, FlockOperation::NonBlockingLockExclusive).map_err(|e| match e {
            Errno::WOULDBLOCK => io::Error::new(
                io::ErrorKind::ResourceBusy,
                format!("{path} is in use by another process (herkulex_node, herkulex_tool)"),
            ),
            e => e.into(),
        })?;
        let mut termios = tcgetattr(&fd)?;
        termios.make_raw();
        let off = ControlModes::CSTOPB | ControlModes::PARENB | ControlModes::CRTSCTS | ControlModes::CSIZE;
        termios.control_modes.remove(off);
        termios.control_modes.insert(ControlModes::CS8 | ControlModes::CREAD | ControlModes::CLOCAL);
        termios.set_speed(baud)?;
        tcsetattr(&fd, OptionalActions::Now, &termios)?;
        // A pseudo-terminal refuses some of these; the port works without them.
        let _ = rustix::termios::ioctl_tiocexcl(&fd);
        let _ = tcflush(&fd, QueueSelector::IOFlush);
        let low_latency = set_low_latency(path);
        Ok(Port { fd, low_latency })
    }

    /// Whether the adapter was told to hand bytes on at once.
    pub fn is_low_latency(&self) -> bool {
        self.low_latency
    }

    /// What has come, 0 for nothing. An end of file is an error: the other side is gone.
    pub fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match rustix::io::read(&self.fd, buffer) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => Ok(n),
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            Err(e) => Err(e.into()),
        }
    }

    /// Writes everything, or fails if the port does not take it.
    pub fn write(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match rustix::io::write(&self.fd, bytes) {
                Ok(n) => bytes = &bytes[n..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    if wait(&mut [PollFd::new(&self.fd, PollFlags::OUT)], STUCK)? == 0 {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                }
                Err(e) => return Err(e.into()),
            }
        }
        Ok(())
    }
}

impl AsFd for Port {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Waits for one of `fds`, at most `ns` nanoseconds; how many have something.
pub(crate) fn wait(fds: &mut [PollFd<'_>], ns: u64) -> io::Result<usize> {
    // Nobody waits for longer than a second here, so that everything notices the end in time.
    let ns = ns.min(1_000_000_000) as i64;
    let timeout = Timespec { tv_sec: ns / 1_000_000_000, tv_nsec: ns % 1_000_000_000 };
    match poll(fds, Some(&timeout)) {
        Ok(n) => Ok(n),
        Err(Errno::INTR) => Ok(0),
        Err(e) => Err(e.into()),
    }
}

/// USB adapters of one maker hold bytes back for 16 ms unless told otherwise. The attribute needs a permission that the
/// udev rule in the README gives; without it the bridge works, with slower reads.
fn set_low_latency(path: &str) -> bool {
    let device = std::fs::canonicalize(path).unwrap_or_else(|_| path.into());
    let Some(name) = device.file_name() else { return false };
    let attribute = Path::new("/sys/bus/usb-serial/devices").join(name).join("latency_timer");
    std::fs::write(attribute, "1").is_ok()
}
