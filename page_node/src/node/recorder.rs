//! Recording: what the page hears goes into a file, written by a thread of its own that nobody waits for.

use super::hub::Hub;
use super::orders::Answer;
use crate::protocol::{RecordingView, Told};
use crate::recording_name::name_of;
use crate::recordings::is_plain;
use anyhow::Context as _;
use bag_lib::{Bag, Topic, definition, installed};
use node_lib::r2r::WrappedTypesupport;
use node_lib::r2r::std_msgs::msg::String as Text;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Messages that may wait for the disk: some seconds of all topics. More are lost, and counted.
const WAITING: usize = 8192;

/// A message on its way to the file: number of its topic, time (ns), bytes.
type Item = (usize, u64, Vec<u8>);

/// What is left on the disk for others, bytes: parameters that are saved, logs of the system.
const RESERVE: u64 = 50_000_000;
/// A disk that fills up is looked at so often, in bytes of messages.
const LOOK: u64 = 1_000_000;

/// Why a recording ended by itself.
const TOO_LARGE: &str = "it is as large as recording_size allows";
const DISK_FULL: &str = "the disk is nearly full";

/// A recording that is being made.
struct Running {
    name: String,
    began: Instant,
    /// The machine's clock when it began. Later stamps are counted from there: a clock that is set meanwhile leaves no gap and no way back.
    since_1970: Duration,
    items: SyncSender<Item>,
    /// Why it ended by itself, if it did.
    thread: JoinHandle<anyhow::Result<Option<&'static str>>>,
}

impl Running {
    /// Now, ns since 1970.
    fn stamp(&self) -> u64 {
        nanoseconds(self.since_1970 + self.began.elapsed())
    }
}

/// What is counted of it, by those who put in and by the one who writes.
#[derive(Default)]
struct Counts {
    messages: AtomicU64,
    bytes: AtomicU64,
    lost: AtomicU64,
    /// The writer has stopped by itself: the file is as large as it may be, or cannot be written.
    over: AtomicBool,
}

/// Everything that can be recorded, and the recording.
#[derive(Default)]
pub(super) struct Recorder {
    topics: Mutex<Vec<Topic>>,
    /// The newest of topics that say a thing once; a recording begins with them.
    latched: Mutex<BTreeMap<usize, Vec<u8>>>,
    running: Mutex<Option<Running>>,
    is_on: AtomicBool,
    counts: Arc<Counts>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Recorder {
    /// A topic that can be recorded, by its full name and type, `package/Name`; gives its number.
    pub(super) fn topic(&self, name: &str, kind: &str) -> usize {
        let kind = kind.replacen('/', "/msg/", 1);
        let mut topics = locked(&self.topics);
        topics.push(Topic { name: name.into(), kind, definition: String::new() });
        topics.len() - 1
    }

    /// A message came. It costs nothing while nothing is recorded.
    pub(super) fn take<M: WrappedTypesupport>(&self, number: usize, is_latched: bool, message: &M) {
        let is_on = self.is_on.load(Ordering::Relaxed);
        if !is_on && !is_latched {
            return;
        }
        let Ok(data) = message.to_serialized_bytes() else { return };
        if is_latched {
            locked(&self.latched).insert(number, data.clone());
        }
        if is_on && let Some(running) = locked(&self.running).as_ref() {
            let sent = running.items.try_send((number, running.stamp(), data));
            self.counts.lost.fetch_add(u64::from(sent.is_err()), Ordering::Relaxed);
        }
    }

    /// Whether one is made.
    pub(super) fn is_running(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// Tells what browsers are told. Nothing begins or ends before it is told: else "it runs" could come after "it ended", and stay.
    pub(super) fn with_view(&self, tell: impl FnOnce(RecordingView)) {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Counts { messages, bytes, lost, .. } = &*self.counts;
        let running = locked(&self.running);
        tell(match running.as_ref() {
            Some(running) => RecordingView {
                name: Some(running.name.clone()),
                seconds: running.began.elapsed().as_secs_f64().round(),
                messages: count(messages),
                bytes: count(bytes),
                lost: count(lost),
            },
            None => RecordingView::default(),
        });
    }

    /// Whether one runs that has ended by itself; it is said once.
    pub(super) fn is_over(&self) -> bool {
        self.is_on.load(Ordering::Relaxed) && self.counts.over.swap(false, Ordering::Relaxed)
    }

    fn begin(
        &self,
        folder: &Path,
        label: &str,
        robot: Option<(usize, Text)>,
        most: u64,
    ) -> anyhow::Result<String> {
        let mut running = locked(&self.running);
        anyhow::ensure!(running.is_none(), "a recording runs already");
        anyhow::ensure!(!is_nearly_full(folder), DISK_FULL);
        // As rosbag2 stamps: the machine's clock.
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let name = name_of(label, since_1970.as_secs());
        let bag = Bag::create(&folder.join(format!("{name}.mcap")), "gaitway page_node")?;
        let prefixes = std::env::var("AMENT_PREFIX_PATH").unwrap_or_default();
        let mut topics = locked(&self.topics).clone();
        for topic in &mut topics {
            let text = definition(&topic.kind, |package, name| installed(&prefixes, package, name));
            topic.definition = text.unwrap_or_default();
        }
        let Counts { messages, bytes, lost, over } = &*self.counts;
        for counter in [messages, bytes, lost] {
            counter.store(0, Ordering::Relaxed);
        }
        over.store(false, Ordering::Relaxed);
        let (items, waiting) = sync_channel(WAITING);
        let (counts, folder) = (self.counts.clone(), folder.to_path_buf());
        let write = move || write(bag, &topics, &waiting, &counts, most, &folder);
        let thread = std::thread::Builder::new().name("recorder".into()).spawn(write)?;
        let robot = robot.and_then(|(number, text)| Some((number, text.to_serialized_bytes().ok()?)));
        let first = locked(&self.latched).clone().into_iter().chain(robot);
        let running =
            running.insert(Running { name: name.clone(), began: Instant::now(), since_1970, items, thread });
        for (number, data) in first {
            // There is room for them: nothing was sent yet.
            let _ = running.items.try_send((number, running.stamp(), data));
        }
        self.is_on.store(true, Ordering::Relaxed);
        Ok(name)
    }

    /// Ends the recording, waits for the disk, and says what there is of it.
    pub(super) fn end(&self) -> anyhow::Result<String> {
        self.is_on.store(false, Ordering::Relaxed);
        let running = locked(&self.running).take().context("nothing is recorded")?;
        let Running { name, began, items, thread, .. } = running;
        let seconds = began.elapsed().as_secs_f64();
        drop(items);
        let why = thread.join().map_err(|_| anyhow::anyhow!("the thread that writes ended"))??;
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (messages, lost) = (count(&self.counts.messages), count(&self.counts.lost));
        let lost = if lost > 0 { format!("; {lost} were lost: the disk is too slow") } else { String::new() };
        let why = why.map_or(String::new(), |why| format!("; it ended by itself: {why}"));
        Ok(format!("recorded {name}.mcap: {seconds:.0} s, {messages} messages{lost}{why}"))
    }
}

/// Whether there is less left on a folder's disk than others need. One that does not say is taken to have enough.
fn is_nearly_full(folder: &Path) -> bool {
    rustix::fs::statvfs(folder).is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < RESERVE)
}

fn write(
    mut bag: Bag,
    topics: &[Topic],
    items: &Receiver<Item>,
    counts: &Counts,
    most: u64,
    folder: &Path,
) -> anyhow::Result<Option<&'static str>> {
    let over = || counts.over.store(true, Ordering::Relaxed);
    let (mut why, mut looked) = (None, 0);
    for (number, time, data) in items {
        let Some(topic) = topics.get(number) else { continue };
        bag.write(number, topic, time, &data).inspect_err(|_| over())?;
        counts.messages.store(bag.messages(), Ordering::Relaxed);
        counts.bytes.store(bag.bytes(), Ordering::Relaxed);
        if bag.bytes() > most {
            why = Some(TOO_LARGE);
        } else if bag.bytes() >= looked + LOOK {
            looked = bag.bytes();
            why = is_nearly_full(folder).then_some(DISK_FULL);
        }
        if why.is_some() {
            over();
            break;
        }
    }
    bag.finish()?;
    Ok(why)
}

