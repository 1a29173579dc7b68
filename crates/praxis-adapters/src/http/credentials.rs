//! Headers, cookies and authentication. Secrets are resolved here, just before they are sent.

use super::pairs::UrlPairs;
use crate::secrets::Vault;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use praxis_core::call::http::{ApiKey, Auth, Basic, KeyPlace};
use praxis_core::call::http_check;
use praxis_core::problem::Bilingual;
use praxis_core::problem::http_flaw::HttpFlaw;
use reqwest::header::{AUTHORIZATION, COOKIE, HeaderMap, HeaderName, HeaderValue};
use std::collections::BTreeMap;

/// Headers and query pairs that accompany the body of a request.
#[derive(Default)]
pub(crate) struct Credentials {
    /// All headers, including `Cookie` and `Authorization`.
    pub(crate) headers: HeaderMap,
    /// Pairs for the query.
    pub(crate) query: UrlPairs,
    cookies: Vec<String>,
}

impl Credentials {
    /// Adds headers; every `secret:NAME` in a value is resolved.
    pub(crate) fn headers(
        &mut self,
        written: &BTreeMap<String, String>,
        vault: &Vault,
    ) -> Result<(), Bilingual> {
        for (name, value) in written {
            self.header(name, &vault.reveal(value)?)?;
        }
        Ok(())
    }

    /// Adds cookies; every `secret:NAME` in a value is resolved.
    pub(crate) fn cookies(
        &mut self,
        written: &BTreeMap<String, String>,
        vault: &Vault,
    ) -> Result<(), Bilingual> {
        for (name, value) in written {
            self.cookie(name, &vault.reveal(value)?)?;
        }
        Ok(())
    }

    /// Adds the authentication.
    pub(crate) fn auth(&mut self, auth: &Auth, vault: &Vault) -> Result<(), Bilingual> {
        match auth {
            Auth::Bearer(token) => {
                let token = secret(token, vault)?;
                self.header(AUTHORIZATION.as_str(), &format!("Bearer {token}"))
            }
            Auth::Basic(basic) => {
                let proof = basic_proof(basic, vault)?;
                self.header(AUTHORIZATION.as_str(), &format!("Basic {proof}"))
            }
            Auth::ApiKey(ApiKey { place, name, value }) => {
                let value = secret(value, vault)?;
                match place {
                    KeyPlace::Header => self.header(name, &value),
                    KeyPlace::Cookie => self.cookie(name, &value),
                    KeyPlace::Query => {
                        self.query.push((name.clone(), value));
                        Ok(())
                    }
                }
            }
        }
    }

    /// Adds one header. Its value may be a secret, so it is marked sensitive.
    pub(crate) fn header(&mut self, name: &str, value: &str) -> Result<(), Bilingual> {
        if let Some(flaw) = http_check::header(name, value) {
            return Err(flaw.words());
        }
        let header = HeaderName::try_from(name).map_err(|_| not_allowed(name))?;
        let mut value = HeaderValue::try_from(value).map_err(|_| not_allowed(name))?;
        value.set_sensitive(true);
        self.headers.insert(header, value);
        Ok(())
    }

    /// Adds one cookie.
    pub(crate) fn cookie(&mut self, name: &str, value: &str) -> Result<(), Bilingual> {
        if let Some(flaw) = http_check::cookie(name, value) {
            return Err(flaw.words());
        }
        self.cookies.push(format!("{name}={value}"));
        self.header(COOKIE.as_str(), &self.cookies.join("; "))
    }
}

/// Resolves a `secret:NAME` reference; rejects a literal value.
fn secret(reference: &str, vault: &Vault) -> Result<String, Bilingual> {
    if !http_check::is_reference(reference) {
        return Err(HttpFlaw::NoReference.words());
    }
    vault.reveal(reference)
}

fn basic_proof(basic: &Basic, vault: &Vault) -> Result<String, Bilingual> {
    let user = vault.reveal(&basic.user)?;
    let proof = STANDARD.encode(format!("{user}:{}", secret(&basic.password, vault)?));
    // Base64 of both together does not contain the password, so it is hidden as well.
    vault.also_hide(&basic.password, &proof);
    Ok(proof)
}

fn not_allowed(name: &str) -> Bilingual {
    let en = format!("header `{name}` has an invalid name or value");
    (en, format!("请求头 `{name}` 的名称或值无效")).into()
}
