import type { z } from 'zod'
import { err, ok, type Result } from '../../src/base/result.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { LinkSetting } from '../cluster/link-rules.ts'
import type { DiskSetting, Machines } from '../cluster/machines.ts'
import type { WebState } from '../cluster/web-servers.ts'
import { select } from '../notation/selection.ts'
import type { Selector } from '../notation/selector.ts'
import type { LastingErrors } from '../world/disk/disk-errors.ts'
import { type ActionScope, selectable } from './action-scope.ts'
import { type ConsensusView, DataLimit } from './data-limit.ts'
import { LinkCuts, type Undo } from './link-cuts.ts'
import { Overrides } from './overrides.ts'

/** What was done, for the report, with its undo; or why there was nothing to do. */
export type Performed = Result<{ readonly text: string; readonly undo?: Undo }, string>

/** The objects of actions: the cluster, its machines, and the faults in effect. */
export class FaultWorld {
  readonly cluster: Cluster
  readonly machines: Machines
  readonly cuts: LinkCuts
  readonly disks: Overrides<DiskSetting>
  readonly fullDisks: Overrides<true>
  readonly diskErrors: Overrides<LastingErrors>
  readonly readOnlyDisks: Overrides<RegExp>
  readonly links: Overrides<LinkSetting>
  readonly blockedDatagrams: Overrides<true>
  readonly rates: Overrides<number>
  readonly stalls: Overrides<true>
  readonly refusals: Overrides<true>
  readonly webStates: Overrides<WebState>
  /** Each pauses one process, by its number on the machine: the next one runs. */
  readonly pauses: Overrides<number>
  /** By datacenter; empty: the scenario allows destroying a majority's data. */
  readonly #limits: ReadonlyMap<string, DataLimit>

  /** `consensus`, by datacenter, keeps a majority's data from being destroyed; without it there is no limit. */
  constructor(cluster: Cluster, machines: Machines, consensus: ReadonlyMap<string, ConsensusView>) {
    this.cluster = cluster
    this.machines = machines
    this.#limits = new Map([...consensus].map(([datacenter, view]) => [datacenter, new DataLimit(view)]))
    this.cuts = new LinkCuts(machines)
    this.disks = new Overrides((node, setting) => machines.setDisk(node, setting))
    this.fullDisks = new Overrides((node, isFull) => machines.fillDisk(node, isFull === true))
    this.readOnlyDisks = new Overrides((node, files) => machines.setReadOnly(node, files))
    this.diskErrors = new Overrides((node, errors) => machines.setDiskErrors(node, errors))
    this.links = new Overrides((node, setting) => machines.setLinks(node, setting))
    this.blockedDatagrams = new Overrides((node, blocks) => machines.blockDatagrams(node, blocks === true))
    this.pauses = new Overrides((node, boot) => {
      if (boot === cluster.bootOf(node)) cluster.pause(node)
      else cluster.resume(node)
    })
    this.webStates = new Overrides((node, state) => machines.setWebServers(node, state ?? 'well'))
    this.rates = new Overrides((node, rate) => machines.setClockRate(node, rate))
    this.stalls = new Overrides((node, stalls) => machines.stallDisk(node, stalls === true))
    this.refusals = new Overrides((node, refuses) => machines.refuseConnections(node, refuses === true))
  }

  /** Performs it on each selected node; without any node it is not performed. */
  each(selector: Selector, verb: string, scope: ActionScope, act: (node: string) => Undo | undefined): Performed {
    const nodes = this.select(selector, scope)
    if (nodes.length === 0) return err(`${verb}: '${selector.text}' matches no node now`)
    const undos = nodes.map((node) => act(node))
    return ok({
      text: `${verb} ${nodes.join(' ')}`,
      undo: () => {
        for (const undo of undos) undo?.()
      },
    })
  }

  /** As `each`, for actions that cannot be undone. */
  once(selector: Selector, verb: string, scope: ActionScope, act: (node: string) => void): Performed {
    return this.each(selector, verb, scope, (node) => {
      act(node)
      return undefined
    })
  }

  select(selector: Selector, scope: ActionScope, except: readonly string[] = []): readonly string[] {
    const nodes = select(selector, selectable(this.cluster, scope, except))
    scope.witness?.chose(selector, nodes)
    return nodes
  }

  /** Starts what was ended, unless it was started already. */
  startAgain(node: string): Undo {
    const boot = this.cluster.bootOf(node)
    return () => {
      if (!this.cluster.isRunning(node) && this.cluster.bootOf(node) === boot) this.cluster.start(node)
    }
  }

  /** Whether the remaining servers can do without this one. */
  maySpare(node: string): boolean {
    const { id, kind, datacenter } = this.cluster.identityOf(node)
    const limit = this.#limits.get(datacenter)
    if (kind !== 'server' || limit === undefined) return true
    if (!limit.allowsLeaving(id)) return false
    limit.leaves(id)
    return true
  }

  /** Whether so many servers of a datacenter have lost their data, or have left, that none can lead there. */
  isMajorityLost(datacenter: string): boolean {
    return this.#limits.get(datacenter)?.lacksMajority() === true
  }

  /** The selected nodes whose data may be destroyed. */
  spared(selector: Selector, verb: string, scope: ActionScope): Result<readonly string[], string> {
    const servers = this.select(selector, scope)
    if (servers.length === 0) return err(`${verb}: '${selector.text}' matches no node now`)
    const allowed = servers.filter((server) => {
      const { id, datacenter } = this.cluster.identityOf(server)
      const limit = this.#limits.get(datacenter)
      if (limit?.allows(id) === false) return false
      limit?.lose(id)
      return true
    })
    return allowed.length === 0
      ? err(`${verb}: without ${servers.join(' ')} too few servers would remain`)
      : ok(allowed)
  }
}

/** One operation on the cluster that faults and steps can perform. */
export interface Action<Schema extends z.ZodType = z.ZodType> {
  /** The schema of its value in a file, with the description for the language page. */
  readonly schema: Schema
  perform(world: FaultWorld, given: z.output<Schema>, scope: ActionScope): Performed
}

export function action<Schema extends z.ZodType>(
  schema: Schema,
  perform: (world: FaultWorld, given: z.output<Schema>, scope: ActionScope) => Performed,
): Action<Schema> {
  return { schema, perform }
}
