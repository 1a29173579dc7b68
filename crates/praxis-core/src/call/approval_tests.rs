use super::*;

const RISKS: [Risk; 3] = [Risk::Read, Risk::Write, Risk::Irreversible];
const SAID: [Option<CallPolicy>; 4] =
    [None, Some(CallPolicy::Allow), Some(CallPolicy::Ask), Some(CallPolicy::Deny)];
const LEAVE: [PolicySource; 3] = [PolicySource::Scene, PolicySource::Tool, PolicySource::Node];

fn only(risk: Risk, said: Option<CallPolicy>) -> ByRisk {
    match risk {
        Risk::Read => ByRisk { read: said, ..ByRisk::default() },
        Risk::Write => ByRisk { write: said, ..ByRisk::default() },
        Risk::Irreversible => ByRisk { irreversible: said, ..ByRisk::default() },
    }
}

/// What settings, scene, tool, node and task say, and who has leave to loosen.
struct Case {
    risk: Risk,
    said: [Option<CallPolicy>; 5],
    loosen: BTreeSet<PolicySource>,
}

impl Case {
    fn ruling(&self) -> ApprovalRuling {
        let [settings, scene, tool, node, task] = self.said;
        let policy = Policy {
            settings: only(self.risk, settings),
            loosen: self.loosen.clone(),
            scene: only(self.risk, scene),
            task: only(self.risk, task),
        };
        policy.ruling(self.risk, tool, node)
    }
}

/// Every combination of every word of everybody, with every leave, for every risk.
fn all() -> impl Iterator<Item = Case> {
    let words = (0..4_usize.pow(5)).map(|n| [0, 1, 2, 3, 4].map(|i| SAID[n / 4_usize.pow(i) % 4]));
    words.flat_map(|said| {
        (0..8_u8).flat_map(move |leave| {
            let has = |(i, voice): (usize, &PolicySource)| (leave >> i & 1 == 1).then_some(*voice);
            let loosen: BTreeSet<PolicySource> = LEAVE.iter().enumerate().filter_map(has).collect();
            RISKS.map(|risk| Case { risk, said, loosen: loosen.clone() })
        })
    })
}

#[test]
fn without_leave_the_narrowest_word_holds_and_whoever_starts_the_task_can_answer_an_ask() {
    for case in all().filter(|case| case.loosen.is_empty()) {
        let widest = case.said.iter().take(4).flatten().max().copied().unwrap_or_default();
        let expected = match (widest, case.said[4]) {
            (CallPolicy::Deny, _) | (_, Some(CallPolicy::Deny)) => CallPolicy::Deny,
            (_, Some(CallPolicy::Ask)) | (CallPolicy::Ask, None) => CallPolicy::Ask,
            (_, Some(CallPolicy::Allow)) | (CallPolicy::Allow, None) => CallPolicy::Allow,
        };
        assert_eq!(case.ruling().permit, expected, "{:?}", case.said);
    }
}

#[test]
fn nobody_lifts_a_deny() {
    for case in all().filter(|case| case.said.contains(&Some(CallPolicy::Deny))) {
        assert_eq!(case.ruling().permit, CallPolicy::Deny, "{:?}", case.said);
    }
}

#[test]
fn a_narrower_word_of_anybody_never_widens_what_holds() {
    for case in all() {
        let before = case.ruling().permit;
        for voice in 0..case.said.len() {
            for word in SAID.into_iter().filter(|word| *word > case.said[voice]) {
                let speaks_first = case.said[voice].is_none();
                let has_leave = voice == 4
                    || (1..4).contains(&voice) && case.loosen.contains(&LEAVE[voice - 1]);
                if speaks_first && word == Some(CallPolicy::Allow) && has_leave {
                    // The one case in which a word may widen: leave was given, and `allow` is said.
                    continue;
                }
                let mut said = case.said;
                said[voice] = word;
                let after = Case { risk: case.risk, said, loosen: case.loosen.clone() }.ruling();
                assert!(after.permit >= before, "{:?} became {said:?}", case.said);
            }
        }
    }
}

#[test]
fn what_holds_is_never_wider_than_what_was_said_by_those_without_leave_to_loosen() {
    for case in all() {
        let ruling = case.ruling();
        let settings = case.said[0].unwrap_or_default();
        if ruling.permit < settings {
            assert_eq!((settings, ruling.permit), (CallPolicy::Ask, CallPolicy::Allow));
            let has_leave = ruling.by == PolicySource::Task || case.loosen.contains(&ruling.by);
            assert!(has_leave, "{:?} by {:?}", case.said, ruling.by);
        }
    }
}

#[test]
fn a_word_about_one_risk_says_nothing_about_another() {
    for case in all() {
        let policy =
            Policy { settings: only(case.risk, Some(CallPolicy::Deny)), ..Policy::default() };
        for other in RISKS.into_iter().filter(|other| *other != case.risk) {
            assert_eq!(policy.ruling(other, None, None).permit, CallPolicy::Allow);
        }
    }
}

#[test]
fn what_is_typed_is_a_word_for_changes_or_a_word_for_each_risk() {
    assert_eq!(ByRisk::parse("ask"), Some(ByRisk::changes(CallPolicy::Ask)));
    let all = |word: &str| RISKS.map(|risk| ByRisk::parse(word).unwrap().of(risk));
    assert_eq!(all("deny"), [None, Some(CallPolicy::Deny), Some(CallPolicy::Deny)]);
    assert_eq!(all("allow"), [Some(CallPolicy::Allow); 3]);
    let said = ByRisk::parse("read=allow, irreversible=deny").unwrap();
    assert_eq!(
        RISKS.map(|risk| said.of(risk)),
        [Some(CallPolicy::Allow), None, Some(CallPolicy::Deny)]
    );
    for wrong in
        ["", "maybe", "write", "write=", "write=maybe", "wirte=ask", "write=ask,write=deny"]
    {
        assert_eq!(ByRisk::parse(wrong), None, "{wrong}");
    }
}
