//! Names of images: `<w>x<h>.<format>.<hex>`, where the digits are the beginning of the SHA-256 of
//! the stored bytes. A name cannot lead out of its folder.

use sha2::{Digest, Sha256};

use domain::attachment::ImageRef;
use domain::hex::hex;

/// The format in which an image is stored. An uploaded WebP is stored as one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For photos.
    Jpeg,
    /// For drawings, and images with transparency.
    Png,
    /// For images of few colours, and animations.
    Gif,
}

impl Format {
    const ALL: [Self; 3] = [Self::Jpeg, Self::Png, Self::Gif];

    /// The word for the format in names.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Jpeg => "jpeg",
            Self::Png => "png",
            Self::Gif => "gif",
        }
    }

    /// The media type, as in `Content-Type`.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::Gif => "image/gif",
        }
    }
}

/// A form of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// The image as it was stored.
    Original,
    /// The largest square in the middle, at 200 × 200 pixels.
    Preview,
    /// At most 960 × 960 pixels, never enlarged.
    Large,
    /// The largest square in the middle, at 60 × 60 pixels.
    Avatar,
}

impl Variant {
    const ALL: [Self; 4] = [Self::Original, Self::Preview, Self::Large, Self::Avatar];

    /// The ending of names of this form.
    const fn ending(self) -> &'static str {
        match self {
            Self::Original => "",
            Self::Preview => ".preview",
            Self::Large => ".large",
            Self::Avatar => ".avatar",
        }
    }
}

/// The name of one form of one image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageName {
    /// The name without the ending for the form.
    stem: String,
    /// Width and height of the original in pixels.
    pub size: (u32, u32),
    /// The format in which the image is stored.
    pub format: Format,
    /// The form.
    pub variant: Variant,
}

impl ImageName {
    /// Makes the name of stored bytes from their digest, size and format.
    pub fn of(bytes: &[u8], size: (u32, u32), format: Format) -> Self {
        let digest = hex(&Sha256::digest(bytes)[..16]);
        let (width, height) = size;
        let stem = format!("{width}x{height}.{}.{digest}", format.word());
        Self { stem, size, format, variant: Variant::Original }
    }

    /// Parses a name as it stands in a URL; `None` if it is no name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::of_ref(&ImageRef::from_path(&format!("{}{name}", ImageRef::FOLDER))?)
    }

    /// Parses the reference that a message, a group or a user holds; `None` for a format that is
    /// never stored.
    pub fn of_ref(image: &ImageRef) -> Option<Self> {
        let name = image.path().strip_prefix(ImageRef::FOLDER)?;
        let mut parts = name.splitn(4, '.');
        let size = parts.next()?;
        let format = parts.next()?;
        let _ = parts.next()?;
        let ending = parts.next().map_or(String::new(), |ending| format!(".{ending}"));
        let variant = Variant::ALL.into_iter().find(|it| it.ending() == ending)?;
        let format = Format::ALL.into_iter().find(|it| it.word() == format)?;
        let (width, height) = size.split_once('x')?;
        let size = (width.parse().ok()?, height.parse().ok()?);
        Some(Self { stem: name.strip_suffix(&ending)?.to_owned(), size, format, variant })
    }

    /// The name of the original.
    #[must_use]
    pub fn original(&self) -> Self {
        Self { variant: Variant::Original, ..self.clone() }
    }

    /// The names of the original and of each other form.
    pub fn forms(&self) -> impl Iterator<Item = Self> {
        Variant::ALL.into_iter().map(|variant| Self { variant, ..self.clone() })
    }

    /// The name as in URLs and file names.
    pub fn text(&self) -> String {
        format!("{}{}", self.stem, self.variant.ending())
    }

    /// The reference that messages, groups and users hold. Never `None`, since a name is made of
    /// valid parts.
    pub fn to_ref(&self) -> Option<ImageRef> {
        ImageRef::from_path(&format!("{}{}", ImageRef::FOLDER, self.text()))
    }

    /// Whether the digits of the name are the beginning of this digest.
    pub(super) fn is_of(&self, digest: &[u8]) -> bool {
        let digits = self.stem.rsplit('.').next().unwrap_or_default();
        hex(digest).starts_with(digits)
    }

    /// The first two digits, which name the folder of the image and its forms.
    pub fn shelf(&self) -> &str {
        let digits = self.stem.rsplit('.').next().unwrap_or_default();
        digits.get(..2).unwrap_or(digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_names_round_trip() {
        let name = ImageName::of(b"bytes", (30, 20), Format::Jpeg);
        assert_eq!(name.text(), "30x20.jpeg.277089d91c0bdf4f2e6862ba7e4a0760");
        assert_eq!(name.shelf(), "27");
        assert_eq!(ImageName::parse(&name.text()), Some(name.clone()));
        let large = ImageName::parse(&format!("{}.large", name.text())).unwrap();
        assert_eq!((large.variant, large.original()), (Variant::Large, name));
        assert_eq!(ImageName::of_ref(&large.to_ref().unwrap()), Some(large));
    }

    #[test]
    fn nothing_leads_out_of_the_folder() {
        let hex = "0123456789abcdef";
        for name in [
            String::new(),
            "..".to_owned(),
            format!("../1x1.png.{hex}"),
            format!("1x1.png.{hex}/../x"),
            format!("1x1.webp.{hex}"),
            format!("1x1.png.{hex}.small"),
        ] {
            assert_eq!(ImageName::parse(&name), None, "{name}");
        }
    }
}
