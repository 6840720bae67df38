import { describe, expect, it } from 'vitest'
import { ipBytes, ipText } from '../../../src/gossip/wire/ip-bytes.ts'
import { decodeTags, encodeTags } from '../../../src/gossip/wire/tags.ts'
import { shown, spelled } from './bytes.ts'

describe('tags', () => {
  it('stand behind a mark, in order of their keys', () => {
    const bytes = encodeTags({ role: 'node', dc: 'dc1' })
    expect(shown(bytes as Uint8Array)).toBe(shown(spelled('<ff 82 a2>dc<a3>dc1<a4>role<a4>node')))
    expect(decodeTags(bytes as Uint8Array)).toEqual({ dc: 'dc1', role: 'node' })
  })

  it('keep a value of 32 bytes and more in the old form', () => {
    const bytes = encodeTags({ id: 'x'.repeat(36) })
    expect(shown(bytes as Uint8Array)).toBe(shown(spelled(`<ff 81 a2>id<da0024>${'x'.repeat(36)}`)))
  })

  it('that take more than 512 bytes are refused', () => {
    expect(encodeTags({ a: 'x'.repeat(505) })).toHaveLength(512)
    expect(encodeTags({ a: 'x'.repeat(506) })).toBeUndefined()
  })

  it('without a mark are the role alone; malformed ones are none', () => {
    expect(decodeTags(spelled('web'))).toEqual({ role: 'web' })
    expect(decodeTags(spelled('<ff 82 a2>dc'))).toEqual({})
    expect(decodeTags(new Uint8Array(0))).toEqual({})
  })

  it('may have any name', () => {
    const tags = decodeTags(spelled('<ff 81 a9>__proto__<a1>x'))
    expect(Object.entries(tags)).toEqual([['__proto__', 'x']])
  })
})

describe('IP addresses', () => {
  it.each([
    ['10.0.0.1', '0a000001'],
    ['::', '00000000000000000000000000000000'],
    ['::1', '00000000000000000000000000000001'],
    ['fd00::1:2', 'fd000000000000000000000000010002'],
    ['1:0:0:2::3', '00010000000000020000000000000003'],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
  ])('%s is its own text again', (text, bytes) => {
    expect(shown(ipBytes(text) as Uint8Array)).toBe(bytes)
    expect(ipText(spelled(`<${bytes}>`))).toBe(text)
  })

  it('of version 4 may stand in version 6', () => {
    expect(shown(ipBytes('::ffff:10.0.0.1') as Uint8Array)).toBe('0a000001')
    expect(ipText(spelled('<00000000000000000000ffff0a000001>'))).toBe('10.0.0.1')
  })

  it.each([
    '',
    'web',
    '10.0.0',
    '10.0.0.256',
    '10.0.0.01',
    '1.2.3.4.5',
    '10.0.0.',
    '.1.2.3',
    '10,0,0,1',
    '1::2::3',
    '1:2:3',
    ':1:2:3:4:5:6:7',
    '12345::',
    'fe80::1%eth0',
  ])('"%s" is none', (text) => {
    expect(ipBytes(text)).toBeUndefined()
  })
})
