import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { memberLines } from '../../env/observe.ts'
import type { Pool } from '../../gossip/pool.ts'
import { type Failure, failureText } from '../../model/failure.ts'
import { interoperate, serverIdFor, whyNotInteroperable } from '../../raft/protocol.ts'
import type { Raft } from '../../raft/raft.ts'
import type { Hello } from '../../rpc/frame.ts'
import type { Rpc } from '../../rpc/rpc.ts'
import { aliveServers, serverOf } from '../pool/pool-servers.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import { judgeFormation } from './formation.ts'
import { ReportedProblems } from './reported-problems.ts'
import { readRecord, type ServerDirectory, type ServerRecord } from './server-directory.ts'

/** The RPC method by which servers introduce themselves: each side sends its record. */
export const introduceMethod = 'Server.Introduce'
/**
 * Interval between rounds: the short one while the server belongs to no cluster, or does not know a server of the pool.
 */
const eagerIntervalMs = 1_000
const settledIntervalMs = 30_000
const answerWithinMs = 2_000
const toldMax = 256

/**
 * Exchanges records among the servers of one pool: each visits those that the pool considers alive, and sends its
 * identity, whether it has Raft state, and which servers it knows. The records decide when a first configuration is
 * formed, and tell the leader which servers to add.
 */
export class Introductions {
  readonly #env: Env
  readonly #config: AgentConfig
  readonly #rpc: Rpc
  readonly #raft: Raft
  readonly #directory: ServerDirectory
  readonly #nodeId: string
  readonly #pool: Pool
  readonly #watching: Closable
  #timer: Closable | undefined
  #going = false
  #again = false
  #waitingFor = ''
  #forming = false
  #stopped = false
  /** Why servers cannot take part, by address. */
  readonly #told = new ReportedProblems({ max: toldMax })

