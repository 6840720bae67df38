import { describe, expect, it } from 'vitest'
import { configOf, offer, withLocalServices } from './local-world.ts'

const characters = 'will not be discoverable via DNS due to invalid characters.'
const length = 'will not be discoverable via DNS due to it being too long.'

describe('a name that cannot be asked for everywhere over DNS', () => {
  it('dns.md section 10: is warned about, a tag only at debug level, and registered nevertheless', async () => {
    const config = configOf({ nodeName: 'bad node', services: [offer('filed_one')] })
    await withLocalServices(config, async ({ local, lines }) => {
      expect(lines.filter((line) => line.includes('Node name'))).toEqual([expect.stringContaining(characters)])
      expect(lines.filter((line) => line.includes('filed_one'))).toEqual([expect.stringMatching(/^warn Service name/)])
      const before = lines.length
      expect((await local.registerService(offer('under_score', { tags: ['fine', 'v1.2'] }))).ok).toBe(true)
      expect((await local.registerService(offer('l'.repeat(64)))).ok).toBe(true)
      expect((await local.registerService(offer('l'.repeat(63), { tags: ['fine'] }))).ok).toBe(true)
      const told = lines.slice(before).filter((line) => line.includes('discoverable'))
      expect(told).toEqual([
        expect.stringContaining(`warn Service name ${characters}`),
        expect.stringContaining(`debug Service tag ${characters}`),
        expect.stringContaining(`warn Service name ${length}`),
      ])
    })
  })
})
