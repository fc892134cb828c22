//! The questions to the room of a name. Only [`super::super::names`] sends them.

use std::convert::Infallible;

use serde::{Deserialize, Serialize};

use crate::ask::{Question, Travel};
use domain::ids::UserId;
use domain::name::claim::ClaimRefusal;

/// Claims the name; answered with the number of the claim.
#[derive(Debug, Serialize, Deserialize)]
pub struct ClaimName {
    /// The user who claims it.
    pub by: UserId,
    /// The claim that this one replaces, because its holder said that they do not have the name.
    pub instead_of: Option<u64>,
}

impl Question for ClaimName {
    type Answer = u64;
    type Refusal = ClaimRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("ClaimName"));
}

/// Notes that a claim led to an account with this name. A claim that another has replaced is left
/// alone.
#[derive(Debug, Serialize, Deserialize)]
pub struct ConfirmName {
    /// The number of the claim.
    pub number: u64,
}

impl Question for ConfirmName {
    type Answer = ();
    type Refusal = Infallible;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::unrefused("ConfirmName"));
}

/// Frees the name of a claim that led to nothing.
#[derive(Debug, Serialize, Deserialize)]
pub struct ReleaseName {
    /// The number of the claim.
    pub number: u64,
}

impl Question for ReleaseName {
    type Answer = ();
    type Refusal = Infallible;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::unrefused("ReleaseName"));
}

/// Frees a name that a user has no more, unless the user is about to take it again.
#[derive(Debug, Serialize, Deserialize)]
pub struct GiveUpName {
    /// The user.
    pub by: UserId,
}

impl Question for GiveUpName {
    type Answer = ();
    type Refusal = Infallible;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::unrefused("GiveUpName"));
}
