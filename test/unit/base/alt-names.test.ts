import { describe, expect, it } from 'vitest'
import { altNamesIn } from '../../../src/base/alt-names.ts'

describe('the alternative names of a certificate', () => {
  it('are DNS names in lower case and URIs as they stand; what could be misread is no name', () => {
    const line = 'DNS:A.example, URI:spiffe://x.svc/svc/web, IP Address:10.0.0.1, DNS:"b\\u002c URI:spiffe://evil"'
    expect(altNamesIn(line)).toEqual({ names: ['a.example'], uris: ['spiffe://x.svc/svc/web'] })
    expect(altNamesIn('URI:"spiffe://x.svc/svc/a\\u002cb", URI:"cut')).toEqual({
      names: [],
      uris: ['spiffe://x.svc/svc/a,b'],
    })
    expect(altNamesIn(undefined)).toEqual({ names: [], uris: [] })
  })
})
