import { type FieldType, isSingle, type ObjectType, typeNames } from './fields.ts'
import { FilterError } from './problem.ts'
import type { Selector, SelectorPart } from './tree.ts'

/** One step from a value to what is selected of it: a member, the value of a map's key, or every item of a list. */
export type Step =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'each' }

interface SelectedField {
  readonly type: FieldType
  readonly path: readonly Step[]
}

/** Finds the field that a selector names. Throws FilterError, with the selectors that exist, if it names no field. */
export function fieldOf(selector: Selector, root: ObjectType): SelectedField {
  let type: FieldType = root
  const path: Step[] = []
  for (const [at, part] of selector.entries()) {
    // A selector goes through lists of objects: the comparison holds if it holds for one of the items.
    while (type.kind === 'list' && !isSingle(type.item)) {
      path.push({ kind: 'each' })
      type = type.item
    }
    const step: Step = { kind: type.kind === 'map' ? 'key' : 'member', name: part.name }
    type = insideOf(type, part, selector.slice(0, at))
    path.push(step)
  }
  return { type, path }
}

function insideOf(type: FieldType, { name, offset }: SelectorPart, before: Selector): FieldType {
  const place = before.map((part) => part.name).join('.')
  if (type.kind === 'map' && type.value.kind !== 'opaque') return type.value
  if (type.kind !== 'object') {
    throw new FilterError(offset, `"${place}" is ${typeNames[type.kind]}, of which nothing further can be selected`)
  }
  const member = type.members.get(name)
  if (member !== undefined) return member
  const known = [...type.members.keys()].join(', ')
  const where = place === '' ? 'there is no selector' : `"${place}" has no member`
  throw new FilterError(offset, `${where} "${shownName(name)}"; there are: ${known}`)
}

const shownMax = 64

function shownName(name: string): string {
  return name.length > shownMax ? `${name.slice(0, shownMax)}…` : name
}
