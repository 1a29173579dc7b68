//! TLS of database connections, with certificates trusted by the system or by a file.

use super::place::Tls;
use super::trouble::SqlTrouble;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use std::path::Path;
use std::sync::Arc;

/// Builds the TLS configuration of a client.
pub(super) fn client(tls: &Tls) -> Result<ClientConfig, SqlTrouble> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().map_err(wrong)?;
    Ok(match tls {
        Tls::File(path) => builder.with_root_certificates(roots(path)?).with_no_client_auth(),
        Tls::System => builder.with_platform_verifier().map_err(wrong)?.with_no_client_auth(),
        Tls::Off => builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth(),
    })
}

fn roots(path: &Path) -> Result<RootCertStore, SqlTrouble> {
    let unreadable = |why: String| {
        let path = path.display();
        let en = format!("cannot read the certificates in `{path}`: {why}");
        SqlTrouble::Refused((en, format!("无法读取 `{path}` 中的证书：{why}")).into())
    };
    let read =
        CertificateDer::pem_file_iter(path).map_err(|error| unreadable(error.to_string()))?;
    let mut roots = RootCertStore::empty();
    for certificate in read {
        let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
        roots.add(certificate).map_err(|error| unreadable(error.to_string()))?;
    }
    Ok(roots)
}

fn wrong(error: impl std::fmt::Display) -> SqlTrouble {
    let en = format!("cannot set up TLS: {error}");
    SqlTrouble::Refused((en, format!("无法建立 TLS 连接：{error}")).into())
}
