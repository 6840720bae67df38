import { describe, expect, it } from 'vitest'
import type { Ground } from '../../../src/agent/assembly/ground.ts'
import { meshFederation } from '../../../src/agent/mesh/federation.ts'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import { normalize } from '../../../src/config/normalize.ts'
import type { FileConfig } from '../../../src/config/schema.ts'
import { defaultMesh, type MeshSettings } from '../../../src/features/contract/mesh.ts'
import type { Member } from '../../../src/gossip/pool.ts'
import { parseRelease } from '../../../src/model/release.ts'
import type { Raft } from '../../../src/raft/raft.ts'
import { FakePool, serverMember } from './fake-pool.ts'

const machine = { hostName: 'a', architecture: 'x', operatingSystem: 'l', cpuCount: 1, interfaces: () => [] }

interface Parts {
  readonly primary?: string
  readonly mesh?: Partial<MeshSettings>
  readonly release?: string
  readonly here?: readonly Member[]
  /** Absent servers: there is no pool of all datacenters. */
  readonly there?: readonly Member[] | undefined
}

function server(number: number, datacenter: string, release = '1.4.0', status: Member['status'] = 'alive'): Member {
  const member = serverMember(number, status)
  return { ...member, tags: { ...member.tags, dc: datacenter, build: `${release}:` } }
}

/** What s1 of dc2 knows of the mesh of dc1. */
function federation(parts: Parts = {}) {
  const { primary = 'dc1', release = '1.4.0', here = [server(1, 'dc2')] } = parts
  const there = 'there' in parts ? parts.there : [server(1, 'dc2'), server(2, 'dc1')]
  const defaults = defaultAgentConfig('s1', '10.0.0.1', parseRelease(release))
  const config = {
    ...defaults,
    server: true,
    datacenter: 'dc2',
    access: { ...defaults.access, primaryDatacenter: primary },
    mesh: { ...defaultMesh, enabled: true, ...parts.mesh },
  }
  const wan = there === undefined ? undefined : { pool: new FakePool(there).pool }
  const ground = {
    config,
    pool: new FakePool(here).pool,
    wan,
    tokens: { replication: 'r', meshReplication: 'm' },
  } as unknown as Ground
  const servers = here.map(({ tags }) => ({ id: tags['id'] ?? '', address: '' }))
  return meshFederation(ground, { status: () => ({ configuration: { servers } }) } as unknown as Pick<Raft, 'status'>)
}

describe('a server', () => {
  it('[FED-002] has its datacenter join another mesh since 1.4.0, unless that is switched off', () => {
    expect(federation()).toMatchObject({ primaryDatacenter: 'dc1', joins: true })
    expect(federation()?.token()).toBe('m')
    expect(federation({ mesh: { federates: true } })?.joins).toBe(true)
    expect(federation({ mesh: { federates: false } })?.joins).toBe(false)
    expect(federation({ release: '1.3.1' })).toBeUndefined()
  })

  it('[FED-003] sees that its datacenter is the primary one, or that there is none', () => {
    expect(federation({ primary: 'dc2' })).toBeUndefined()
    expect(federation({ primary: '' })).toBeUndefined()
  })

  it('[FED-013] joins nothing while the mesh is off, or where there is no pool of all datacenters', () => {
    expect(federation({ mesh: { enabled: false } })).toBeUndefined()
    expect(federation({ there: undefined })).toBeUndefined()
    expect(federation({ there: [server(1, 'dc2')] })?.missing()).toMatchObject([{ datacenter: 'dc1' }])
  })

  it('knows the servers of both datacenters that do not support it yet, and that failed ones may come back', () => {
    const late = [server(1, 'dc2'), server(3, 'dc2', '1.3.1', 'failed')]
    expect(federation()?.missing()).toEqual([])
    expect(federation({ here: late })?.missing()).toMatchObject([{ name: 's3', datacenter: 'dc2' }])
    const old = [server(2, 'dc1'), server(4, 'dc1', '1.3.1'), server(5, 'dc1', '1.3.1', 'left')]
    expect(federation({ there: old })?.missing()).toMatchObject([{ name: 's4', datacenter: 'dc1' }])
    expect(federation({ there: [...old.slice(0, 1), server(6, 'dc3', '1.3.1')] })?.missing()).toEqual([])
  })

  it.each(['primary_datacenter', 'acl_datacenter'] as const)(
    '[FED-005] has the primary datacenter of its mesh and of access control from one key, such as %s',
    (key) => {
      const file: FileConfig = {
        server: true,
        datacenter: 'dc2',
        data_dir: '/data',
        bind_addr: '10.0.0.1',
        [key]: 'DC1',
      }
      const read = normalize({ ...file, connect: { enabled: true } }, false, machine)
      if (!read.ok) throw new Error(JSON.stringify(read.error))
      const { access } = read.value.config
      expect(access.primaryDatacenter).toBe('dc1')
      expect(federation({ primary: access.primaryDatacenter })?.primaryDatacenter).toBe('dc1')
    },
  )
})
