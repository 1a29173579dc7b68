use super::*;
use praxis_core::goal::strategy::StrategyDecision::{ContinuePlanning, NormalPlanning, Replanning};

fn decided(request: &str) -> StrategyDecision {
    detect(request).decision
}

//
#[test]
fn words_at_the_beginning_of_a_sentence_tell_that_the_task_goes_on() {
    for request in [
        "继续",
        "请继续执行",
        "继续做剩下的",
        "继续完成权限配置",
        "接着上次的做",
        "好的，请你接着做",
        "我想继续",
        "帮我继续完成教育培训项目",
        "意图: 继续执行, 用户输入: 权限",
        "Continue",
        "please continue with the setup",
        "Resume",
        "resume the task",
        "OK. Keep going!",
        "Thanks, carry on",
        "go on with it",
    ] {
        assert_eq!(decided(request), ContinuePlanning, "{request}");
    }
}

//
#[test]
fn the_rest_that_is_to_be_done_tells_it_too() {
    for request in [
        "完成剩余的权限配置",
        "把剩下的做完",
        "剩下的步骤请执行",
        "请完成余下的工作",
        "Finish the rest",
        "complete the remaining permissions",
        "please do the rest of the steps",
    ] {
        let found = detect(request);
        assert_eq!((found.decision, found.confidence), (ContinuePlanning, 75), "{request}");
    }
}

//
#[test]
fn a_word_inside_the_name_of_a_thing_tells_nothing() {
    for request in [
        "创建一个继续教育培训的项目",
        "继续教育学分查询",
        "请为医生安排继续医学教育课程",
        "继续医学教育报表",
        "把按钮文字改成“继续”",
        "新建名为continue的任务",
        "Resume parsing for applicants",
        "Write a resume",
        "add a continue button",
        "Continue button: make it blue",
        "Discontinue the service",
        "call the REST API of the shop",
        "do the rest api call",
        "计算剩余库存",
        "compute the remaining budget",
        "重新规划城市道路",
        "Replan the bus routes of the town",
        "意图: 负荷预测, 文件: a.csv",
        "",
    ] {
        assert_eq!(decided(request), NormalPlanning, "{request}");
    }
}

//
#[test]
fn the_same_goal_in_another_way_is_planned_anew() {
    for request in [
        "重新规划",
        "请重新规划一下任务",
        "这样不行，换个方案",
        "意图：重规划",
        "replan",
        "No. Replan the rest",
        "let's try another way",
        "please start over",
    ] {
        assert_eq!(decided(request), Replanning, "{request}");
    }
}

#[test]
fn a_decision_is_written_in_the_words_of_the_model_that_would_else_decide() {
    let written = serde_json::to_value(detect("请继续")).unwrap();
    let expected =
        serde_json::json!({"strategy": "continue_planning", "confidence": 90, "cue": "继续"});
    assert_eq!(written, expected);
    assert!(
        praxis_core::prompt::schema("strategy").unwrap().to_string().contains("normal_planning")
    );
}
