//! Spans of what a world does, for subscribers of the crate `tracing`. The only file that names it.
//!
//! TRACE-1: without the feature, a span is a value of size zero, and neither its fields nor what is
//! recorded later is computed. With it, that holds for each span that no subscriber wants: asking
//! costs a load and a comparison.
//!
//! Spans only watch: nothing that they return decides anything.

/// Opens a span of level debug, until the value is dropped: its name, its fields, and after a
/// semicolon the fields that are [recorded](Span::record) later.
macro_rules! span {
    ($name:literal $(, $field:ident = $value:expr)* $(; $($later:ident),+)?) => {{
        #[cfg(feature = "tracing")]
        let span = $crate::trace::Span::enter(::tracing::debug_span!(
            target: "triphase", $name $(, $field = $value)* $($(, $later = ::tracing::field::Empty)+)?
        ));
        #[cfg(not(feature = "tracing"))]
        let span = {
            // Never called (TRACE-1): it only uses the values.
            let _ = || { $(let _ = &$value;)* };
            $crate::trace::Span
        };
        span
    }};
}

/// Opens a span of level trace within another one, perhaps on another thread: the
/// [handle](Span::handle) of that one, its name, and its fields.
macro_rules! task_span {
    ($parent:expr, $name:literal $(, $field:ident = $value:expr)*) => {{
        #[cfg(feature = "tracing")]
        let span = $crate::trace::Span::enter(::tracing::trace_span!(
            target: "triphase", parent: $parent.0.clone(), $name $(, $field = $value)*
        ));
        #[cfg(not(feature = "tracing"))]
        let span = {
            let _ = || { let _ = &$parent; $(let _ = &$value;)* };
            $crate::trace::Span
        };
        span
    }};
}

pub(crate) use {span, task_span};

/// An open span; it ends when this is dropped.
#[cfg(feature = "tracing")]
pub(crate) struct Span(tracing::span::EnteredSpan);

/// An open span; it ends when this is dropped.
#[cfg(not(feature = "tracing"))]
pub(crate) struct Span;

/// What tasks on other threads need to open spans within another one.
#[cfg(feature = "tracing")]
pub(crate) struct SpanHandle(pub(crate) Option<tracing::Id>);

/// What tasks on other threads need to open spans within another one.
#[cfg(not(feature = "tracing"))]
pub(crate) struct SpanHandle;

// So that `drop` ends a span in either case.
#[cfg(not(feature = "tracing"))]
impl Drop for Span {
    #[inline(always)]
    fn drop(&mut self) {}
}

#[cfg(not(feature = "tracing"))]
const _: () = assert!(size_of::<Span>() == 0 && size_of::<SpanHandle>() == 0, "TRACE-1");

#[cfg(feature = "tracing")]
impl Span {
    pub(crate) fn enter(span: tracing::Span) -> Self {
        Self(span.entered())
    }

    /// Records fields that were declared when the span was opened, if a subscriber wants them.
    pub(crate) fn record<const N: usize>(&self, fields: impl FnOnce() -> [(&'static str, usize); N]) {
        if !self.0.is_disabled() {
            fields().into_iter().for_each(|(field, value)| _ = self.0.record(field, value));
        }
    }

    /// Records the field `error`, if there is one.
    pub(crate) fn record_error<T, E: std::fmt::Display>(&self, outcome: &Result<T, E>) {
        if let Err(error) = outcome {
            self.0.record("error", tracing::field::display(error));
        }
    }

    pub(crate) fn handle(&self) -> SpanHandle {
        SpanHandle(self.0.id())
    }
}

#[cfg(not(feature = "tracing"))]
impl Span {
    #[inline(always)]
    pub(crate) fn record<const N: usize>(&self, _: impl FnOnce() -> [(&'static str, usize); N]) {}

    #[inline(always)]
    pub(crate) fn record_error<T, E>(&self, _: &Result<T, E>) {}

    #[inline(always)]
    pub(crate) fn handle(&self) -> SpanHandle {
        SpanHandle
    }
}
