//! A line of JSON, written key by key.

use std::fmt::{self, Debug};

/// An object with the keys in the order in which they were added.
#[derive(Default)]
pub(crate) struct JsonLine(String);

impl JsonLine {
    /// Adds a number: one whose `Debug` output is JSON, as that of integers and finite floats.
    pub(crate) fn number(self, key: &str, value: impl Debug) -> Self {
        self.raw(key, &format!("{value:?}"))
    }

    pub(crate) fn text(self, key: &str, value: &str) -> Self {
        let mut quoted = String::from('"');
        for letter in value.chars() {
            match letter {
                '"' | '\\' => quoted.extend(['\\', letter]),
                letter if u32::from(letter) < 0x20 => quoted += &format!("\\u{:04x}", u32::from(letter)),
                letter => quoted.push(letter),
            }
        }
        quoted.push('"');
        self.raw(key, &quoted)
    }

    fn raw(mut self, key: &str, value: &str) -> Self {
        let separator = if self.0.is_empty() { "{" } else { "," };
        self.0 += &format!("{separator}\"{key}\":{value}");
        self
    }
}

impl fmt::Display for JsonLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}}}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_line_is_valid_json() {
        let line = JsonLine::default().text("name", "a \"b\" \\ \n é").number("count", 3).number("share", 2.0);
        assert_eq!(line.to_string(), r#"{"name":"a \"b\" \\ \u000a é","count":3,"share":2.0}"#);
    }
}
