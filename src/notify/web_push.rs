//! Web Push: a notice, encrypted for one browser (RFC 8291), posted to its push service (RFC 8030)
//! and signed by this server (RFC 8292).

use std::sync::Arc;

use actix_web::http::header::{
    AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue,
};
use bytes::Bytes;
use web_push_native::p256::PublicKey;

use crate::Undelivered;
use crate::vapid::VapidKey;
use base::bounds::turns::Owner;
use base::clock::Clock;
use domain::user::Device;
use outgoing::Outgoing;

/// Seconds for which a push service keeps a notice for a browser that is offline.
const KEPT_SECONDS: u32 = 24 * 3600;
/// Bytes of a notice before encryption: push services accept 4096 bytes after it (RFC 8030, section
/// 7.2).
pub const NOTICE_BYTES: usize = 3900;

/// Sends notices to browsers.
#[derive(Clone)]
pub struct WebPush {
    /// The HTTP client. Users name the push services, so every address is guarded.
    pub outgoing: Outgoing,
    /// The key that signs requests to push services.
    pub key: VapidKey,
    /// Whom a push service may contact about this server: the public URL.
    pub contact: String,
    /// The clock from which the expiry of signatures is computed.
    pub clock: Arc<dyn Clock>,
}

impl WebPush {
    /// Sends one notice to a device of this owner.
    ///
    /// # Errors
    /// If the push service does not accept the notice; [`Undelivered::Gone`] if the device's
    /// subscription has ended.
    pub async fn send(
        &self,
        owner: Owner,
        device: &Device,
        notice: &[u8],
    ) -> Result<(), Undelivered> {
        let sealed = seal(device, notice)?;
        let target = self.outgoing.check_url(&device.endpoint).map_err(never)?;
        let now = self.clock.now().wall;
        let signed = self.key.authorization(&target.origin(), &self.contact, now);
        let headers = vec![
            (AUTHORIZATION, HeaderValue::try_from(signed).map_err(never)?),
            (CONTENT_ENCODING, HeaderValue::from_static("aes128gcm")),
            (CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
            (HeaderName::from_static("ttl"), HeaderValue::from(KEPT_SECONDS)),
            (HeaderName::from_static("urgency"), HeaderValue::from_static("high")),
        ];
        let answer = self.outgoing.post(owner, &device.endpoint, headers, sealed).await?;
        let why = || format!("the push service answered {}", answer.status);
        match answer.status.as_u16() {
            200..=299 => Ok(()),
            404 | 410 => Err(Undelivered::Gone),
            429 | 500..=599 => Err(Undelivered::Later {
                why: why(),
                after: answer.retry_after(self.clock.now().wall),
            }),
            _ => Err(Undelivered::Never(why())),
        }
    }
}

fn seal(device: &Device, notice: &[u8]) -> Result<Bytes, Undelivered> {
    let key = PublicKey::from_sec1_bytes(&device.key).map_err(never)?;
    let secret = <[u8; 16]>::try_from(&*device.secret).map_err(never)?;
    let sealed = web_push_native::encrypt(notice.to_vec(), &key, &secret.into());
    sealed.map(Bytes::from).map_err(never)
}

fn never(error: impl std::fmt::Display) -> Undelivered {
    Undelivered::Never(error.to_string())
}
