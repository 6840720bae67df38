import type { Json } from '../../base/json.ts'
import { isList } from '../../base/shape.ts'
import type { Naming } from './naming.ts'

/**
 * Converts a text of the program, which is written with `svc`, to a naming: help, documents, remedies. Never used for a
 * text that contains what a caller wrote. It leaves unchanged: `svc-sim`, which is another program; `svc` as a segment
 * of a path (SPIFFE IDs), and in a host name of another product.
 */
export function toldUnder({ name, title }: Pick<Naming, 'name' | 'title'>, text: string): string {
  if (name === 'svc') return text
  return text
    .replace(/(?<![\w/]|default\.)svc(?![\w/]|-sim)/g, name)
    .replace(/(?<!\w)Svc(?!\w)/g, title)
    .replace(/(?<!\w)SVC(?=_[A-Z]|\b)/g, name.toUpperCase())
}

/** The setting whose values are the names themselves. */
const namesKey = 'names'

/** As `toldUnder`, for all texts of a document of the program, and for names of members. */
export function toldDocument(naming: Naming, value: Json): Json {
  if (naming.name === 'svc') return value
  if (typeof value === 'string') return toldUnder(naming, value)
  if (isList(value)) return distinct(value.map((each) => toldDocument(naming, each)))
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).map(([name, each]): [string, Json | undefined] => {
    return [toldUnder(naming, name), each === undefined || name === namesKey ? each : toldDocument(naming, each)]
  })
  return Object.fromEntries(members)
}

/** An enumeration of both names keeps one of them. */
function distinct(values: readonly Json[]): readonly Json[] {
  return values.filter((value, at) => typeof value !== 'string' || values.indexOf(value) === at)
}
