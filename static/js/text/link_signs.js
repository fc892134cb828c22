/**
 * The characters that end a bare URL, for `links.js`. A test of `src/domain/links.rs` compares them with the
 * server's.
 */

/** Brackets that a URL may contain in pairs. */
export const PAIRS = "()[]{}（）［］｛｝｟｠「」｢｣『』〈〉《》【】〔〕〖〗〘〙〚〛⟨⟩⟪⟫⟦⟧";

/** Part of a URL unless at its end. */
export const TRAILING = /[.,;:!?'*]|(?![-\u2014\u2015])\p{Pd}/u;

/** Other characters that are never part of a URL. */
export const ENDS =
  /[\u003c\u003e\u0022\u00ad\u200b\u2060\ufeff\u2014\u2015\u2026\p{Cc}\p{White_Space}\p{Bidi_Control}\p{Terminal_Punctuation}\p{Quotation_Mark}\p{Pi}\p{Pf}\p{Ps}\p{Pe}]/u;
