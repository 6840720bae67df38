import type { Closable } from '../../src/env/async.ts'
import { packetBytesDefault } from '../../src/gossip/core/bounds.ts'
import type { Message } from '../../src/gossip/core/messages.ts'
import { PacketEncoder } from '../../src/gossip/wire/packet.ts'
import type { Simulation } from '../simulation/simulation.ts'
import type { RangeMs } from '../world/time-range.ts'
import type { Cluster } from './cluster.ts'
import { lanPort } from './node-identity.ts'
import type { WebState } from './web-servers.ts'

/** Settings of a disk; what is absent is as the run has it. */
export interface DiskSetting {
  /** Of a read or a write. */
  readonly operationMs?: RangeMs
  readonly syncMs?: RangeMs
  /** No room is left. */
  readonly full?: boolean
}

/** Settings of all links of a machine; what is absent is as the run has it. */
export interface LinkSetting {
  readonly latencyMs?: RangeMs
  readonly loss?: number
  readonly duplicate?: number
  readonly reorder?: number
  /** Mean of a further delay with a long tail. */
  readonly jitterMs?: number
  readonly corrupt?: number
}

/** The machines of a cluster as faults see them: links, disks and clocks, by the name of the server. */
export class Machines {
  readonly #simulation: Simulation
  readonly #cluster: Cluster
  readonly #disk: { readonly operationMs: RangeMs; readonly syncMs: RangeMs }
  readonly #links = new Map<string, LinkSetting>()

  /** `disk`: what every disk is like when nothing is wrong with it. */
  constructor(
    simulation: Simulation,
    cluster: Cluster,
    disk: { readonly operationMs: RangeMs; readonly syncMs: RangeMs },
  ) {
    this.#simulation = simulation
    this.#cluster = cluster
    this.#disk = disk
  }

  /** Calls `then` after this much true time, in a turn of its own. */
  after(delayMs: number, then: () => void): Closable {
    return this.#simulation.after(delayMs, then)
  }

  /** What an accuser would send `to` about another, in the name of the one that it is about. */
  forgeGossip(to: string, message: Message): void {
    if (!('node' in message)) return
    const host = this.#cluster.identityOf(to).host
    const from = this.#cluster.identityOf(message.node).host
    for (const packet of new PacketEncoder().encode([message], { budget: packetBytesDefault, checksum: true })) {
      this.#simulation.forge({ host: from, port: lanPort }, { host, port: lanPort }, packet)
    }
  }

  cut(from: string, to: string): void {
    this.#simulation.network.cut(from, to, { oneWay: true })
  }

  isCut(from: string, to: string): boolean {
    return this.#simulation.network.isCut(from, to)
  }

  heal(from: string, to: string): void {
    this.#simulation.network.heal(from, to, { oneWay: true })
  }

  /** Undefined: as it was. */
  setDisk(server: string, setting: DiskSetting | undefined): void {
    const { disk } = this.#cluster.nodeOf(server)
    const operationMs = setting?.operationMs ?? this.#disk.operationMs
    disk.setOptions({
      readMs: operationMs,
      writeMs: operationMs,
      nameMs: operationMs,
      syncMs: setting?.syncMs ?? this.#disk.syncMs,
      quotaBytes: setting?.full === true ? 0 : Number.POSITIVE_INFINITY,
      // The harder case: where writes within a file go on, a server notices nothing until a segment of its log is used
      // up.
      copyOnWrite: setting?.full === true,
    })
  }

  failNextSync(server: string): void {
    this.#cluster.nodeOf(server).disk.failSyncs(1)
  }

  failNextRead(server: string): void {
    this.#cluster.nodeOf(server).disk.failReads(1)
  }

  failNextWrite(server: string): void {
    this.#cluster.nodeOf(server).disk.failWrites(1)
  }

  /** Reads, writes and syncs work again. */
  mendDisk(server: string): void {
    const { disk } = this.#cluster.nodeOf(server)
    disk.failSyncs(0)
    disk.failReads(0)
    disk.failWrites(0)
    if (disk.isStalled) disk.unstall()
  }

  /** Whether the disk finishes nothing. */
  stallDisk(server: string, stalls: boolean): void {
    const { disk } = this.#cluster.nodeOf(server)
    if (stalls === disk.isStalled) return
    if (stalls) disk.stall()
    else disk.unstall()
  }

  /** Whether it takes no new connection. Those that are open stay. */
  refuseConnections(server: string, refuses: boolean): void {
    this.#cluster.refuseConnections(server, refuses)
  }

  /** Changes the links between this server and every other one. Undefined: as they were. */
  setLinks(server: string, setting: LinkSetting | undefined): void {
    if (setting === undefined) this.#links.delete(server)
    else this.#links.set(server, setting)
    for (const other of this.#cluster.nodeNames) {
      if (other === server) continue
      // A link has two ends: while either has a setting of its own, that one rules.
      const rules = setting ?? this.#links.get(other)
      this.#simulation.network.clearLink(server, other)
      if (rules !== undefined) this.#simulation.network.setLink(server, other, rules)
    }
  }

  /** How much faster than true time its clocks run, as a fraction. Undefined: as they did at the start. */
  setClockRate(server: string, faster: number | undefined): void {
    const rate = faster === undefined ? this.#cluster.rateOf(server) : 1 + faster
    this.#cluster.nodeOf(server).clock.setRate(rate)
  }

  /** Its TCP connections break; what listens goes on listening. */
  breakConnections(server: string): void {
    this.#cluster.breakConnections(server)
  }

  /** How the web servers on its machine do from now on. */
  setWebServers(server: string, state: WebState): void {
    const node = this.#cluster.nodeOf(server)
    const { webServers } = this.#cluster
    if (node.running) node.run(() => webServers.set(server, state))
    else webServers.set(server, state)
  }

  /** Its wall clock jumps. */
  stepClock(server: string, byMs: number): void {
    this.#cluster.nodeOf(server).clock.stepWall(byMs)
  }
}
