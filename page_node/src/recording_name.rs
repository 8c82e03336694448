//! What a recording is called.

use time::OffsetDateTime;

/// The name of a recording that begins at a time, s since 1970, in UTC: `2026-11-18_01-02-03`, behind a label if there is one. A clock that knows
/// no such time is taken for one that was never set.
pub fn name_of(label: &str, seconds: u64) -> String {
    let at = i64::try_from(seconds).ok().and_then(|s| OffsetDateTime::from_unix_timestamp(s).ok());
    let at = at.unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let (year, month, day) = at.to_calendar_date();
    let (hour, minute, second) = at.to_hms();
    let month = u8::from(month);
    let stamp = format!("{year:04}-{month:02}-{day:02}_{hour:02}-{minute:02}-{second:02}");
    if label.is_empty() { stamp } else { format!("{label}_{stamp}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_when_a_recording_began() {
        // Of `date -u -d @N +%F_%H-%M-%S`.
        for (seconds, name) in [
            (0, "1970-01-01_00-00-00"),
            (951_782_400, "2000-02-29_00-00-00"),
            (1_795_000_000, "2026-11-18_11-06-40"),
            (u64::MAX, "1970-01-01_00-00-00"),
        ] {
            assert_eq!(name_of("", seconds), name);
        }
        assert_eq!(name_of("walk", 0), "walk_1970-01-01_00-00-00");
    }
}
