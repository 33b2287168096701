//! Operators: what is combined, as a value.
//!
//! An operator is a monoid: `combine` is associative and has an identity. The library keeps
//! item order, so it need not be commutative; declaring that it is permits faster orders.

use std::fmt;
use std::sync::Arc;

use crate::definition::{Builtin, Definition, Encoding};
use crate::element::{self, Arithmetic, Constant, Element, Integer, Numeric};
use crate::error::Error;
use crate::selection::Selection;
use crate::shader::kernel::{Flags, Kernel, Payload};
use crate::shader::user_text::{self, Role};

/// A function of the host that does what the WGSL text does.
type Twin2<A> = Arc<dyn Fn(A, A) -> A + Send + Sync>;
type Twin<X, Y> = Arc<dyn Fn(X) -> Y + Send + Sync>;

/// An associative operator over inputs `I`, accumulators `A` and outputs `O`; in most uses all
/// three are one type.
///
/// | constructor | identity | notes |
/// |---|---|---|
/// | [`sum`](Self::sum) | 0, for floats -0.0 | integers modulo 2^32; the sum of nothing is 0 |
/// | [`product`](Self::product) | 1 | integers modulo 2^32 |
/// | [`min`](Self::min), [`max`](Self::max) | greatest, least value; infinities for floats | NaN wins and comes out as the quiet NaN 0x7FC00000; -0.0 is below 0.0 |
/// | [`and`](Self::and), [`or`](Self::or), [`xor`](Self::xor) | all bits, 0, 0 | integers only |
/// | [`from_wgsl`](Self::from_wgsl) | yours | any expression or function |
///
/// NaN propagates through sum, product, min and max, wherever it stands.
///
/// ```
/// use lookback::Operator;
/// let sum = Operator::<u32>::sum();
/// let last_nonzero = Operator::from_wgsl(0u32, "select(a, b, b != 0u)")?
///     .with_host(|a, b| if b != 0 { b } else { a });
/// # Ok::<(), lookback::Error>(())
/// ```
pub struct Operator<I: Element, A: Element = I, O: Element = A> {
    pub(crate) definition: Arc<Definition>,
    pub(crate) combine: Option<Twin2<A>>,
    pub(crate) lift: Arc<dyn Fn(I, u32) -> A + Send + Sync>,
    pub(crate) lower: Twin<A, O>,
    pub(crate) identity: A,
    pub(crate) of_nothing: A,
}

impl<T: Element> Operator<T> {
    /// An operator of the user's own: its identity, and how `a` (left) and `b` (right) combine.
    ///
    /// `combine` is a WGSL expression in `a` and `b`, or the text of a function
    /// `fn combine(a: …, b: …) -> …`, with the element's WGSL type for the dots and whatever
    /// functions it calls. It must be associative
    /// and `identity` neutral on both sides; neither can be checked. It must be pure: no
    /// module-scope variable, barrier, atomic or subgroup call. It needs no commutativity:
    /// the library combines in item order.
    ///
    /// A text may loop. On a CPU driver that ends a kernel's loops after 65,535 trips, as
    /// lavapipe does silently, it may take 100 trips a call; calls are split to keep below, and
    /// such operators take fewer items there ([`Error::Length`] says how many chunks).
    ///
    /// Neutral and associative may mean: up to what `lower` forgets, such as a common factor.
    ///
    /// Errors: [`Error::InvalidWgsl`], with the place in `combine`; [`Error::Layout`].
    ///
    /// ```
    /// use lookback::Operator;
    /// let saturating = Operator::from_wgsl(
    ///     0u32,
    ///     "fn combine(a: u32, b: u32) -> u32 {
    ///         if (a > 0xffffffffu - b) { return 0xffffffffu; }
    ///         return a + b;
    ///     }",
    /// )?;
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn from_wgsl(identity: T, combine: &str) -> Result<Self, Error> {
        element::check_size::<T>()?;
        let checked = user_text::check(combine, Role::Combine, T::LAYOUT, T::LAYOUT)?;
        let mut operator =
            Self::build(combine, identity, identity, Encoding::Plain, checked.text, false, None);
        operator.edit(|definition| {
            (definition.loops, definition.indexes) = (checked.loops, checked.indexes);
            definition.branches = checked.branches;
        });
        Ok(operator)
    }

    fn build(
        name: &str,
        identity: T,
        of_nothing: T,
        encoding: Encoding,
        combine: String,
        commutative: bool,
        host: Option<Twin2<T>>,
    ) -> Self {
        let wgsl = T::LAYOUT.wgsl();
        let definition = Definition {
            name: name.to_owned(),
            input: T::LAYOUT,
            accumulator: T::LAYOUT,
            output: T::LAYOUT,
            encoding,
            combine,
            lift: format!("fn lift(x: {wgsl}) -> {wgsl} {{ return x; }}"),
            lift_indexed: false,
            lower: format!("fn lower(x: {wgsl}) -> {wgsl} {{ return x; }}"),
            payload: Payload::Items,
            flags: Flags::None,
            selection: Selection::default(),
            headed: false,
            reads_held: false,
            writes_held: false,
            first_words: 1,
            second_words: 1,
            identity: words(&identity),
            of_nothing: words(&of_nothing),
            commutative,
            loops: false,
            branches: false,
            indexes: false,
            builtin: None,
        };
        Operator {
            definition: Arc::new(definition),
            combine: host,
            lift: Arc::new(|x, _| x),
            lower: Arc::new(|x| x),
            identity,
            of_nothing,
        }
    }
}

