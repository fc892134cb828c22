//! What images are called: `<w>x<h>.<format>.<hex>`, where the digits are those of the
//! stored bytes. A name holds nothing that could lead out of its folder.

use sha2::{Digest, Sha256};

use crate::domain::attachment::ImageRef;
use crate::domain::hex::hex;

/// How an image is stored. What comes in as WebP is stored as one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Photos.
    Jpeg,
    /// Drawings, and what one can see through.
    Png,
    /// Few colours, and animations.
    Gif,
}

impl Format {
    const ALL: [Self; 3] = [Self::Jpeg, Self::Png, Self::Gif];

    /// As names have it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Jpeg => "jpeg",
            Self::Png => "png",
            Self::Gif => "gif",
        }
    }

    /// As `Content-Type` has it.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::Gif => "image/gif",
        }
    }
}

/// Which form of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// As it was stored.
    Original,
    /// The middle of it, 200 × 200.
    Preview,
    /// At most 960 × 960, never enlarged.
    Large,
    /// The middle of it, 60 × 60.
    Avatar,
}

impl Variant {
    const ALL: [Self; 4] = [Self::Original, Self::Preview, Self::Large, Self::Avatar];

    /// What names end with.
    const fn ending(self) -> &'static str {
        match self {
            Self::Original => "",
            Self::Preview => ".preview",
            Self::Large => ".large",
            Self::Avatar => ".avatar",
        }
    }
}

/// Names one form of one image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageName {
    /// Without what names the form.
    stem: String,
    /// Width and height.
    pub size: (u32, u32),
    /// How it is stored.
    pub format: Format,
    /// Which form.
    pub variant: Variant,
}

impl ImageName {
    /// Names stored bytes by what they are.
    pub fn of(bytes: &[u8], size: (u32, u32), format: Format) -> Self {
        let digest = hex(&Sha256::digest(bytes)[..16]);
        let (width, height) = size;
        let stem = format!("{width}x{height}.{}.{digest}", format.word());
        Self { stem, size, format, variant: Variant::Original }
    }

    /// Reads a name as it stands in a URL.
    pub fn parse(name: &str) -> Option<Self> {
        Self::of_ref(&ImageRef::from_path(&format!("{}{name}", ImageRef::FOLDER))?)
    }

    /// The name that a message, a group or a user holds. None for a format that is
    /// never stored.
    pub fn of_ref(image: &ImageRef) -> Option<Self> {
        let name = image.path().strip_prefix(ImageRef::FOLDER)?;
        let mut parts = name.splitn(4, '.');
        let (size, format, _) = (parts.next()?, parts.next()?, parts.next()?);
        let ending = parts.next().map_or(String::new(), |ending| format!(".{ending}"));
        let variant = Variant::ALL.into_iter().find(|it| it.ending() == ending)?;
        let format = Format::ALL.into_iter().find(|it| it.word() == format)?;
        let (width, height) = size.split_once('x')?;
        let size = (width.parse().ok()?, height.parse().ok()?);
        Some(Self { stem: name.strip_suffix(&ending)?.to_owned(), size, format, variant })
    }

    /// The image itself, whatever form this names.
    #[must_use]
    pub fn original(&self) -> Self {
        Self { variant: Variant::Original, ..self.clone() }
    }

    /// The image itself, then each other form of it.
    pub fn forms(&self) -> impl Iterator<Item = Self> {
        Variant::ALL.into_iter().map(|variant| Self { variant, ..self.clone() })
    }

    /// The name as URLs and files have it.
    pub fn text(&self) -> String {
        format!("{}{}", self.stem, self.variant.ending())
    }

    /// What messages, groups and users hold. None never: names are made of its parts.
    pub fn to_ref(&self) -> Option<ImageRef> {
        ImageRef::from_path(&format!("{}{}", ImageRef::FOLDER, self.text()))
    }

    /// Whether these are the digits of the bytes that the image was named by.
    pub(super) fn is_of(&self, digest: &[u8]) -> bool {
        let digits = self.stem.rsplit('.').next().unwrap_or_default();
        hex(digest).starts_with(digits)
    }

    /// The first digits: the folder in which the image lies with its forms.
    pub fn shelf(&self) -> &str {
        let digits = self.stem.rsplit('.').next().unwrap_or_default();
        digits.get(..2).unwrap_or(digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_they_name_and_come_back() {
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
