import { describe, expect, it } from 'vitest'
import { reconcileMembers } from '../../../src/agent/servers/reconcile.ts'
import { err, ok } from '../../../src/base/result.ts'
import { catalogDeregister, catalogRegister } from '../../../src/features/catalog/commands.ts'
import { catalogFeature } from '../../../src/features/catalog/feature.ts'
import { checkOfNode, nodeByName, serviceOfNode } from '../../../src/features/catalog/views.ts'
import type { CommandDefinition } from '../../../src/features/contract/command.ts'
import type { ServerContext } from '../../../src/features/contract/server-context.ts'
import type { Member } from '../../../src/gossip/pool.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import { Store } from '../../../src/store/store.ts'
import { HandClock, settled } from '../features/hand-clock.ts'
import { clientMember, FakePool, serverMember } from './fake-pool.ts'

const hour = 3_600_000
/** More than any test needs. */
const commandsMax = 1_000

const bareService = {
  kind: '',
  tags: [],
  address: '',
  meta: null,
  weights: { passing: 1, warning: 1 },
  enableTagOverride: false,
}

/** A leader s1 with a real catalog, over a pool that a test commands. */
class Leader {
  readonly clock = new HandClock()
  readonly store = new Store(catalogFeature.tables ?? [])
  readonly fake: FakePool
  readonly removed: string[] = []
  commands = 0
  /** Happens while the next command is under way. */
  meanwhile: () => void = () => {}
  /** Happens while consensus removes a server. */
  whileRemoved: () => void = () => {}
  servers = [{ id: 'id-s1' }, { id: 'id-s2' }]
  #duty: { close(): void } | undefined

  constructor(members: readonly Member[]) {
    this.fake = new FakePool(members)
  }

  async start(): Promise<void> {
    const server = {
      env: this.clock.env,
      naming: svcNaming,
      datacenter: 'dc1',
      read: () => this.store.read(),
      propose: async <Body, Outcome>(command: CommandDefinition<Body, Outcome>, body: Body) => {
        this.commands++
        if (this.commands > commandsMax) return err({ kind: 'overloaded', message: 'the leader does not rest' })
        command.body.parse(body)
        this.meanwhile()
        return ok(this.store.apply(modifyIndexOf(this.store.index + 1), (tx) => command.apply(tx, body)))
      },
      raft: {
        status: () => ({ configuration: { servers: this.servers } }),
        changeConfiguration: async (change: { id: string }) => {
          this.removed.push(change.id)
          this.whileRemoved()
          this.servers = this.servers.filter(({ id }) => id !== change.id)
          return ok(1)
        },
      },
    } as unknown as ServerContext
    this.#duty = reconcileMembers(this.fake.pool, 's1', 72 * hour).start(server)
    await settled()
  }

  register(request: { readonly node: object; readonly service?: object }): void {
    const node = { taggedAddresses: null, meta: null, ...request.node }
    const service = request.service === undefined ? null : { ...bareService, ...request.service }
    const body = catalogRegister.body.parse({ node, skipNodeUpdate: false, service, checks: [] })
    this.store.apply(modifyIndexOf(this.store.index + 1), (tx) => catalogRegister.apply(tx, body))
  }

  deregister(node: string): void {
    const body = { node, serviceId: '', checkId: '' }
    this.store.apply(modifyIndexOf(this.store.index + 1), (tx) => catalogDeregister.apply(tx, body))
  }

  close(): void {
    this.#duty?.close()
  }

  status(node: string): string | undefined {
    return checkOfNode(this.store.read(), node, 'serfHealth')?.status
  }

  has(node: string): boolean {
    return nodeByName(this.store.read(), node) !== undefined
  }
}

async function leading(members: readonly Member[]): Promise<Leader> {
  const leader = new Leader(members)
  await leader.start()
  return leader
}

