/** A filter as it is written, before anything is known of the fields that it selects. */
export type Expression =
  | { readonly kind: 'all-of' | 'any-of'; readonly parts: readonly Expression[] }
  | { readonly kind: 'not'; readonly part: Expression }
  | Comparison

/** `in` stands for `contains`, too: they differ in the order of their sides. */
export type Relation = 'equal' | 'in' | 'empty' | 'matches'

export interface Comparison {
  readonly kind: 'comparison'
  readonly relation: Relation
  readonly isNegated: boolean
  /** The operator as written, for messages: `not contains`. */
  readonly operator: string
  readonly operatorOffset: number
  readonly selector: Selector
  /** Absent for `empty`. */
  readonly operand?: Operand
}

/** At least one name. */
export type Selector = readonly SelectorPart[]

export interface SelectorPart {
  readonly name: string
  readonly offset: number
}

/** The text of a value: its meaning depends on the type of the selected field. */
export interface Operand {
  readonly text: string
  readonly offset: number
}
