/** The shape of a value of unknown origin, determined by inspecting it. */

/** An object that is no list: its members may be read by any name, and are as unknown as it was. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `Array.isArray` for read-only lists, of which its type knows nothing. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** The names of a table that is written out in the code: they are those of its type, and no others. */
export function namesOf<Table extends object>(table: Table): readonly (keyof Table & string)[] {
  return Object.keys(table) as (keyof Table & string)[]
}
