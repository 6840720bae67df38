import { describe, expect, it } from 'vitest'
import { Journal } from '../../../src/agent/local/journal.ts'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import { inSimulation, value } from '../sim-world/in-simulation.ts'

describe('the copy of a damaged journal', () => {
  it('has its bytes, or says why there is none', async () => {
    await inSimulation({}, async (simulation) => {
      const node = simulation.addNode({ name: 'a', host: '10.0.0.1', directories: ['/data'] })
      await simulation.play(
        node,
        async ({ disk }) => {
          const journal = new Journal(disk, '/data', 'services')
          expect(await journal.keepAside()).toMatchObject({ ok: false, error: { kind: 'not-found' } })
          await value(journal.add(utf8('text'), { bytes: 0, texts: [] }))
          expect(await value(journal.keepAside())).toBe('/data/services.damaged')
          const copy = await value(disk.open('/data/services.damaged', 'read'))
          expect(textOf(await value(copy.read(0, 1_000)))).toContain('text')
          await copy.close()
        },
        10_000,
      )
    })
  })
})

describe('a journal of a process that was killed', () => {
  it.each(['was killed before it was', 'found that it could not be'])(
    'is made anew by the next one, because the first %s sure of its name',
    async (how) => {
      for (let seed = 0; seed < 8; seed++) {
        await inSimulation({ seed: `name-${seed}` }, async (simulation) => {
          const node = simulation.addNode({ name: 'a', host: '10.0.0.1', directories: ['/data'] })
          node.disk.setOptions({ syncMs: [1_000, 1_000] })
          const whole = { bytes: 0, texts: [utf8('first')] }
          node.boot(async ({ disk }) => {
            await new Journal(disk, '/data', 'services').add(utf8('first'), { bytes: 0, texts: [] })
          })
          // The file is synced and has its name, and the directory is being synced.
          await simulation.run({ untilMs: 1_500 })
          if (how === 'found that it could not be') {
            node.disk.fail('sync', 1)
            await simulation.run({ untilMs: 3_000 })
          }
          node.crash({ disk: 'kept' })
          let acknowledged = false
          node.boot(async ({ disk }) => {
            const journal = new Journal(disk, '/data', 'services')
            expect((await value(journal.read())).frames).toHaveLength(1)
            await value(journal.add(utf8('second'), whole))
            acknowledged = true
          })
          await simulation.run({ untilMs: 10_000 })
          node.crash({ disk: 'power' })
          let found: readonly string[] = []
          node.boot(async ({ disk }) => {
            const { frames } = await value(new Journal(disk, '/data', 'services').read())
            found = frames.map(({ text }) => textOf(text))
          })
          await simulation.run({ untilMs: 15_000 })
          expect([acknowledged, found]).toEqual([true, ['first', 'second']])
        })
      }
    },
  )

  it('makes durable what that process had written last, before anything is appended', async () => {
    await inSimulation({}, async (simulation) => {
      const node = simulation.addNode({ name: 'a', host: '10.0.0.1', directories: ['/data'] })
      node.disk.setOptions({ syncMs: [1_000, 1_000] })
      const whole = { bytes: 0, texts: [] }
      const texts = async (disk: Env['disk']): Promise<readonly string[]> => {
        const { frames } = await value(new Journal(disk, '/data', 'services').read())
        return frames.map(({ text }) => textOf(text))
      }
      node.boot(async ({ disk }) => {
        const journal = new Journal(disk, '/data', 'services')
        await value(journal.read())
        await value(journal.add(utf8('first'), whole))
        await journal.add(utf8('second'), whole)
      })
      // The second write has begun, and is not durable yet.
      await simulation.run({ untilMs: 2_500 })
      node.crash({ disk: 'kept' })
      node.boot(async ({ disk }) => {
        expect(await texts(disk)).toEqual(['first', 'second'])
        const journal = new Journal(disk, '/data', 'services')
        await value(journal.read())
        await value(journal.add(utf8('third'), { bytes: 0, texts: [utf8('first'), utf8('second')] }))
      })
      await simulation.run({ untilMs: 10_000 })
      node.crash({ disk: 'power' })
      let found: readonly string[] = []
      node.boot(async ({ disk }) => {
        found = await texts(disk)
      })
      await simulation.run({ untilMs: 15_000 })
      expect(found).toEqual(['first', 'second', 'third'])
    })
  })
})
