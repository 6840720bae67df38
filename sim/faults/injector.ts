import { err, ok, type Result } from '../../src/base/result.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Machines } from '../cluster/machines.ts'
import { type ActionScope, drawRange } from './action-scope.ts'
import { actions } from './actions.ts'
import type { ConsensusView } from './data-limit.ts'
import type { FaultAction } from './fault-schema.ts'
import { FaultWorld, type Performed } from './fault-world.ts'
import type { Undo } from './link-cuts.ts'
import type { Overrides } from './overrides.ts'

/** What was done, for the report: `crash s2`; or why there was nothing to do. */
export type Deed = Result<string, string>

/** Performs the actions of faults and steps, and undoes them when their time is over. */
export class Injector {
  readonly #world: FaultWorld
  /** Undo callbacks of actions in effect. */
  readonly #ends = new Set<Undo>()
  #changedUs = 0

  /** `consensus`, by datacenter, keeps a majority's data from being destroyed; without it there is no limit. */
  constructor(cluster: Cluster, machines: Machines, consensus: ReadonlyMap<string, ConsensusView>) {
    this.#world = new FaultWorld(cluster, machines, consensus)
  }

  /** Performs one action. With `for` it is undone after a time drawn from it. */
  perform(action: FaultAction, scope: ActionScope): Deed {
    // What begins now, or when it is undone, comes from the decision to do it.
    return this.#world.cluster.simulation.decisions.because(scope.draw, () => this.#perform(action, scope))
  }

  /** When something last went wrong, or was mended, in microseconds of true time; 0: never yet. */
  get changedUs(): number {
    return this.#changedUs
  }

  #perform(action: FaultAction, scope: ActionScope): Deed {
    const deed = this.#do(action, scope)
    if (!deed.ok) return deed
    this.#changes()
    const { text, undo } = deed.value
    if (undo === undefined || action.for === undefined) return ok(text)
    const spanMs = drawRange(scope.draw, action.for)
    scope.witness?.lasts(spanMs)
    const end = (): void => {
      if (!this.#ends.delete(end)) return
      this.#changes()
      undo()
    }
    this.#ends.add(end)
    this.#world.machines.after(spanMs, end)
    return ok(`${text}, for ${spanMs.toFixed(0)} ms`)
  }

  #changes(): void {
    this.#changedUs = this.#world.cluster.simulation.nowUs
  }

  /** Undoes everything: links, disks, clocks; stopped nodes are started unless they left, paused ones resume. */
  mendEverything(): void {
    this.#changes()
    this.freeze()
    this.#world.cuts.heal(undefined)
    this.#world.cluster.secretsManager?.recover()
    for (const node of this.#world.cluster.nodeNames) this.#mend(node)
  }

  /** Faults in effect no longer end by themselves. */
  freeze(): void {
    this.#ends.clear()
  }

  /** Undoes faults of these nodes and of the links among them. Everything else stays as it is, for good. */
  mendCore(core: readonly string[]): void {
    this.#changes()
    this.freeze()
    this.#world.cuts.healAmong(core)
    this.#world.cluster.secretsManager?.recover()
    for (const node of core) this.#mend(node)
  }

  /** Whether messages of one node reach another, however late or often repeated. */
  reaches(from: string, to: string): boolean {
    return !this.#world.machines.isCut(from, to) && !this.#world.refusals.has(to)
  }

  /** Whether operations of its disk fail now, all or some. */
  diskFails(node: string): boolean {
    return this.#world.diskErrors.has(node)
  }

  /**
   * Whether its disk, its links, its clock or its listeners are not as they should be. Cuts are apart: they are of two
   * nodes.
   */
  isTroubled(node: string): boolean {
    return this.troublesOf(node).length > 0
  }

  /** What `isTroubled` means at this node, in words. */
  troublesOf(node: string): readonly string[] {
    return Object.entries(this.#ofNodes()).flatMap(([text, overrides]) => (overrides.has(node) ? [text] : []))
  }

  /** Faults of a node alone, by what they do to it. */
  #ofNodes(): Readonly<Record<string, Pick<Overrides<never>, 'has' | 'clear'>>> {
    const { disks, fullDisks, diskErrors, readOnlyDisks, links, blockedDatagrams, rates, stalls, refusals } =
      this.#world
    return {
      'slow disk': disks,
      'full disk': fullDisks,
      'disk errors': diskErrors,
      'read-only disk': readOnlyDisks,
      'slow network': links,
      'blocked datagrams': blockedDatagrams,
      'clock rate': rates,
      'stalled disk': stalls,
      refuses: refusals,
    }
  }

  /** Whether any link is cut. */
  get hasCuts(): boolean {
    return this.#world.cuts.count > 0
  }

  /** Whether members of a pool may find it hard to reach each other, or to agree on time. */
  get isNetworkTroubled(): boolean {
    const { links, blockedDatagrams, rates, refusals } = this.#world
    return this.hasCuts || [links, blockedDatagrams, rates, refusals].some((overrides) => !overrides.isEmpty)
  }

  #mend(node: string): void {
    for (const overrides of Object.values(this.#ofNodes())) overrides.clear(node)
    this.#world.machines.mendDisk(node)
    this.#world.webStates.clear(node)
    const { cluster, pauses } = this.#world
    pauses.clear(node)
    cluster.resume(node)
    if (cluster.hasLeft(node) || cluster.isLeaving(node)) return
    if (!cluster.isRunning(node) && cluster.isDamaged(node)) cluster.replace(node, 'wipe')
    // One that is still stopping starts again when it has.
    cluster.start(node)
  }

  /** Whether so many servers of a datacenter have lost their data, or have left, that none can lead there. */
  isMajorityLost(datacenter: string): boolean {
    return this.#world.isMajorityLost(datacenter)
  }

  /** An item of a file contains one action. */
  #do(item: FaultAction, scope: ActionScope): Performed {
    for (const [name, given] of Object.entries(item)) {
      const action = given === undefined ? undefined : actions[name]
      if (action !== undefined) return action.perform(this.#world, given, scope)
    }
    return err('it names no action')
  }
}
