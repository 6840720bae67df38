/** Why a text is not a filter, and the place of the mistake: an offset in UTF-16 units. */
export interface FilterProblem {
  readonly offset: number
  readonly message: string
}

/** Thrown inside this room only, and caught at its entry: parsing nests too deeply for a result at every step. */
export class FilterError extends Error implements FilterProblem {
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/** A sentence for the caller. Characters are counted from 1, and a character beyond 16 bits counts once. */
export function filterProblemText(text: string, { offset, message }: FilterProblem): string {
  return `Invalid filter at character ${[...text.slice(0, offset)].length + 1}: ${message}`
}
