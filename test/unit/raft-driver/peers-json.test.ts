import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { readPeers } from '../../../src/raft/opening/peers-json.ts'

function read(text: string, own = 'a', protocol = 3) {
  return readPeers('/data/raft/peers.json', utf8(text), { id: own, protocol })
}

const a = '{"id": "a", "address": "10.0.0.1:8300"}'

describe('peers.json', () => {
  it('names servers by ID and address, with a vote unless it says otherwise', () => {
    const text = `[{"id": "B", "address": "[fd00::1]:8300", "non_voter": true},\n{"id":"c","address":"10.0.0.3:1","non_voter":false},${a}]`
    expect(read(text)).toEqual({
      ok: true,
      value: {
        servers: [
          { id: 'a', address: '10.0.0.1:8300', suffrage: 'voter' },
          { id: 'b', address: '[fd00::1]:8300', suffrage: 'nonvoter' },
          { id: 'c', address: '10.0.0.3:1', suffrage: 'voter' },
        ],
      },
    })
  })

  const addresses = 'a list of addresses is the form of Raft protocol 2 and before, and this server speaks 3'
  const refusals: readonly (readonly [what: string, text: string, line: number, message: string])[] = [
    ['an empty file', '', 1, 'the file is empty'],
    ['a blank file', ' \n\n', 1, 'the file is empty'],
    ['what is not JSON', '[\n{"id" "a"}]', 2, 'not JSON'],
    ['a file cut short', `[\n${a}`, 2, 'not JSON'],
    ['a comma too many', `[${a},\n]`, 2, 'not JSON'],
    ['a comment', `[\n// me\n${a}]`, 2, 'not JSON'],
    ['lists without end', `[\n${'['.repeat(200_000)}`, 2, 'lists are nested too deep'],
    ['a single server', a, 1, 'not a list of servers'],
    ['an empty list', '\n[]', 2, 'no server is named'],
    ['the form of old', '[\n"10.0.0.1:8300"]', 2, addresses],
    ['a mixture of forms', `[${a},\n"10.0.0.2:8300"]`, 2, addresses],
    ['a number', `[${a},\n7]`, 2, 'not a server with its "id" and "address"'],
    ['a server without ID', '[{"address": "10.0.0.1:8300"}]', 1, 'the server has no "id"'],
    ['a server with an empty ID', `[${a},{\n"id":"","address":"10.0.0.2:8300"}]`, 2, 'the server has no "id"'],
    ['a server without address', `[${a},\n{"id":"b"}]`, 2, 'the server has no "address"'],
    [
      'an address without port',
      `[{"id":"a","address":"10.0.0.1"}]`,
      1,
      'the address "10.0.0.1" does not have the form "10.0.0.1:8300"',
    ],
    [
      'a port out of range',
      `[{"id":"a","address":"h:70000"}]`,
      1,
      'the address "h:70000" does not have the form "10.0.0.1:8300"',
    ],
    [
      'an address that is no text',
      `[{"id":"a","address":8300}]`,
      1,
      'the address 8300 does not have the form "10.0.0.1:8300"',
    ],
    ['a vote in words', `[{"id":"a","address":"h:1","non_voter":"false"}]`, 1, '"non_voter" is neither true nor false'],
    ['a key that is misspelt', `[{"id":"a","address":"h:1",\n"nonvoter":true}]`, 2, 'unknown key "nonvoter"'],
    ['a key that stands twice', `[{"id":"a",\n"id":"b","address":"h:1"}]`, 2, 'the key "id" occurs twice'],
    ['an ID named twice', `[${a},\n{"id":"A","address":"h:1"}]`, 2, 'the id "a" is named twice'],
    [
      'an address named twice',
      `[${a},\n{"id":"b","address":"10.0.0.1:8300"}]`,
      2,
      'the address "10.0.0.1:8300" is named twice',
    ],
    ['the own ID missing', '\n[{"id":"b","address":"h:1"}]', 2, 'the id of this server, "a", is not in the list'],
    ['nobody with a vote', '[{"id":"a","address":"h:1","non_voter":true}]', 1, 'no voter would be left'],
  ]

  it.each(refusals)('is refused: %s', (_what, text, line, message) => {
    const refused = read(text)
    if (refused.ok) throw new Error('it was taken')
    expect(refused.error.message).toBe(`/data/raft/peers.json:${line}: ${message}`)
    expect(refused.error.kind).toBe('configuration')
    expect(refused.error.remedy).toMatch(/^nothing was changed: write \[\{"id"/)
  })
})

describe('[RFT-013] peers.json below Raft protocol 3', () => {
  const own = '10.0.0.1:8300'

  it('is a list of addresses, by which the servers are named; all have a vote', () => {
    expect(read(`["10.0.0.2:8300", "${own}"]`, own, 2)).toEqual({
      ok: true,
      value: {
        servers: [
          { id: own, address: own, suffrage: 'voter' },
          { id: '10.0.0.2:8300', address: '10.0.0.2:8300', suffrage: 'voter' },
        ],
      },
    })
  })

  it.each([
    [
      'the form of protocol 3',
      `[\n${a}]`,
      2,
      'a list of servers with IDs is the form of Raft protocol 3, and this server speaks 2',
    ],
    [
      'an address without port',
      `["${own}",\n"10.0.0.2"]`,
      2,
      '"10.0.0.2" is not an address of the form "10.0.0.1:8300"',
    ],
    ['something else', '[7]', 1, '7 is not an address of the form "10.0.0.1:8300"'],
    ['an address named twice', `["${own}",\n"${own}"]`, 2, `the address "${own}" is named twice`],
    ['a list without this server', '["10.0.0.2:8300"]', 1, `the address of this server, "${own}", is not in the list`],
  ])('is refused when it is %s', (_what, text, line, message) => {
    const refused = read(text, own, 2)
    if (refused.ok) throw new Error('it was taken')
    expect(refused.error.message).toContain(`peers.json:${line}: ${message}`)
    expect(refused.error.remedy).toContain('["<ip>:<port>"]')
  })
})
