//! Reference pages in Markdown.
