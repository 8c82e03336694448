//! A child of `bench/odometry/run`: `bench_odometry kinematics|odometry|filter|urdf LEGS`, `bench_odometry replay`.
//!
//! Commands on stdin, as in `bench/kinematics`: `run N` computes N cycles and prints the nanoseconds and a sum that keeps
//! the work from being left out. `replay` writes a bag, then replays it beside reading and decoding it.
#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::BufRead as _;
use std::path::Path as FilePath;
use std::time::Instant;

use common::{Gait, Path, Walker};
use odometry_node::replay::{Bag, Reader, Replay, Topics, Window, Writer, replay};
use odometry_node::{Estimator, Odometry, OdometryParams, Posture};
use robot_model_lib::{Kinematics, RobotModel};
use rustix::time::{ClockId, clock_gettime};

/// Positions and velocities of a cycle.
type Joints = (Vec<f64>, Vec<f64>);

fn table(legs: usize) -> (RobotModel, Vec<Joints>) {
    let gait = Gait::trot(legs);
    let omega = std::f64::consts::TAU / (gait.period as f64 * common::DT);
    let path = Path { omega, ..Path::new([0.2, 0.01, 0.1]) };
    let mut walker = Walker::new(common::robot(legs), gait.clone(), path);
    let mut table = vec![];
    for _ in 0..gait.period {
        table.push((walker.q.clone(), walker.qd.clone()));
        walker.advance();
    }
    (walker.model, table)
}

fn serve(legs: usize, whole: bool, method: Estimator) {
    let (model, table) = table(legs);
    let mut odometry = Odometry::new(&model, &OdometryParams { method, ..OdometryParams::default() })
        .expect("a robot with legs");
    let mut kinematics = Kinematics::of_contacts(&model);
    let mut stamp = 1;
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a command");
        let count: usize = line.strip_prefix("run ").unwrap_or("1").parse().expect("a number");
        let mut sum = 0.0;
        let start = Instant::now();
        for (q, qd) in table.iter().cycle().take(count) {
            stamp += common::DT_NS;
            if whole {
                let posture = Posture { stamp, q: black_box(q), qd: black_box(qd), mean_rates: false };
                sum += odometry.update(&posture, None, None).pose.translation.z;
            } else {
                kinematics.update(black_box(q));
                sum += (0..legs).map(|leg| kinematics.contact(leg).centre.z).sum::<f64>();
            }
        }
        println!("{} {sum:.17e}", start.elapsed().as_nanos());
    }
}

const CYCLES: usize = 200_000;
const ROUNDS: usize = 7;

/// A bag of 2000 s of joints at 100 Hz, in chunks compressed as rosbag2 does it.
fn write_bag(path: &FilePath) -> RobotModel {
    let (model, table) = table(4);
    let file = std::io::BufWriter::new(std::fs::File::create(path).expect("a file"));
    let mut bag = mcap::WriteOptions::new().profile("ros2").create(file).expect("a writer");
    let schema = bag.add_schema("sensor_msgs/msg/JointState", "ros2msg", b"").expect("a schema");
    let channel = bag.add_channel(schema, "/joints", "cdr", &BTreeMap::new()).expect("a channel");
    let mut cdr = Writer::default();
    for (cycle, (q, qd)) in table.iter().cycle().take(CYCLES).enumerate() {
        let stamp = 1_000_000_000 + cycle as i64 * common::DT_NS;
        cdr.begin().header(stamp, "").u32(q.len() as u32);
        model.joints().iter().for_each(|joint| {
            cdr.text(&joint.name);
        });
        cdr.u32(q.len() as u32).f64s(q).u32(qd.len() as u32).f64s(qd).u32(0);
        let header = mcap::records::MessageHeader {
            channel_id: channel,
            sequence: cycle as u32,
            log_time: stamp as u64,
            publish_time: stamp as u64,
        };
        bag.write_to_known_channel(&header, cdr.message()).expect("room");
    }
    bag.finish().expect("room");
    model
}

/// A message as every reader of ROS has it after decoding.
struct JointState {
    stamp: i64,
    frame: String,
    name: Vec<String>,
    arrays: [Vec<f64>; 3],
}

