import { createHash } from 'node:crypto'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { mutationBuild } from '../../../sim/mutation/build.ts'
import { mutantNamed } from '../../../sim/mutation/one-mutant.ts'

const files: Readonly<Record<string, string>> = {
  'src/a/one.js': 'export function f(a, b) {\n  g(a)\n  return a < b\n}\n',
  'src/a/two.js': 'export function f(a, b) {\n  return a && b\n}\n',
}
const options = {
  ts,
  sha256: (bytes: Uint8Array) => createHash('sha256').update(bytes).digest(),
  workshop: { names: () => Object.keys(files), read: (name: string) => files[name], sourcePlaces: () => undefined },
}

describe('one mutant alone', () => {
  it('is the text of its file with its one change, for every mutant', () => {
    const build = mutationBuild({ ...options, rooms: ['src'] })
    const mutants = build.ok ? build.value.mutants : []
    expect(mutants.length).toBeGreaterThan(8)
    for (const { id, file, before, after } of mutants) {
      const made = mutantNamed(id, options)
      const whole = files[file] ?? ''
      // A statement that is left out leaves a block; what replaces an expression stands in parentheses.
      const texts = [whole.replace(before, '{}'), whole.replace(before, `(${after})`)]
      expect(made).toMatchObject({ ok: true, value: { mutant: { id, file } } })
      expect(texts).toContain(made.ok ? made.value.text : '')
    }
  })

  it('is found in its file alone where that is named', () => {
    const build = mutationBuild({ ...options, rooms: ['src/a/two.ts'] })
    const id = (build.ok ? build.value.mutants[0]?.id : undefined) ?? ''
    expect(mutantNamed(`src/a/two.ts:${id}`, options)).toMatchObject({ ok: true, value: { mutant: { id } } })
    expect(mutantNamed(`src/a/one.ts:${id}`, options)).toEqual({
      ok: false,
      error: `no mutant of src/a/one.ts has the ID ${id}: svc-sim mutate --list shows all`,
    })
  })

  it.each<[string, RegExp]>([
    ['be968cd', /is not the ID of a mutant: write its eight digits/],
    ['src/a/one.ts', /is not the ID of a mutant/],
    ['src/b/one.ts:be968cda', /src\/b\/one[.]ts: the built program has no module there/],
    ['00000000', /no mutant of src has the ID 00000000/],
  ])('refuses %s', (name, error) => {
    expect(mutantNamed(name, options)).toMatchObject({ ok: false, error: expect.stringMatching(error) })
  })
})
