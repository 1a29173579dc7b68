//! Executes orders: sends them to the owner of the data folder, or becomes the owner.

use crate::commands::ask_person::{ConverseOutcome, converse};
use crate::commands::follow::Follower;
use crate::context::{CliContext, Owner};
use crate::failure::{CommandFailure, Exit};
use crate::view::text::{comma, counted};
use praxis_adapters::control;
use praxis_core::ids::TaskId;
use praxis_core::state::TaskStatus;
use praxis_engine::order::{ClientOrder, OrderReceipt};
use praxis_engine::seams::AppendError;
use praxis_engine::stopped::DriverStopped;
use std::process::ExitCode;
use std::time::Duration;

/// Timeout for an owner that is starting or exiting.
const PATIENCE: Duration = Duration::from_mins(1);
/// Pause between two tries.
const AGAIN: Duration = Duration::from_millis(20);
/// Interval at which a waiting client checks if the owner is still alive.
const LOOK_FOR_OWNER: Duration = Duration::from_millis(200);

/// A completed order, and the ownership if this process took it.
pub(crate) struct OrderDone {
    pub(crate) receipt: OrderReceipt,
    /// The sequence number of the last event that need not be printed.
    pub(crate) told: u64,
    pub(crate) owner: Option<Owner>,
}

/// Executes an order, by the current owner or as the new owner.
pub(crate) async fn order(
    context: &CliContext,
    order: &ClientOrder,
) -> Result<OrderDone, CommandFailure> {
    let told = last_event(context, order);
    let carried_out = async {
        loop {
            if let Ok(answer) = control::send(&context.folder.control_socket(), order).await {
                return Ok(OrderDone { receipt: answer?, told, owner: None });
            }
            if let Some(owner) = own(context)? {
                // Before the recovery: a task to be cancelled must not be resumed first.
                let receipt = owner.engine.carry_out(order.clone()).await?;
                take_up(context, &owner).await?;
                return Ok(OrderDone { receipt, told, owner: Some(owner) });
            }
            tokio::time::sleep(AGAIN).await;
        }
    };
    patiently(carried_out).await
}

/// Returns the last event before the order, after which the follower starts; 0 for a new task.
fn last_event(context: &CliContext, order: &ClientOrder) -> u64 {
    let task = match order {
        ClientOrder::Run(_)
        | ClientOrder::Pursue(_)
        | ClientOrder::Fork(_)
        | ClientOrder::Resume { task: None } => None,
        ClientOrder::Renew(_) | ClientOrder::Erase { .. } => None,
        ClientOrder::Cancel { task, .. }
        | ClientOrder::Answer { task, .. }
        | ClientOrder::Retry { task, .. } => Some(task),
        ClientOrder::Resume { task } => task.as_ref(),
    };
    let entries = task.and_then(|task| context.reader().ok()?.entries(task, 0).ok());
    entries.and_then(|entries| Some(entries.last()?.seq)).unwrap_or(0)
}

/// Sends an order to another process that owns the folder; never becomes the owner.
pub(crate) async fn order_elsewhere(
    context: &CliContext,
    order: &ClientOrder,
) -> Result<OrderReceipt, CommandFailure> {
    let carried_out = async {
        loop {
            if let Ok(answer) = control::send(&context.folder.control_socket(), order).await {
                return Ok(answer?);
            }
            tokio::time::sleep(AGAIN).await;
        }
    };
    patiently(carried_out).await
}

async fn patiently<T>(
    work: impl Future<Output = Result<T, CommandFailure>>,
) -> Result<T, CommandFailure> {
    let late = |_| {
        let words = (
            "the owner process of the data folder does not respond",
            "占用数据文件夹的 praxis 进程没有响应",
        );
        CommandFailure::new(Exit::Unreachable, "owner_silent", words)
    };
    tokio::time::timeout(PATIENCE, work).await.map_err(late)?
}

/// Becomes the owner and recovers the tasks of the previous one; `None` if another process is the owner.
pub(crate) async fn try_own(context: &CliContext) -> Result<Option<Owner>, CommandFailure> {
    let Some(owner) = own(context)? else { return Ok(None) };
    take_up(context, &owner).await?;
    Ok(Some(owner))
}

