//! Masks values that look like secrets wherever a value is shown. Secrets should be given as references, which the
//! journal stores as written; the mask is for secrets that were given as plain values.

use serde_json::Value;
use std::borrow::Cow;

/// The replacement of a masked value.
pub const HIDDEN: &str = "***";

/// Parts of a key that mark its value as a secret.
const TELLING: &[&str] = &[
    "password",
    "passwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "authorization",
    "credential",
    "private_key",
    "access_key",
    "密码",
    "口令",
    "密钥",
];

/// Returns true if the value under this key is a secret. Counts such as `token_count` and `max_tokens` are not.
pub fn is_secret_key(key: &str) -> bool {
    let key = key.to_lowercase();
    TELLING.iter().any(|word| key.contains(word))
        && !key.ends_with("_count")
        && !key.ends_with("tokens")
}

/// Masks every value under a secret key. References to secrets stay readable.
pub fn masked(value: &Value) -> Cow<'_, Value> {
    if needs_mask(value) { Cow::Owned(hide(value)) } else { Cow::Borrowed(value) }
}

/// Masks the value if its key marks a secret, else the secrets inside it.
pub fn masked_under<'a>(key: &str, value: &'a Value) -> Cow<'a, Value> {
    if is_secret_key(key) && is_plain(value) {
        return Cow::Owned(Value::from(HIDDEN));
    }
    masked(value)
}

fn is_plain(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            !text.starts_with("secret:") && !text.contains("{{") && !text.is_empty()
        }
        Value::Number(_) | Value::Array(_) | Value::Object(_) => true,
        Value::Null | Value::Bool(_) => false,
    }
}

fn needs_mask(value: &Value) -> bool {
    match value {
        Value::Object(map) => map
            .iter()
            .any(|(key, value)| (is_secret_key(key) && is_plain(value)) || needs_mask(value)),
        Value::Array(items) => items.iter().any(needs_mask),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn hide(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), masked_under(key, value).into_owned()))
            .collect(),
        Value::Array(items) => items.iter().map(hide).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    //
    #[test]
    fn values_under_telling_keys_are_hidden_at_any_depth_and_references_are_not() {
        let value = json!({
            "api_key": "sk-1", "my_token": "t", "user": "Lin", "nested": [{"Password": 7}], "token_count": 3,
            "auth_token": "secret:TOKEN", "db_password": "{{password}}",
        });
        let shown = json!({
            "api_key": "***", "my_token": "***", "user": "Lin", "nested": [{"Password": "***"}], "token_count": 3,
            "auth_token": "secret:TOKEN", "db_password": "{{password}}",
        });
        assert_eq!(masked(&value).into_owned(), shown);
        assert_eq!(masked_under("secret", &json!("x")).into_owned(), json!("***"));
    }
}
