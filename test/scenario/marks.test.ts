import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Mark, marks } from '../../sim/checkers/marks.ts'
import { oneJob, projectRoot, svcSim } from './svc-sim.ts'

/** By scenario: marks that twenty seeds of it reach, or a hundred. Between them they reach all. */
const table = JSON.parse(readFileSync(join(projectRoot, 'test/scenario/reached-marks.json'), 'utf8')) as Readonly<
  Record<string, readonly Mark[]>
>

const isLong = process.env['SVC_TEST_LONG'] === '1'
/** One whose story forces what it reaches, unless there is time for all. */
const quick = 'scenarios/acl-revocation.yaml'
/** Their rarest states come in one run of fifty. */
const rare = ['scenarios/chaos-raft.yaml', 'scenarios/hunts/members-change.yaml']

function seedsOf(name: string): string {
  if (!isLong) return '1..2'
  return rare.includes(name) ? '1..100' : '1..20'
}

describe('a mark', () => {
  it('is reached by a shipped scenario, as the table has it', () => {
    const reached = new Set(Object.values(table).flat())
    expect(Object.keys(marks).filter((mark) => !reached.has(mark as Mark))).toEqual([])
    expect([...reached].filter((mark) => !(mark in marks))).toEqual([])
  })

  it.each(Object.keys(table).filter((name) => isLong || name === quick))(
    'is reached by %s',
    { timeout: 3_600_000 },
    async (name) => {
      const { out } = await svcSim(['run', name, '--seeds', seedsOf(name), '--json', ...oneJob])
      const records = out.split('\n').filter((line) => line.startsWith('{'))
      const reached = records.flatMap((line) => (JSON.parse(line) as { readonly marks: readonly string[] }).marks)
      expect(table[name]?.filter((mark) => !reached.includes(mark))).toEqual([])
    },
  )
})
