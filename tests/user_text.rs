//! Users' WGSL: what is wrong with it is an error that points into it.

use lookback::{Error, Operator};

#[test]
fn a_broken_operator_is_reported_at_its_place_in_the_users_text() {
    let place = |text: &str| match Operator::<u32>::from_wgsl(0, text) {
        Err(Error::InvalidWgsl { line, column, message, .. }) => (line, column, message),
        other => panic!("{text}: {other:?}"),
    };
    let (line, column, message) = place("a + missing");
    assert_eq!((line, column), (1, 5), "{message}");
    assert!(message.contains("missing"), "{message}");
    let (line, column, _) = place("a +\n  undefined_name(b)");
    assert_eq!((line, column), (2, 3));
    let (line, _, _) =
        place("fn combine(a: u32, b: u32) -> u32 {\n    let x = 1;\n    return zzz;\n}");
    assert_eq!(line, 3);
    for (text, says) in [
        ("", "empty"),
        ("a +", "ends where more"),
        ("(a + b", "ends where more"),
        ("f32(a)", "type"),
        ("a; }\nvar<private> p: u32; fn g() -> u32 { return p", "expected global item"),
        (
            "fn combine(a: u32, b: u32) -> u32 { return p; }\nvar<private> p: u32;",
            "module-scope variable",
        ),
        ("fn combine(a: u32, b: u32) -> u32 { workgroupBarrier(); return a; }", "barrier"),
        ("fn combine(a: u32, b: u32) -> u32 { return subgroupAdd(a); }", "subgroup"),
        ("fn combine(a: f32, b: f32) -> f32 { return a; }", "other types"),
        ("fn combine(a: u32) -> u32 { return a; }", "other types"),
        ("fn combined(a: u32, b: u32) -> u32 { return a; }", "wanted `fn combine("),
        (
            "fn combine(a: u32, b: u32) -> u32 { return enter(a); }\nfn enter(x: u32) -> u32 { return x; }",
            "`enter` is the library's",
        ),
        ("fn combine(a: u32, b: u32) -> u32 { return a; }\noverride k: u32 = 1u;", "override"),
        (
            "fn combine(a: u32, b: u32) -> u32 { return min(a, b); }\nfn min(a: u32, b: u32) -> u32 { return 0u; }",
            "`min` is the library's",
        ),
        (
            "fn combine(a: u32, b: u32) -> u32 { return a; }\nfn workgroupBarrier() {}",
            "`workgroupBarrier` is the library's",
        ),
        ("fn combine(a: u32, b: u32) -> u32 { loop { } return a; }", "a loop without an end"),
        ("fn combine(a: u32, b: u32) -> u32 { discard; return a; }", ""),
        ("enable f16;\nfn combine(a: u32, b: u32) -> u32 { return a; }", ""),
        ("src_words[a] + b", "src_words"),
        ("a + params.n_items", "params"),
    ] {
        let (_, _, message) = place(text);
        assert!(message.contains(says), "{text}: {message}");
    }
    for comment in ["// like fn combine", "/* fn /* fn */ fn */", "/* fn\n // */"] {
        Operator::<u32>::from_wgsl(0, &format!("a + b {comment}")).unwrap();
    }
    // Names that the library's text needs for itself.
    for name in ["function", "storage", "read", "read_write", "uniform", "workgroup", "enter"] {
        let text = format!(
            "fn combine(a: u32, b: u32) -> u32 {{ return {name}(a); }}
            fn {name}(x: u32) -> u32 {{ return x; }}"
        );
        assert!(place(&text).2.contains("library's"), "{text}");
    }
    Operator::<u32>::from_wgsl(0, "fn  combine(a: u32, b: u32) -> u32 { return a + b; }").unwrap();
    place(&"a + ".repeat(20_000));
    let helper =
        "fn combine(a: u32, b: u32) -> u32 { return h(a); }\nfn h(x: u32) -> u32 { return x; }";
    let lift = "fn lift(x: u32) -> u32 { return h(x); }\nfn h(x: u32) -> u32 { return x; }";
    let error = Operator::<u32>::from_wgsl(0, helper).unwrap().with_lift(lift, |x: u32| x);
    assert!(matches!(error, Err(Error::InvalidWgsl { role: "lift", .. })), "{error:?}");
    let error = Operator::<u32>::sum().with_lift("y", |x: f32| x as u32).unwrap_err();
    assert!(matches!(error, Error::InvalidWgsl { role: "lift", line: 1, column: 1, .. }));
    let error = Operator::<u32>::sum().with_lower("f32(x", |x: u32| x as f32).unwrap_err();
    assert!(matches!(error, Error::InvalidWgsl { role: "lower", .. }));
}

