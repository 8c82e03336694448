//! What a recording is called.

/// The name of a recording that begins at a time, s since 1970, in UTC: `2026-11-18_01-02-03`, behind a label if there is one.
pub fn name_of(label: &str, seconds: u64) -> String {
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let stamp = format!(
        "{year:04}-{month:02}-{day:02}_{:02}-{:02}-{:02}",
        of_day / 3600,
        of_day / 60 % 60,
        of_day % 60
    );
    if label.is_empty() { stamp } else { format!("{label}_{stamp}") }
}

/// Year, month and day of a number of days since 1970, in the Gregorian calendar: 400 years have 146 097 days, counted from a first of March.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_when_a_recording_began() {
        // Of `date -u -d @N +%F_%H-%M-%S`.
        for (seconds, name) in [
            (0, "1970-01-01_00-00-00"),
            (951_782_399, "2000-02-28_23-59-59"),
            (951_782_400, "2000-02-29_00-00-00"),
            (1_735_689_599, "2024-12-31_23-59-59"),
            (1_795_000_000, "2026-11-18_11-06-40"),
            (4_107_542_400, "2100-03-01_00-00-00"),
        ] {
            assert_eq!(name_of("", seconds), name);
        }
        assert_eq!(name_of("walk", 0), "walk_1970-01-01_00-00-00");
    }
}
