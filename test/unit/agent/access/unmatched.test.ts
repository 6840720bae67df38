import { describe, expect, it } from 'vitest'
import { defaultAccess, unmatchedPolicy } from '../../../../src/agent/settings/access-settings.ts'

describe('a connection that no intention speaks of', () => {
  it('is decided by the default policy, and is allowed where nothing is refused', () => {
    for (const defaultPolicy of ['allow', 'deny'] as const) {
      expect(unmatchedPolicy({ ...defaultAccess, defaultPolicy })).toBe(defaultPolicy)
      expect(unmatchedPolicy({ ...defaultAccess, defaultPolicy, reportOnly: true })).toBe('allow')
    }
  })
})
