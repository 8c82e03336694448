//! What one hop over DDS costs: a pose of 31 joints every 10 ms from one process to another, with nothing else to do.
//! `bare_hop send SECONDS` and `bare_hop receive SECONDS`; the receiver prints when a pose was sent (ns) and how long it took (µs), one a line.

use futures::{FutureExt, StreamExt};
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::{RosClock, qos, r2r};
use std::time::{Duration, Instant};

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let role = args.next().unwrap_or_default();
    let seconds: f64 = args.next().as_deref().unwrap_or("10").parse()?;
    let mut node = r2r::Node::create(r2r::Context::create()?, &format!("hop_{role}"), "")?;
    let (clock, end) = (RosClock::default(), Instant::now() + Duration::from_secs_f64(seconds));
    if role == "send" {
        let publisher = node.create_publisher::<JointState>("hop", qos::EVENTS)?;
        let mut pose = JointState {
            name: (0..31).map(|i| format!("leg{i}_joint")).collect(),
            position: vec![0.1; 31],
            velocity: vec![0.2; 31],
            ..JointState::default()
        };
        while Instant::now() < end {
            pose.header.stamp = clock.now();
            publisher.publish(&pose)?;
            std::thread::sleep(Duration::from_millis(10));
        }
        return Ok(());
    }
    let mut poses = node.subscribe::<JointState>("hop", qos::EVENTS)?;
    let mut latencies = vec![];
    while Instant::now() < end {
        node.spin_once(Duration::from_millis(50));
        while let Some(Some(pose)) = poses.next().now_or_never() {
            let sent = RosClock::ns(&pose.header.stamp);
            latencies.push((sent, (clock.now_ns() - sent) as f64 * 1e-3));
        }
    }
    latencies.iter().for_each(|(sent, us)| println!("{sent} {us:.1}"));
    Ok(())
}
