//! Functions and tables that no statement may name: they give access to files, networks, other sessions, settings,
//! passwords or SQL inside a string.
//!
//! Roles and permissions in the database are the first line of defence. This list protects databases without them.

use super::lex::SqlDialect;

/// Returns true if a function may not be called. The name is in lower case.
pub(super) fn function(name: &str, engine: SqlDialect) -> bool {
    // Some servers treat accented letters as plain ones.
    if !name.is_ascii() {
        return true;
    }
    let (names, beginnings, fine) = match engine {
        SqlDialect::Postgres => (POSTGRES, POSTGRES_BEGINNINGS, POSTGRES_FINE),
        SqlDialect::Mysql => (MYSQL, MYSQL_BEGINNINGS, &[][..]),
        SqlDialect::Sqlite => (SQLITE, SQLITE_BEGINNINGS, SQLITE_FINE),
    };
    let begins = beginnings.iter().any(|beginning| name.starts_with(beginning));
    (names.contains(&name) || begins) && !fine.contains(&name)
}

/// Returns true if a name may not occur anywhere in a statement. The name is in lower case.
pub(super) fn relation(name: &str, engine: SqlDialect) -> bool {
    match engine {
        SqlDialect::Postgres => POSTGRES_TABLES.contains(&name),
        SqlDialect::Mysql => MYSQL_TABLES.contains(&name),
        SqlDialect::Sqlite => {
            SQLITE_TABLES.contains(&name)
                || (name.starts_with("pragma_") && !SQLITE_FINE.contains(&name))
        }
    }
}

/// Returns true if statements may not refer to anything in this schema. The name is in lower case.
pub(super) fn schema(name: &str, engine: SqlDialect) -> bool {
    engine == SqlDialect::Mysql && ["mysql", "performance_schema", "sys"].contains(&name)
}

const POSTGRES: &[&str] = &[
    "connectby",
    "current_setting",
    "currval",
    "eval",
    "exec",
    "execute",
    "lastval",
    "loread",
    "lowrite",
    "nextval",
    "operator",
    "schedule",
    "set_config",
    "setval",
    "ts_rewrite",
    "ts_stat",
    "unschedule",
    "xpath_table",
    "xslt_process",
];

const POSTGRES_BEGINNINGS: &[&str] = &[
    "aws_",
    "binary_upgrade_",
    "brin_",
    "cron_",
    "crosstab",
    "cursor_to_",
    "database_to_",
    "dblink",
    "dbms_",
    "gin_clean",
    "http",
    "lo_",
    "pg_",
    "postgres_fdw",
    "query_to_",
    "schema_to_",
    "table_to_",
    "txid_",
    "utl_",
];

const POSTGRES_FINE: &[&str] = &[
    "pg_column_size",
    "pg_database_size",
    "pg_encoding_to_char",
    "pg_get_constraintdef",
    "pg_get_expr",
    "pg_get_indexdef",
    "pg_get_viewdef",
    "pg_indexes_size",
    "pg_input_is_valid",
    "pg_relation_size",
    "pg_size_pretty",
    "pg_table_is_visible",
    "pg_table_size",
    "pg_total_relation_size",
    "pg_typeof",
];

const POSTGRES_TABLES: &[&str] = &[
    "pg_authid",
    "pg_backend_memory_contexts",
    "pg_config",
    "pg_cursors",
    "pg_db_role_setting",
    "pg_file_settings",
    "pg_foreign_server",
    "pg_hba_file_rules",
    "pg_ident_file_mappings",
    "pg_largeobject",
    "pg_prepared_statements",
    "pg_replication_slots",
    "pg_settings",
    "pg_shadow",
    "pg_shmem_allocations",
    "pg_stat_activity",
    "pg_stat_replication",
    "pg_stat_ssl",
    "pg_stat_statements",
    "pg_statistic",
    "pg_stats",
    "pg_subscription",
    "pg_user_mapping",
    "pg_user_mappings",
];

const MYSQL: &[&str] = &[
    "benchmark",
    "get_lock",
    "is_free_lock",
    "is_used_lock",
    "lastval",
    "load_file",
    "master_gtid_wait",
    "master_pos_wait",
    "nextval",
    "release_all_locks",
    "release_lock",
    "setval",
    "sleep",
    "source_pos_wait",
    "wait_for_executed_gtid_set",
];

const MYSQL_BEGINNINGS: &[&str] = &[
    "asynchronous_connection_",
    "audit_",
    "gen_dictionary",
    "group_replication_",
    "http",
    "keyring_",
    "lib_mysqludf",
    "ps_",
    "service_",
    "sys_",
    "version_tokens_",
    "wsrep_",
];

const MYSQL_TABLES: &[&str] = &[
    "global_variables",
    "processlist",
    "session_variables",
    "system_variables",
    "user_privileges",
    "user_variables",
];

const SQLITE: &[&str] = &[
    "csv",
    "edit",
    "eval",
    "fsdir",
    "fts3_tokenizer",
    "fts5_decode",
    "load_extension",
    "lsdir",
    "randomblob",
    "readfile",
    "sha3_query",
    "writefile",
    "zeroblob",
    "zipfile",
];

const SQLITE_BEGINNINGS: &[&str] = &["pragma_", "sqlite_"];

const SQLITE_FINE: &[&str] = &[
    "pragma_foreign_key_list",
    "pragma_index_info",
    "pragma_index_list",
    "pragma_table_info",
    "pragma_table_list",
    "pragma_table_xinfo",
    "sqlite_version",
];

const SQLITE_TABLES: &[&str] =
    &["dbstat", "fts3tokenize", "sqlite_dbdata", "sqlite_dbpage", "sqlite_stmt"];
