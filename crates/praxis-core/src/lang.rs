//! The languages that people read Praxis in.

use serde::{Deserialize, Serialize};

/// The languages that people read Praxis in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// 中文.
    Zh,
}