impl<T: Numeric> Operator<T> {
    /// The sum; integers modulo 2^32.
    ///
    /// Float sums of reductions and reduce-then-scan are taken in an order that the device's widths
    /// fix, the same from run to run on one device. The error is at most (t + 64 + log2 n) * 2^-24 *
    /// sum |x|, where t is the greatest `tiles_per_workgroup` of the call's [`Plan`](crate::Plan): 32
    /// at 2^28 items on NVIDIA devices. By a single pass the order depends on what runs when, and t is
    /// the number of tiles. Devices may flush subnormals to zero.
    pub fn sum() -> Self {
        Self::builtin("sum", Arithmetic::Sum, Constant::SumIdentity, Constant::Zero)
    }

    /// The product; integers modulo 2^32.
    pub fn product() -> Self {
        Self::builtin("product", Arithmetic::Product, Constant::One, Constant::One)
    }

    /// The least value. NaN wins; -0.0 is below 0.0. The minimum of nothing is the greatest
    /// value of the type.
    pub fn min() -> Self {
        Self::builtin("min", Arithmetic::Min, Constant::Greatest, Constant::Greatest)
    }

    /// The greatest value. NaN wins; -0.0 is below 0.0. The maximum of nothing is the least
    /// value of the type.
    pub fn max() -> Self {
        Self::builtin("max", Arithmetic::Max, Constant::Least, Constant::Least)
    }

    fn builtin(name: &str, operation: Arithmetic, identity: Constant, nothing: Constant) -> Self {
        let (expression, builtin) = match operation {
            Arithmetic::Sum => ("a + b", Builtin::Add),
            Arithmetic::Product => ("a * b", Builtin::Mul),
            Arithmetic::Min => ("min(a, b)", Builtin::Min),
            Arithmetic::Max => ("max(a, b)", Builtin::Max),
            Arithmetic::And => ("a & b", Builtin::And),
            Arithmetic::Or => ("a | b", Builtin::Or),
            Arithmetic::Xor => ("a ^ b", Builtin::Xor),
        };
        // WGSL lets a driver drop NaN in min and max, and drivers differ over signed zeros.
        let encoding = match (T::LAYOUT.is_float(), operation) {
            (true, Arithmetic::Min) => Encoding::OrderedNanLow,
            (true, Arithmetic::Max) => Encoding::OrderedNanHigh,
            _ => Encoding::Plain,
        };
        let held = encoding.wgsl(T::LAYOUT);
        let mut operator = Self::build(
            name,
            T::splat(identity),
            T::splat(nothing),
            encoding,
            format!("fn combine(a: {held}, b: {held}) -> {held} {{ return {expression}; }}"),
            true,
            Some(Arc::new(move |a, b| T::apply(operation, a, b))),
        );
        // A float sum's bits depend on its order, which an instruction keeps to itself. Floats
        // in the order-keeping encoding are integers.
        let exact = !T::LAYOUT.is_float() || encoding != Encoding::Plain;
        operator.edit(|definition| definition.builtin = exact.then_some(builtin));
        operator
    }
}

impl<T: Integer> Operator<T> {
    /// Bitwise and.
    pub fn and() -> Self {
        Self::builtin("and", Arithmetic::And, Constant::AllBits, Constant::AllBits)
    }

    /// Bitwise or.
    pub fn or() -> Self {
        Self::builtin("or", Arithmetic::Or, Constant::Zero, Constant::Zero)
    }

    /// Bitwise exclusive or.
    pub fn xor() -> Self {
        Self::builtin("xor", Arithmetic::Xor, Constant::Zero, Constant::Zero)
    }
}

impl<I: Element, A: Element, O: Element> Operator<I, A, O> {
    /// Gives the operator a function of the host that combines as the WGSL does, for the
    /// sequential [`reference`](crate::reference).
    pub fn with_host(mut self, combine: impl Fn(A, A) -> A + Send + Sync + 'static) -> Self {
        self.combine = Some(Arc::new(combine));
        self
    }

    /// Declares that `combine(a, b)` equals `combine(b, a)`, which makes reductions faster.
    pub fn commutative(mut self) -> Self {
        self.edit(|definition| definition.commutative = true);
        self
    }

    /// The same by another name.
    pub(crate) fn named(mut self, name: &str) -> Self {
        self.edit(|definition| definition.name = name.to_owned());
        self
    }

