/** What a filter can select of one kind of entry: the members of its JSON with their types. */
export type FieldType =
  | SingleType
  | { readonly kind: 'list'; readonly item: FieldType }
  /** Members with arbitrary names. */
  | { readonly kind: 'map'; readonly value: FieldType }
  | ObjectType
  /** Any JSON: nothing inside can be selected. */
  | { readonly kind: 'opaque' }

/** Numbers are whole. */
export interface SingleType {
  readonly kind: 'text' | 'number' | 'flag'
}

export interface ObjectType {
  readonly kind: 'object'
  readonly members: ReadonlyMap<string, FieldType>
}

/** Types in words for messages. */
export const typeNames: Readonly<Record<FieldType['kind'], string>> = {
  text: 'a string',
  number: 'a number',
  flag: 'a boolean',
  list: 'a list',
  map: 'a map',
  object: 'an object',
  opaque: 'free-form JSON',
}

/** The operators that a field of this type takes, as in the field's own language. */
export function operatorsOf(type: FieldType): readonly string[] {
  switch (type.kind) {
    case 'text':
      return ['==', '!=', 'in', 'not in', 'contains', 'not contains', 'matches', 'not matches']
    case 'number':
    case 'flag':
      return ['==', '!=']
    case 'list':
      return isSingle(type.item) ? [...membership, ...emptiness] : emptiness
    case 'map':
      return [...membership, ...emptiness]
    case 'object':
    case 'opaque':
      return []
  }
}

const membership = ['in', 'not in', 'contains', 'not contains'] as const
const emptiness = ['is empty', 'is not empty'] as const

/** Whether values of this type are compared, and not looked into. */
export function isSingle(type: FieldType): type is SingleType {
  return type.kind === 'text' || type.kind === 'number' || type.kind === 'flag'
}
