import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { ReturnTypes } from '../../../sim/mutation/return-types.ts'

const source = `
type Name = string & { readonly brand: 'name' }
type Found = Name | undefined
export function name(): Name { return /* name */ read() }
export function found(): Found { return /* found */ read() }
export function list<T>(all: readonly T[]): readonly T[] { return /* list */ all }
export function each(): Iterable<number> { return /* each */ read() }
export function first<Row>(all: readonly Row[]): Row { return /* first */ all[0] }
export async function later(): Promise<Imported> { return /* later */ read() }
export async function maybe(): Promise<Imported | undefined> { return /* maybe */ read() }
export function* steps(): Generator<number, string> { return /* steps */ read() }
export function* work(): Imported { return /* work */ read() }
export const untyped = () => { return /* untyped */ read() }
export const within = (): number => [1].map((each) => { return /* inner */ each })[0]
`

/** The place behind a comment. */
function promised(mark: string): boolean {
  const before = source.slice(0, source.indexOf(`/* ${mark} */`)).split('\n')
  const at = { line: before.length - 1, column: before.at(-1)?.length ?? 0 }
  const types = new ReturnTypes(ts, (file) => (file === 'src/a.ts' ? source : undefined))
  return types.promisesSomething('src/a.ts', at)
}

describe('what a function says by its type that it returns', () => {
  it.each(['name', 'list', 'each', 'later'])('is something: %s', (mark) => {
    expect(promised(mark)).toBe(true)
  })

  it.each(['found', 'first', 'maybe', 'steps', 'work', 'untyped', 'inner'])(
    'may be nothing, or is not said: %s',
    (mark) => {
      expect(promised(mark)).toBe(false)
    },
  )

  it('is not known where there is no source', () => {
    expect(new ReturnTypes(ts, () => undefined).promisesSomething('src/a.ts', { line: 3, column: 40 })).toBe(false)
  })
})
