//! Advice on the next action for the problem codes of models and their configuration.

/// Advice for models, as `(code, English, Chinese)`.
pub(super) const MODELS: &[(&str, &str, &str)] = &[
    (
        "bad_model",
        "correct it; docs/guide/models.md lists the keys of models.toml",
        "请修正；models.toml 的键见 docs/guide/models.md",
    ),
    (
        "duplicate_model",
        "choose another name, or edit the existing entry in models.toml",
        "请换一个名称，或修改 models.toml 中已有的条目",
    ),
    (
        "model_arguments_unreadable",
        "try again, or use another model for tool calls",
        "请重试，或换一个模型用于工具调用",
    ),
    (
        "model_broke",
        "try again later; check the status of the provider",
        "请稍后重试；可查看服务方的状态",
    ),
    (
        "model_context_exceeded",
        "use a model with a larger context window, and set its `context`",
        "请使用上下文窗口更大的模型，并设置其 `context`",
    ),
    (
        "model_cut",
        "try again; raise `timeouts.silence` if the model is slow",
        "请重试；若模型较慢，请增大 `timeouts.silence`",
    ),
    ("model_declined", "reword the request", "请改写请求"),
    (
        "model_denied",
        "check the key in `secret:NAME` and its permissions",
        "请检查 `secret:NAME` 中的密钥及其权限",
    ),
    ("model_empty", "try again, or use another model", "请重试，或换一个模型"),
    ("model_error_in_answer", "try again later", "请稍后重试"),
    (
        "model_loading",
        "wait until it has loaded, or raise `timeouts.first`",
        "请等待加载完成，或增大 `timeouts.first`",
    ),
    (
        "model_not_an_endpoint",
        "check `base_url`: leave out /chat/completions",
        "请检查 `base_url`：不要写 /chat/completions",
    ),
    (
        "model_not_found",
        "check `model` and `base_url` with `praxis model list`",
        "请用 `praxis model list` 检查 `model` 和 `base_url`",
    ),
    (
        "model_overloaded",
        "try again later, or add an endpoint",
        "请稍后重试，或在 models.toml 的 `endpoints` 中再加一个接口",
    ),
    (
        "model_parameter_refused",
        "run `praxis model probe` to see which parameters it supports",
        "请运行 `praxis model probe` 查看其支持的参数",
    ),
    (
        "model_quota_spent",
        "top up your account with the provider, or use another model",
        "请向服务方充值，或换一个模型",
    ),
    (
        "model_rate_limited",
        "set `limits` to the rate limits of your account, or add an endpoint",
        "请将 `limits` 设为账户的限流值，或在 models.toml 的 `endpoints` 中再加一个接口",
    ),
    (
        "model_reasoning_refused",
        "try again: Praxis no longer sends the reasoning; if it fails again, use another model",
        "请重试：Praxis 不再发送推理过程；若仍失败，请换一个模型",
    ),
    (
        "model_reasoning_wanted",
        "try again: Praxis now sends the reasoning back; if it fails again, use another model",
        "请重试：Praxis 现在会回传推理过程；若仍失败，请换一个模型",
    ),
    (
        "model_refused",
        "see the endpoint's message; check `extra` and the limits of this model in models.toml",
        "请看接口返回的消息；检查 models.toml 中该模型的 `extra` 和各项上限",
    ),
    (
        "model_silent",
        "try again; raise `timeouts.first` or `timeouts.total`",
        "请重试；可增大 `timeouts.first` 或 `timeouts.total`",
    ),
    (
        "model_unreachable",
        "check `base_url`, the network, and whether the server is running",
        "请检查 `base_url`、网络以及服务是否在运行",
    ),
    ("model_unreadable", "try again, or use another model", "请重试，或换一个模型"),
    ("models_file", "fix the file, or move it elsewhere", "请修正或移走该文件"),
    (
        "plain_key",
        "write `secret:NAME` and set PRAXIS_SECRET_NAME to the key",
        "写 `secret:NAME`，并将 PRAXIS_SECRET_NAME 设为该密钥",
    ),
    ("unknown_model", "`praxis model list` lists the models", "`praxis model list` 列出模型"),
    (
        "unknown_model_key",
        "correct the name; docs/guide/models.md lists the keys",
        "请修正名称；键见 docs/guide/models.md",
    ),
    (
        "unknown_preset",
        "`praxis model add --help` lists the presets",
        "`praxis model add --help` 列出预设",
    ),
];
