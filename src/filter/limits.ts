/** Bounds of what one caller may ask for: a filter comes from outside, and is applied to every entry of an answer. */

/** Longest filter, in UTF-16 units. */
export const lengthMax = 4_096

/** Deepest nesting of parentheses and `not`. */
export const depthMax = 64

/** Most comparisons in one filter. */
export const comparisonsMax = 128

/** Largest size of all regular expressions of one filter together (`regexpSize`): compiling them takes some 30 ms. */
export const regexpsSizeMax = 5_000

/**
 * Most work of judging one entry, in units of a meter: usually 20 ms. An entry is judged in one turn, and one of many
 * checks with long outputs, or one long text and a costly expression, could otherwise stop the agent for minutes.
 */
export const entryWorkMax = 400_000
