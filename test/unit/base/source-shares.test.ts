import { describe, expect, it } from 'vitest'
import { SourceShares, sourceOf } from '../../../src/base/source-shares.ts'

describe('shares of sources', () => {
  it('each source holds its share and no more, and a place that is given back is free again', () => {
    const shares = new SourceShares(2)
    const first = shares.take('10.0.0.1')
    expect([first, shares.take('10.0.0.1')].every((place) => place !== undefined)).toBe(true)
    expect(shares.take('10.0.0.1')).toBeUndefined()
    expect(shares.take('10.0.0.2')).toBeDefined()
    first?.()
    expect(shares.take('10.0.0.1')).toBeDefined()
    expect(shares.take('10.0.0.1')).toBeUndefined()
  })

  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['2001:db8:0:1::7', '2001:db8:0:1::/64'],
    ['2001:0db8:0000:0001:aaaa:bbbb:cccc:dddd', '2001:db8:0:1::/64'],
    ['2001:DB8:0:1:1:2:3:4', '2001:db8:0:1::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('%s is of the source %s', (host, source) => {
    expect(sourceOf(host)).toBe(source)
  })
})
