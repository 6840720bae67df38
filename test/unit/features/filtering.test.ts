import { describe, expect, it } from 'vitest'
import type { Env } from '../../../src/env/env.ts'
import { kept } from '../../../src/features/http/filtering.ts'
import type { ObjectType } from '../../../src/filter/fields.ts'
import { Filter } from '../../../src/filter/filter.ts'
import { HandClock } from './hand-clock.ts'

const type: ObjectType = { kind: 'object', members: new Map([['Name', { kind: 'text' }]]) }

/** Judges entries with a name of so many characters, and counts the turns that it takes. */
async function judged(expression: string, count: number, characters: number) {
  let turns = 0
  const after = (_: number, fire: () => void) => {
    turns++
    queueMicrotask(fire)
    return { close: () => {} }
  }
  const env = { ...new HandClock().env, timers: { after } } as unknown as Env
  const filter = Filter.from(expression, type)
  if (!filter.ok) throw new Error(filter.error)
  const entries = new Array(count).fill({ Name: 'b'.repeat(characters) })
  const found = await kept({ env }, filter.value, entries, (entry) => entry)
  return { turns, said: found.ok ? found.value.length : found.error }
}

describe('the work of filtering an answer', () => {
  it('is done in turns', async () => {
    const { turns, said } = await judged('Name contains b', 10_000, 10)
    expect(said).toBe(10_000)
    expect(turns).toBeGreaterThan(10)
  })

  it('is bounded for all entries and for each of them, and beyond that it is the caller’s mistake', async () => {
    const refusal = (where: string) => ({ kind: 'bad-request', message: `The filter takes too much work on ${where}` })
    expect((await judged('Name contains b', 100, 20_000_000)).said).toEqual(refusal('so many entries'))
    expect((await judged('Name matches "(a?){900}[xy]"', 1, 20_000)).said).toEqual(refusal('one of the entries'))
  })
})
