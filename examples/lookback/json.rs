//! JSON text, as much of it as the tool writes.

/// A string with its quotes.
pub fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A list of values that are JSON already.
pub fn array(values: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", values.into_iter().collect::<Vec<_>>().join(", "))
}

/// A number of seconds, to the nanosecond.
pub fn seconds(seconds: f64) -> String {
    format!("{seconds:.9}")
}

/// An object in the making; fields stand in the order in which they come.
#[derive(Default)]
pub struct Object(Vec<String>);

impl Object {
    /// Adds a field whose value is JSON already.
    pub fn raw(mut self, name: &str, value: impl ToString) -> Self {
        self.0.push(format!("{}: {}", string(name), value.to_string()));
        self
    }

    /// Adds a string.
    pub fn text(self, name: &str, value: &str) -> Self {
        self.raw(name, string(value))
    }

    /// Adds a field that is JSON already, if it is there.
    pub fn maybe(self, name: &str, value: Option<String>) -> Self {
        match value {
            Some(value) => self.raw(name, value),
            None => self,
        }
    }

    /// The object's text.
    pub fn finish(self) -> String {
        format!("{{{}}}", self.0.join(", "))
    }
}
