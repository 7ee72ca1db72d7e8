//! Time format of results: RFC 3339, UTC, `Z`, with whole seconds or nine decimals.

use compact_str::CompactString;

const SECONDS_PER_DAY: i64 = 86_400;

/// Formats a time in seconds since 1970, such as `2025-04-22T20:36:00Z`.
///
/// Implemented here because a walk formats a million of them and a general formatter is ten times as slow. Years
/// outside 0 to 9999 have a sign and keep all their digits.
pub fn rfc3339(seconds: i64) -> CompactString {
    let (year, month, day) = civil_date(seconds.div_euclid(SECONDS_PER_DAY));
    let rest = seconds.rem_euclid(SECONDS_PER_DAY);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    if !(0..=9999).contains(&year) {
        return compact_str::format_compact!("{year:+05}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z");
    }
    let mut text = *b"0000-00-00T00:00:00Z";
    let mut put = |at: usize, number: i64| {
        text[at] = b'0' + (number / 10) as u8;
        text[at + 1] = b'0' + (number % 10) as u8;
    };
    put(0, year / 100);
    put(2, year % 100);
    put(5, month);
    put(8, day);
    put(11, hour);
    put(14, minute);
    put(17, second);
    CompactString::from_utf8(text).expect("the text is ASCII")
}

/// Formats a time with its nanoseconds: always nine decimals, so that such texts compare like the times.
pub fn rfc3339_exact(seconds: i64, nanos: u32) -> CompactString {
    let mut text = rfc3339(seconds);
    text.pop();
    text.push_str(&compact_str::format_compact!(".{nanos:09}Z"));
    text
}

/// Returns year, month and day of a day counted from 1970-01-01, in the Gregorian calendar.
///
/// The algorithm is Howard Hinnant's `civil_from_days`: years begin in March, so that the leap day is the last day of
/// its year.
pub fn civil_date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year_of_era + era * 400 + carry, month, day)
}
