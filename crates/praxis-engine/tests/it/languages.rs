//! The goals once more, each in the language that it was not written for.

use crate::goal_rig::all;
use crate::goal_story::surprises;
use praxis_core::lang::Lang;

#[tokio::test(start_paused = true)]
async fn every_goal_goes_the_same_way_in_the_other_language() {
    let mut wrong = String::new();
    for pursuit in all() {
        let mut other = pursuit.clone();
        let lang = match pursuit.options().lang {
            Lang::En => "zh",
            Lang::Zh => "en",
        };
        if other.file["options"].is_null() {
            other.file["options"] = serde_json::json!({});
        }
        other.file["options"]["lang"] = lang.into();
        let (first, second) = (pursuit.run().await, other.run().await);
        let mut found = surprises(&second);
        // The same words are not as many tokens in the other language.
        let counted = ["tokens", "money"].iter().any(|key| !pursuit.file["budget"][*key].is_null());
        let same_story = counted || second.story() == first.story();
        if second.end()["status"] != first.end()["status"] || !same_story {
            found.push("it is another story".to_owned());
        }
        if !found.is_empty() {
            let (one, two) = (first.story().join("\n    "), second.story().join("\n    "));
            wrong.push_str(&format!(
                "{} in {lang}: {}\n    {one}\n  and\n    {two}\n",
                pursuit.name,
                found.join("; ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
