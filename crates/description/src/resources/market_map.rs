//! The market on a map: clusters and histograms.

use crate::schema::{Field, Kind, Resource};

#[rustfmt::skip]
pub fn resources() -> Vec<Resource> {
    vec![
        Resource::answer("Clusters", "The properties of a viewport, counted by cell or one by one", vec![
            Field::new("totalItems", Kind::Integer, "The number of properties that meet the filters and are located within the bounds"),
            Field::new("cells", Kind::List(&Kind::Object("ClusterCell")), "The cells with several properties, from north-west to south-east"),
            Field::new("properties", Kind::List(&Kind::Object("MapProperty")), "The properties that no cell counts, in the order of their ids"),
            Field::new("took", Kind::Number, "The time that the server took to count them, in milliseconds"),
        ]),
        Resource::part("ClusterCell", "The properties of one cell", vec![
            Field::new("longitude", Kind::Number, "The longitude of their mean position on the map, in degrees"),
            Field::new("latitude", Kind::Number, "The latitude of their mean position on the map, in degrees"),
            Field::new("count", Kind::Integer, "Their number"),
            Field::new("bounds", Kind::List(&Kind::Number), "The cell in degrees: west, south, east, north"),
        ]),
        Resource::part("MapProperty", "A property as a map shows it", vec![
            Field::new("id", Kind::Uuid, "The uuid of the property"),
            Field::new("longitude", Kind::Number, "The longitude in degrees"),
            Field::new("latitude", Kind::Number, "The latitude in degrees"),
            Field::new("price", Kind::Number, "The price in euros; of a rental, the rent").or_null(),
            Field::new("pricePerMeter", Kind::Number, "The price in euros per square metre").or_null(),
            Field::new("surface", Kind::Number, "The living surface in square metres").or_null(),
            Field::new("rooms", Kind::Integer, "The number of rooms").or_null(),
            Field::new("isExact", Kind::Boolean, "Whether an advert gives the coordinates. Otherwise they are those of the centre of the commune."),
        ]),
        Resource::answer("Facets", "Histograms of the properties that meet filters", vec![
            Field::new("totalItems", Kind::Integer, "The number of properties that meet all filters"),
            Field::new("facets", Kind::Map(&Kind::Object("Histogram")), "A histogram for each field, without the filters on the field itself"),
        ]),
        Resource::part("Histogram", "How many properties have which values", vec![
            Field::new("buckets", Kind::List(&Kind::Object("Bucket")), "The buckets, which are always the same for a field, ascending"),
            Field::new("below", Kind::Integer, "The number of properties with less than the first bucket"),
            Field::new("above", Kind::Integer, "The number of properties with more than the last bucket"),
            Field::new("unknown", Kind::Integer, "The number of properties without a value"),
        ]),
        Resource::part("Bucket", "The properties with values in a range", vec![
            Field::new("from", Kind::Number, "The least value"),
            Field::new("to", Kind::Number, "The end, which belongs to the next bucket"),
            Field::new("count", Kind::Integer, "Their number"),
        ]),
    ]
}
