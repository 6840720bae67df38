/** Why a text is not HCL, and where: an offset in UTF-16 units. The words are those of the field's own parser. */
export interface HclProblem {
  readonly offset: number
  readonly message: string
  readonly about: HclProblemKind
}

/** What the field's place of a problem depends on: whether a token was unknown, or which one was looked at and missed. */
export type HclProblemKind = 'unknown-token' | 'next-token' | 'closing-brace' | 'other'

/** Thrown inside of this room alone, and caught at its entry: parsing goes too deep for results at every step. */
export class HclError extends Error implements HclProblem {
  readonly offset: number
  readonly about: HclProblemKind

  constructor(offset: number, message: string, about: HclProblemKind = 'other') {
    super(message)
    this.offset = offset
    this.about = about
  }
}

/** What a message about an unknown token begins with, before the token. */
export const unknownToken = 'Unknown token: '

/** Without the stack that comes with an error. */
export function problemOf({ offset, message, about }: HclError): HclProblem {
  return { offset, message, about }
}
