import { describe, expect, it } from 'vitest'
import { likeness } from '../../../sim/cli/explain/other-pages.ts'

describe('how like two pages are', () => {
  it('is the part of their words that both have', () => {
    expect(likeness(new Set(['acl', 'steps']), new Set(['steps', 'acl']))).toBe(1)
    expect(likeness(new Set(['acl', 'steps', 'cluster']), new Set(['steps', 'cluster', 'faults']))).toBe(0.5)
    expect(likeness(new Set(), new Set())).toBe(0)
  })
})
