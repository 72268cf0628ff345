//! Random queries.

use domain::criteria::{AdvertScope, CriteriaBuilder, CriterionValue, Direction, SortMode};
use domain::filter::{FilterTarget, Kind};
use domain::map::MapBounds;
use domain::{
    Criteria, FILTERS, FacetField, Filter, Order, OrderBy, Property, PropertyAttribute, PropertyId,
    PropertyView, SimilarityProfile, Timestamp, Viewport,
};
use engine::{SearchRequest, SimilarRequest};
use testkit::Random;

use crate::market::timestamp;
use crate::values::{DrawContext, given};

/// Filters, an order and a page, and the other methods of the API to check with them.
#[derive(Debug, Clone)]
pub struct Query {
    pub given: Vec<(&'static Filter, CriterionValue)>,
    /// As in a saved search, where expired adverts satisfy nothing.
    pub live_only: bool,
    pub order: Order,
    pub skip: usize,
    pub take: usize,
    /// Also read all pages of this size.
    pub page: Option<usize>,
    /// Also read all matches in the order of ids, in chunks of this size.
    pub chunk: Option<usize>,
    /// Also read these values of every match.
    pub attributes: Option<Vec<PropertyAttribute>>,
    pub similar: Option<SimilarRequest>,
    /// Also count the matches of a viewport by cell, or list this many.
    pub clusters: Option<(Viewport, usize)>,
    /// Also count the matches by the values of these fields.
    pub facets: Option<Vec<FacetField>>,
    /// The only filter of the query, apart from its companions; `None` if there are several.
    pub alone: Option<&'static Filter>,
}

impl Query {
    /// Matches everything.
    pub fn match_all() -> Self {
        Self {
            given: Vec::new(),
            live_only: false,
            order: Order::default(),
            skip: 0,
            take: usize::MAX,
            page: None,
            chunk: None,
            attributes: None,
            similar: None,
            clusters: None,
            facets: None,
            alone: None,
        }
    }

    pub fn draw(random: &mut Random, properties: &[&Property]) -> Self {
        let mut query = Self {
            skip: *random.pick(&[0, 0, 0, 1, 5, 30, usize::MAX]),
            take: *random.pick(&[0, 1, 2, 7, 30, 1_000, usize::MAX]),
            page: random.once_in(3).then(|| 1 + random.below(8) as usize),
            chunk: random.once_in(3).then(|| 1 + random.below(40) as usize),
            attributes: random.once_in(4).then(|| attributes(random)),
            facets: random.once_in(4).then(|| facets(random)),
            ..Self::match_all()
        };
        if !properties.is_empty() {
            let context = DrawContext::draw(random, properties);
            query.draw_filters(random, context);
            query.live_only = random.once_in(4);
            query.order = order(random, context);
            query.clusters =
                random.once_in(2).then(|| (viewport(random, properties), *random.pick(&[0, 0, 1, 3, 200])));
            query.similar = random.once_in(4).then(|| similar(random, properties, context));
        }
        query
    }

    pub fn criteria(&self) -> Criteria {
        let built = self.builder().build().expect("invalid filters were dropped when the query was drawn");
        let advert_scope = if self.live_only { AdvertScope::Live } else { built.criteria.advert_scope };
        Criteria { advert_scope, ..built.criteria }
    }

    pub fn request(&self) -> SearchRequest {
        let Self { order, skip, take, .. } = self;
        SearchRequest { criteria: self.criteria(), order: order.clone(), skip: *skip, take: *take }
    }

    fn builder(&self) -> CriteriaBuilder {
        let mut builder = CriteriaBuilder::default();
        for (filter, given) in &self.given {
            builder.put(filter, given.clone());
        }
        builder
    }

