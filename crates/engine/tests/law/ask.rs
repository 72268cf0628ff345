//! Everything that is asked of the index at one moment.

use domain::criteria::{CriteriaBuilder, Direction, CriterionValue, SortMode};
use domain::filter::{Kind, FilterTarget};
use domain::{
    Criteria, FILTERS, PropertyView, Filter, Order, OrderBy, Property, PropertyAttribute, PropertyId,
    SimilarityProfile, Timestamp,
};
use engine::{SearchRequest, SimilarRequest};
use testkit::Random;

use crate::market::moment;
use crate::values::{Scene, given};

/// Filters, an order and a page, with the other ways to put the same request.
#[derive(Debug, Clone)]
pub struct Ask {
    pub given: Vec<(&'static Filter, CriterionValue)>,
    pub order: Order,
    pub skip: usize,
    pub take: usize,
    /// Read everything page by page, so many at once.
    pub page: Option<usize>,
    /// Read everything in the order of ids, so many at once.
    pub piece: Option<usize>,
    /// Read these values of every match.
    pub attributes: Option<Vec<PropertyAttribute>>,
    pub similar: Option<SimilarRequest>,
    /// The one row that all of this is about, if there is one.
    pub alone: Option<&'static Filter>,
}

impl Ask {
    /// Everything there is.
    pub fn plain() -> Self {
        Self {
            given: Vec::new(),
            order: Order::default(),
            skip: 0,
            take: usize::MAX,
            page: None,
            piece: None,
            attributes: None,
            similar: None,
            alone: None,
        }
    }

    pub fn draw(random: &mut Random, properties: &[&Property]) -> Self {
        let mut ask = Self {
            skip: *random.pick(&[0, 0, 0, 1, 5, 30, usize::MAX]),
            take: *random.pick(&[0, 1, 2, 7, 30, 1_000, usize::MAX]),
            page: random.once_in(3).then(|| 1 + random.below(8) as usize),
            piece: random.once_in(3).then(|| 1 + random.below(40) as usize),
            attributes: random.once_in(4).then(|| attributes(random)),
            ..Self::plain()
        };
        if !properties.is_empty() {
            let scene = Scene::draw(random, properties);
            ask.draw_filters(random, scene);
            ask.order = order(random, scene);
            ask.similar = random.once_in(4).then(|| similar(random, properties, scene));
        }
        ask
    }

    pub fn criteria(&self) -> Criteria {
        self.draft().build().expect("what is wrong was left out when it was drawn").criteria
    }

    pub fn request(&self) -> SearchRequest {
        let Self { order, skip, take, .. } = self;
        SearchRequest { criteria: self.criteria(), order: order.clone(), skip: *skip, take: *take }
    }

    fn draft(&self) -> CriteriaBuilder {
        let mut draft = CriteriaBuilder::default();
        for (filter, given) in &self.given {
            draft.put(filter, given.clone());
        }
        draft
    }

    fn draw_filters(&mut self, random: &mut Random, scene: Scene<'_>) {
        let price = Filter::named("withCoherentPrice").unwrap();
        let first = random.pick(FILTERS);
        self.put(random, scene, first);
        if random.once_in(3) {
            self.alone = Some(first);
            companions(first).for_each(|companion| self.put(random, scene, companion));
            if first != price {
                self.given.push((price, CriterionValue::Flag(false)));
            }
            return;
        }
        let beside: Vec<&'static Filter> =
            FILTERS.iter().filter(|row| row.level() == first.level()).collect();
        for _ in 0..random.below(5) {
            let next = if random.once_in(2) { *random.pick(&beside) } else { random.pick(FILTERS) };
            self.put(random, scene, next);
            if !random.once_in(3) {
                companions(next).for_each(|companion| self.put(random, scene, companion));
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
        // Two bounds of one value may contradict each other: the lower one, which is named, is left out.
        while let Err(violations) = self.draft().build() {
            self.given.retain(|(row, _)| violations.iter().all(|violation| violation.path != row.name));
        }
    }

    fn put(&mut self, random: &mut Random, scene: Scene<'_>, filter: &'static Filter) {
        self.put_value(filter, given(random, scene, filter));
    }

    fn put_value(&mut self, filter: &'static Filter, value: CriterionValue) {
        if self.given.iter().all(|(row, _)| *row != filter) {
            self.given.push((filter, value));
        }
    }
}

/// Rows without which a row says nothing.
fn companions(filter: &Filter) -> impl Iterator<Item = &'static Filter> {
    let in_circle = |kind: Kind| matches!(kind, Kind::Latitude | Kind::Longitude | Kind::Radius);
    let circle = in_circle(filter.kind);
    let window = filter.kind == Kind::SortMode;
    FILTERS.iter().filter(move |row| {
        circle && in_circle(row.kind) || window && row.kind == Kind::From(FilterTarget::Creation)
    })
}

fn order(random: &mut Random, scene: Scene<'_>) -> Order {
    if random.once_in(5) {
        return Order::default();
    }
    let direction = |random: &mut Random| *random.pick(&[Direction::Ascending, Direction::Descending]);
    Order {
        by: (0..random.below(4)).map(|_| (*random.pick(OrderBy::ALL), direction(random))).collect(),
        mode: *random.pick(&[SortMode::Property, SortMode::Advert]),
        origin: (!random.once_in(4)).then_some(scene.sort_key),
    }
}

fn similar(random: &mut Random, properties: &[&Property], scene: Scene<'_>) -> SimilarRequest {
    let like = *random.pick(properties);
    SimilarRequest {
        property: if random.once_in(5) { PropertyId::from_bytes([0xee; 16]) } else { like.id },
        profile: SimilarityProfile::new(&PropertyView::new(like).unwrap()),
        // A whole second, which is what dates are told in; properties are created between two as well.
        created_from: random.once_in(2).then(|| Timestamp::from_second(moment(random).as_second()).unwrap()),
        order: order(random, scene),
        skip: *random.pick(&[0, 0, 0, 1, 10]),
        take: *random.pick(&[0, 3, 30, usize::MAX]),
    }
}

fn attributes(random: &mut Random) -> Vec<PropertyAttribute> {
    (0..random.below(4)).map(|_| *random.pick(PropertyAttribute::ALL)).collect()
}
