//! Connections that are encrypted, to a server that takes no others: whether it is the right one is told by its certificate.

use crate::support::*;
use collie_engine::ports::StoreError;
use collie_testkit::postgres::PostgresServer;
use std::sync::Arc;

/// An authority, and a certificate of 127.0.0.1 that it vouches for. PostgreSQL runs it in its own folder, since no other account may own its key.
const CERTIFY: &str = r#"
set -e
new="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
openssl req -x509 $new -days 2 -subj /CN=authority -keyout authority.key -out authority.pem
openssl req $new -subj /CN=database -keyout server.key -out server.csr
echo subjectAltName=IP:127.0.0.1 > names
openssl x509 -req -in server.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days 2 -extfile names -out server.crt
chmod 600 server.key
echo hostnossl all all all reject > hba
cat pg_hba.conf >> hba
mv hba pg_hba.conf
"#;

/// A server that takes encrypted connections alone, and the certificate of the authority that vouches for it.
fn encrypted() -> Option<(Arc<PostgresServer>, String)> {
    let server = PostgresServer::start()?;
    let url = server.database();
    let script = format!("exec 2> certify.log; {CERTIFY}");
    let run = format!("COPY (SELECT '') TO PROGRAM $script${script}$script$");
    server.ask(&url, &run);
    server.ask(&url, "ALTER SYSTEM SET ssl = on");
    server.ask(&url, "SELECT pg_reload_conf()");
    let folder = server.ask(&url, "SHOW data_directory");
    Some((Arc::new(server), format!("{folder}/authority.pem")))
}

#[tokio::test]
async fn a_connection_is_encrypted_and_its_server_known_by_the_certificate() {
    let Some((server, authority)) = encrypted() else {
        return;
    };
    let url = server.database();
    let home = |query: String| Home::on(server.clone(), format!("{url}?{query}"));
    let verified = home(format!("sslmode=verify-full&sslrootcert={authority}"));
    let journal = verified.open().await;
    journal.project(&begun_and_cancelled(1)).await.unwrap();
    let encrypted = "SELECT count(*) > 0 AND bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'collie'";
    assert_eq!(server.ask(&url, encrypted), "t");
    // Nothing is asked in the clear, and nobody who is vouched for by another authority.
    for refused in ["sslmode=disable", "sslmode=verify-full"] {
        let opened = home(refused.into()).try_open().await.err();
        assert!(
            matches!(
                opened,
                Some(StoreError::Unreachable { .. } | StoreError::Failed { .. })
            ),
            "{refused}: {opened:?}"
        );
    }
    // The certificate is of the address, and of no name.
    let named = url.replace("127.0.0.1", "localhost");
    let query = format!("sslmode=verify-full&sslrootcert={authority}");
    let other_name = Home::on(server.clone(), format!("{named}?{query}"));
    let error = other_name
        .try_open()
        .await
        .err()
        .map(|error| error.to_string());
    assert!(
        error
            .as_deref()
            .is_some_and(|said| said.contains("certificate")),
        "{error:?}"
    );
    let authority_alone = query.replace("verify-full", "verify-ca");
    let by_authority = Home::on(server.clone(), format!("{named}?{authority_alone}"));
    by_authority.open().await;
}
