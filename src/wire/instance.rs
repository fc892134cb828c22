//! The installation as clients see it: its addresses, and the form of cursors.

use domain::attachment::ImageRef;
use domain::ids::{CalendarEventId, Conversation, GroupId, UserId};
use journal::Cursor;

/// The addresses of this installation, and the epoch that identifies its history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    public_url: String,
    hosts: Vec<String>,
    picture_host: Option<String>,
    names_pictures_there: bool,
    epoch: u32,
}

/// The error for a cursor that this installation did not make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a cursor of this server")]
pub struct ForeignCursor;

impl Instance {
    /// Creates an instance. `public_url` is the prefix of image URLs and share links, `listen_url`
    /// the address on which the server listens. `epoch` differs between installations and changes
    /// with a restore, so that a cursor of another history is recognized.
    pub fn new(public_url: &str, listen_url: &str, epoch: u32) -> Self {
        let public_url = public_url.trim_end_matches('/').to_owned();
        let hosts = [public_url.as_str(), listen_url]
            .into_iter()
            .filter_map(host_of)
            .map(str::to_ascii_lowercase)
            .collect();
        Self { public_url, hosts, picture_host: None, names_pictures_there: false, epoch }
    }

    /// The id of the installation and its history, which cursors begin with.
    pub fn id(&self) -> String {
        Self::id_of(self.epoch)
    }

    /// The id of the installation with this number of its history.
    pub fn id_of(epoch: u32) -> String {
        format!("{epoch:08x}")
    }

    /// Recognizes images by this host too, where existing clients find them, as in
    /// `https://i.groupme.com/1x1.png.…`.
    #[must_use]
    pub fn with_picture_host(self, host: Option<&str>) -> Self {
        Self { picture_host: host.map(str::to_ascii_lowercase), ..self }
    }

    /// The same installation, as clients on a compatibility host see it: images are named at the
    /// picture host, if there is one.
    #[must_use]
    pub fn for_existing_clients(&self) -> Self {
        Self { names_pictures_there: true, ..self.clone() }
    }

    /// The prefix of every image URL.
    pub fn image_folder(&self) -> String {
        match &self.picture_host {
            Some(host) if self.names_pictures_there => format!("https://{host}/"),
            Some(_) | None => format!("{}{}", self.public_url, ImageRef::FOLDER),
        }
    }

    /// The prefix of image URLs, and the prefix for existing clients; `None` if that is the same.
    pub fn image_folders(&self) -> Option<(String, String)> {
        let folders = (self.image_folder(), self.for_existing_clients().image_folder());
        (folders.0 != folders.1).then_some(folders)
    }

    /// Whether this is the host where existing clients find images.
    pub fn is_picture_host(&self, host: &str) -> bool {
        self.picture_host.as_deref() == Some(host)
    }

    /// The prefix of share URLs, image URLs and redirects, without a trailing slash.
    pub fn public_url(&self) -> &str {
        &self.public_url
    }

    /// The public URL without its path, which is what browsers call an origin.
    pub fn origin(&self) -> &str {
        let url = self.public_url.as_str();
        let host = url.find("://").map_or(0, |at| at + 3);
        let end = url[host..].find('/').map_or(url.len(), |slash| host + slash);
        &url[..end]
    }

    /// The host of the public URL, with its port.
    pub fn host(&self) -> &str {
        host_of(&self.public_url).unwrap_or(&self.public_url)
    }

    /// The URL of a page of the web client that a user opens with a secret link. The secret is in
    /// the fragment, which browsers send to no server.
    pub fn link_url(&self, page: &str, user: UserId, secret: &str) -> String {
        format!("{}{}", self.public_url, Self::link_path(page, user, secret))
    }

    /// The part of [`Self::link_url`] after the public URL.
    pub fn link_path(page: &str, user: UserId, secret: &str) -> String {
        format!("/#/{page}/{user}-{secret}")
    }

    /// The full URL of an image.
    pub fn image_url(&self, image: &ImageRef) -> String {
        format!("{}{}", self.image_folder(), image.name())
    }

    /// Returns the image that a URL refers to; None if it is not one of this installation.
    pub fn parse_image(&self, url: &str) -> Option<ImageRef> {
        let native = self.own_path(url).and_then(ImageRef::from_path);
        native.or_else(|| {
            let (_, rest) = url.trim().split_once("://")?;
            let (host, name) = rest.split_once('/')?;
            self.is_picture_host(&host.to_ascii_lowercase()).then(|| ImageRef::named(name))?
        })
    }

