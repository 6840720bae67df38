import { describe, expect, it } from 'vitest'
import { missingServers, type Seen } from '../../../../src/agent/access/mode.ts'
import { legacyModeFailure } from '../../../../src/features/contract/access-control.ts'
import type { Member, MemberStatus } from '../../../../src/gossip/pool.ts'

interface Server {
  readonly acls?: string
  readonly status?: MemberStatus
  readonly datacenter?: string
  readonly build?: string
}

function member(name: string, { acls, status = 'alive', datacenter = 'dc1', build = '1.4.0' }: Server = {}): Member {
  const tags = {
    role: 'svc',
    id: `id-${name}`,
    dc: datacenter,
    port: '8300',
    build: `${build}:`,
    ...(acls === undefined ? {} : { acls }),
  }
  return { name, endpoint: { host: `10.0.0.${name.length}`, port: 8301 }, status, tags } as unknown as Member
}

function missing(seen: Partial<Seen>): readonly string[] {
  const configuration = { servers: [] }
  return missingServers({ own: 'dc1', primary: 'dc1', lan: [], wan: [], configuration, ...seen }).map(
    ({ name, datacenter, why }) => `${name} in ${datacenter} ${why}`,
  )
}

const old = { build: '1.3.1' } as const

describe('servers that keep a datacenter in legacy mode', () => {
  it('are those that do not say that they support the new kind, with why, alive or not, but none that has left', () => {
    const lan = [
      member('e', { acls: '2' }),
      member('d', { acls: '0' }),
      member('c', { ...old, status: 'left' }),
      member('b', { ...old, status: 'failed' }),
      member('a', old),
      member('other', { ...old, datacenter: 'dc2' }),
    ]
    expect(missing({ lan })).toEqual([
      'a in dc1 runs 1.3.1, which does not support it',
      'b in dc1 runs 1.3.1, which does not support it',
      'd in dc1 has access control turned off',
    ])
    expect(missing({ lan: [member('a', { acls: '2' }), member('b', { acls: '1' })] })).toEqual([])
  })

  it('are those of the consensus group, too, of which the pool does not tell', () => {
    const server = (id: string, address: string) => ({ id, address, suffrage: 'voter' as const })
    const configuration = { servers: [server('id-a', '10.0.0.1:8300'), server('10.0.0.9:8300', '10.0.0.9:8300')] }
    expect(missing({ lan: [member('a', { acls: '2' })], configuration })).toEqual([
      '10.0.0.9:8300 in dc1 is in the consensus group, but the pool has no such member',
    ])
  })

  it('of a secondary one are those of both, and all of the primary one until it has gone over itself', () => {
    const secondary = { primary: 'dc0', lan: [member('a', { acls: '2' })] }
    const primary = (acls: string | undefined, name = 'p') =>
      member(name, { datacenter: 'dc0', ...(acls === undefined ? old : { acls }) })
    expect(missing(secondary)).toEqual(['every server in dc0 is out of reach'])
    expect(missing({ ...secondary, wan: [primary(undefined), primary('1', 'q')] })).toEqual([
      'p in dc0 runs 1.3.1, which does not support it',
    ])
    expect(missing({ ...secondary, wan: [primary('2'), primary('2', 'q')] })).toEqual([
      'every server in dc0 is still in legacy mode',
    ])
    expect(missing({ ...secondary, wan: [primary('2'), primary('1', 'q')] })).toEqual([])
    expect(missing({ ...secondary, lan: [member('a', old)], wan: [primary('1')] })).toEqual([
      'a in dc1 runs 1.3.1, which does not support it',
    ])
  })

  it('are named where something new is refused for them', () => {
    const lan = [member('a', old)]
    expect(
      legacyModeFailure(missingServers({ own: 'dc1', primary: 'dc1', lan, wan: [], configuration: { servers: [] } })),
    ).toEqual({
      kind: 'legacy-access-control',
      message: 'The ACL system is currently in legacy mode. Missing: a in dc1 runs 1.3.1, which does not support it',
    })
  })
})
