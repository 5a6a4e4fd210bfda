//! The output of a task.

use crate::broad_phase::context::PassContext;
use crate::frame::phases::PassTimes;
use crate::memory::buffers::buffers;
use crate::memory::listener::{PageListener, PairKind};
use crate::memory::page::Page;
use crate::memory::pair_sink::ScanParts;

/// The pairs and times of one task, until they are gathered in the order of tasks.
#[derive(Default)]
pub(crate) struct TaskOutput {
    pub(crate) body_pages: Vec<Page>,
    /// Number of leading pairs whose bodies are both owned by the task's band.
    pub(crate) own_pairs: usize,
    pub(crate) static_pages: Vec<Page>,
    pub(crate) parts: ScanParts,
    pub(crate) times: PassTimes,
}

buffers!(TaskOutput { leveled: body_pages, static_pages, parts; own: ; plain: own_pairs, times; });

impl TaskOutput {
    /// Prepares for another task. Its pages were taken when the output was gathered.
    pub(crate) fn begin(&mut self) {
        (self.times, self.own_pairs) = (PassTimes::default(), 0);
    }

    /// Notifies the listener of all pages of a task that ran without it.
    pub(crate) fn notify(&self, pass: &PassContext<'_>, task: usize) {
        if let (Some(on_page), false) = (pass.step.listener, pass.budget.is_exceeded()) {
            for (kind, pages) in [(PairKind::Body, &self.body_pages), (PairKind::Static, &self.static_pages)] {
                PageListener::new(on_page, kind, task).notify(0, pages.iter().map(Page::pairs));
            }
        }
    }
}
