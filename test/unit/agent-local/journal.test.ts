import { describe, expect, it } from 'vitest'
import { Journal } from '../../../src/agent/local/journal.ts'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
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
