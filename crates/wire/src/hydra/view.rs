//! `hydra:view`: the links from a page to its neighbours.

use serde::Serialize;

use crate::query::{Parameters, RawQuery};

/// Which part of a collection is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paging {
    /// From 1.
    pub page: u64,
    /// Zero asks for the count alone.
    pub items: u64,
}

impl Paging {
    /// The most items of any page.
    pub const ITEMS_MAX: u64 = 30;

    /// Reads `page` and `itemsPerPage`; more items than the most are served as the most.
    pub fn read(parameters: &mut Parameters<'_>, items_default: u64) -> Self {
        let page = parameters.count("page", 1).unwrap_or(1);
        let items = parameters.count("itemsPerPage", 0).unwrap_or(items_default);
        Self { page, items: items.min(Self::ITEMS_MAX) }
    }

    /// How many members come before the page, and how many it may have. The two can be added up.
    pub fn skip_and_take(self) -> (usize, usize) {
        let skipped = (self.page - 1).saturating_mul(self.items);
        let skip = usize::try_from(skipped).unwrap_or(usize::MAX).min(usize::MAX / 2);
        (skip, usize::try_from(self.items).unwrap_or_default())
    }

    /// The page's part of all members.
    pub fn of<T>(self, members: impl Iterator<Item = T>) -> Vec<T> {
        let (skip, take) = self.skip_and_take();
        members.skip(skip).take(take).collect()
    }
}

#[derive(Debug, Serialize)]
pub struct View {
    #[serde(rename = "@id")]
    id: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "hydra:first")]
    first: String,
    #[serde(rename = "hydra:last")]
    last: String,
    #[serde(rename = "hydra:previous", skip_serializing_if = "Option::is_none")]
    previous: Option<String>,
    #[serde(rename = "hydra:next", skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

impl View {
    /// The links of a page; none when there is nothing to link to: no parameter and no second page.
    pub fn new(path: &str, query: &RawQuery, paging: Paging, total_items: u64) -> Option<Self> {
        let last = total_items.div_ceil(paging.items.max(1)).max(1);
        let last = if paging.items == 0 { 1 } else { last };
        if query.is_empty() && last == 1 {
            return None;
        }
        // Everything else as it was written, the page last.
        let others = query.without("page");
        let link = |page: u64| match others.as_str() {
            "" => format!("{path}?page={page}"),
            others => format!("{path}?{others}&page={page}"),
        };
        Some(Self {
            id: link(paging.page),
            kind: "hydra:PartialCollectionView",
            first: link(1),
            last: link(last),
            previous: (paging.page > 1).then(|| link((paging.page - 1).min(last))),
            next: (paging.page < last).then(|| link(paging.page + 1)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(query: &str, total_items: u64) -> Option<View> {
        let query = RawQuery::parse(query).unwrap();
        let paging = Paging::read(&mut Parameters::of(&query), 10);
        View::new("/cities", &query, paging, total_items)
    }

    #[test]
    fn one_page_without_parameters_needs_no_links() {
        assert!(view("", 10).is_none());
        assert!(view("", 11).is_some());
        assert!(view("name=x", 0).is_some());
    }

    #[test]
    fn links_keep_the_question_and_end_with_the_page() {
        let view = view("page=2&name[]=Saint%20L%C3%B4&itemsPerPage=5", 14).unwrap();
        assert_eq!(view.id, "/cities?name[]=Saint%20L%C3%B4&itemsPerPage=5&page=2");
        assert_eq!(view.first, "/cities?name[]=Saint%20L%C3%B4&itemsPerPage=5&page=1");
        assert_eq!(view.last, "/cities?name[]=Saint%20L%C3%B4&itemsPerPage=5&page=3");
        assert_eq!(view.previous, Some(view.first.clone()));
        assert_eq!(view.next, Some(view.last.clone()));
    }

    #[test]
    fn a_page_past_the_end_leads_back() {
        let view = view("page=99", 14).unwrap();
        assert_eq!(view.previous.as_deref(), Some("/cities?page=2"));
        assert_eq!(view.next, None);
    }

    #[test]
    fn a_count_has_one_page_and_too_many_items_are_the_most() {
        let query = RawQuery::parse("itemsPerPage=0").unwrap();
        let paging = Paging::read(&mut Parameters::of(&query), 10);
        assert_eq!(paging.of(0..5), [0; 0]);
        let query = RawQuery::parse("itemsPerPage=500&page=2").unwrap();
        let paging = Paging::read(&mut Parameters::of(&query), 10);
        assert_eq!(paging, Paging { page: 2, items: 30 });
        assert_eq!(paging.of(0..32), [30, 31]);
    }
}
