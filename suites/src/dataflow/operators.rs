//! The operators of `MathQA`. Results are integers or floats as in the data.

use serde_json::Value;
use std::f64::consts::PI;

/// A number that is either an integer or a float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Num {
    Int(i128),
    Float(f64),
}

use Num::{Float, Int};

impl Num {
    /// Reads a JSON number.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        let integer = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
        integer.map(Int).or_else(|| value.as_f64().map(Float))
    }

    /// Converts to JSON; an integer beyond 64 bits becomes a float.
    pub(crate) fn write(self) -> Value {
        match self {
            Int(n) => match (i64::try_from(n), u64::try_from(n)) {
                (Ok(small), _) => Value::from(small),
                (_, Ok(large)) => Value::from(large),
                _ => Value::from(n as f64),
            },
            Float(x) => Value::from(x),
        }
    }

    fn float(self) -> f64 {
        match self {
            Int(n) => n as f64,
            Float(x) => x,
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the operators truncate")]
    fn truncated(self) -> i128 {
        match self {
            Int(n) => n,
            Float(x) => x.trunc() as i128,
        }
    }
}

/// Applies an operator; `None` if it is unknown or the result is not finite.
pub(crate) fn apply(op: &str, operands: &[Num]) -> Option<Num> {
    let at = |index: usize| operands.get(index).copied();
    let result = match (at(0), at(1)) {
        (Some(Int(a)), Some(Int(b))) => integers(op, a, b),
        (Some(Int(a)), None) if op == "negate" => a.checked_neg().map(Int),
        _ => None,
    };
    let whole = || counting(op, at(0)?, at(1));
    let either = || choice(op, at(0)?, at(1)?);
    let real = |index: usize| at(index).map_or(f64::NAN, Num::float);
    let floating = || {
        let (a, b, c) = (real(0), real(1), real(2));
        let found = plain(op, a, b).or_else(|| geometry(op, a, b, c));
        found.or_else(|| trade(op, a, b, c)).map(Float)
    };
    let result = result.or_else(whole).or_else(either).or_else(floating)?;
    result.float().is_finite().then_some(result)
}

/// Operators on two integers.
fn integers(op: &str, a: i128, b: i128) -> Option<Num> {
    match op {
        "add" => a.checked_add(b).map(Int),
        "subtract" => a.checked_sub(b).map(Int),
        "multiply" => a.checked_mul(b).map(Int),
        "power" => a.checked_pow(u32::try_from(b).ok()?).map(Int),
        "reminder" => {
            let rest = a.checked_rem(b)?;
            Some(Int(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }))
        }
        _ => None,
    }
}

/// Operators with an integer result for any operands.
fn counting(op: &str, a: Num, b: Option<Num>) -> Option<Num> {
    match op {
        "floor" => Some(Int(Float(floored(a)).truncated())),
        "round" => Some(Int(Float(a.float().round_ties_even()).truncated())),
        "factorial" => Some(product(2, a.truncated())),
        "permutation" => {
            let (n, k) = (a.truncated(), b?.truncated());
            Some(product(n - k + 1, n))
        }
        "choose" => Some(choose(a.truncated(), b?.truncated())),
        "gcd" => Some(Int(gcd(a.truncated(), b?.truncated()))),
        "lcm" => {
            let (a, b) = (a.truncated(), b?.truncated());
            Some(Int((a / gcd(a, b).max(1)).checked_mul(b)?.abs()))
        }
        _ => None,
    }
}

fn floored(a: Num) -> f64 {
    match a {
        Int(n) => n as f64,
        Float(x) => x.floor(),
    }
}

/// Returns the product of all integers from `first` to `last`.
fn product(first: i128, last: i128) -> Num {
    let exact = (first..=last).try_fold(1_i128, i128::checked_mul);
    exact.map_or_else(|| Float((first..=last).map(|n| n as f64).product()), Int)
}

