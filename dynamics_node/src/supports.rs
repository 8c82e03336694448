//! Which feet stand: support messages, and how loads come and go.

use robot_model_lib::{RobotModel, StandingContact, SupportReader};

use crate::Refused;
use crate::inverse::TIME_JUMP;
use crate::time::{Moment, Timeline};

/// The supports that messages give, and those that are reckoned with: a foot takes up its load in a while.
#[derive(Debug, Clone)]
pub(crate) struct Supports {
    reader: SupportReader,
    /// By chain, and when the message was made.
    given: Vec<Option<StandingContact>>,
    made: Option<Moment>,
    standing: Vec<Option<StandingContact>>,
    /// The part of the robot that the feet carry together, 0 … 1. Their supports are only shares of it: however small they are, they
    /// carry all that there is to carry.
    load: f64,
}

/// The ground at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ground<'a> {
    /// By chain.
    pub standing: &'a [Option<StandingContact>],
    /// The part of the robot that they carry, 0 … 1; the rest hangs by the base.
    pub load: f64,
    /// Whether a foot that carries changed its contact.
    pub has_moved: bool,
}

impl Supports {
    pub fn new(model: &RobotModel) -> Self {
        let in_the_air = vec![None; model.chains().len()];
        Self {
            reader: SupportReader::new(model),
            made: None,
            given: in_the_air.clone(),
            standing: in_the_air,
            load: 0.0,
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

    /// What stands now. Supports move towards those given by at most `reach`, and so does the load of all together when the
    /// first foot lands or the last one leaves. Given ones that are older than `timeout` (s; 0 = never) are gone.
    pub fn at(&mut self, (time, now): (&Timeline, Moment), timeout: f64, reach: f64) -> Ground<'_> {
        let age = self.made.map(|held| time.since(held, now));
        let holds = age.is_some_and(|age| timeout <= 0.0 || age <= timeout);
        let lands = holds && self.given.iter().any(Option::is_some);
        // Feet that carry nothing yet have their shares at once: it is the load that comes.
        let share_reach = if self.load > 0.0 { reach } else { 1.0 };
        let wanted = if lands { 1.0 } else { 0.0 };
        self.load += (wanted - self.load).clamp(-reach, reach);
        let mut has_moved = false;
        if lands {
            for (stands, given) in self.standing.iter_mut().zip(&self.given) {
                let (now, wanted) =
                    [*stands, *given].map(|foot| foot.map_or(0.0, |foot| foot.support)).into();
                let support = now + (wanted - now).clamp(-share_reach, share_reach);
                // A foot that leaves does so from the contact on which it stood.
                let contact = given.or(*stands).map(|foot| foot.contact);
                has_moved |= stands.is_some_and(|stands| Some(stands.contact) != contact);
                *stands =
                    contact.filter(|_| support > 0.0).map(|contact| StandingContact { contact, support });
            }
        } else if self.load <= 0.0 {
            // Until then they share what is left as they did: there is no other foot to take it.
            self.standing.fill(None);
        }
        Ground { standing: &self.standing, load: self.load, has_moved }
    }
}