describe('the leader keeps the catalog true to the pool', () => {
  it('a member that is alive has its node and a passing membership check, a server its service', async () => {
    const leader = await leading([serverMember(1), clientMember(1)])
    const tx = leader.store.read()
    expect(nodeByName(tx, 'c1')).toMatchObject({ id: 'id-c1', address: '10.0.1.1' })
    expect(checkOfNode(tx, 'c1', 'serfHealth')).toMatchObject({
      status: 'passing',
      output: 'Agent alive and reachable',
    })
    expect(serviceOfNode(tx, 's1', 'svc')).toMatchObject({ service: 'svc', port: 8300 })
    expect(serviceOfNode(tx, 'c1', 'svc')).toBeUndefined()
  })

  it('a member that has moved has its new address under every tag, but where it had another one there', async () => {
    const leader = await leading([serverMember(1)])
    const tagged = (lan: string): object => ({
      ...{ id: 'id-c1', node: 'c1', address: lan, meta: [['rack', '7']] },
      taggedAddresses: [
        ['lan', lan],
        ['lan_ipv4', lan],
        ['wan', '198.51.100.1'],
      ],
    })
    leader.register({ node: tagged('10.9.9.9') })
    // The agent itself registers where it is now, before the leader's write arrives.
    leader.meanwhile = () => {
      leader.meanwhile = () => {}
      leader.register({ node: tagged('10.0.1.1') })
    }
    leader.fake.set(clientMember(1), 'joined')
    await settled()
    expect(leader.status('c1')).toBe('passing')
    expect(nodeByName(leader.store.read(), 'c1')).toMatchObject(tagged('10.0.1.1'))
  })

  it('what the agent of a new member says of its node meanwhile stays', async () => {
    const leader = await leading([serverMember(1)])
    const node = { id: 'id-c1', node: 'c1', address: '10.0.1.1', taggedAddresses: [['lan', '10.0.1.1']], meta: [] }
    leader.meanwhile = () => {
      leader.meanwhile = () => {}
      const told = { node, skipNodeUpdate: false, service: null, checks: [] }
      leader.store.apply(modifyIndexOf(leader.store.index + 1), (tx) =>
        catalogRegister.apply(tx, catalogRegister.body.parse(told)),
      )
    }
    leader.fake.set(clientMember(1), 'joined')
    await settled()
    expect(leader.status('c1')).toBe('passing')
    expect(nodeByName(leader.store.read(), 'c1')).toMatchObject({ taggedAddresses: [['lan', '10.0.1.1']], meta: [] })
  })

  it('what is as it should be costs no write', async () => {
    const leader = await leading([serverMember(1), clientMember(1)])
    const before = leader.commands
    await leader.clock.advance(10 * 60_000)
    expect(leader.commands).toBe(before)
  })

  it('[MEM-013] [MEM-014] a member that failed has its check critical, and nothing is removed', async () => {
    const leader = await leading([serverMember(1), serverMember(2)])
    leader.fake.set(serverMember(2, 'failed'), 'failed')
    await settled()
    expect(leader.status('s2')).toBe('critical')
    expect(serviceOfNode(leader.store.read(), 's2', 'svc')).toBeDefined()
    expect(leader.removed).toEqual([])
    leader.fake.set(serverMember(2), 'joined')
    await settled()
    expect(leader.status('s2')).toBe('passing')
  })

  it('[MEM-010] a member that left is taken out, a server also from the consensus group', async () => {
    const leader = await leading([serverMember(1), serverMember(2), clientMember(1)])
    leader.fake.set(serverMember(2, 'left'), 'left')
    leader.fake.set(clientMember(1, 'left'), 'left')
    await settled()
    expect([leader.has('s2'), leader.has('c1'), leader.has('s1')]).toEqual([false, false, true])
    expect(leader.removed).toEqual(['id-s2'])
  })

  it('does not take itself out when it leaves', async () => {
    const leader = await leading([serverMember(1)])
    leader.fake.set(serverMember(1, 'left'), 'left')
    await settled()
    expect(leader.has('s1')).toBe(true)
    expect(leader.removed).toEqual([])
  })

  it('a member that the pool has forgotten is taken out at once', async () => {
    const leader = await leading([serverMember(1), clientMember(1)])
    leader.fake.set(clientMember(1, 'failed'), 'failed')
    await settled()
    leader.fake.reap(clientMember(1, 'failed'))
    await settled()
    expect(leader.has('c1')).toBe(false)
  })

  it('so is one that is forgotten while a round is under way', async () => {
    const leader = await leading([serverMember(1), clientMember(1)])
    leader.fake.set(clientMember(1, 'failed'), 'failed')
    await settled()
    leader.meanwhile = () => {
      leader.meanwhile = () => {}
      leader.fake.reap(clientMember(1, 'failed'))
    }
    leader.fake.set(clientMember(2), 'joined')
    await settled()
    expect([leader.has('c2'), leader.has('c1')]).toEqual([true, false])
  })

  it('a server that left and is back within the round keeps its place', async () => {
    const leader = await leading([clientMember(1), serverMember(1), serverMember(2), clientMember(2)])
    // At the end of one round it leaves, and the next begins with a write that takes until it is back.
    leader.meanwhile = () => {
      leader.meanwhile = () => {
        leader.meanwhile = () => {}
        leader.fake.set(serverMember(2), 'joined')
      }
      leader.fake.set(serverMember(2, 'left'), 'left')
      leader.fake.set(clientMember(1, 'failed'), 'failed')
    }
    leader.fake.set(clientMember(2, 'failed'), 'failed')
    await settled()
    expect([leader.has('s2'), leader.status('s2'), leader.removed]).toEqual([true, 'passing', []])
  })

  it('nor does a server go from the catalog that is back while consensus removes it', async () => {
    const leader = await leading([serverMember(1), serverMember(2)])
    leader.whileRemoved = () => leader.fake.set(serverMember(2), 'joined')
    leader.fake.set(serverMember(2, 'left'), 'left')
    await settled()
    expect([leader.has('s2'), leader.removed]).toEqual([true, ['id-s2']])
  })

  it('a machine that was set up anew takes the name over, and nothing of what was registered on it', async () => {
    const leader = await leading([serverMember(1), clientMember(1)])
    const service = { id: 'web', service: 'web', port: 80 }
    leader.register({ node: { id: 'id-c1', node: 'c1', address: '10.0.1.1' }, service })
    leader.fake.set({ ...clientMember(1), tags: { ...clientMember(1).tags, id: 'id-new' } }, 'updated')
    await settled()
    expect(nodeByName(leader.store.read(), 'c1')).toMatchObject({ id: 'id-new' })
    expect([leader.status('c1'), serviceOfNode(leader.store.read(), 'c1', 'web')]).toEqual(['passing', undefined])
  })

  it('but not a name that was registered by hand: that node is no agent', async () => {
    const leader = await leading([serverMember(1)])
    leader.register({ node: { id: 'id-hand', node: 'c1', address: '10.9.9.9' } })
    leader.fake.set(clientMember(1), 'joined')
    await settled()
    expect(nodeByName(leader.store.read(), 'c1')).toMatchObject({ id: 'id-hand' })
  })

  it('a node that the pool does not tell of is critical after a while, and goes only when a failed member would', async () => {
    const leader = await leading([serverMember(1), clientMember(1)])
    leader.fake.forget('c1')
    await leader.clock.advance(2 * 60_000)
    expect(leader.status('c1')).toBe('passing')
    await leader.clock.advance(2 * 60_000)
    expect(leader.status('c1')).toBe('critical')
    await leader.clock.advance(71 * hour)
    expect(leader.has('c1')).toBe(true)
    await leader.clock.advance(2 * hour)
    expect(leader.has('c1')).toBe(false)
  })

  it('a server that left and came back under another name keeps its place in the consensus group', async () => {
    const leader = await leading([serverMember(1), serverMember(2)])
    leader.fake.set(serverMember(2, 'left'), 'left')
    await settled()
    leader.servers = [{ id: 'id-s1' }, { id: 'id-s2' }]
    leader.fake.set({ ...serverMember(2), name: 'z2' }, 'joined')
    await settled()
    await leader.clock.advance(5 * 60_000)
    expect(leader.removed).toEqual(['id-s2'])
    expect([leader.has('s2'), leader.status('z2')]).toEqual([false, 'passing'])
  })

  it.each(['left', 'failed'] as const)(
    'a node stays with an agent that changed the case of its name, while the former name is %s',
    async (status) => {
      const leader = await leading([serverMember(1), { ...clientMember(1), name: 'C1' }])
      leader.register({
        node: { id: 'id-c1', node: 'C1', address: '10.0.1.1' },
        service: { id: 'web', service: 'web', port: 80 },
      })
      leader.fake.set(clientMember(1), 'joined')
      leader.fake.set({ ...clientMember(1, status), name: 'C1' }, status)
      await settled()
      const before = leader.commands
      await leader.clock.advance(10 * 60_000)
      expect([leader.status('c1'), leader.commands]).toEqual(['passing', before])
      expect(serviceOfNode(leader.store.read(), 'c1', 'web')).toBeDefined()
      leader.fake.reap({ ...clientMember(1, status), name: 'C1' })
      await settled()
      expect([leader.status('c1'), leader.commands]).toEqual(['passing', before])
    },
  )

  it('an agent that was renamed has its node at once, though its former name is forgotten', async () => {
    const leader = await leading([serverMember(1), clientMember(1)])
    leader.close()
    leader.fake.forget('c1')
    leader.fake.set({ ...clientMember(1), name: 'c9' }, 'joined')
    await leader.start()
    expect([leader.has('c1'), leader.status('c9')]).toEqual([false, 'passing'])
  })

  it('but not while the pool considers its former name alive', async () => {
    const leader = await leading([serverMember(1), clientMember(1)])
    leader.fake.set({ ...clientMember(1), name: 'c9' }, 'joined')
    await settled()
    expect([leader.status('c1'), leader.has('c9')]).toEqual(['passing', false])
    leader.fake.set({ ...clientMember(1), status: 'failed' }, 'failed')
    await settled()
    expect([leader.has('c1'), leader.status('c9')]).toEqual([false, 'passing'])
  })

  it('a node that was registered by hand in another case is that of the member', async () => {
    const leader = await leading([serverMember(1)])
    leader.register({ node: { node: 'C1', address: '10.0.1.1', id: '' } })
    leader.fake.set(clientMember(1), 'joined')
    await settled()
    await leader.clock.advance(10 * 60_000)
    expect(leader.status('c1')).toBe('passing')
    await leader.clock.advance(80 * hour)
    expect(leader.status('c1')).toBe('passing')
  })

  it('of two agents whose names differ only in case the first keeps the node', async () => {
    const leader = await leading([serverMember(1), clientMember(1)])
    const other = { ...clientMember(2), name: 'C1' }
    leader.fake.set(other, 'joined')
    await settled()
    await leader.clock.advance(5 * 60_000)
    expect([nodeByName(leader.store.read(), 'c1')?.id, leader.commands < 10]).toEqual(['id-c1', true])
    leader.fake.set(clientMember(1, 'failed'), 'failed')
    await settled()
    expect(nodeByName(leader.store.read(), 'c1')?.id).toBe('id-c2')
  })

  it('a node that an operator takes out while the round is under way does not come back as a failed one', async () => {
    const leader = await leading([serverMember(1), clientMember(1), clientMember(2)])
    leader.fake.forget('c1')
    leader.fake.forget('c2')
    await leader.clock.advance(2 * 60_000)
    leader.meanwhile = () => {
      leader.meanwhile = () => {}
      leader.deregister('c2')
    }
    await leader.clock.advance(2 * 60_000)
    expect([leader.status('c1'), leader.has('c2')]).toEqual(['critical', false])
  })

  it('members of other datacenters are left alone, and no subscription is left after the end', async () => {
    const foreign = { ...clientMember(9), tags: { ...clientMember(9).tags, dc: 'dc2' } }
    const leader = await leading([serverMember(1), foreign])
    expect(leader.has('c9')).toBe(false)
    leader.close()
    expect([leader.clock.timers, leader.fake.listeners]).toEqual([0, 0])
  })
})
