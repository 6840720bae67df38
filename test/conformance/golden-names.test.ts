import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { play } from './golden/player.ts'
import { renamedTarget } from './golden/renamed-target.ts'
import { loadRecorded, loadSequence } from './golden/sequence.ts'
import { judge, loadDivergences, loadNotYet } from './golden/verdict.ts'
import { startSimulatedAgent } from './simulated-agent.ts'
import { settled } from './worlds.ts'

const notYet = loadNotYet()
const waiting = new Set(notYet.filter(({ steps }) => steps === 'all').map(({ sequence }) => sequence))
const all = readdirSync(new URL('../golden/sequences/', import.meta.url)).sort()
/** Those of whose answers most have the name. */
const sample = /^(?:connect-ca|dns|intentions)\./
const files = process.env['SVC_TEST_LONG'] === '1' ? all : all.filter((file) => sample.test(file))

/** `svc` is an alias, so that the questions of the recordings to DNS are answered. */
const names = { names: 'consul', aliases: ['svc'] }

describe('what was recorded, of an agent under the name of the field', () => {
  it.each(files.filter((file) => !waiting.has(file)))('is what it answers: %s', async (file) => {
    const sequence = loadSequence(file)
    const listed = new Set(notYet.filter((entry) => entry.sequence === file).flatMap(({ steps }) => steps))
    const { profile } = sequence
    const agent = await settled(await startSimulatedAgent(profile, { more: names }), profile)
    try {
      const target = renamedTarget(agent.target)
      const answers = await play(sequence, target, { impatient: (id) => listed.has(id) })
      const verdict = judge(file, loadRecorded(file), answers, loadDivergences(), notYet)
      expect(verdict.faults).toEqual([])
    } finally {
      await agent.stop()
    }
  })
})
