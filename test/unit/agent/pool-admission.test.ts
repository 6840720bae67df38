import { describe, expect, it } from 'vitest'
import { poolAdmission, wanAdmission } from '../../../src/agent/pool/pool-admission.ts'
import type { Claim } from '../../../src/gossip/pool.ts'
import { fieldNaming, type Naming, svcNaming } from '../../../src/model/naming/naming.ts'

const protocol = { min: 2, max: 3, spoken: 2 }

/** A member with an address of its own, if nothing else is said. */
type Told = Omit<Claim, 'endpoint'> & Partial<Claim>

const endpointOf = (name: string): Claim['endpoint'] => ({ host: name, port: 8301 })
const endpoint = endpointOf('n1')

function placed(admission: ReturnType<typeof poolAdmission>): (members: readonly Told[]) => string | undefined {
  return (members) => admission(members.map((member) => ({ endpoint: endpointOf(member.name), ...member })))
}

const refuse = placed(
  poolAdmission({ nodeName: 'n1', nodeId: 'id-1', endpoint, naming: svcNaming, datacenter: 'dc1', protocol }),
)

describe('kept out of the pool of a datacenter', () => {
  it('an agent of another datacenter', () => {
    expect(refuse([{ name: 'n2', tags: { dc: 'dc2', id: 'id-2' } }])).toBe("Member 'n2' part of wrong datacenter 'dc2'")
  })

  it('an agent with our node ID under another name', () => {
    expect(refuse([{ name: 'n2', tags: { dc: 'dc1', id: 'id-1' } }])).toBe(
      "Member 'n2' has conflicting node ID 'id-1' with this agent's ID",
    )
  })

  it('two agents that have one node ID', () => {
    const both = ['n2', 'n3'].map((name) => ({ name, tags: { dc: 'dc1', id: 'id-2' } }))
    expect(refuse(both)).toBe("Member 'n3' has conflicting node ID 'id-2' with member 'n2'")
  })

  it('but one agent under its former and its present name may be: no other agent has its address', () => {
    expect(refuse([{ name: 'n2', endpoint, tags: { dc: 'dc1', id: 'id-1' } }])).toBeUndefined()
    const renamed = ['n2', 'n3'].map((name) => ({ name, endpoint: endpointOf('n2'), tags: { dc: 'dc1', id: 'id-2' } }))
    expect(refuse(renamed)).toBeUndefined()
  })

  it('an agent of a segment', () => {
    expect(refuse([{ name: 'n2', tags: { dc: 'dc1', segment: 'alpha' } }])).toBe(
      "Member 'n2' part of wrong segment 'alpha'",
    )
  })

  it('an agent whose protocol is not understood here, or that does not understand what is spoken here', () => {
    const old = { dc: 'dc1', id: 'id-2', vsn: '1', vsn_min: '1', vsn_max: '1' }
    expect(refuse([{ name: 'n2', tags: old }])).toBe(
      "Member 'n2' speaks protocol 1 and understands 1 to 1, this agent speaks 2 and understands 2 to 3: upgrade through a release in between",
    )
    const range = { min: 1, max: 3, spoken: 2 }
    const between = placed(
      poolAdmission({
        nodeName: 'n1',
        nodeId: 'id-1',
        endpoint,
        naming: svcNaming,
        datacenter: 'dc1',
        protocol: range,
      }),
    )
    expect(between([{ name: 'n2', tags: old }])).toBe(
      "Member 'n2' speaks protocol 1 and understands 1 to 1, this agent speaks 2 and understands 1 to 3: set protocol to 1",
    )
    expect(between([{ name: 'n2', tags: { ...old, vsn_max: '2' } }])).toBeUndefined()
    expect(refuse([{ name: 'n2', tags: { ...old, vsn: '2', vsn_max: '3' } }])).toBeUndefined()
  })

  it('but ourselves, others of the datacenter, and members that are none of our agents, may be', () => {
    expect(
      refuse([
        { name: 'n1', tags: { dc: 'dc1', id: 'id-1', segment: '' } },
        { name: 'n2', tags: { dc: 'dc1', id: 'id-2' } },
        { name: 'theirs', tags: { role: 'web' } },
      ]),
    ).toBeUndefined()
  })
})

describe('kept out of the pool of a datacenter, with both names', () => {
  const ownTags = { dc: 'dc1', id: 'id-2', role: 'node' }
  const fieldTags = { ...ownTags, names: 'consul' }
  const refuseUnder = (naming: Naming): typeof refuse =>
    placed(poolAdmission({ nodeName: 'n1', nodeId: 'id-1', endpoint, naming, datacenter: 'dc1', protocol }))
  const [underOwn, underField] = [refuseUnder(svcNaming), refuseUnder(fieldNaming)]

  it.each([
    ['client', underOwn, fieldTags, 'consul', 'svc'],
    ['client', underField, ownTags, 'svc', 'consul'],
    ['server', underOwn, { ...ownTags, role: 'consul' }, 'consul', 'svc'],
    ['server', underField, { ...ownTags, role: 'svc' }, 'svc', 'consul'],
  ])('is a %s of the other naming', (kind, refused, tags, theirs, own) => {
    expect(refused([{ name: 'n2', tags }])).toBe(
      `Member 'n2' is a ${kind} with names = "${theirs}", and here names = "${own}": all agents of a cluster have the same`,
    )
  })

  it('but not those of the own, nor members that are none of our agents', () => {
    expect(underOwn([{ name: 'n2', tags: ownTags }])).toBeUndefined()
    expect(underField([{ name: 'n2', tags: fieldTags }])).toBeUndefined()
    expect(underField([{ name: 'n2', tags: { role: 'web' } }])).toBeUndefined()
  })
})

describe('kept out of the pool of all datacenters', () => {
  const refuseWan = placed(wanAdmission({ name: 'n1.dc1', nodeId: 'id-1', endpoint, naming: svcNaming, protocol }))
  const server = (name: string, dc: string, id: string) => ({ name, tags: { role: 'svc', dc, id } })

  it('an agent that is not a server', () => {
    expect(refuseWan([server('n2.dc2', 'dc2', 'id-2'), { name: 'c1', tags: { role: 'node', dc: 'dc2' } }])).toBe(
      "Member 'c1' is not a server",
    )
    expect(refuseWan([{ name: 'theirs', tags: {} }])).toBe("Member 'theirs' is not a server")
  })

  it('a second server with a node ID', () => {
    expect(refuseWan([server('n2.dc2', 'dc2', 'id-1')])).toBe(
      "Member 'n2.dc2' has conflicting node ID 'id-1' with this agent's ID",
    )
  })

  it('but servers of any datacenter, ourselves among them, may be', () => {
    expect(refuseWan([server('n1.dc1', 'dc1', 'id-1'), server('n1.dc2', 'dc2', 'id-2')])).toBeUndefined()
  })
})
