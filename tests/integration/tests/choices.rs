//! Columns that schema.json has held as something else than their own type.

use std::time::Duration;

use integration::{World, on_both_servers, wait_for};
use lab::Flavor;
use test_mirror::{Choices, ChoicesType};
use user_types::{ChoiceId, Code};

on_both_servers!(
    choices_of_schema_json_hold_on_both_paths,
    a_value_that_a_choice_cannot_hold_stops_the_mirror,
);

fn code(text: &str) -> Code {
    Code::try_from(Box::from(text)).unwrap()
}

fn row(id: u32, maybe: Option<bool>, raw: &[u8], null: Option<&str>) -> Choices {
    Choices {
        id: ChoiceId(id),
        flag: id == 1,
        maybe,
        raw: raw.into(),
        code: code("AB"),
        code_null: null.map(code),
        r#type: ChoicesType::NewYork,
    }
}

fn choices_of_schema_json_hold_on_both_paths(flavor: Flavor) {
    let world = World::start(flavor);
    world.run("INSERT INTO choices VALUES (1, 1, 0, x'93FA', 'AB', NULL, 'New York')");
    let followed = world.mirror();
    let first = row(1, Some(false), b"\x93\xfa", None);
    assert_eq!(
        followed.snapshot().choices().get(&ChoiceId(1)),
        Some(&first)
    );

    world.run("INSERT INTO choices VALUES (2, 0, NULL, '', 'CD', 'X', 'New York')");
    world.run("UPDATE choices SET code = 'EF' WHERE id = 1");
    world.run("UPDATE choices SET code = 'AB' WHERE id = 2");
    world.catch_up(&followed);
    let second = row(2, None, b"", Some("X"));
    let changed = Choices {
        code: code("EF"),
        ..first
    };
    for mirror in [followed, world.mirror()] {
        let snapshot = mirror.snapshot();
        let choices = snapshot.choices();
        assert_eq!(choices.get(&ChoiceId(1)), Some(&changed));
        assert_eq!(choices.get(&ChoiceId(2)), Some(&second));
        assert_eq!(choices.by_code(&code("EF")), Some(&changed));
        let by_raw: Vec<_> = choices.by_raw(b"\x93\xfa", Some(false)).collect();
        assert_eq!(by_raw, [&changed]);
        let text = serde_json::to_string(&second).unwrap();
        assert_eq!(serde_json::from_str::<Choices>(&text).unwrap(), second);
    }
}

fn a_value_that_a_choice_cannot_hold_stops_the_mirror(flavor: Flavor) {
    for (column, value) in [("flag", "2"), ("code", "'lower'")] {
        let world = World::start(flavor);
        world.run("INSERT INTO choices VALUES (1, 1, 0, '', 'AB', NULL, 'plain')");
        let mirror = world.mirror();
        world.run(&format!(
            "UPDATE choices SET {column} = {value} WHERE id = 1"
        ));
        assert!(wait_for(Duration::from_secs(30), || mirror
            .error()
            .is_some()));
        let error = mirror.error().map(|error| error.to_string()).unwrap();
        assert!(error.contains("mirror_test.choices"), "{error}");
        assert!(error.contains(column), "{error}");
        assert!(!error.contains("lower"), "{error}");
        let held = mirror.snapshot();
        assert_eq!(held.choices().get(&ChoiceId(1)).unwrap().code, code("AB"));
    }
}
