//! All weights and their numbers.

use super::plans::{
    BringWeights, ChainWeights, CoverWeights, GoalWeights, PlanWeights, StepWeights, SupplyWeights,
    SurenessWeights, VerbWeights,
};
use super::retrieve::{CaseWeights, FieldWeight, FieldWeights, IndexWeights, SearchWeights};
use super::values::{
    FitWeights, HintWeights, KindHint, KindHints, MeasureWeights, SenseWeights, ShapeWeights,
    TextWeights,
};

/// The weights for and against tools, values and plans, by purpose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// The worth of a word in a document (BM25 over weighted fields).
    pub index: IndexWeights,
    /// The match between tools and a goal.
    pub search: SearchWeights,
    /// The votes of past cases for a new request.
    pub cases: CaseWeights,
    /// The match between a value of the request and a parameter.
    pub fit: FitWeights,
    /// The match between the kind of a value and the shape of a parameter.
    pub shapes: ShapeWeights,
    /// The match between the kind of a value and a text parameter.
    pub texts: TextWeights,
    /// The match between the kind of a value and the purpose of a parameter.
    pub senses: SenseWeights,
    /// The match between the words and kinds of values and the names of parameters.
    pub hints: HintWeights,
    /// The match between a number with a unit, or a count, and a parameter.
    pub measures: MeasureWeights,
    /// The choice of tools for the pieces of a request.
    pub goals: GoalWeights,
    /// The match between the verb of a piece and a tool.
    pub verbs: VerbWeights,
    /// The match between the values of a piece and a tool.
    pub cover: CoverWeights,
    /// The choice of tools that produce missing inputs.
    pub chain: ChainWeights,
    /// The choice of a tool that reads a file for a step.
    pub bring: BringWeights,
    /// The match between an output of a tool and a parameter of another.
    pub supply: SupplyWeights,
    /// The choice of the sources for the parameters of a step.
    pub step: StepWeights,
    /// The minimum quality of a plan.
    pub plans: PlanWeights,
    /// The share of a goal that a plan explains.
    pub sureness: SurenessWeights,
}

/// The weights that Praxis plans with.
///
/// Before you change a number, measure its effect with `cargo xtask suites offline-plan`, `offline-goals` and
/// `selection`.
pub const WEIGHTS: Weights = Weights {
    index: IndexWeights {
        fields: FieldWeights {
            name: FieldWeight { weight: 2.0, usual: 3.0 },
            about: FieldWeight { weight: 1.0, usual: 12.0 },
            parameter: FieldWeight { weight: 0.3, usual: 30.0 },
            choice: FieldWeight { weight: 1.0, usual: 6.0 },
            output: FieldWeight { weight: 0.2, usual: 30.0 },
            tag: FieldWeight { weight: 0.4, usual: 2.0 },
        },
        saturation: 1.2,
        length: 0.75,
        smoothing: 0.5,
        most_repeats: 3.0,
    },
    search: SearchWeights {
        words: 0.3,
        least_similarity: 0.25,
        sentence: 0.5,
        other_name: 0.5,
        number: 0.5,
    },
    cases: CaseWeights { pair: 0.5, saturation: 1.2, chance: 0.1, links: 0.5 },
    fit: FitWeights {
        key: 3.1,
        named_before: 3.0,
        named_behind: 2.46,
        named_within: 2.0,
        about: 0.11,
        beyond: 0.4,
        fading: 2.0,
        unit: 1.5,
        told: 1.0,
        most_told: 5.0,
        last_word: 2.0,
    },
    shapes: ShapeWeights {
        choice: 4.0,
        number: 1.0,
        other_number: 0.4,
        boolean: 1.5,
        list: 1.5,
        one_of_list: 0.1,
        object: 1.5,
        number_or_text: 1.0,
    },
    texts: TextWeights {
        quoted: 1.43,
        named: 1.0,
        number: 0.5,
        bare_word: 0.42,
        structured: 0.2,
        label: 0.4,
    },
    senses: SenseWeights {
        keyed: 0.9,
        column: 0.6,
        file: 0.5,
        stray_path: -0.7,
        quoted_file: -1.2,
        name_as_text: -0.2,
        unit: 1.5,
        other_unit: 0.2,
    },
    hints: HintWeights {
        role: 1.2,
        kinds: KindHints {
            quote: KindHint { called_so: 0.4, against: 0.0 },
            email: KindHint { called_so: 1.5, against: 0.7 },
            url: KindHint { called_so: 1.5, against: 0.7 },
            path: KindHint { called_so: 1.5, against: 0.0 },
            date: KindHint { called_so: 1.5, against: 0.7 },
            date_time: KindHint { called_so: 1.5, against: 0.7 },
            time: KindHint { called_so: 1.5, against: 0.7 },
            phone: KindHint { called_so: 1.5, against: 0.7 },
            id: KindHint { called_so: 0.8, against: 0.0 },
            name: KindHint { called_so: 0.5, against: 0.0 },
            money: KindHint { called_so: 0.8, against: 0.0 },
            percent: KindHint { called_so: 0.8, against: 0.0 },
            span: KindHint { called_so: 0.8, against: 0.0 },
        },
    },
    measures: MeasureWeights { same_unit: 2.0, other_unit: 1.4, counted: 2.2 },
    goals: GoalWeights {
        prior: 0.3,
        turn: 0.42,
        new: 0.2,
        cover: 0.45,
        named: 1.0,
        of_name: 3.0,
        of_description: 1.0,
        of_parameter: 0.5,
        of_others: 0.1,
    },
    verbs: VerbWeights { same_act: 0.3, same_verb: 0.3, named_with_it: 0.2 },
    cover: CoverWeights { fits: 0.8, content: 0.5, ending: 0.6, chosen: 0.5, missed: 0.2 },
    chain: ChainWeights { near: 0.5, least: 1.0, firm: 0.4, firm_if_led: 0.3 },
    bring: BringWeights {
        least: 0.6,
        opens: 1.0,
        named: 2.0,
        ending: 0.8,
        same: 0.9,
        step: 0.7,
        supply: 0.1,
        alike: 0.5,
        rows: 0.8,
        shape: 0.1,
    },
    supply: SupplyWeights {
        names: 2.5,
        words: 2.2,
        same: 0.83,
        head: 0.375,
        shape: 0.3,
        chosen: 1.65,
        another: 1.4,
    },
    step: StepWeights {
        least_said: 0.21,
        least_said_freely: 1.9,
        least_supplied: 1.3,
        least_supplied_freely: 2.2,
        away: 1.65,
        used: 1.62,
        other_use: 0.5,
        out_of_order: 0.07,
        inside: 0.25,
        mention: 1.3,
        is_mention: 0.6,
        pointed: 0.24,
        ago: 0.275,
        superseded: 1.17,
        alike: 0.3,
        given: 4.0,
        certain: 1.0,
        told_choice: 2.0,
    },
    plans: PlanWeights { least_word: 1.6, least_said: 1.9, least_agreed: 0.6 },
    sureness: SurenessWeights { word: 1.0, character: 0.5, used_value: 0.7, unused_value: 1.0 },
};
