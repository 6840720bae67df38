/** Bounds of what one caller may ask for: a filter comes from outside, and is applied to every entry of an answer. */

/** Longest filter, in UTF-16 units. */
export const lengthMax = 4_096

/** Deepest nesting of parentheses and `not`. */
export const depthMax = 64

/** Most comparisons in one filter. */
export const comparisonsMax = 128

/** Largest size of all regular expressions of one filter together (`regexpSize`): compiling them takes some 30 ms. */
export const regexpsSizeMax = 5_000
