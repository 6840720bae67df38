/** Why a text is not HCL, and where: an offset in UTF-16 units. The words are those of the field's own parser. */
export interface HclProblem {
  readonly offset: number
  readonly message: string
}

/** Thrown inside of this room alone, and caught at its entry: parsing goes too deep for results at every step. */
export class HclError extends Error implements HclProblem {
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}