    /// Takes inputs of another type: `lift` is a WGSL expression in `x`, or a function
    /// `fn lift(x: In) -> Acc`, that makes an accumulator of one input; `host` does the same, and
    /// its parameter's type says what the inputs are. An expression may use the item's number
    /// `i: u32`, modulo 2^32, and a function take it as a second parameter:
    /// [`with_indexed_lift`](Self::with_indexed_lift).
    ///
    /// Errors: [`Error::InvalidWgsl`], with the place in `lift`; [`Error::Layout`].
    ///
    /// ```
    /// use lookback::Operator;
    /// // A sum of u32 that does not wrap: low and high word.
    /// let wide = Operator::from_wgsl(
    ///     [0u32; 2],
    ///     "vec2<u32>(a.x + b.x, a.y + b.y + select(0u, 1u, a.x + b.x < a.x))",
    /// )?
    /// .commutative()
    /// .with_lift("vec2<u32>(x, 0u)", |x: u32| [x, 0])?;
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn with_lift<J: Element>(
        self,
        lift: &str,
        host: impl Fn(J) -> A + Send + Sync + 'static,
    ) -> Result<Operator<J, A, O>, Error> {
        self.with_indexed_lift(lift, move |x, _| host(x))
    }

    /// [`Operator::with_lift`] whose `host` takes the item's number too.
    ///
    /// ```
    /// use lookback::{Context, Operator};
    /// // The sum of each item times its place.
    /// let moment = Operator::<u32>::sum()
    ///     .with_indexed_lift("x * i", |x: u32, i| x.wrapping_mul(i))?;
    /// assert_eq!(Context::new()?.reduce(&[5, 7, 9], &moment)?, 25);
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn with_indexed_lift<J: Element>(
        self,
        lift: &str,
        host: impl Fn(J, u32) -> A + Send + Sync + 'static,
    ) -> Result<Operator<J, A, O>, Error> {
        element::check_size::<J>()?;
        let checked = user_text::check(lift, Role::Lift, J::LAYOUT, A::LAYOUT)?;
        let mut definition = Arc::unwrap_or_clone(self.definition);
        let others = [definition.combine.as_str(), definition.lower.as_str()];
        user_text::check_together(&checked.text, Role::Lift, &others)?;
        definition.input = J::LAYOUT;
        definition.lift = checked.text;
        definition.lift_indexed = checked.indexed;
        definition.loops |= checked.loops;
        definition.indexes |= checked.indexes;
        Ok(Operator {
            definition: Arc::new(definition),
            combine: self.combine,
            lift: Arc::new(host),
            lower: self.lower,
            identity: self.identity,
            of_nothing: self.of_nothing,
        })
    }

    /// Gives outputs of another type: `lower` is a WGSL expression in `x`, or a function
    /// `fn lower(x: Acc) -> Out`, that makes an output of an accumulator; `host` does the same.
    ///
    /// Errors: [`Error::InvalidWgsl`], with the place in `lower`; [`Error::Layout`].
    pub fn with_lower<P: Element>(
        self,
        lower: &str,
        host: impl Fn(A) -> P + Send + Sync + 'static,
    ) -> Result<Operator<I, A, P>, Error> {
        element::check_size::<P>()?;
        let checked = user_text::check(lower, Role::Lower, A::LAYOUT, P::LAYOUT)?;
        let mut definition = Arc::unwrap_or_clone(self.definition);
        let others = [definition.combine.as_str(), definition.lift.as_str()];
        user_text::check_together(&checked.text, Role::Lower, &others)?;
        definition.output = P::LAYOUT;
        definition.lower = checked.text;
        definition.loops |= checked.loops;
        definition.indexes |= checked.indexes;
        Ok(Operator {
            definition: Arc::new(definition),
            combine: self.combine,
            lift: self.lift,
            lower: Arc::new(host),
            identity: self.identity,
            of_nothing: self.of_nothing,
        })
    }

    /// The operator's name, or the text of its combine.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// The text of a kernel's module with this operator: what the device is given.
    ///
    /// Errors: [`Error::Refused`] for a combination that the library does not make.
    pub fn wgsl(&self, kernel: &Kernel) -> Result<String, Error> {
        let what = format!("the kernel {kernel}");
        kernel.link(&self.definition).map_err(|message| Error::Refused { what, message })
    }

    /// Bytes of workgroup memory that a kernel takes with this operator.
    pub fn workgroup_bytes(&self, kernel: &Kernel) -> u32 {
        kernel.workgroup_bytes(&self.definition)
    }

    fn edit(&mut self, change: impl FnOnce(&mut Definition)) {
        change(Arc::make_mut(&mut self.definition));
    }
}

/// The words of one value.
pub(crate) fn words<T: Element>(value: &T) -> Vec<u32> {
    bytemuck::pod_collect_to_vec(std::slice::from_ref(value))
}

impl<I: Element, A: Element, O: Element> Clone for Operator<I, A, O> {
    fn clone(&self) -> Self {
        Operator {
            definition: self.definition.clone(),
            combine: self.combine.clone(),
            lift: self.lift.clone(),
            lower: self.lower.clone(),
            identity: self.identity,
            of_nothing: self.of_nothing,
        }
    }
}

impl<I: Element, A: Element, O: Element> fmt::Debug for Operator<I, A, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operator").field("definition", &self.definition).finish_non_exhaustive()
    }
}
