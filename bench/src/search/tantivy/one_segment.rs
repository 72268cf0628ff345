//! A Tantivy index that is written once, merged into one segment and memory-mapped.

use std::path::Path;

use tantivy::indexer::NoMergePolicy;
use tantivy::schema::Schema;
use tantivy::{Index, IndexWriter, Searcher, TantivyDocument};

/// Large enough to leave few segments to merge at the end.
const WRITER_BYTES: usize = 400_000_000;

/// An index while it is being filled.
pub struct OneSegment {
    index: Index,
    writer: IndexWriter,
}

impl OneSegment {
    pub fn create(folder: &Path, schema: Schema) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let index = Index::create_in_dir(folder, schema)?;
        // With one thread, documents keep their order.
        let writer = index.writer_with_num_threads(1, WRITER_BYTES)?;
        // Segments are merged once, at the end.
        writer.set_merge_policy(Box::new(NoMergePolicy));
        Ok(Self { index, writer })
    }

    pub fn add(&self, document: TantivyDocument) -> anyhow::Result<()> {
        self.writer.add_document(document)?;
        Ok(())
    }

    /// Merges everything into one segment and opens it. Without documents there is no segment.
    pub fn finish(mut self) -> anyhow::Result<Searcher> {
        self.writer.commit()?;
        let segments = self.index.searchable_segment_ids()?;
        if segments.len() > 1 {
            self.writer.merge(&segments).wait()?;
        }
        self.writer.wait_merging_threads()?;
        let searcher = self.index.reader()?.searcher();
        let segments = searcher.segment_readers().len();
        anyhow::ensure!(segments <= 1, "{segments} segments instead of one");
        Ok(searcher)
    }
}
