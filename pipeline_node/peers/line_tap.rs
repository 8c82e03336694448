//! A tap on the servo line: stands between the bridge and the simulated bus and says when each broadcast jog begins.
//! `line_tap BUS LINK SECONDS`: BUS is the simulator's pty, LINK appears for the bridge. Prints one time (ns, wall clock) a line.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{read, write};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

/// Header, size, broadcast id, S_JOG or I_JOG.
fn begins_jog(bytes: &[u8]) -> bool {
    bytes.windows(5).any(|w| w[0] == 0xFF && w[1] == 0xFF && w[3] == 0xFE && matches!(w[4], 5 | 6))
}

fn raw(fd: &OwnedFd) -> std::io::Result<()> {
    let mut settings = tcgetattr(fd)?;
    settings.make_raw();
    Ok(tcsetattr(fd, OptionalActions::Now, &settings)?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, bus, link, seconds] = args.as_slice() else { return Err("line_tap BUS LINK SECONDS".into()) };
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, vec![])?.to_string_lossy().into_owned();
    // Kept open, so that the master does not hang up while the bridge is away.
    let slave = open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty())?;
    raw(&slave)?;
    let _ = std::fs::remove_file(link);
    std::os::unix::fs::symlink(&name, link)?;
    let bus = open(bus, OFlags::RDWR | OFlags::NOCTTY, Mode::empty())?;
    raw(&bus)?;
    let (mut times, mut buffer) = (vec![], [0; 4096]);
    let end = Instant::now() + Duration::from_secs_f64(seconds.parse()?);
    while Instant::now() < end {
        let mut fds = [PollFd::new(&master, PollFlags::IN), PollFd::new(&bus, PollFlags::IN)];
        poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 100_000_000 }))?;
        let now = clock_gettime(ClockId::Realtime);
        let ready = fds.each_ref().map(|fd| fd.revents().contains(PollFlags::IN));
        for (from, to, is_ready) in [(&master, &bus, ready[0]), (&bus, &master, ready[1])] {
            if !is_ready {
                continue;
            }
            let count = read(from, &mut buffer)?;
            if std::ptr::eq(from, &master) && begins_jog(&buffer[..count]) {
                times.push(now.tv_sec * 1_000_000_000 + now.tv_nsec);
            }
            let mut rest = &buffer[..count];
            while !rest.is_empty() {
                let written = write(to, rest)?;
                rest = &rest[written..];
            }
        }
    }
    let _ = std::fs::remove_file(link);
    times.iter().for_each(|time| println!("{time}"));
    Ok(())
}
