import { describe, expect, it } from 'vitest'
import { knownServers } from '../../../src/agent/pool/pool-servers.ts'
import type { Member } from '../../../src/gossip/pool.ts'
import { serverMember } from './fake-pool.ts'

const namesOf = (members: readonly Member[]): readonly string[] => knownServers(members, 'dc1').map(({ name }) => name)

describe('the servers that a pool knows', () => {
  it('have one name each: of a renamed one the name that shows more life, wherever it stands', () => {
    const renamed = { ...serverMember(1), name: 'z1' }
    expect(namesOf([serverMember(1, 'failed'), serverMember(2, 'left'), renamed])).toEqual(['s2', 'z1'])
    expect(namesOf([{ ...serverMember(1, 'left'), name: 'a1' }, serverMember(1, 'failed')])).toEqual(['s1'])
    expect(namesOf([serverMember(1), { ...renamed, status: 'left' }])).toEqual(['s1'])
  })

  it('are not taken for one another because their tags have an empty ID', () => {
    const nameless = [1, 2].map((number) => {
      const member = serverMember(number)
      return { ...member, tags: { ...member.tags, id: '' } }
    })
    expect(namesOf(nameless)).toEqual(['s1', 's2'])
  })
})
