import { expect, it } from 'vitest'
import { failureOf } from './swarm.ts'

const seeds = process.env['SVC_TEST_LONG'] === '1' ? 2_000 : 30

it('[MEM-002] a pool in trouble arrives at one view of its members once the trouble ends, and keeps it', () => {
  for (let seed = 1; seed <= seeds; seed++) expect([seed, failureOf(seed)]).toEqual([seed, undefined])
})
