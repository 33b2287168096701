//! What tells items apart: predicates and equalities, as values.

use std::fmt;
use std::sync::Arc;

use crate::element::{self, Element};
use crate::error::Error;
use crate::layout::Layout;
use crate::shader::comments;
use crate::shader::kernel::Flags;
use crate::shader::user_text::{self, Role};

/// What says which items a compaction writes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Selection {
    /// Which are kept.
    pub kept: Option<Selector>,
    /// Which of the others are of the second kind.
    pub second: Option<Selector>,
    /// Which are the same as the one before; without, those of equal values or bits.
    pub same: Option<Selector>,
    /// Whether values are compared, not bits.
    pub by_value: bool,
    /// What is compared, unless it is the items.
    pub keys: Option<Layout>,
}

/// A function of a user's that tells items apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Selector {
    pub name: &'static str,
    pub text: String,
    /// Whether it takes the item's number too.
    pub indexed: bool,
    /// Whether there are loops in it, and indices known at run time only.
    pub loops: bool,
    pub indexes: bool,
}

impl Selector {
    pub fn new<T: Element>(text: &str, role: Role, name: &'static str) -> Result<Self, Error> {
        element::check_size::<T>()?;
        let checked = user_text::check_selector(text, role, T::LAYOUT)?;
        let (loops, indexes, indexed) = (checked.loops, checked.indexes, checked.indexed);
        // The linker reads marks in comments, which are not for users.
        let text = comments::strip(&checked.text, "");
        Ok(Selector { name, text, indexed, loops, indexes })
    }
}

type Twin<T> = Arc<dyn Fn(T, u32) -> bool + Send + Sync>;

/// Which items are kept: by WGSL, by flags in a buffer, or by both.
///
/// ```
/// use lookback::Predicate;
/// let large = Predicate::<u32>::from_wgsl("x > 3u")?.with_host(|x, _| x > 3);
/// let even_places = Predicate::<f32>::from_wgsl("i % 2u == 0u")?;
/// let flagged_and_large = large.clone().and_flags();
/// # Ok::<(), lookback::Error>(())
/// ```
pub struct Predicate<T: Element> {
    pub(crate) kept: Option<Selector>,
    pub(crate) flags: Flags,
    host: Option<Twin<T>>,
}

impl<T: Element> Predicate<T> {
    /// Items for which `text` is true: a WGSL expression in the item `x` and its number `i: u32`
    /// (modulo 2^32), or a function `fn keep(x: …) -> bool` or `fn keep(x: …, i: u32) -> bool`
    /// and what it calls. It must be pure, as an [`Operator`](crate::Operator)'s texts must, and is called more than once
    /// an item. A text may loop, as an operator's may: 100 trips a call on a CPU driver.
    ///
    /// Errors: [`Error::InvalidWgsl`], with the place in `text`; [`Error::Layout`].
    pub fn from_wgsl(text: &str) -> Result<Self, Error> {
        let kept = Some(Selector::new::<T>(text, Role::Keep, "keep")?);
        Ok(Predicate { kept, flags: Flags::None, host: None })
    }

    /// Gives the predicate a function of the host that says what its WGSL says of an item and its
    /// number, for the sequential [`reference`](crate::reference).
    pub fn with_host(self, host: impl Fn(T, u32) -> bool + Send + Sync + 'static) -> Self {
        Predicate { host: Some(Arc::new(host)), ..self }
    }

    /// Items whose flag is not 0: each call gets a slice of one u32 an item.
    pub fn flags() -> Self {
        Predicate { kept: None, flags: Flags::Words, host: None }
    }

    /// Items whose flag is set: each call gets a slice of one u32 for 32 items, the lowest bit
    /// first.
    pub fn packed_flags() -> Self {
        Predicate { kept: None, flags: Flags::Bits, host: None }
    }

    /// Those of them whose flag is not 0 too, as by [`Predicate::flags`].
    pub fn and_flags(self) -> Self {
        Predicate { flags: Flags::Words, ..self }
    }

    /// Those of them whose flag is set too, as by [`Predicate::packed_flags`].
    pub fn and_packed_flags(self) -> Self {
        Predicate { flags: Flags::Bits, ..self }
    }

    /// The same as the second one of a partition, beside a first.
    ///
    /// Errors: [`Error::Length`] if it has flags, [`Error::InvalidWgsl`] if both declare one name.
    pub(crate) fn as_second(&self, first: &Option<Selector>) -> Result<Selector, Error> {
        let Some(kept) = self.kept.as_ref().filter(|_| self.flags == Flags::None) else {
            let what = "flags of the second predicate (the first's may have them)";
            return Err(Error::Length { what, wanted: 0, got: 1 });
        };
        let second = Selector {
            name: "lookback_second",
            text: renamed(&kept.text, "keep", "lookback_second"),
            ..kept.clone()
        };
        if let Some(first) = first {
            user_text::check_together(&second.text, Role::Second, &[&first.text])?;
        }
        Ok(second)
    }