/// The peer: the mcap crate's own reader, every field decoded.
fn read_and_decode(path: &FilePath) -> usize {
    let bytes = std::fs::read(path).expect("a bag");
    let mut count = 0;
    for message in mcap::MessageStream::new(&bytes).expect("a bag") {
        let message = message.expect("a message");
        let mut reader = Reader::new(&message.data).expect("CDR");
        let (stamp, frame) = reader.header().expect("a header");
        let mut names = vec![];
        reader.texts(&mut names).expect("names");
        let mut arrays = [vec![], vec![], vec![]];
        arrays.iter_mut().for_each(|array| reader.f64s(array).expect("numbers"));
        let name = names.into_iter().map(str::to_owned).collect();
        let joints = black_box(JointState { stamp, frame: frame.to_owned(), name, arrays });
        count += joints.arrays[0].len().min(joints.name.len())
            + joints.frame.len()
            + usize::from(joints.stamp == 0);
    }
    count
}

/// What a piece of work takes, s: by the clock, of this thread's processor time, and of other threads'.
type Cost = [f64; 3];

fn timed(work: impl FnOnce()) -> Cost {
    let now = || {
        let cpu = [ClockId::ThreadCPUTime, ClockId::ProcessCPUTime].map(|id| {
            let time = clock_gettime(id);
            time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
        });
        [cpu[0], cpu[1] - cpu[0]]
    };
    let (start, before) = (Instant::now(), now());
    work();
    let (wall, after) = (start.elapsed().as_secs_f64(), now());
    [wall, after[0] - before[0], after[1] - before[1]]
}

fn replay_beside_decoding() {
    let folder = std::env::temp_dir().join(format!("bench_odometry_{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (path, out) = (folder.join("walk.mcap"), folder.join("out.mcap"));
    let model = write_bag(&path);
    let job = Replay {
        bag: Bag::open(&path).expect("a bag"),
        topics: Topics::default(),
        model,
        params: OdometryParams::default(),
        out: Some(out),
        compress: false,
        force: true,
        window: Window::default(),
    };
    let silent = Replay { out: None, ..job.clone() };
    let mut least = [[f64::INFINITY; 3]; 3];
    for _ in 0..ROUNDS {
        let costs = [
            timed(|| assert_eq!(read_and_decode(&path), 24 * CYCLES)),
            timed(|| drop(replay(&silent, |_| {}).expect("a replay"))),
            timed(|| drop(replay(&job, |_| {}).expect("a replay"))),
        ];
        for (least, cost) in least.as_flattened_mut().iter_mut().zip(costs.as_flattened()) {
            *least = least.min(*cost);
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder");
    println!(
        "replay of {CYCLES} messages of 24 joints in zstd chunks, least of {ROUNDS} rounds; of reading: by the clock,"
    );
    println!("and by processor time of the busier thread, which is the clock's when two processors are free");
    let [reading, ..] = least;
    let mut figures = bench_lib::Figures::default();
    for (name, [wall, own, other]) in
        ["read and decode only", "odometry, no output", "odometry_replay"].into_iter().zip(least)
    {
        let (rate, real) = (CYCLES as f64 / wall, CYCLES as f64 * common::DT / wall);
        let each = |time: f64| 1e6 * time / CYCLES as f64;
        println!(
            "{name:<20} {rate:8.0} messages/s {real:6.0} x real time  {:.2} by the clock  {:.2} by processor ({:.2} + {:.2} µs)",
            reading[0] / wall,
            reading[1] / own.max(other),
            each(own),
            each(other)
        );
        figures.set(format!("{name}, messages/s"), rate);
        figures.set(format!("{name}, of reading, by the clock"), reading[0] / wall);
    }
    figures.write("odometry_replay").expect("out/bench can be written");
    println!("goal: at least 0.5 of reading");
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let legs = arguments.get(1).and_then(|legs| legs.parse().ok()).unwrap_or(4);
    match arguments.first().map(String::as_str) {
        Some("kinematics") => serve(legs, false, Estimator::Fit),
        Some("odometry") => serve(legs, true, Estimator::Fit),
        Some("filter") => serve(legs, true, Estimator::Filter),
        Some("urdf") => println!("{}", common::urdf(legs)),
        Some("replay") => replay_beside_decoding(),
        _ => {
            eprintln!("usage: bench_odometry kinematics|odometry|filter|urdf LEGS, or bench_odometry replay");
            std::process::exit(2);
        }
    }
}
