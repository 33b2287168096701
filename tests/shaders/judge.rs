//! The judges of a module's text: naga's parser and validator, our uniformity lint, naga's three
//! translators, and Tint where it is found.

use std::collections::BTreeSet;

use naga::Module;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use crate::lint;

/// Parses, validates, lints, resolves the overrides and translates. Returns the resolved module.
pub fn judge(
    text: &str,
    overrides: &[(&str, f64)],
    entry_point: &str,
) -> Result<(Module, ModuleInfo), String> {
    let capabilities = Capabilities::SUBGROUP | Capabilities::IMMEDIATES;
    let (module, info) = resolve(text, overrides, entry_point, capabilities)?;
    translate(&module, &info, entry_point)?;
    Ok((module, info))
}

/// The same for what only Vulkan has.
pub fn judge_for_vulkan(
    text: &str,
    overrides: &[(&str, f64)],
    entry_point: &str,
) -> Result<(Module, ModuleInfo), String> {
    let capabilities = Capabilities::SUBGROUP
        | Capabilities::IMMEDIATES
        | Capabilities::SHADER_INT64
        | Capabilities::SHADER_INT64_ATOMIC_ALL_OPS
        | Capabilities::MEMORY_DECORATION_COHERENT;
    let (module, info) = resolve(text, overrides, entry_point, capabilities)?;
    to_spirv(&module, &info, entry_point)?;
    Ok((module, info))
}

fn resolve(
    text: &str,
    overrides: &[(&str, f64)],
    entry_point: &str,
    capabilities: Capabilities,
) -> Result<(Module, ModuleInfo), String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|e| e.emit_to_string(text))?;
    let info = validate(&module, text, capabilities)?;

    let violations = lint::uniformity(&module, text);
    if let Some(violation) = violations.first() {
        return Err(format!("{violation}"));
    }

    let declared: BTreeSet<_> =
        module.overrides.iter().filter_map(|(_, o)| o.name.clone()).collect();
    let given: BTreeSet<_> = overrides.iter().map(|(name, _)| (*name).to_owned()).collect();
    if declared != given {
        return Err(format!("the module declares overrides {declared:?}, the host sets {given:?}"));
    }
    let constants = overrides.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let entry = Some((naga::ShaderStage::Compute, entry_point));
    let (module, info) =
        naga::back::pipeline_constants::process_overrides(&module, &info, entry, &constants)
            .map_err(|e| e.to_string())?;
    Ok((module.into_owned(), info.into_owned()))
}

fn validate(module: &Module, text: &str, capabilities: Capabilities) -> Result<ModuleInfo, String> {
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    validator
        .subgroup_stages(naga::valid::ShaderStages::COMPUTE)
        .subgroup_operations(naga::valid::SubgroupOperationSet::all())
        .validate(module)
        .map_err(|e| e.emit_to_string(text))
}

fn to_spirv(module: &Module, info: &ModuleInfo, entry_point: &str) -> Result<(), String> {
    let options = naga::back::spv::Options { lang_version: (1, 3), ..Default::default() };
    let pipeline = naga::back::spv::PipelineOptions {
        shader_stage: naga::ShaderStage::Compute,
        entry_point: entry_point.to_owned(),
    };
    let written = naga::back::spv::write_vec(module, info, &options, Some(&pipeline));
    written.map(drop).map_err(|e| format!("SPIR-V: {e}"))
}

fn translate(module: &Module, info: &ModuleInfo, entry_point: &str) -> Result<(), String> {
    to_spirv(module, info, entry_point)?;
    let entry = entry_point.to_owned();
    let stage = naga::ShaderStage::Compute;

    let options = naga::back::msl::Options {
        lang_version: (2, 4),
        fake_missing_bindings: true,
        ..Default::default()
    };
    let pipeline = naga::back::msl::PipelineOptions {
        entry_point: Some((stage, entry.clone())),
        ..Default::default()
    };
    naga::back::msl::write_string(module, info, &options, &pipeline)
        .map_err(|e| format!("MSL: {e}"))?;

    let options = naga::back::hlsl::Options {
        shader_model: naga::back::hlsl::ShaderModel::V6_0,
        fake_missing_bindings: true,
        // The only binding that it does not fake.
        immediates_target: Some(naga::back::hlsl::BindTarget::default()),
        ..Default::default()
    };
    let pipeline = naga::back::hlsl::PipelineOptions { entry_point: Some((stage, entry)) };
    let mut text = String::new();
    naga::back::hlsl::Writer::new(&mut text, &options, &pipeline)
        .write(module, info, None)
        .map_err(|e| format!("HLSL: {e}"))?;
    Ok(())
}

/// Fails if Tint, where its binary is found, finds an error in a text in the WebGPU dialect.
pub fn tint(name: &str, texts: impl Iterator<Item = (String, String)>) {
    let found = std::process::Command::new("tint").arg("--help").output().is_ok();
    if !found {
        println!("skipped: there is no `tint` on the PATH");
        return;
    }
    let folder = std::env::temp_dir().join(format!("lookback-tint-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (index, (what, text)) in texts.enumerate() {
        let file = folder.join(format!("{index}.wgsl"));
        std::fs::write(&file, &text).unwrap();
        let output =
            std::process::Command::new("tint").args(["--format", "none"]).arg(&file).output();
        let output = output.unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned()
            + &String::from_utf8_lossy(&output.stdout);
        assert!(!message.contains("error"), "{what}\n{message}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
