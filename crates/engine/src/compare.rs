//! Compares 64 codes with bounds at once.
//!
//! On x86-64 it uses the vector instructions that every such processor has; elsewhere plain loops, which the compiler vectorizes
//! where it can. The last word of a column may have fewer than 64 codes.

use crate::bits::WORD;

/// The plain loop, for the end of a column and for other processors.
macro_rules! plain {
    ($codes:expr, $first:expr, $span:expr) => {{
        let mut word = 0;
        for (index, code) in $codes.iter().take(WORD).enumerate() {
            word |= u64::from(code.wrapping_sub($first) <= $span) << index;
        }
        word
    }};
}

/// Returns a mask of the codes from `first` to `first + span`.
pub fn bytes(codes: &[u8], first: u8, span: u8) -> u64 {
    match codes.first_chunk::<WORD>() {
        Some(codes) => vector::bytes(codes, first, span),
        None => plain!(codes, first, span),
    }
}

/// Returns a mask of the codes from `first` to `first + span`.
pub fn shorts(codes: &[u16], first: u16, span: u16) -> u64 {
    match codes.first_chunk::<WORD>() {
        Some(codes) => vector::shorts(codes, first, span),
        None => plain!(codes, first, span),
    }
}

/// Returns a mask of the codes from `first` to `first + span`.
pub fn words(codes: &[u32], first: u32, span: u32) -> u64 {
    match codes.first_chunk::<WORD>() {
        Some(codes) => vector::words(codes, first, span),
        None => plain!(codes, first, span),
    }
}

#[cfg(target_arch = "x86_64")]
mod vector {
    use safe_arch::{
        cmp_eq_mask_i8_m128i, cmp_eq_mask_i16_m128i, cmp_gt_mask_i32_m128i, m128i, move_mask_i8_m128i,
        pack_i16_to_i8_m128i, pack_i32_to_i16_m128i, set_splat_i8_m128i, set_splat_i16_m128i,
        set_splat_i32_m128i, sub_i8_m128i, sub_i16_m128i, sub_i32_m128i, sub_saturating_u8_m128i,
        sub_saturating_u16_m128i, zeroed_m128i,
    };

    use crate::bits::WORD;

    pub fn bytes(codes: &[u8; WORD], first: u8, span: u8) -> u64 {
        let (first, span, zero) =
            (set_splat_i8_m128i(first as i8), set_splat_i8_m128i(span as i8), zeroed_m128i());
        let vectors: [m128i; 4] = bytemuck::must_cast(*codes);
        let mut word = 0;
        for (index, vector) in vectors.into_iter().enumerate() {
            // Within the bounds, the distance to the lower bound minus the span saturates to zero.
            let inside =
                cmp_eq_mask_i8_m128i(sub_saturating_u8_m128i(sub_i8_m128i(vector, first), span), zero);
            word |= u64::from(move_mask_i8_m128i(inside) as u16) << (16 * index);
        }
        word
    }

    pub fn shorts(codes: &[u16; WORD], first: u16, span: u16) -> u64 {
        let (first, span, zero) =
            (set_splat_i16_m128i(first as i16), set_splat_i16_m128i(span as i16), zeroed_m128i());
        let vectors: [[m128i; 2]; 4] = bytemuck::must_cast(*codes);
        let inside = |vector| {
            cmp_eq_mask_i16_m128i(sub_saturating_u16_m128i(sub_i16_m128i(vector, first), span), zero)
        };
        let mut word = 0;
        for (index, [low, high]) in vectors.into_iter().enumerate() {
            let both = pack_i16_to_i8_m128i(inside(low), inside(high));
            word |= u64::from(move_mask_i8_m128i(both) as u16) << (16 * index);
        }
        word
    }

    pub fn words(codes: &[u32; WORD], first: u32, span: u32) -> u64 {
        // There is no comparison of unsigned words: flipping the highest bit maps them to signed ones in the same order.
        let (first, span) =
            (set_splat_i32_m128i((first ^ (1 << 31)) as i32), set_splat_i32_m128i((span ^ (1 << 31)) as i32));
        let vectors: [[m128i; 4]; 4] = bytemuck::must_cast(*codes);
        let outside = |vector| cmp_gt_mask_i32_m128i(sub_i32_m128i(vector, first), span);
        let mut word = 0;
        for (index, [a, b, c, d]) in vectors.into_iter().enumerate() {
            let (low, high) = (
                pack_i32_to_i16_m128i(outside(a), outside(b)),
                pack_i32_to_i16_m128i(outside(c), outside(d)),
            );
            word |= u64::from(move_mask_i8_m128i(pack_i16_to_i8_m128i(low, high)) as u16) << (16 * index);
        }
        !word
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod vector {
    use crate::bits::WORD;

    pub fn bytes(codes: &[u8; WORD], first: u8, span: u8) -> u64 {
        plain!(codes, first, span)
    }

    pub fn shorts(codes: &[u16; WORD], first: u16, span: u16) -> u64 {
        plain!(codes, first, span)
    }

    pub fn words(codes: &[u32; WORD], first: u32, span: u32) -> u64 {
        plain!(codes, first, span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_agree_with_plain_loops() {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        for round in 0..2_000 {
            let length = if round % 3 == 0 { next() as usize % 70 } else { WORD };
            let codes: Vec<u32> = (0..length).map(|_| next() >> (next() % 32)).collect();
            let (first, span) = (next() >> (next() % 32), next() >> (next() % 32));
            assert_eq!(words(&codes, first, span), plain!(codes, first, span));
            let codes: Vec<u16> = codes.iter().map(|code| *code as u16).collect();
            assert_eq!(shorts(&codes, first as u16, span as u16), plain!(codes, first as u16, span as u16));
            let codes: Vec<u8> = codes.iter().map(|code| *code as u8).collect();
            assert_eq!(bytes(&codes, first as u8, span as u8), plain!(codes, first as u8, span as u8));
        }
    }
}
