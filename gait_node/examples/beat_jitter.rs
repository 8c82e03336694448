//! How far the starts of cycles lie from one period apart: our beat, which also publishes each cycle, and a bare absolute
//! `clock_nanosleep` loop in the same process at the same time.

use node_lib::r2r::gait_msgs::msg::SyncStep;
use node_lib::{CycleClock, RosClock, qos, r2r};
use rustix::thread::clock_nanosleep_absolute;
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::sync::mpsc;
use std::time::Duration;

fn now_ns() -> i64 {
    let t = clock_gettime(ClockId::Monotonic);
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}

fn bare(seconds: f64, period_ns: i64) -> Vec<i64> {
    let cycles = (seconds * 1e9) as i64 / period_ns;
    let start = now_ns();
    let wake = |k: i64| {
        let due = start + k * period_ns;
        let _ = clock_nanosleep_absolute(
            ClockId::Monotonic,
            &Timespec { tv_sec: due / 1_000_000_000, tv_nsec: due % 1_000_000_000 },
        );
        now_ns()
    };
    (1..=cycles).map(wake).collect()
}

/// Percentiles of |gap − period| in µs.
fn row(name: &str, wakes: &[i64], period_ns: i64) -> [f64; 3] {
    let mut errors: Vec<i64> = wakes.windows(2).map(|w| (w[1] - w[0] - period_ns).abs()).collect();
    errors.sort_unstable();
    let at = |q: f64| errors.get(((errors.len() as f64 * q) as usize).min(errors.len().saturating_sub(1)));
    let figures = [0.5, 0.99, 1.0].map(|q| at(q).map_or(f64::NAN, |ns| *ns as f64 / 1000.0));
    println!("{name:<34} {:>9} {:>10.1} {:>10.1} {:>10.1}", wakes.len(), figures[0], figures[1], figures[2]);
    figures
}

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let seconds: f64 = args.next().as_deref().unwrap_or("30").parse()?;
    let period: f64 = args.next().as_deref().unwrap_or("0.001").parse()?;
    let period_ns = (period * 1e9) as i64;

    let mut node = r2r::Node::create(r2r::Context::create()?, "beat_jitter", "")?;
    let publisher = node.create_publisher::<SyncStep>("sync", qos::EVENTS)?;
    let (tx, rx) = mpsc::channel();
    let mut step = SyncStep::default();
    println!("{seconds} s at {period} s; |gap − period| in µs");
    println!("{:<34} {:>9} {:>10} {:>10} {:>10}", "", "cycles", "p50", "p99", "max");
    let clock = CycleClock::start(period, RosClock::default(), move |cycle| {
        let _ = tx.send(now_ns());
        step.cycle = cycle.number;
        step.header.stamp = RosClock::stamp(cycle.start_ns);
        let _ = publisher.publish(&step);
    })?;
    let bare_wakes = std::thread::spawn(move || bare(seconds, period_ns));
    std::thread::sleep(Duration::from_secs_f64(seconds));
    let count = clock.count();
    drop(clock);
    let ours = row("sync (node_lib, publishing)", &rx.try_iter().collect::<Vec<_>>(), period_ns);
    let theirs = bare_wakes.join().map_err(|_| anyhow::anyhow!("the bare loop died"))?;
    let theirs = row("bare clock_nanosleep", &theirs, period_ns);
    println!("ratio of p99: {:.2} (goal: at most 1.2); overruns: {}", ours[1] / theirs[1], count.overruns);
    Ok(())
}
