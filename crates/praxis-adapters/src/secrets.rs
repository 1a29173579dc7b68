//! Secrets are references. Their values are read at the last hop and go nowhere else.

/// Knows the values behind `secret:NAME`.
pub trait Secrets: Send + Sync {
    /// The value of a secret, if there is one.
    fn value(&self, name: &str) -> Option<String>;

    /// The text with every `secret:NAME` in it replaced by the secret of that name.
    fn reveal(&self, text: &str) -> Result<String, String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("secret:") {
            let end =
                after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
            let (name, tail) = after.split_at(end);
            let missing = || {
                format!("the secret `{name}` is not set; set PRAXIS_SECRET_{}", name.to_uppercase())
            };
            out.push_str(before);
            out.push_str(&self.value(name).ok_or_else(missing)?);
            rest = tail;
        }
        out.push_str(rest);
        Ok(out)
    }
}

/// No secrets at all.
pub struct NoSecrets;

impl Secrets for NoSecrets {
    fn value(&self, _name: &str) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct One;

    impl Secrets for One {
        fn value(&self, name: &str) -> Option<String> {
            (name == "KEY").then(|| "s3cret:KEY".to_owned())
        }
    }

    #[test]
    fn a_secret_is_put_where_its_reference_stands_and_never_looked_at_again() {
        assert_eq!(One.reveal("Bearer secret:KEY!").unwrap(), "Bearer s3cret:KEY!");
        assert_eq!(One.reveal("plain").unwrap(), "plain");
        assert!(One.reveal("secret:GONE").unwrap_err().contains("PRAXIS_SECRET_GONE"));
    }
}
