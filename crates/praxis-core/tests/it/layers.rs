//! The three layers of data, built in one line.

use praxis_core::dataflow::context::{Context, NotSynced, StepResult};
use praxis_core::dataflow::resolve::{LoadedBlobs, MissingValue, OnUnresolved, resolve};
use praxis_core::dataflow::template::ParameterTemplate;
use praxis_core::ids::{BlobId, StepId};
use praxis_core::payload::{Payload, StoredValue};
use serde_json::Value;
use std::sync::Arc;

/// Metadata, and steps that succeeded in this order, synced as a whole.
pub(crate) fn layers(metadata: Value, results: &[(&str, Value)]) -> Context {
    let mut context = Context::of_values(metadata.as_object().unwrap());
    for (id, output) in results {
        let _ = success(&mut context, id, output.clone(), &[]);
    }
    context
}

/// Records a success whose tool declares these output parameters.
pub(crate) fn success(
    context: &mut Context,
    id: &str,
    output: Value,
    declared: &[&str],
) -> Result<usize, NotSynced> {
    let declared: Vec<Arc<str>> = declared.iter().map(|name| Arc::from(*name)).collect();
    let index = context.declare(&StepId::from(id));
    context.record(index, result(id, Payload::json(output), true), &declared)
}

/// Records a success whose output is so large that it lives in a blob.
pub(crate) fn large_success(context: &mut Context, id: &str, output: &Value) -> LoadedBlobs {
    let blob = BlobId::from(format!("blob of {id}"));
    let stored = StoredValue::describe(output, &output.to_string(), blob.clone());
    let index = context.declare(&StepId::from(id));
    context.record(index, result(id, Payload::Blob(Arc::new(stored)), true), &[]).unwrap();
    LoadedBlobs::from([(blob, Arc::new(output.clone()))])
}

/// Records a failure.
pub(crate) fn failure(context: &mut Context, id: &str, output: Value) -> Result<usize, NotSynced> {
    let index = context.declare(&StepId::from(id));
    context.record(index, result(id, Payload::json(output), false), &[])
}

pub(crate) fn result(id: &str, output: Payload, is_success: bool) -> StepResult {
    StepResult {
        step_id: id.into(),
        step_name: "".into(),
        tool_id: "tool".into(),
        output,
        is_success,
        error_message: (!is_success).then(|| "it failed".to_owned()),
        duration_ms: 5,
    }
}

/// The arguments that these parameters become.
pub(crate) fn arguments(context: &Context, parameters: Value) -> Value {
    tried(context, parameters, OnUnresolved::Error).unwrap()
}

/// What one text becomes.
pub(crate) fn text(context: &Context, text: &str) -> Value {
    arguments(context, Value::from(text))
}

/// The one placeholder of a text that has no value.
pub(crate) fn miss(context: &Context, text: &str) -> MissingValue {
    let mut misses = tried(context, Value::from(text), OnUnresolved::Error).unwrap_err();
    assert_eq!(misses.len(), 1, "{misses:?}");
    misses.remove(0)
}

pub(crate) fn tried(
    context: &Context,
    parameters: Value,
    on_unresolved: OnUnresolved,
) -> Result<Value, Vec<MissingValue>> {
    let template = ParameterTemplate::parse(&parameters, context);
    resolve(&template, context, &LoadedBlobs::new(), on_unresolved).map(|resolved| resolved.value)
}
