import { describe, expect, it } from 'vitest'
import { SourceShares } from '../../../src/base/source-shares.ts'
import { placeFor, streamsPerSourceMax } from '../../../src/host/tcp.ts'
import { splicesMax } from '../../../src/proxy/splices.ts'

/** How many connections one source can have open at one listener, up to as many as a proxy takes. */
function opened(host: string): number {
  const shares = new SourceShares(streamsPerSourceMax)
  let open = 0
  while (open < splicesMax && placeFor(shares, host) !== undefined) open++
  return open
}

describe('connections to one listener', () => {
  it('are a share of them from another machine', () => {
    expect(opened('10.0.0.2')).toBe(streamsPerSourceMax)
    expect(opened('2001:db8::2')).toBe(streamsPerSourceMax)
  })

  it.each(['127.0.0.1', '127.0.0.9', '::1', '::ffff:127.0.0.1'])(
    'are as many from %s as a proxy takes: a service reaches an upstream through one listener',
    (host) => {
      expect(opened(host)).toBe(splicesMax)
    },
  )
})
