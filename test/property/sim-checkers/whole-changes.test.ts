import { expect, it } from 'vitest'
import { AppliedKeys } from '../../../sim/checkers/keys/applied-keys.ts'
import type { ListedKey } from '../../../sim/checkers/keys/key-history.ts'
import { WholeChanges } from '../../../sim/checkers/keys/whole-changes.ts'
import { fc } from '../../fast-check.ts'

const numRuns = process.env['SVC_TEST_LONG'] === '1' ? 100_000 : 1_000
const keys = ['a', 'b', 'c']

/** At each index one key is written or removed, or nothing is. */
const changes = fc.array(fc.constantFrom('a', 'b', 'c', '-a', '-b', '-c', ''), { maxLength: 12 })

/** What all keys are after each index, from 0 on. */
function statesOf(log: readonly string[]): readonly ReadonlyMap<string, ListedKey>[] {
  const states = [new Map<string, ListedKey>()]
  for (const [at, change] of log.entries()) {
    const state = new Map(states.at(-1))
    const index = at + 1
    if (change.startsWith('-')) state.delete(change.slice(1))
    else if (change !== '') state.set(change, { key: change, value: `v${index}`, modifyIndex: index })
    states.push(state)
  }
  return states
}

function appliedOf(log: readonly string[]): AppliedKeys {
  const applied = new AppliedKeys()
  for (const [at, change] of log.entries()) {
    if (change.startsWith('-')) applied.changed(change.slice(1), at + 1, undefined)
    else if (change !== '') applied.changed(change, at + 1, `v${at + 1}`)
  }
  return applied
}

it('K2 accepts a list exactly if some state of the log shows it', () => {
  fc.assert(
    fc.property(changes, fc.array(fc.nat(12), { minLength: 3, maxLength: 3 }), (log, froms) => {
      const states = statesOf(log)
      // Each key as one state showed it: sometimes they are all of one, often they are not.
      const found = keys.flatMap((key, nth) => states[(froms[nth] ?? 0) % states.length]?.get(key) ?? [])
      const shown = JSON.stringify(found)
      const isWhole = states.some((state) => JSON.stringify(keys.flatMap((key) => state.get(key) ?? [])) === shown)
      const reports: string[] = []
      const judge = {
        report: (_: string, message: string) => void reports.push(message),
        judged: () => {},
        excused: () => {},
      }
      new WholeChanges(judge, appliedOf(log)).listed(keys, found, 's1')
      expect(reports.length, `${log.join(' ')}: ${shown}`).toBe(isWhole ? 0 : 1)
    }),
    { numRuns },
  )
})