fn choose(n: i128, k: i128) -> Num {
    if k < 0 || k > n {
        return Int(0);
    }
    let k = k.min(n - k);
    let exact = (1..=k).try_fold(1_i128, |found, i| Some(found.checked_mul(n - k + i)? / i));
    let rough = || (1..=k).map(|i| (n - k + i) as f64 / i as f64).product();
    exact.map_or_else(|| Float(rough()), Int)
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// Operators that return one of the operands unchanged.
fn choice(op: &str, a: Num, b: Num) -> Option<Num> {
    match op {
        "max" => Some(if b.float() > a.float() { b } else { a }),
        "min" => Some(if b.float() < a.float() { b } else { a }),
        _ => None,
    }
}

fn plain(op: &str, a: f64, b: f64) -> Option<f64> {
    Some(match op {
        "add" => a + b,
        "subtract" => a - b,
        "multiply" => a * b,
        "divide" | "speed" => a / b,
        "power" => a.powf(b),
        "reminder" => a - b * (a / b).floor(),
        "negate" => -a,
        "inverse" => 1.0 / a,
        "sqrt" | "square_edge_by_area" => a.sqrt(),
        "log" => a.ln(),
        "negate_prob" => 1.0 - a,
        _ => return None,
    })
}

fn geometry(op: &str, a: f64, b: f64, c: f64) -> Option<f64> {
    Some(match op {
        "circle_area" => PI * a * a,
        "circumface" => 2.0 * PI * a,
        "semi_circle_perimiter" => PI * a + 2.0 * a,
        "rectangle_area" => a * b,
        "rectangle_perimeter" => 2.0 * (a + b),
        "square_area" => a * a,
        "square_perimeter" | "rhombus_perimeter" => 4.0 * a,
        "square_edge_by_perimeter" => a / 4.0,
        "triangle_area" | "rhombus_area" => a * b / 2.0,
        "triangle_area_three_edges" => {
            let h = (a + b + c) / 2.0;
            (h * (h - a) * (h - b) * (h - c)).sqrt()
        }
        "triangle_perimeter" => a + b + c,
        "diagonal" => a.hypot(b),
        "quadrilateral_area" => a * (b + c) / 2.0,
        "trapezium_area" => (a + b) * c / 2.0,
        "volume_cube" => a.powf(3.0),
        "volume_cylinder" => PI * a * a * b,
        "volume_cone" => PI * a * a * b / 3.0,
        "volume_sphere" => 4.0 / 3.0 * PI * a.powf(3.0),
        "volume_rectangular_prism" => a * b * c,
        "surface_cube" => 6.0 * a * a,
        "surface_sphere" => 4.0 * PI * a * a,
        "surface_cylinder" => 2.0 * PI * a * (a + b),
        "surface_rectangular_prism" => 2.0 * (a * b + b * c + a * c),
        "cube_edge_by_volume" => a.powf(1.0 / 3.0),
        _ => return None,
    })
}

fn trade(op: &str, a: f64, b: f64, c: f64) -> Option<f64> {
    Some(match op {
        "union_prob" => a + b - c,
        "speed_ratio_steel_to_stream" => (a + b) / (a - b),
        "speed_in_still_water" => f64::midpoint(a, b),
        "stream_speed" => (a - b) / 2.0,
        "p_after_gain" => (1.0 + a / 100.0) * b,
        "original_price_before_loss" => b * 100.0 / (100.0 - a),
        "original_price_before_gain" => b * 100.0 / (100.0 + a),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_stay_integers_where_the_data_says_so() {
        assert_eq!(apply("multiply", &[Int(6), Int(7)]), Some(Int(42)));
        assert_eq!(apply("multiply", &[Int(6), Float(7.0)]), Some(Float(42.0)));
        assert_eq!(apply("divide", &[Int(6), Int(3)]), Some(Float(2.0)));
        assert_eq!(apply("power", &[Int(2), Int(-1)]), Some(Float(0.5)));
        assert_eq!(apply("min", &[Float(4.0), Int(3)]), Some(Int(3)));
        assert_eq!(apply("reminder", &[Int(-7), Int(3)]), Some(Int(2)));
        assert_eq!(apply("round", &[Float(2.5)]), Some(Int(2)));
        assert_eq!(apply("choose", &[Float(5.0), Float(2.0)]), Some(Int(10)));
        assert_eq!(apply("lcm", &[Float(4.0), Int(6)]), Some(Int(12)));
        assert_eq!(apply("divide", &[Int(1), Int(0)]), None);
        assert_eq!(apply("no_such", &[Int(1)]), None);
    }
}