fn own(context: &CliContext) -> Result<Option<Owner>, CommandFailure> {
    match context.own() {
        Ok(owner) => Ok(Some(owner)),
        Err(failure) if failure.is("data_folder_owned") => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Recovers the unfinished tasks of the previous owner.
async fn take_up(context: &CliContext, owner: &Owner) -> Result<(), CommandFailure> {
    let recovered = owner.engine.recover().await;
    let recovered = recovered.map_err(|error| {
        let words = (error.to_string(), format!("无法列出未完成的任务：{error}"));
        CommandFailure::new(Exit::Unreachable, "recovery_failed", words)
    })?;
    if !recovered.is_empty() {
        tell_recovered(context, &recovered);
    }
    Ok(())
}

/// Prints the recovered tasks.
pub(crate) fn tell_recovered(context: &CliContext, tasks: &[TaskId]) {
    let ids: Vec<&str> = tasks.iter().map(TaskId::as_str).collect();
    let (count, ids) = (ids.len(), ids.join(comma(context.lang)));
    let en = format!("recovered {}: {ids}", counted(count, "task"));
    note!("{}", context.say(en, format!("已恢复 {count} 个任务：{ids}")));
}

/// Follows a task to its end and asks the user its questions; without a user, follows it to its next question.
pub(crate) async fn see_through(
    context: &CliContext,
    done: OrderDone,
    task: &TaskId,
) -> Result<ExitCode, CommandFailure> {
    let mut owner = done.owner;
    let mut follower = Follower::new(context, done.told)?;
    loop {
        owner = to_rest(context, &mut follower, owner, task).await?;
        if !context.interactive || follower.state().status() != TaskStatus::Waiting {
            break;
        }
        let said = converse(context, follower.state(), task).await;
        match said {
            ConverseOutcome::Nothing => {
                tell_later(context);
                break;
            }
            ConverseOutcome::Interrupted => {
                follower.until_it_moves(task).await?;
                if follower.state().status() == TaskStatus::Waiting {
                    break;
                }
            }
            ConverseOutcome::Answer(answer) => match Box::pin(order(context, &answer)).await {
                Ok(done) => owner = done.owner.or(owner),
                Err(failure) if failure.exit == Exit::Unreachable => return Err(failure),
                // Reported; the loop asks again.
                Err(failure) => {
                    failure.report(context.json, context.lang);
                }
            },
        }
    }
    let code = follower.conclude(task)?;
    if let Some(owner) = owner {
        follower.tell_what_is_left();
        leave(owner).await?;
    }
    follower.tell_the_rest(task).await?;
    Ok(code)
}

/// Tells the user that the question can be answered later.
fn tell_later(context: &CliContext) {
    let en = "the task is waiting for an answer; to answer later, see `praxis inbox`";
    note!("{}", context.say(en, "任务正在等待回答；稍后回答请查看 `praxis inbox`"));
}

/// Follows a task until it ends or waits. Takes over if the owner dies.
pub(crate) async fn to_rest(
    context: &CliContext,
    follower: &mut Follower<'_>,
    mut owner: Option<Owner>,
    task: &TaskId,
) -> Result<Option<Owner>, CommandFailure> {
    loop {
        let ended = match &owner {
            Some(owner) => {
                let mut news = owner.engine.subscribe();
                follower.listen(owner.engine.listen());
                let news = async || {
                    // Lagged or closed: the journal has all events.
                    let _ = news.recv().await;
                };
                tokio::select! {
                    followed = follower.follow(task, news) => Some(followed?),
                    stopped = owner.engine.given_up(task) => {
                        return Err(stopped_failure(&stopped));
                    }
                }
            }
            None => tokio::select! {
                followed = follower.follow(task, std::future::pending) => Some(followed?),
                () = tokio::time::sleep(LOOK_FOR_OWNER) => None,
            },
        };
        if ended.is_some() {
            return Ok(owner);
        }
        owner = try_own(context).await?;
    }
}

/// Converts the reason of a stopped driver: a broken journal concerns all tasks, anything else only this one.
fn stopped_failure(stopped: &DriverStopped) -> CommandFailure {
    let words = (stopped.to_string(), format!("任务无法恢复执行：{stopped}"));
    match stopped {
        DriverStopped::Append(AppendError::Broken(_)) => {
            CommandFailure::new(Exit::Unreachable, "journal_stopped", words)
        }
        _ => CommandFailure::new(Exit::Unreachable, "task_stopped", words),
    }
}

/// Releases the folder when nothing runs any more: leaving earlier would put running calls in doubt.
pub(crate) async fn leave(mut owner: Owner) -> Result<(), CommandFailure> {
    let stopped = |error: DriverStopped| {
        let words = (error.to_string(), format!("无法写入事件日志：{error}"));
        CommandFailure::new(Exit::Unreachable, "journal_stopped", words)
    };
    owner.engine.idle().await.map_err(stopped)?;
    // No new order can arrive from here on; one that arrived a moment ago is still executed.
    owner.listening = None;
    owner.engine.idle().await.map_err(stopped)
}