    /// Whether an item is kept, on the host.
    ///
    /// Errors: [`Error::NoHostTwin`].
    pub(crate) fn keeps(&self, x: T, i: u32, flags: &[u32]) -> Result<bool, Error> {
        let flag = match self.flags {
            Flags::None => true,
            Flags::Words => flags[i as usize] != 0,
            Flags::Bits => flags[i as usize / 32] >> (i % 32) & 1 != 0,
        };
        match (&self.host, &self.kept) {
            (Some(host), _) => Ok(flag && host(x, i)),
            (None, None) => Ok(flag),
            (None, Some(kept)) => Err(Error::NoHostTwin { operator: kept.text.clone() }),
        }
    }

    /// Words of flags for `n_items` items.
    pub(crate) fn flag_words(&self, n_items: u64) -> u64 {
        match self.flags {
            Flags::None => 0,
            Flags::Words => n_items,
            Flags::Bits => n_items.div_ceil(32),
        }
    }
}

/// A text with another name for one of its functions: wherever it is declared or called.
pub(crate) fn renamed(text: &str, from: &str, to: &str) -> String {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, after) = (&rest[..at], &rest[at + from.len()..]);
        out.push_str(before);
        let is_function = !out.ends_with(word) && after.trim_start().starts_with('(');
        out.push_str(if is_function { to } else { from });
        rest = after;
    }
    out + rest
}

impl<T: Element> Clone for Predicate<T> {
    fn clone(&self) -> Self {
        Predicate { kept: self.kept.clone(), flags: self.flags, host: self.host.clone() }
    }
}

impl<T: Element> fmt::Debug for Predicate<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.kept.as_ref().map(|kept| kept.text.as_str());
        f.debug_struct("Predicate").field("kept", &text).field("flags", &self.flags).finish()
    }
}

/// Which neighbours are the same, and make a run.
///
/// ```
/// use lookback::Equality;
/// let near = Equality::<f32>::from_wgsl("abs(a - b) < 0.5")?;
/// # Ok::<(), lookback::Error>(())
/// ```
pub struct Equality<T: Element> {
    pub(crate) same: Option<Selector>,
    pub(crate) by_value: bool,
    host: Option<Arc<dyn Fn(T, T) -> bool + Send + Sync>>,
}

impl<T: Element> Equality<T> {
    /// Equal values: 0.0 equals -0.0, and a NaN equals nothing, so it is a run of its own.
    pub fn by_value() -> Self {
        Equality { same: None, by_value: true, host: Some(Arc::new(|a, b| a == b)) }
    }

    /// Equal bits, padding of a struct left out: NaNs of the same bits are equal, 0.0 and -0.0 are not.
    pub fn by_bits() -> Self {
        let host = |a, b| match T::LAYOUT.members() {
            Ok(members) => {
                let (a, b): (Vec<u32>, Vec<u32>) =
                    (crate::operator::words(&a), crate::operator::words(&b));
                members.iter().all(|member| {
                    let words =
                        member.first_word as usize..(member.first_word + member.lanes) as usize;
                    a[words.clone()] == b[words]
                })
            }
            Err(_) => false,
        };
        Equality { same: None, by_value: false, host: Some(Arc::new(host)) }
    }

    /// Neighbours `a` and `b` for which `text` is true: a WGSL expression in both, or a function
    /// `fn same(a: …, b: …) -> bool` and what it calls, pure and called more than once an item. Only neighbours are compared, so it need not be transitive.
    ///
    /// Errors: [`Error::InvalidWgsl`], with the place in `text`; [`Error::Layout`].
    pub fn from_wgsl(text: &str) -> Result<Self, Error> {
        let same = Some(Selector::new::<T>(text, Role::Same, "same")?);
        Ok(Equality { same, by_value: false, host: None })
    }

    /// Gives the equality a function of the host that says what its WGSL says, for the sequential
    /// [`reference`](crate::reference).
    pub fn with_host(self, host: impl Fn(T, T) -> bool + Send + Sync + 'static) -> Self {
        Equality { host: Some(Arc::new(host)), ..self }
    }

    /// What a payload with runs is told.
    pub(crate) fn selection(&self) -> Selection {
        let (same, by_value) = (self.same.clone(), self.by_value);
        Selection { same, by_value, ..Selection::default() }
    }

    /// Whether two neighbours are the same, on the host.
    ///
    /// Errors: [`Error::NoHostTwin`].
    pub(crate) fn is_same(&self, a: T, b: T) -> Result<bool, Error> {
        match (&self.host, &self.same) {
            (Some(host), _) => Ok(host(a, b)),
            (None, same) => Err(Error::NoHostTwin {
                operator: same.as_ref().map_or(String::new(), |same| same.text.clone()),
            }),
        }
    }
}

impl<T: Element> Clone for Equality<T> {
    fn clone(&self) -> Self {
        Equality { same: self.same.clone(), by_value: self.by_value, host: self.host.clone() }
    }
}

impl<T: Element> fmt::Debug for Equality<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.same.as_ref().map(|same| same.text.as_str());
        f.debug_struct("Equality").field("same", &text).field("by_value", &self.by_value).finish()
    }
}
