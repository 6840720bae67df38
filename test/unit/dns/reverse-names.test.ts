import { describe, expect, it } from 'vitest'
import { addressOfReverseName } from '../../../src/dns/reverse-answers.ts'

describe('the address of a reverse name', () => {
  it('is that of its labels, the last first', () => {
    expect(addressOfReverseName('9.0.5.10.in-addr.arpa.')).toBe('10.5.0.9')
    expect(addressOfReverseName('0.255.5.10.in-addr.arpa.')).toBe('10.5.255.0')
  })

  it.each(['09', '', '-1', '1e1', '0x9', '+9', '256', '9.1', 'a'])('is none where a label is "%s"', (label) => {
    expect(addressOfReverseName(`${label}.0.5.10.in-addr.arpa.`)).toBeUndefined()
  })
})