/// Begins a recording.
pub(super) async fn begin(hub: &Arc<Hub>, label: String) -> Answer {
    let (folder, most) = {
        let params = hub.settings.borrow();
        (params.recordings.clone(), u64::try_from(params.recording_size).unwrap_or(1) * 1_000_000)
    };
    if folder.is_empty() {
        return Err("there is no folder to record into: give page_node the parameter recordings".into());
    }
    if !(label.is_empty() || is_plain(&label) && label.len() <= 60) {
        return Err("a name has letters, digits, . - _ only, 60 at the most".into());
    }
    let robot = hub.state().robot.as_ref().map(|robot| (hub.robot_topic, Text { data: robot.urdf.clone() }));
    let inside = hub.clone();
    let work =
        move || inside.recorder.begin(Path::new(&folder), &label, robot, most).map_err(|e| format!("{e:#}"));
    let name = tokio::task::spawn_blocking(work).await.map_err(|e| e.to_string())??;
    hub.tell_recording();
    hub.log.info(format!("recording {name}.mcap"));
    Ok((format!("recording {name}.mcap"), Json::Null))
}

/// Ends it.
pub(super) async fn end(hub: &Arc<Hub>) -> Answer {
    let inside = hub.clone();
    let work = move || inside.recorder.end().map_err(|e| format!("{e:#}"));
    let ended = tokio::task::spawn_blocking(work).await.map_err(|e| e.to_string())?;
    hub.tell_recording();
    match &ended {
        Ok(text) => hub.log.info(text.clone()),
        Err(text) => hub.log.error(format!("recording: {text}")),
    }
    ended.map(|text| (text, Json::Null))
}

/// Ends one that has ended by itself, and says so to everybody: whoever records would go on for nothing.
pub(super) async fn end_of_itself(hub: Arc<Hub>) {
    let ended = end(&hub).await;
    let text = ended.map_or_else(|why| format!("the recording failed: {why}"), |(text, _)| text);
    hub.tell(&Told::Notice { text: &text });
}
