import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { agentDocument } from './agent-document.ts'
import { DocumentCheck } from './document-check.ts'
import { play } from './golden/player.ts'
import { loadRecorded, loadSequence } from './golden/sequence.ts'
import { judge, loadDivergences, loadNotYet } from './golden/verdict.ts'
import { worlds } from './worlds.ts'

const notYet = loadNotYet()
const document = new DocumentCheck(agentDocument())
const waiting = new Set(notYet.filter(({ steps }) => steps === 'all').map(({ sequence }) => sequence))
const files = readdirSync(new URL('../golden/sequences/', import.meta.url)).sort()

describe.each(worlds.map((world) => [world.name, world] as const))('what was recorded, %s', (_name, { start }) => {
  it.each(files.filter((file) => !waiting.has(file)))('is what this agent answers: %s', async (file) => {
    const sequence = loadSequence(file)
    const listed = new Set(notYet.filter((entry) => entry.sequence === file).flatMap(({ steps }) => steps))
    const agent = await start(sequence.profile)
    try {
      const misfits: string[] = []
      const watched = document.watch(agent.target, misfits)
      const answers = await play(sequence, watched, { impatient: (id) => listed.has(id) })
      const recorded = loadRecorded(file)
      const verdict = judge(file, recorded, answers, loadDivergences(), notYet)
      const { matched, diverging, notYet: missing } = verdict
      console.log(
        `${file}: ${matched.length}/${recorded.length} as recorded, ${diverging.size} diverge on purpose, ${missing.size} wait for a feature`,
      )
      expect(verdict.faults).toEqual([])
      expect(misfits, 'what the OpenAPI document does not tell').toEqual([])
    } finally {
      await agent.stop()
    }
  })
})

describe('the list of what waits', () => {
  it('leaves no sequence out without saying why', () => {
    for (const { sequence, feature } of notYet) {
      expect(files).toContain(sequence)
      expect(feature).not.toBe('')
    }
  })
})
