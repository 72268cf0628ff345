//! `hydra:view`: links to the neighbouring pages.

use serde::Serialize;

use crate::query::{Parameters, RawQuery};

/// The requested page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paging {
    /// Starting at 1.
    pub page: u64,
    /// Zero requests only the total.
    pub items: u64,
}

impl Paging {
    /// Maximum number of items per page.
    pub const ITEMS_MAX: u64 = 30;

    /// Parses `page` and `itemsPerPage`. Larger values of `itemsPerPage` are lowered to the maximum.
    pub fn parse(parameters: &mut Parameters<'_>, items_default: u64) -> Self {
        let page = parameters.count("page", 1).unwrap_or(1);
        let items = parameters.count("itemsPerPage", 0).unwrap_or(items_default);
        Self { page, items: items.min(Self::ITEMS_MAX) }
    }

    /// Returns how many members to skip and to take. Their sum never overflows.
    pub fn skip_and_take(self) -> (usize, usize) {
        let skipped = (self.page - 1).saturating_mul(self.items);
        let skip = usize::try_from(skipped).unwrap_or(usize::MAX).min(usize::MAX / 2);
        (skip, usize::try_from(self.items).unwrap_or_default())
    }

    /// Returns the members on this page.
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
    #[serde(rename = "hydra:last", skip_serializing_if = "Option::is_none")]
    last: Option<String>,
    #[serde(rename = "hydra:previous", skip_serializing_if = "Option::is_none")]
    previous: Option<String>,
    #[serde(rename = "hydra:next", skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    #[serde(rename = "scannedAdverts", skip_serializing_if = "Option::is_none")]
    scanned_adverts: Option<usize>,
    #[serde(rename = "oldestAdvert", skip_serializing_if = "Option::is_none")]
    oldest_advert: Option<String>,
}

impl View {
    /// Builds the links of a page. `None` if there is a single page and no parameter.
    pub fn new(path: &str, query: &RawQuery, paging: Paging, total_items: u64) -> Option<Self> {
        let last = total_items.div_ceil(paging.items.max(1)).max(1);
        let last = if paging.items == 0 { 1 } else { last };
        if query.is_empty() && last == 1 {
            return None;
        }
        // Other parameters as written, the page last.
        let others = query.without("page");
        let link = |page: u64| match others.as_str() {
            "" => format!("{path}?page={page}"),
            others => format!("{path}?{others}&page={page}"),
        };
        Some(Self {
            id: link(paging.page),
            kind: "hydra:PartialCollectionView",
            first: link(1),
            last: Some(link(last)),
            previous: (paging.page > 1).then(|| link((paging.page - 1).min(last))),
            next: (paging.page < last).then(|| link(paging.page + 1)),
            scanned_adverts: None,
            oldest_advert: None,
        })
    }

    /// Builds the links of a page that is found by scanning adverts. `next` is the parameter that continues the scan, with its value if
    /// there is more; `scanned` says how many adverts were scanned, and which is the oldest. Where the last page begins is not known.
    pub fn scanned(
        path: &str,
        query: &RawQuery,
        next: (&str, Option<String>),
        scanned: (usize, Option<String>),
    ) -> Self {
        let ((parameter, next), (scanned_adverts, oldest_advert)) = (next, scanned);
        let others = query.without(parameter);
        let link = |last: String| match [others.as_str(), last.as_str()] {
            ["", ""] => path.to_owned(),
            ["", alone] | [alone, ""] => format!("{path}?{alone}"),
            [others, last] => format!("{path}?{others}&{last}"),
        };
        Self {
            id: if query.is_empty() { path.to_owned() } else { format!("{path}?{}", query.without("")) },
            kind: "hydra:PartialCollectionView",
            first: link(String::new()),
            last: None,
            previous: None,
            next: next.map(|value| link(format!("{parameter}={value}"))),
            scanned_adverts: Some(scanned_adverts),
            oldest_advert,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(query: &str, total_items: u64) -> Option<View> {
        let query = RawQuery::parse(query).unwrap();
        let paging = Paging::parse(&mut Parameters::new(&query), 10);
        View::new("/cities", &query, paging, total_items)
    }

    #[test]
    fn single_page_without_parameters_has_no_view() {
        assert!(view("", 10).is_none());
        assert!(view("", 11).is_some());
        assert!(view("name=x", 0).is_some());
    }

    #[test]
    fn links_keep_the_query_and_end_with_the_page() {
        let view = view("page=2&name[]=Saint%20L%C3%B4&itemsPerPage=5", 14).unwrap();
        assert_eq!(view.id, "/cities?name[]=Saint%20L%C3%B4&itemsPerPage=5&page=2");
        assert_eq!(view.first, "/cities?name[]=Saint%20L%C3%B4&itemsPerPage=5&page=1");
        assert_eq!(view.last.as_deref(), Some("/cities?name[]=Saint%20L%C3%B4&itemsPerPage=5&page=3"));
        assert_eq!(view.previous, Some(view.first.clone()));
        assert_eq!(view.next, view.last);
    }

    #[test]
    fn scan_continues_after_the_oldest_advert() {
        let links = |query: &str, next: Option<&str>| {
            let query = RawQuery::parse(query).unwrap();
            let view = View::scanned("/pairs", &query, ("before", next.map(str::to_owned)), (7, None));
            (view.id, view.first, view.next)
        };
        let texts = |id: &str, first: &str, next: Option<&str>| {
            (id.to_owned(), first.to_owned(), next.map(str::to_owned))
        };
        assert_eq!(links("", None), texts("/pairs", "/pairs", None));
        assert_eq!(
            links("before=b&x=1", Some("a")),
            texts("/pairs?before=b&x=1", "/pairs?x=1", Some("/pairs?x=1&before=a"))
        );
        assert_eq!(links("before=b", Some("a")), texts("/pairs?before=b", "/pairs", Some("/pairs?before=a")));
    }

    #[test]
    fn page_past_the_end_links_back() {
        let view = view("page=99", 14).unwrap();
        assert_eq!(view.previous.as_deref(), Some("/cities?page=2"));
        assert_eq!(view.next, None);
    }

    #[test]
    fn items_per_page_is_capped() {
        let query = RawQuery::parse("itemsPerPage=0").unwrap();
        let paging = Paging::parse(&mut Parameters::new(&query), 10);
        assert_eq!(paging.of(0..5), [0; 0]);
        let query = RawQuery::parse("itemsPerPage=500&page=2").unwrap();
        let paging = Paging::parse(&mut Parameters::new(&query), 10);
        assert_eq!(paging, Paging { page: 2, items: 30 });
        assert_eq!(paging.of(0..32), [30, 31]);
    }
}