    fn draw_filters(&mut self, random: &mut Random, context: DrawContext<'_>) {
        let price = Filter::named("withCoherentPrice").unwrap();
        let first = random.pick(FILTERS);
        self.put(random, context, first);
        if random.once_in(3) {
            self.alone = Some(first);
            companions(first).for_each(|companion| self.put(random, context, companion));
            if first != price {
                self.given.push((price, CriterionValue::Flag(false)));
            }
            return;
        }
        let same_level: Vec<&'static Filter> =
            FILTERS.iter().filter(|row| row.level() == first.level()).collect();
        for _ in 0..random.below(5) {
            let next = if random.once_in(2) { *random.pick(&same_level) } else { random.pick(FILTERS) };
            self.put(random, context, next);
            if !random.once_in(3) {
                companions(next).for_each(|companion| self.put(random, context, companion));
            }
        }
        if random.once_in(3) {
            self.put_value(Filter::named("expired").unwrap(), CriterionValue::Flag(false));
        }
        if random.once_in(2) {
            self.put_value(price, CriterionValue::Flag(false));
        }
        if random.once_in(30) {
            self.given.clear();
        }
        // Two bounds of one value may contradict each other. The violation names the lower one: drop it.
        while let Err(violations) = self.builder().build() {
            self.given.retain(|(row, _)| violations.iter().all(|violation| violation.path != row.name));
        }
    }

    fn put(&mut self, random: &mut Random, context: DrawContext<'_>, filter: &'static Filter) {
        self.put_value(filter, given(random, context, filter));
    }

    fn put_value(&mut self, filter: &'static Filter, value: CriterionValue) {
        if self.given.iter().all(|(row, _)| *row != filter) {
            self.given.push((filter, value));
        }
    }
}

/// Returns the filters without which a filter has no effect.
fn companions(filter: &Filter) -> impl Iterator<Item = &'static Filter> {
    let in_circle = |kind: Kind| matches!(kind, Kind::Latitude | Kind::Longitude | Kind::Radius);
    let circle = in_circle(filter.kind);
    let window = filter.kind == Kind::SortMode;
    FILTERS.iter().filter(move |row| {
        circle && in_circle(row.kind) || window && row.kind == Kind::From(FilterTarget::Creation)
    })
}

fn order(random: &mut Random, context: DrawContext<'_>) -> Order {
    if random.once_in(5) {
        return Order::default();
    }
    let direction = |random: &mut Random| *random.pick(&[Direction::Ascending, Direction::Descending]);
    Order {
        by: (0..random.below(4)).map(|_| (*random.pick(OrderBy::ALL), direction(random))).collect(),
        mode: *random.pick(&[SortMode::Property, SortMode::Advert]),
        origin: (!random.once_in(4)).then_some(context.centre),
    }
}

fn similar(random: &mut Random, properties: &[&Property], context: DrawContext<'_>) -> SimilarRequest {
    let model = *random.pick(properties);
    SimilarRequest {
        property: if random.once_in(5) { PropertyId::from_bytes([0xee; 16]) } else { model.id },
        profile: SimilarityProfile::new(&PropertyView::new(model).unwrap()),
        // Request dates are whole seconds; properties are also created between two seconds.
        created_from: random
            .once_in(2)
            .then(|| Timestamp::from_second(timestamp(random).as_second()).unwrap()),
        order: order(random, context),
        skip: *random.pick(&[0, 0, 0, 1, 10]),
        take: *random.pick(&[0, 3, 30, usize::MAX]),
    }
}

/// Draws a viewport whose corners are often the points of properties, because the borders belong to it.
pub fn viewport(random: &mut Random, properties: &[&Property]) -> Viewport {
    let corner = |random: &mut Random| {
        let point = random.pick(properties).derive().and_then(|derived| derived.point);
        let offset = *random.pick(&[0.0, 0.0, 0.0, 1e-9, -1e-9, 0.02, -0.02, 3.0, -3.0]);
        let (lat, lon) = point.map_or((0.0, 0.0), |point| (point.lat(), point.lon()));
        ((lat + offset).clamp(-90.0, 90.0), (lon + offset).clamp(-180.0, 180.0))
    };
    let (one, other) = match random.below(8) {
        0 => ((-90.0, -180.0), (90.0, 180.0)),
        1 => ((41.0, -5.5), (51.5, 10.0)),
        _ => (corner(random), corner(random)),
    };
    let bounds =
        MapBounds::new(one.1.min(other.1), one.0.min(other.0), one.1.max(other.1), one.0.max(other.0));
    Viewport { bounds: bounds.unwrap(), zoom: random.below(u64::from(Viewport::ZOOM_MAX) + 1) as u8 }
}

fn facets(random: &mut Random) -> Vec<FacetField> {
    FacetField::ALL.iter().copied().filter(|_| random.once_in(2)).collect()
}

fn attributes(random: &mut Random) -> Vec<PropertyAttribute> {
    (0..random.below(4)).map(|_| *random.pick(PropertyAttribute::ALL)).collect()
}
