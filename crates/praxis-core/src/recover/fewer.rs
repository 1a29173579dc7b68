//! Halves the page size of a call whose output was too large.
//!
//! - in: a read-only call whose tool has a parameter for the number of results
//! - out: that parameter and half its value: of the planned value, else of the default, else of the maximum
//! - never: goes below the tool's minimum, or changes a number given by the user or by another step

use super::own::is_plans_own;
use crate::inputs::Inputs;
use crate::pointer::pointer_to;
use crate::schema::Schema;
use crate::state::State;
use crate::state::step::Step;
use serde_json::{Map, Value};

/// Names of page-size parameters in lower case without separators, the most reliable first.
const SIZES: [&str; 20] = [
    "limit",
    "pagesize",
    "perpage",
    "maxresults",
    "maxitems",
    "maxrows",
    "maxrecords",
    "topk",
    "topn",
    "batchsize",
    "chunksize",
    "numresults",
    "rows",
    "count",
    "size",
    "每页条数",
    "每页数量",
    "最大条数",
    "条数",
    "数量",
];

/// Returns the page-size parameter of the tool and half its current value.
pub fn fewer(state: &State, step: &Step, inputs: &Inputs<'_>) -> Option<(String, Value)> {
    let schema = inputs.tools.input_schema(&step.plan.tool)?;
    let properties = schema.get("properties")?.as_object()?;
    let (name, property) = size_of(properties)?;
    let now = wanted_now(state, step, (name, property))?;
    let least = bound(property, "minimum")
        .or_else(|| bound(property, "exclusiveMinimum").map(|least| least + 1))
        .unwrap_or(1)
        .max(1);
    let half = Value::from((now / 2).max(least));
    let fits = Schema::compile(property).is_ok_and(|schema| schema.errors(&half).is_empty());
    (fits && half.as_i64() < Some(now)).then(|| (name.to_owned(), half))
}

fn size_of(properties: &Map<String, Value>) -> Option<(&str, &Value)> {
    let bare = |name: &str| name.to_lowercase().replace(['_', '-', ' '], "");
    let counts = |property: &Value| match property.get("type") {
        Some(Value::String(one)) => one == "integer",
        Some(Value::Array(some)) => some.iter().any(|one| one == "integer"),
        _ => false,
    };
    SIZES.iter().find_map(|size| {
        let found = properties.iter().find(|(name, it)| bare(name) == **size && counts(it));
        found.map(|(name, property)| (name.as_str(), property))
    })
}

/// Returns the number of results requested now, or `None` if the plan did not choose it by itself.
fn wanted_now(state: &State, step: &Step, (name, property): (&str, &Value)) -> Option<i64> {
    let given = step.given.get(&pointer_to("", name)).map(|given| &given.value);
    let planned = step.plan.parameters.get(name).filter(|value| !value.is_null());
    let Some(value) = given.or(planned) else {
        return bound(property, "default").or_else(|| bound(property, "maximum"));
    };
    value.as_i64().filter(|_| is_plans_own(state, step, (name, planned.unwrap_or(value))))
}

fn bound(property: &Value, key: &str) -> Option<i64> {
    property.get(key)?.as_i64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_size_is_a_whole_number_with_such_a_name_the_surest_first() {
        let whole = json!({"type": "integer"});
        let found = |properties: Value| {
            let properties = properties.as_object().unwrap().clone();
            size_of(&properties).map(|(name, _)| name.to_owned())
        };
        assert_eq!(found(json!({"size": whole, "pageSize": whole})).unwrap(), "pageSize");
        assert_eq!(found(json!({"max-results": whole})).unwrap(), "max-results");
        assert_eq!(found(json!({"条数": {"type": ["integer", "null"]}})).unwrap(), "条数");
        assert_eq!(found(json!({"limit": {"type": "string"}})), None, "no number");
        assert_eq!(found(json!({"limits": whole, "discount": whole})), None, "another word");
    }
}
