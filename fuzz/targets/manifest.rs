//! Any document is a list of tools or is refused with reasons; a tool that was accepted can be pinned.
#![no_main]

use libfuzzer_sys::fuzz_target;
use praxis_core::call::manifest;
use praxis_core::call::tool::Tool;
use praxis_core::document::{Format, read};
use praxis_core::ids::BlobId;
use praxis_core::schema::Schema;
use serde_json::json;

fuzz_target!(|data: &[u8]| {
    let Some((first, document)) = data.split_first() else { return };
    let format = [Format::Yaml, Format::Json, Format::Toml][usize::from(first % 3)];
    let Ok(document) = read(document, format) else { return };
    let Ok(tools) = manifest::read(&document) else { return };
    for tool in tools {
        let pinned = serde_json::to_string(&tool).expect("a manifest is JSON");
        let read: Tool = serde_json::from_str(&pinned).expect("a pinned manifest can be read");
        assert_eq!(read, tool);
        assert!(manifest::check(&read).is_empty());
        let contract = tool.contract(BlobId::from("version"));
        assert!(contract.timeout_ms > 0);
        let schema = Schema::compile(&tool.input_schema).expect("it was checked");
        let _ = schema.errors(&json!({"a": [1, "x", null]}));
    }
});
