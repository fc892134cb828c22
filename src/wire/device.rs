//! Push devices in JSON: read as a browser's `PushSubscription`, shown without its keys.

use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::fields::{Fields, Problems};
use domain::hex::hex;
use domain::ids::TokenId;
use domain::limits::ENDPOINT_CHARS;
use domain::scopes::ScopeSet;
use domain::text::at_most;
use domain::time::Timestamp;
use domain::user::Device;

/// base64url with or without padding, since libraries differ.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Bytes of an uncompressed point of P-256.
const KEY_BYTES: usize = 65;
/// Bytes of the authentication secret (RFC 8291, section 3.2).
const SECRET_BYTES: usize = 16;

/// Bytes of the hash of the endpoint that make a device's id.
const ID_BYTES: usize = 16;

/// A device that receives push notices, as its owner sees it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Device")]
pub struct DeviceResource {
    /// The device's id, also used as `registration_id` in SMS mode.
    registration_id: String,
    /// Host of the device's push service.
    service: String,
    /// When the device was registered. Unix time in seconds.
    created_at: u64,
}

/// The response to registering a device.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AddedDevice {
    /// The device's id, also used as `registration_id` in SMS mode.
    pub registration_id: String,
}

/// The public key with which this server signs push notices.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PushKey<'a> {
    /// A point of P-256, in base64url: the `applicationServerKey` of a browser (RFC 8292).
    pub key: &'a str,
}

/// Builds the JSON of a device for its owner.
pub fn resource(device: &Device) -> DeviceResource {
    let host = device.endpoint.split_once("://").map_or("", |(_, rest)| rest);
    let host = host.split(['/', '?']).next().unwrap_or_default();
    DeviceResource {
        registration_id: device.id.clone(),
        service: host.to_owned(),
        created_at: device.since.seconds(),
    }
}

/// Reads a push subscription. The device's id is derived from the endpoint, so the same endpoint is
/// always the same device.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read(
    body: &Map<String, Value>,
    token: TokenId,
    scopes: ScopeSet,
    now: Timestamp,
) -> Result<Device, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let endpoint = fields.required("endpoint", |text| at_most(text, ENDPOINT_CHARS));
    if fields.value("keys").is_none() {
        fields.wrong("keys", "is required");
    }
    let keys = fields.object("keys").map(|mut keys| {
        let key = keys.required("p256dh", |text| point(&text));
        let secret = keys.required("auth", |text| bytes(&text, SECRET_BYTES));
        (key, secret)
    });
    let read = match (endpoint, keys) {
        (Some(endpoint), Some((Some(key), Some(secret)))) => {
            let id = hex(&Sha256::digest(&endpoint)[..ID_BYTES]);
            let scopes = (!scopes.reads_everything()).then_some(scopes);
            Some(Device { id, endpoint, key, secret, token, since: now, scopes })
        }
        (_, _) => None,
    };
    problems.or(read)
}

fn point(text: &str) -> Result<Vec<u8>, String> {
    let point = bytes(text, KEY_BYTES)?;
    match p256::PublicKey::from_sec1_bytes(&point) {
        Ok(_) => Ok(point),
        Err(_) => Err("is no point of P-256".to_owned()),
    }
}

fn bytes(text: &str, wanted: usize) -> Result<Vec<u8>, String> {
    let bytes = BASE64.decode(text).map_err(|_| "is no base64url".to_owned())?;
    match bytes.len() {
        length if length == wanted => Ok(bytes),
        length => Err(format!("has {length} bytes; it must be {wanted}")),
    }
}
