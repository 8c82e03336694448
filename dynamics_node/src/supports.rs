//! Which feet stand, as support messages say it.

use robot_model_lib::{RobotModel, StandingContact, SupportReader};

use crate::Refused;
use crate::inverse::TIME_JUMP;
use crate::time::{Moment, Timeline};

/// The supports that messages give, and those that are reckoned with.
#[derive(Debug, Clone)]
pub(crate) struct Supports {
    reader: SupportReader,
    /// By chain, and when the message was made.
    given: Vec<Option<StandingContact>>,
    made: Option<Moment>,
    standing: Vec<Option<StandingContact>>,
}

impl Supports {
    pub fn new(model: &RobotModel) -> Self {
        let in_the_air = vec![None; model.chains().len()];
        Self {
            reader: SupportReader::new(model),
            made: None,
            given: in_the_air.clone(),
            standing: in_the_air,
        }
    }

    /// Takes a message. A chain that it does not name is in the air. A message that is a little older than the
    /// last one has been overtaken; one that is much older means that time was set back.
    ///
    /// Supports are shares: whatever they are, the feet that stand carry all of the robot. So the greatest of them counts as 1.
    pub fn take<S: AsRef<str>, C: AsRef<str>>(
        &mut self,
        (time, made): (&Timeline, Moment),
        names: &[S],
        contacts: &[C],
        supports: &[f64],
    ) -> Result<(), Refused> {
        let next = self.reader.read(names, contacts, supports)?;
        let late = self.made.map_or(0.0, |held| -time.since(held, made));
        if (f64::MIN_POSITIVE..=TIME_JUMP).contains(&late) {
            return Ok(());
        }
        self.made = Some(made);
        let greatest = next.iter().flatten().map(|stands| stands.support).fold(0.0, f64::max);
        let whole =
            |stands: StandingContact| StandingContact { support: stands.support / greatest, ..stands };
        for (given, next) in self.given.iter_mut().zip(next) {
            *given = next.map(whole);
        }
        Ok(())
    }

    /// Time was set back to `stamp` (ns): forgets what belongs to the time before. What is only a little later is of the new time already.
    pub fn turn_back(&mut self, time: &Timeline, stamp: i64) {
        let is_new = |held: &Moment| held.stamp.saturating_sub(stamp) as f64 * 1e-9 <= TIME_JUMP;
        self.made = self.made.filter(is_new).map(|held| time.moment(held.stamp));
    }

    /// What stands now, by chain, and whether that is other than what stood before. Given ones that are older than `timeout` (s; 0 = never)
    /// are gone.
    pub fn at(
        &mut self,
        (time, now): (&Timeline, Moment),
        timeout: f64,
    ) -> (&[Option<StandingContact>], bool) {
        let age = self.made.map(|held| time.since(held, now));
        let holds = age.is_some_and(|age| timeout <= 0.0 || age <= timeout);
        let mut has_changed = false;
        for (stands, given) in self.standing.iter_mut().zip(&self.given) {
            let next = given.filter(|_| holds);
            has_changed |= std::mem::replace(stands, next) != next;
        }
        (&self.standing, has_changed)
    }
}
