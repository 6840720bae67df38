import { describe, expect, it } from 'vitest'
import { catalogRegisterAll } from '../../../src/features/catalog/commands.ts'
import { registerAllEndpoint } from '../../../src/features/catalog/write-endpoints.ts'

const node = { id: '', node: 'a', address: '10.0.0.1', taggedAddresses: null, meta: null }
const requestOf = (offers: number) => ({
  node,
  skipNodeUpdate: true,
  offers: Array.from({ length: offers }, () => ({ service: null, checks: [] })),
})

describe('many offers in one request', () => {
  it('are 64 at most', () => {
    expect(registerAllEndpoint.args.safeParse(requestOf(64)).success).toBe(true)
    expect(registerAllEndpoint.args.safeParse(requestOf(65)).success).toBe(false)
  })

  it('are remembered with why they were refused as long as that is short, else that they were', () => {
    const remembered = (refusals: readonly (string | null)[]) => catalogRegisterAll.remembered?.(refusals)
    expect(remembered([null, 'no'])).toEqual([null, 'no'])
    const [done, refused] = remembered([null, 'x'.repeat(5_000)]) ?? []
    expect([done, refused]).toEqual([null, expect.stringMatching(/^.{1,64}$/)])
  })
})
