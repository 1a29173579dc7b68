use super::*;
use crate::model::card::JsonMode;
use praxis_core::ask::fault::Parameter;

fn known(model: &str) -> EndpointKnowledge {
    EndpointKnowledge {
        base_url: "http://h/v1".to_owned(),
        model: model.to_owned(),
        ..EndpointKnowledge::default()
    }
}

#[test]
fn what_was_learnt_is_there_after_a_restart_for_this_model_alone() {
    let folder = tempfile::tempdir().unwrap();
    let memory = CardMemory::open(folder.path(), known("Qwen/Qwen3-8B"));
    memory.change(|known| {
        known.card.refused.insert(Parameter::StreamOptions);
        known.card.rung = JsonMode::Grammar;
    });
    let again = CardMemory::open(folder.path(), known("Qwen/Qwen3-8B"));
    assert_eq!(again.known(), memory.known());
    assert_eq!(again.card().rung, JsonMode::Grammar);
    assert_eq!(
        CardMemory::open(folder.path(), known("Qwen-Qwen3-8B")).card(),
        CapabilityCard::default()
    );
    assert_eq!(kept(folder.path()).len(), 1);
}

#[test]
fn a_damaged_file_is_forgotten_and_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(file_name(&known("m")));
    for damage in
        ["", "{\"model\": ", "[]", "{\"model\": \"other\", \"base_url\": \"http://h/v1\"}"]
    {
        fs::write(&file, damage).unwrap();
        let memory = CardMemory::open(folder.path(), known("m"));
        assert_eq!(memory.known(), known("m"), "{damage}");
        memory.change(|known| known.counts.requests += 1);
        assert_eq!(CardMemory::open(folder.path(), known("m")).known().counts.requests, 1);
    }
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().path()).collect();
    assert_eq!(left, [file], "nothing is left beside it");
}

#[test]
fn a_file_of_an_older_version_is_read_as_far_as_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"{"base_url": "http://h/v1", "model": "m", "card": {"rung": "words"}}"#;
    fs::write(folder.path().join(file_name(&known("m"))), text).unwrap();
    let memory = CardMemory::open(folder.path(), known("m"));
    assert_eq!(
        memory.card(),
        CapabilityCard { rung: JsonMode::Words, ..CapabilityCard::default() }
    );
}
