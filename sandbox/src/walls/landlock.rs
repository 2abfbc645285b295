//! Landlock: no file, no TCP port, no signal to and no abstract socket of a process outside.
//!
//! Must never allow what it can deny. It leaves `stat` and UDP open; the system-call filter closes those.

use super::status::ENFORCED;
use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetError, RulesetStatus, Scope,
};

/// The newest interface whose rights we ask for; an older kernel enforces those that it knows.
const ABI_WANTED: ABI = ABI::V6;

/// Denies this thread, and those that it will start, everything that Landlock knows. `Err` says what is lacking.
pub(super) fn deny_all() -> Result<(), String> {
    match restrict() {
        Ok(RulesetStatus::FullyEnforced) => Ok(()),
        Ok(RulesetStatus::PartiallyEnforced) => Err(format!("{ENFORCED} in part: this kernel's Landlock is older")),
        Ok(RulesetStatus::NotEnforced) => Err("this kernel has no Landlock, or it is off".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn restrict() -> Result<RulesetStatus, RulesetError> {
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI_WANTED))?
        .handle_access(AccessNet::from_all(ABI_WANTED))?
        .scope(Scope::from_all(ABI_WANTED))?
        .create()?
        .restrict_self()?;
    Ok(status.ruleset)
}