  constructor(parts: {
    env: Env
    config: AgentConfig
    rpc: Rpc
    raft: Raft
    directory: ServerDirectory
    nodeId: string
    pool: Pool
  }) {
    this.#env = parts.env
    this.#config = parts.config
    this.#rpc = parts.rpc
    this.#raft = parts.raft
    this.#directory = parts.directory
    this.#nodeId = parts.nodeId
    this.#pool = parts.pool
    this.#watching = parts.pool.onChange((changes) => {
      if (changes.some(({ member }) => serverOf(member) !== undefined)) this.#env.detach(this.#goRound())
    })
  }

  start(): void {
    this.#env.detach(this.#goRound())
  }

  stop(): void {
    this.#stopped = true
    this.#watching.close()
    this.#timer?.close()
  }

  /** Serves `introduceMethod`: learns the caller's record and gives our own. */
  serve(body: unknown, { address, nodeName }: Pick<Hello, 'address' | 'nodeName'>): Result<unknown, Failure> {
    const record = readRecord(body)
    if (!record.ok) {
      const message = record.error
      this.#tellOnce(address === '' ? nodeName : address, message)
      return { ok: false, error: { kind: 'bad-request', message } }
    }
    const why = this.#strange(record.value)
    if (why !== undefined) return { ok: false, error: { kind: 'refused', message: why } }
    this.#learn(record.value)
    return { ok: true, value: this.ownRecord() }
  }

  /** A peer of unknown name has connected: ask it for its record. */
  met(peer: Hello): void {
    const isStranger = peer.address === '' || peer.datacenter !== this.#config.datacenter
    if (isStranger || peer.nodeId === this.#nodeId || this.#directory.get(peer.nodeId) !== undefined) return
    this.#env.detach(this.introduceTo(peer.address))
  }

  /** Introduces this server to the one at this address; undefined if it does not answer. */
  async introduceTo(address: string): Promise<ServerRecord | undefined> {
    const answer = await this.#rpc.request(address, {
      method: introduceMethod,
      body: this.ownRecord(),
      deadlineMs: answerWithinMs,
    })
    if (this.#stopped) return undefined
    if (!answer.ok) {
      const { kind } = answer.error
      if (kind === 'refused' || kind === 'bad-request') this.#tellOnce(address, failureText(answer.error))
      return undefined
    }
    const record = readRecord(answer.value)
    if (!record.ok) {
      this.#tellOnce(address, record.error)
      return undefined
    }
    if (this.#strange(record.value) !== undefined) return undefined
    this.#learn(record.value)
    return record.value
  }

  ownRecord(): ServerRecord {
    const status = this.#raft.status()
    const address = ownAddress(this.#config)
    const { protocol } = this.#config.raft
    return {
      id: this.#nodeId,
      name: this.#config.nodeName,
      address,
      datacenter: this.#config.datacenter,
      raftProtocol: protocol,
      expect: this.#config.bootstrapExpect,
      bootstrapped: this.#raft.hasState(),
      known: [...this.#directory.namesOfWaiting(serverIdFor(protocol, this.#nodeId, address))],
      lastIndex: status.lastIndex,
      lastTerm: status.lastTerm,
      lastContactMs: status.lastContactMs ?? -1,
    }
  }

  /** Why this server is incompatible, which is also logged; undefined if it is compatible. */
  #strange(record: ServerRecord): string | undefined {
    const { protocol } = this.#config.raft
    if (interoperate(protocol, record.raftProtocol)) return undefined
    this.#directory.forget(record.id)
    this.#tellOnce(record.address, whyNotInteroperable(protocol, record.raftProtocol))
    // The other side logs this as well, about this server.
    return whyNotInteroperable(record.raftProtocol, protocol)
  }

  #tellOnce(address: string, why: string): void {
    if (!this.#told.isNew(address, why)) return
    this.#env.log.write(
      'error',
      'agent',
      'a server cannot be in one cluster with this one',
      { address, why },
      'sampled',
    )
  }

  #learn(record: ServerRecord): void {
    const before = this.#directory.get(record.id)
    if (!this.#directory.learn(record)) return
    if (before === undefined) {
      this.#env.log.write(
        'info',
        'agent',
        'met a server',
        {
          name: record.name,
          id: record.id,
          address: record.address,
        },
        memberLines,
      )
      // Its arrival changes this server's own record, and may allow the cluster to form: visit the others again.
      this.#env.detach(this.#goRound())
    }
    this.#env.detach(this.#maybeForm())
  }

  async #goRound(): Promise<void> {
    this.#env.batches?.woken(this)
    if (this.#going) {
      this.#again = true
      return
    }
    this.#going = true
    this.#timer?.close()
    do {
      this.#again = false
      this.#env.batches?.goesOn(this)
      await Promise.all(this.#addresses().map((address) => this.introduceTo(address)))
      if (this.#stopped) return
    } while (this.#again)
    this.#going = false
    await this.#maybeForm()
    this.#rest()
  }

  #rest(): void {
    if (this.#stopped) return
    const settled = this.#raft.hasState() && this.#addresses().every((address) => this.#isKnown(address))
    const delayMs = settled ? settledIntervalMs : eagerIntervalMs
    this.#timer?.close()
    this.#timer = this.#env.timers.after(delayMs, () => this.#env.detach(this.#goRound()))
  }

  #isKnown(address: string): boolean {
    return this.#directory.all().some((record) => record.address === address)
  }

  #addresses(): readonly string[] {
    const own = ownAddress(this.#config)
    const configured = this.#raft.status().configuration.servers.map((server) => server.address)
    const present = aliveServers(this.#pool.members(), this.#config.datacenter).map((server) => server.address)
    return [...new Set([...configured, ...present])].filter((address) => address !== own)
  }

  async #maybeForm(): Promise<void> {
    if (this.#stopped || this.#forming || this.#raft.hasState() || this.#config.bootstrapExpect === 0) return
    const others = this.#directory.all()
    const formation = judgeFormation(this.ownRecord(), others)
    if (formation.kind === 'wait') {
      if (formation.why !== this.#waitingFor) {
        this.#waitingFor = formation.why
        const fields = { why: formation.why, expected: this.#config.bootstrapExpect, known: others.length + 1 }
        this.#env.log.write('info', 'agent', 'waiting before forming a cluster', fields)
      }
      return
    }
    const servers = formation.configuration.servers.map((server) => server.id).join(',')
    this.#env.log.write('info', 'agent', 'found the expected number of servers, forming the cluster', { servers })
    this.#forming = true
    await this.#raft.bootstrap(formation.configuration)
    this.#forming = false
  }
}

/** The address at which other servers reach this one. */
export function ownAddress(config: AgentConfig): string {
  const host = config.advertiseAddress
  return host.includes(':') ? `[${host}]:${config.ports.server}` : `${host}:${config.ports.server}`
}