    /// Returns the path and query of a URL, relative to the public URL; None if its host is not one
    /// of this installation.
    pub fn own_path<'a>(&self, url: &'a str) -> Option<&'a str> {
        let (_, rest) = url.trim().split_once("://")?;
        let (host, path) = rest.split_at(rest.find('/')?);
        let host = host.to_ascii_lowercase();
        // The public URL may have a path of its own, which precedes that of the resource.
        let prefix = self.public_url.split_once("://").map_or("", |(_, rest)| rest);
        let own_path = prefix.find('/').map_or("", |slash| &prefix[slash..]);
        let within = path.strip_prefix(own_path).filter(|rest| rest.starts_with('/'));
        let path = within.unwrap_or(path);
        self.hosts.contains(&host).then_some(path)
    }

    /// The URL with which anyone can join a group.
    pub fn share_url(&self, group: GroupId, token: &str) -> String {
        format!("{}/join_group/{group}/{token}", self.public_url)
    }

    /// The URL with which people register by an invitation of the operators.
    pub fn invitation_url(&self, token: &str) -> String {
        format!("{}/invite/{token}", self.public_url)
    }

    /// The URL of the QR code of [`Self::share_url`].
    pub fn share_code_url(&self, group: GroupId, token: &str) -> String {
        format!("{}/qr/join_group/{group}/{token}/preview", self.public_url)
    }

    /// The URL of the QR code of [`Self::contact_url`].
    pub fn contact_code_url(&self, user: UserId, token: &str) -> String {
        format!("{}/qr/contact/{user}/{token}/preview", self.public_url)
    }

    /// The URL of a user's page in existing clients.
    pub fn contact_url(&self, user: UserId, token: &str) -> String {
        format!("{}/contact/{user}/{token}", self.public_url)
    }

    /// The URL of an event in iCalendar format, for other calendar programs; it requires a token.
    pub fn event_url(&self, conv: Conversation, event: CalendarEventId) -> String {
        format!("{}/v3/conversations/{conv}/events/{event}.ics", self.public_url)
    }

    /// Formats a cursor for clients: 24 hexadecimal digits, whose text order is the order of
    /// cursors.
    pub fn cursor(&self, cursor: Cursor) -> String {
        format!("{:08x}{:016x}", self.epoch, cursor.get())
    }

    /// Reads a cursor that a client sent.
    ///
    /// # Errors
    /// If the text is not a cursor, or the cursor is not from this installation since its last
    /// restore.
    pub fn parse_cursor(&self, text: &str) -> Result<Cursor, ForeignCursor> {
        let is_hex = text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hex {
            return Err(ForeignCursor);
        }
        let (epoch, position) = text.split_at(8);
        let epoch = u32::from_str_radix(epoch, 16).map_err(|_| ForeignCursor)?;
        let position = u64::from_str_radix(position, 16).map_err(|_| ForeignCursor)?;
        if epoch == self.epoch { Ok(Cursor::new(position)) } else { Err(ForeignCursor) }
    }
}

/// Returns the `host:port` of a URL.
fn host_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    Some(rest.split('/').next().unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn image_urls_match_by_path_and_host() {
        let instance = Instance::new("https://chat.example.org/", "http://127.0.0.1:8080", 7);
        let path = format!("/images/1x1.png.{HEX}");
        for host in ["https://chat.example.org", "http://127.0.0.1:8080", "http://CHAT.example.org"]
        {
            assert!(instance.parse_image(&format!("{host}{path}")).is_some(), "{host}");
        }
        assert_eq!(instance.parse_image(&format!("https://elsewhere.org{path}")), None);
        assert_eq!(instance.parse_image(&path), None);
    }

    #[test]
    fn only_existing_clients_get_picture_host_urls() {
        let instance = Instance::new("https://chat.example.org", "http://127.0.0.1:8080", 7)
            .with_picture_host(Some("i.groupme.com"));
        let image = ImageRef::named(&format!("1x1.png.{HEX}")).unwrap();
        let old = instance.for_existing_clients();
        assert_eq!(old.image_url(&image), format!("https://i.groupme.com/1x1.png.{HEX}"));
        let native = format!("https://chat.example.org/images/1x1.png.{HEX}");
        assert_eq!(instance.image_url(&image), native);
        for url in [native, old.image_url(&image), format!("http://I.GroupMe.com/1x1.png.{HEX}")] {
            assert_eq!(instance.parse_image(&url), Some(image.clone()), "{url}");
            assert_eq!(old.parse_image(&url), Some(image.clone()), "{url}");
        }
        let large = instance.parse_image(&format!("https://i.groupme.com/1x1.png.{HEX}.large"));
        assert!(large.is_some());
        assert_eq!(instance.parse_image("https://i.groupme.com/v3/groups"), None);
        let without = Instance::new("http://a", "http://a", 7);
        assert_eq!(without.parse_image(&old.image_url(&image)), None);
        assert_eq!(without.for_existing_clients().image_url(&image), without.image_url(&image));
    }

    #[test]
    fn a_public_url_with_a_path_comes_back() {
        let instance = Instance::new("https://example.org/chat", "http://127.0.0.1:8080", 7);
        let image = ImageRef::from_path(&format!("/images/1x1.png.{HEX}")).unwrap();
        assert_eq!(instance.parse_image(&instance.image_url(&image)), Some(image));
        assert_eq!(instance.origin(), "https://example.org");
        let path = |url| instance.own_path(url);
        assert_eq!(path("https://example.org/chat/v3/groups"), Some("/v3/groups"));
        assert_eq!(path("https://example.org/chatter/v3"), Some("/chatter/v3"), "a name alike");
        assert_eq!(path("https://example.org/chat"), Some("/chat"));
        assert_eq!(Instance::new("http://a:8080", "http://a:8080", 7).origin(), "http://a:8080");
    }

    #[test]
    fn a_cursor_of_another_history_is_recognized() {
        let old = Instance::new("http://a", "http://a", 1);
        let new = Instance::new("http://a", "http://a", 2);
        let text = old.cursor(Cursor::new(99));
        assert_eq!(old.parse_cursor(&text), Ok(Cursor::new(99)));
        assert_eq!(new.parse_cursor(&text), Err(ForeignCursor));
        assert_eq!(old.parse_cursor("99"), Err(ForeignCursor));
    }

    #[test]
    fn cursors_grow_as_text() {
        let instance = Instance::new("http://a", "http://a", 1);
        assert!(instance.cursor(Cursor::new(9)) < instance.cursor(Cursor::new(10)));
    }
}