/// A struct of one word with a name of the test's choice.
macro_rules! named {
    ($rust:ident, $wgsl:literal, $bytes:literal) => {
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
        struct $rust(u32);
        impl lookback::Element for $rust {
            const LAYOUT: lookback::Layout = lookback::Layout::structure(
                $wgsl,
                concat!("struct ", $wgsl, " { v: u32 }"),
                &[("v", 0)],
                $bytes,
            );
        }
    };
}

#[test]
fn names_of_structs_are_the_users_or_a_typed_error() {
    named!(A, "a", 4);
    named!(Words, "words", 4);
    named!(Value, "value", 4);
    named!(Function, "function", 4);
    named!(Guard, "lookback_guard", 4);
    named!(Wide, "Wide", 12);
    // A name of the library's expressions, in a function with names of its own.
    let text = "fn combine(p: a, q: a) -> a { return a(p.v + q.v); }";
    Operator::from_wgsl(A(0), text).unwrap();
    let refused = |result: Result<(), Error>| {
        assert!(matches!(result, Err(Error::Layout { .. })), "{result:?}");
    };
    refused(Operator::from_wgsl(Words(0), "b").map(drop));
    refused(Operator::from_wgsl(Value(0), "b").map(drop));
    refused(Operator::from_wgsl(Function(0), "b").map(drop));
    refused(Operator::from_wgsl(Guard(0), "b").map(drop));
    // Larger in the layout than in Rust.
    refused(Operator::from_wgsl(Wide(0), "b").map(drop));
    refused(Operator::<u32>::sum().with_lift("0u", |_: Wide| 0).map(drop));
}

#[test]
fn l6_a_struct_that_differs_from_its_wgsl_names_the_field() {
    /// Fields a (two words), b and c.
    #[repr(transparent)]
    #[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
    struct Pair<const CASE: usize>([u32; 4]);
    const WGSL: [&str; 8] = [
        "struct Pair { a: vec2<u32>, b: u32, c: u32 }",
        "struct Pair { a: u32, b: vec2<u32>, c: u32 }",
        "struct Pair { a: vec2<u32>, c: u32, b: u32 }",
        "struct Pair { a: vec2<u32>, b: u32, c: u32, d: u32 }",
        "struct Pair { a: vec2<u32>, b: u32 }",
        "struct Pair { a: vec2<u32>, b: u32, c: array<u32, 1> }",
        "struct Other { a: vec2<u32>, b: u32, c: u32 }",
        "struct Pair { a: vec2<u32> b: u32 }",
    ];
    impl<const CASE: usize> lookback::Element for Pair<CASE> {
        const LAYOUT: lookback::Layout = lookback::Layout::structure(
            "Pair",
            WGSL[CASE],
            &[("a", 0), ("b", 8), ("c", 12)],
            size_of::<Pair<0>>(),
        );
    }
    fn field<const CASE: usize>() -> Result<(), String> {
        let zero = Pair::<CASE>([0; 4]);
        match Operator::from_wgsl(zero, "b") {
            Ok(_) => Ok(()),
            Err(Error::Layout { element: "Pair", field, .. }) => Err(field),
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(field::<0>(), Ok(()));
    assert_eq!(field::<1>(), Err("c".to_owned()));
    assert_eq!(field::<2>(), Err("c".to_owned()));
    assert_eq!(field::<3>(), Err("d".to_owned()));
    assert_eq!(field::<4>(), Err("c".to_owned()));
    assert_eq!(field::<5>(), Err("c".to_owned()));
    assert_eq!(field::<6>(), Err(String::new()));
    assert_eq!(field::<7>(), Err(String::new()));
}
