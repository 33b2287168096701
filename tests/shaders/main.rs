//! Every text that the library can make, without a GPU: linked, validated, translated to SPIR-V,
//! MSL and HLSL, looked through by the uniformity lint, and by Tint where it is found.

mod judge;
mod kernels;
mod layers;
#[path = "../common/lint.rs"]
mod lint;
#[path = "../common/operators.rs"]
mod operators;
mod segments;

use lookback::{Kernel, Operator};

/// A file below `shaders/` that no text includes does not exist for any test.
#[test]
fn every_shader_file_is_part_of_some_text() {
    let mut texts = String::new();
    for (commutes, variant) in kernels::variants().iter().flat_map(|v| [(true, v), (false, v)]) {
        let kernel = Kernel { workgroup_size: 64, group: 4, rows: 4, ..*variant };
        let sum = Operator::<u32>::sum();
        let last = Operator::from_wgsl(0u32, "b").unwrap();
        texts += &if commutes { sum.wgsl(&kernel) } else { last.wgsl(&kernel) }.unwrap();
    }
    for (_, text, _) in kernels::compactions() {
        texts += &text;
    }
    for (_, _, text, _) in segments::texts() {
        texts += &text;
    }
    for (_, text, _) in layers::texts(&Operator::<u32>::sum()) {
        texts += &text;
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    let mut folders = vec![root.clone()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "wgsl") {
                let name = path.strip_prefix(&root).unwrap().with_extension("");
                let name = name.to_str().unwrap().replace('\\', "/");
                assert!(texts.contains(&format!("// {name}\n")), "{name} is in no text");
                files += 1;
            }
        }
    }
    assert!(files >= 40, "{files} files found");
}
