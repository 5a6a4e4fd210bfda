//! Every engine gives the results of triphase, and triphase those of brute force.

use triphase_peers::queries::engine::{Engine, Way};
use triphase_peers::queries::engines::{self, Entry};
use triphase_peers::queries::lists::List;
use triphase_peers::queries::race::{self, Race};
use triphase_peers::queries::subject::{Subject, SubjectName};
use triphase_peers::queries::towns::Towns;
use triphase_scenes::{SceneName, SplitMix64};

const RACE: Race = Race { queries: 150, batch: 100, rounds: 1, processor_time: false, seed: 5 };

/// Subjects in which f32 is exact enough for engines that compute in it.
const TAME: [SceneName; 8] = [
    SceneName::Crowd,
    SceneName::Dragons,
    SceneName::Castles,
    SceneName::Cities,
    SceneName::PowerLaw,
    SceneName::Touching,
    SceneName::BeamsStatic,
    SceneName::One,
];

fn agree(subject: &Subject, entries: &[Entry]) {
    if let Err(error) = race::run(RACE, subject, entries) {
        panic!("{} of {} boxes: {error}", subject.name, subject.boxes.len());
    }
}

#[test]
fn all_agree() {
    for scene in TAME {
        for bodies in [60, 1_200] {
            let subject = Subject::new(SubjectName::Scene(scene), bodies, 7, None).expect("a scene");
            agree(&subject, &engines::all());
        }
    }
    agree(&Subject::new(SubjectName::TenBodies, 0, 7, None).expect("ten bodies"), &engines::all());
}

#[test]
fn triphase_is_exact_everywhere() {
    for &scene in SceneName::ALL {
        let subject = Subject::new(SubjectName::Scene(scene), 1_200, 7, None).expect("a scene");
        agree(&subject, &engines::all()[..1]);
    }
}

#[test]
fn all_agree_on_towns() {
    let mut random = SplitMix64::new(3);
    let mut place = |k: usize| [1.0, 50.0].map(|spread| random.range(0.0, spread) + (k % 7) as f32 * 300.0);
    let mut places: Vec<[f32; 2]> = (0..900).map(&mut place).collect();
    // Some have the same position.
    places.extend_from_within(..90);
    let towns = Towns { places };
    for name in [SubjectName::Towns, SubjectName::TownBoxes] {
        agree(&Subject::new(name, 0, 7, Some(&towns)).expect("towns"), &engines::all());
        assert!(Subject::new(name, 0, 7, None).is_err());
    }
}

/// An engine that finds nothing.
struct Blind;

impl Engine for Blind {
    fn name(&self) -> &'static str {
        "blind"
    }

    fn way(&self, _list: &List) -> Way {
        Way::Own
    }

    fn boxes(&mut self, _area: &[f32; 4]) -> usize {
        0
    }
}

#[test]
fn what_an_engine_misses_is_told() {
    let blind = Entry { name: "blind", package: "none", fits: |_| true, make: |_| Box::new(Blind) };
    let subject = Subject::new(SubjectName::Scene(SceneName::Crowd), 100, 1, None).expect("a scene");
    let error = race::run(RACE, &subject, &[engines::all()[0], blind]).expect_err("it is blind");
    assert!(error.contains("blind differs from triphase in query 0"), "{error}");
}
