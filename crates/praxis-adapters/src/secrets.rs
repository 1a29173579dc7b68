//! Secrets are references. Their values are read at the last hop and go nowhere else.

/// Knows the values behind `secret:NAME`.
pub trait Secrets: Send + Sync {
    /// The value of a secret, if there is one.
    fn value(&self, name: &str) -> Option<String>;

    /// The text itself, or the secret that it refers to.
    fn reveal(&self, text: &str) -> Result<String, String> {
        let Some(name) = text.strip_prefix("secret:") else { return Ok(text.to_owned()) };
        let missing =
            || format!("the secret `{name}` is not set; set PRAXIS_SECRET_{}", name.to_uppercase());
        self.value(name).ok_or_else(missing)
    }
}

/// No secrets at all.
pub struct NoSecrets;

impl Secrets for NoSecrets {
    fn value(&self, _name: &str) -> Option<String> {
        None
    }
}
