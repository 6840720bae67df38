import type { Closable } from '../../src/env/async.ts'
import { packetBytesDefault } from '../../src/gossip/core/bounds.ts'
import type { Message } from '../../src/gossip/core/messages.ts'
import { PacketEncoder } from '../../src/gossip/wire/packet.ts'
import type { Simulation } from '../simulation/simulation.ts'
import type { FailingOperation, LastingErrors } from '../world/disk/disk-errors.ts'
import type { RangeMs } from '../world/time-range.ts'
import type { Cluster } from './cluster.ts'
import { LinkRules, type LinkSetting } from './link-rules.ts'
import { lanPort } from './node-identity.ts'
import type { WebState } from './web-servers.ts'

/** Settings of a disk; absent ones are those of the run. */
export interface DiskSetting {
  /** Duration of a read or a write. */
  readonly operationMs?: RangeMs
  readonly syncMs?: RangeMs
}

/** The machines of a cluster in the view of faults: links, disks and clocks, by the name of the server. */
export class Machines {
  readonly #simulation: Simulation
  readonly #cluster: Cluster
  readonly #disk: { readonly operationMs: RangeMs; readonly syncMs: RangeMs }
  readonly #links: LinkRules
  /** Disks that are not as fast as usual, and those without space. */
  readonly #slow = new Map<string, DiskSetting>()
  readonly #full = new Set<string>()

  /** `disk`: the settings of every undisturbed disk. */
  constructor(
    simulation: Simulation,
    cluster: Cluster,
    disk: { readonly operationMs: RangeMs; readonly syncMs: RangeMs },
  ) {
    this.#simulation = simulation
    this.#cluster = cluster
    this.#links = new LinkRules(simulation.network)
    this.#disk = disk
  }

  /** Calls `then` after this much true time, in a turn of its own. */
  after(delayMs: number, then: () => void): Closable {
    return this.#simulation.after(delayMs, then)
  }

  /** Sends `to` an accusation of another member, in the name of the accused one. */
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

  /** Undefined: restores the settings. */
  setDisk(server: string, setting: DiskSetting | undefined): void {
    if (setting === undefined) this.#slow.delete(server)
    else this.#slow.set(server, setting)
    this.#applyDisk(server)
  }

  /** Whether no space is left, however fast the disk is. */
  fillDisk(server: string, isFull: boolean): void {
    if (isFull) this.#full.add(server)
    else this.#full.delete(server)
    this.#applyDisk(server)
  }

  #applyDisk(server: string): void {
    const { disk } = this.#cluster.nodeOf(server)
    const [setting, isFull] = [this.#slow.get(server), this.#full.has(server)]
    const operationMs = setting?.operationMs ?? this.#disk.operationMs
    disk.setOptions({
      readMs: operationMs,
      writeMs: operationMs,
      nameMs: operationMs,
      syncMs: setting?.syncMs ?? this.#disk.syncMs,
      quotaBytes: isFull ? 0 : Number.POSITIVE_INFINITY,
      // The harder case: if writes within a file still succeed, a server notices nothing until a segment of its log is
      // used up.
      copyOnWrite: isFull,
    })
  }

  /** The next operation of this kind fails. */
  failNext(server: string, operation: FailingOperation): void {
    this.#cluster.nodeOf(server).disk.fail(operation, 1)
  }

  /** Operations of the disk fail from now on; undefined: no longer. */
  setDiskErrors(server: string, errors: LastingErrors | undefined): void {
    this.#cluster.nodeOf(server).disk.setErrors(errors)
  }

  /** The file system with these files is read-only; undefined: it is not. */
  setReadOnly(server: string, files: RegExp | undefined): void {
    this.#cluster.nodeOf(server).disk.setReadOnly(files)
  }

  /** Every operation works again. */
  mendDisk(server: string): void {
    const { disk } = this.#cluster.nodeOf(server)
    disk.mend()
    if (disk.isStalled) disk.unstall()
  }

  /** Whether the disk finishes no operation. */
  stallDisk(server: string, stalls: boolean): void {
    const { disk } = this.#cluster.nodeOf(server)
    if (stalls === disk.isStalled) return
    if (stalls) disk.stall()
    else disk.unstall()
  }

  /** Whether it refuses new connections. Open ones stay. */
  refuseConnections(server: string, refuses: boolean): void {
    this.#cluster.refuseConnections(server, refuses)
  }

  /** Changes the links between this server and every other one. Undefined: restores them. */
  setLinks(server: string, setting: LinkSetting | undefined): void {
    this.#links.set(server, setting, this.#cluster.nodeNames)
  }

  /** Whether a firewall drops the datagrams of all its links, whatever else these do. */
  blockDatagrams(server: string, blocks: boolean): void {
    this.#links.block(server, blocks, this.#cluster.nodeNames)
  }

  /** How much faster than true time its clocks run, as a fraction. Undefined: as at the start. */
  setClockRate(server: string, faster: number | undefined): void {
    const rate = faster === undefined ? this.#cluster.rateOf(server) : 1 + faster
    this.#cluster.nodeOf(server).clock.setRate(rate)
  }

  /** Its TCP connections break; its listeners stay open. */
  breakConnections(server: string): void {
    this.#cluster.breakConnections(server)
  }

  /** Sets the state of the web servers on its machine. */
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
