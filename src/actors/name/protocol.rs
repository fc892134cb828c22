//! What the room of a name can be asked. Only [`super::super::names`] asks.

use std::convert::Infallible;

use serde::{Deserialize, Serialize};

use crate::actors::ask::{Question, Travel};
use crate::domain::ids::UserId;
use crate::domain::name::claiming::ClaimRefusal;

/// Claims the name; answers with the number of the claim.
#[derive(Debug, Serialize, Deserialize)]
pub struct ClaimName {
    /// For whom.
    pub by: UserId,
    /// Instead of which claim, whose holder said that they do not have the name.
    pub instead_of: Option<u64>,
}

impl Question for ClaimName {
    type Answer = u64;
    type Refusal = ClaimRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("ClaimName"));
}

/// Notes that a claim led to an account with this name. Nothing happens to a claim that was
/// passed over.
#[derive(Debug, Serialize, Deserialize)]
pub struct ConfirmName {
    /// Which claim.
    pub number: u64,
}

impl Question for ConfirmName {
    type Answer = ();
    type Refusal = Infallible;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::unrefused("ConfirmName"));
}

/// Frees the name of a claim that leads to nothing.
#[derive(Debug, Serialize, Deserialize)]
pub struct ReleaseName {
    /// Which claim.
    pub number: u64,
}

impl Question for ReleaseName {
    type Answer = ();
    type Refusal = Infallible;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::unrefused("ReleaseName"));
}

/// Frees a name that somebody had.
#[derive(Debug, Serialize, Deserialize)]
pub struct GiveUpName {
    /// Who.
    pub by: UserId,
}

impl Question for GiveUpName {
    type Answer = ();
    type Refusal = Infallible;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::unrefused("GiveUpName"));
}
