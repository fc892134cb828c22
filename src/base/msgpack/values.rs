//! Deserializes values from MessagePack, for serde.
//!
//! A struct is an array of its fields or a map of them by name. From an array, the fields that the
//! type asks for are read and the rest is skipped; in a map, the type must know or ignore every
//! name. An enum is the name of its variant, or a map from that one name to the variant's content.
//! An `Option` is nil or its value.

use serde::de::value::Error;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};

use crate::msgpack::unpacker::{Container, DecodeError, Number, Piece, Read, Unpacker, cut};

/// Most levels of nesting: twice as many as in JSON from clients (serde_json's limit is 128), and
/// fewer than a thread's stack can hold.
const DEEPEST: u16 = 256;

impl<'de> Unpacker<'de> {
    /// Reads a value one level of nesting deeper.
    fn within<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == DEEPEST {
            return Err(Error::custom("values lie too deep in each other"));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn visit_array<V: Visitor<'de>>(&mut self, length: usize, visitor: V) -> Read<V::Value> {
        self.within(|unpacker| {
            let mut elements = Remaining { unpacker, left: length };
            let value = visitor.visit_seq(&mut elements)?;
            elements.unpacker.pass(elements.left)?;
            Ok(value)
        })
    }

    fn visit_pairs<V: Visitor<'de>>(&mut self, length: usize, visitor: V) -> Read<V::Value> {
        self.within(|unpacker| {
            let mut pairs = Remaining { unpacker, left: length };
            let value = visitor.visit_map(&mut pairs)?;
            if pairs.left == 0 { Ok(value) } else { Err(Error::custom("a map was not read whole")) }
        })
    }

    fn visit_fields<V: Visitor<'de>>(&mut self, visitor: V) -> Read<V::Value> {
        match self.container()? {
            Container::Array(length) => self.visit_array(length, visitor),
            Container::Map(length) => self.visit_pairs(length, visitor),
        }
    }

    fn visit_number<V: Visitor<'de>>(&mut self, visitor: V) -> Read<V::Value> {
        match self.number()? {
            Number::Positive(number) => visitor.visit_u64(number),
            Number::Negative(number) => visitor.visit_i64(number),
        }
    }

    fn visit_float<V: Visitor<'de>>(&mut self, visitor: V) -> Read<V::Value> {
        match self.peek()? {
            0xca => {
                self.marker()?;
                let bits = self.big_endian(4)?;
                visitor.visit_f32(f32::from_bits(u32::try_from(bits).map_err(|_| cut())?))
            }
            0xcb => {
                self.marker()?;
                visitor.visit_f64(f64::from_bits(self.big_endian(8)?))
            }
            _ => self.visit_number(visitor),
        }
    }

    fn visit_piece<V: Visitor<'de>>(&mut self, visitor: V) -> Read<V::Value> {
        match self.piece()? {
            Piece::Text(text) => visitor.visit_borrowed_str(text),
            Piece::Bytes(bytes) => visitor.visit_borrowed_bytes(bytes),
        }
    }
}

/// Defines methods that all call the same other method.
macro_rules! as_one {
    ($one:ident: $($method:ident($($argument:ident: $kind:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(self, $($argument: $kind,)* visitor: V) -> Read<V::Value> {
            self.$one(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for &mut Unpacker<'de> {
    type Error = DecodeError;

    as_one! { visit_number:
        deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64()
        deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64()
    }

    as_one! { visit_piece:
        deserialize_char() deserialize_str() deserialize_string()
        deserialize_bytes() deserialize_byte_buf()
    }

    as_one! { visit_fields:
        deserialize_struct(_name: &'static str, _fields: &'static [&'static str])
    }

    as_one! { deserialize_seq:
        deserialize_tuple(_length: usize)
        deserialize_tuple_struct(_name: &'static str, _length: usize)
    }

    as_one! { deserialize_unit: deserialize_unit_struct(_name: &'static str) }

    as_one! { visit_float: deserialize_f32() deserialize_f64() }

    /// Goes by the marker, for types that decide by the encoded value what they are.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        match self.peek()? {
            0x80..=0x9f | 0xdc..=0xdf => self.visit_fields(visitor),
            0xa0..=0xbf | 0xc4..=0xc6 | 0xd9..=0xdb => self.visit_piece(visitor),
            0xc0 => self.deserialize_unit(visitor),
            0xc2 | 0xc3 => self.deserialize_bool(visitor),
            0xca | 0xcb => self.visit_float(visitor),
            _ => self.visit_number(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        visitor.visit_bool(self.truth()?)
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        visitor.visit_i128(self.wide()?.cast_signed())
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        visitor.visit_u128(self.wide()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        if self.peek()? == 0xc0 {
            self.nil()?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        self.nil()?;
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Read<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        let length = self.array()?;
        self.visit_array(length, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        match self.container()? {
            Container::Map(length) => self.visit_pairs(length, visitor),
            Container::Array(_) => Err(Error::custom("an array stands where a map should")),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Read<V::Value> {
        let is_alone = !matches!(self.peek()?, 0x80..=0x8f | 0xde | 0xdf);
        if !is_alone && !matches!(self.container()?, Container::Map(1)) {
            return Err(Error::custom("a variant is a map of one name"));
        }
        self.within(|unpacker| visitor.visit_enum(Variant { unpacker, is_alone }))
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        match self.peek()? {
            0x00..=0x7f | 0xcc..=0xcf => self.visit_number(visitor),
            _ => self.visit_piece(visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        self.pass(1)?;
        visitor.visit_unit()
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// The remaining elements of an array or a map.
struct Remaining<'a, 'de> {
    unpacker: &'a mut Unpacker<'de>,
    left: usize,
}

impl Remaining<'_, '_> {
    fn next(&mut self) -> bool {
        let is_there = self.left > 0;
        self.left = self.left.saturating_sub(1);
        is_there
    }
}

impl<'de> SeqAccess<'de> for Remaining<'_, 'de> {
    type Error = DecodeError;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Read<Option<S::Value>> {
        if self.next() { seed.deserialize(&mut *self.unpacker).map(Some) } else { Ok(None) }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> MapAccess<'de> for Remaining<'_, 'de> {
    type Error = DecodeError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Read<Option<S::Value>> {
        if self.next() { seed.deserialize(&mut *self.unpacker).map(Some) } else { Ok(None) }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Read<S::Value> {
        seed.deserialize(&mut *self.unpacker)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// An enum's variant; `is_alone` if it has a name but no content.
struct Variant<'a, 'de> {
    unpacker: &'a mut Unpacker<'de>,
    is_alone: bool,
}

impl Variant<'_, '_> {
    fn carries(&self) -> Read<()> {
        if self.is_alone { Err(Error::custom("a variant lacks what it carries")) } else { Ok(()) }
    }
}

impl<'de> EnumAccess<'de> for Variant<'_, 'de> {
    type Error = DecodeError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Read<(S::Value, Self)> {
        Ok((seed.deserialize(&mut *self.unpacker)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, 'de> {
    type Error = DecodeError;

    fn unit_variant(self) -> Read<()> {
        if self.is_alone { Ok(()) } else { self.unpacker.nil() }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Read<S::Value> {
        self.carries()?;
        seed.deserialize(self.unpacker)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Read<V::Value> {
        self.carries()?;
        self.unpacker.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Read<V::Value> {
        self.carries()?;
        self.unpacker.visit_fields(visitor)
    }
}
