import { expect, it } from 'vitest'
import { runsIn } from '../../../sim/checkers/mesh/mesh-secrets.ts'
import { fc } from '../../fast-check.ts'

const numRuns = process.env['SVC_TEST_LONG'] === '1' ? 100_000 : 500

const pieces = ['a', 'Z', '0', '9', '+', '/', '=', '_', '-', ' ', '"', '@', '[', '`', '{', 'é', 'x'.repeat(39), '']
const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 200 }).map((parts) => parts.join(''))

it('C4 looks at every run of 40 characters or more in either alphabet of base64', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const plain = text.match(/[A-Za-z0-9+/=]{40,}/g) ?? []
      const url = (text.match(/[A-Za-z0-9_-]{40,}/g) ?? []).filter((run) => /[_-]/.test(run))
      expect([...runsIn(text)].sort()).toEqual([...plain, ...url].sort())
    }),
    { numRuns },
  )
})
