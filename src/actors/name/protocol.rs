//! The questions to the room of a name. Only [`super::super::names`] sends them.

use std::convert::Infallible;

use crate::ask::Question;
use domain::ids::UserId;
use domain::name::claim::ClaimRefusal;

/// Claims the name; answered with the number of the claim.
#[derive(Debug)]
pub struct ClaimName {
    /// The user who claims it.
    pub by: UserId,
    /// The claim that this one replaces, because its holder said that they do not have the name.
    pub instead_of: Option<u64>,
}

impl Question for ClaimName {
    type Answer = u64;
    type Refusal = ClaimRefusal;
    const DECIDES: bool = true;
}

/// Notes that a claim led to an account with this name. A claim that another has replaced is left
/// alone.
#[derive(Debug)]
pub struct ConfirmName {
    /// The number of the claim.
    pub number: u64,
}

impl Question for ConfirmName {
    type Answer = ();
    type Refusal = Infallible;
    const DECIDES: bool = true;
}

/// Frees the name of a claim that led to nothing.
#[derive(Debug)]
pub struct ReleaseName {
    /// The number of the claim.
    pub number: u64,
}

impl Question for ReleaseName {
    type Answer = ();
    type Refusal = Infallible;
    const DECIDES: bool = true;
}

/// Frees a name that a user has no more, unless the user is about to take it again.
#[derive(Debug)]
pub struct GiveUpName {
    /// The user.
    pub by: UserId,
}

impl Question for GiveUpName {
    type Answer = ();
    type Refusal = Infallible;
    const DECIDES: bool = true;
}
