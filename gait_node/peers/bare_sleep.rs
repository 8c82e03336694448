//! How late a bare loop on absolute `clock_nanosleep` wakes: p50, p99 and the largest of each second, µs, and the beats that
//! fell out, one line a second.
//! `bare_sleep SECONDS PERIOD_S`; no ROS.

use rustix::thread::clock_nanosleep_absolute;
use rustix::time::{ClockId, Timespec, clock_gettime};

fn now_ns() -> i64 {
    let t = clock_gettime(ClockId::Monotonic);
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let seconds: i64 = args.next().as_deref().unwrap_or("30").parse()?;
    let period: f64 = args.next().as_deref().unwrap_or("0.001").parse()?;
    let (period_ns, cycles) = ((period * 1e9) as i64, (1.0 / period) as i64);
    let mut due = now_ns();
    for _ in 0..seconds {
        let (mut late, mut lost) = (vec![], 0);
        for _ in 0..cycles {
            // Beats that are over are left out, as in sync_node.
            let beats = ((now_ns() - due) / period_ns).max(1);
            (due, lost) = (due + period_ns * beats, lost + beats - 1);
            let until = Timespec { tv_sec: due / 1_000_000_000, tv_nsec: due % 1_000_000_000 };
            let _ = clock_nanosleep_absolute(ClockId::Monotonic, &until);
            late.push(now_ns() - due);
        }
        late.sort_unstable();
        let at = |share: f64| late[((late.len() - 1) as f64 * share) as usize] as f64 * 1e-3;
        println!("{:.1} {:.1} {:.1} {lost}", at(0.5), at(0.99), at(1.0));
    }
    Ok(())
}
