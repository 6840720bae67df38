import type { Result } from '../../src/base/result.ts'
import { err } from '../../src/base/result.ts'
import type { RandomStream } from '../../src/env/random.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { DiskSetting, LinkSetting, Machines } from '../cluster/machines.ts'
import type { Range } from '../scenario/quantities.ts'
import { type Selectable, select } from '../scenario/selection.ts'
import type { Selector } from '../scenario/selector.ts'
import type { FaultAction } from '../scenario/step-schema.ts'
import { LinkCuts, type Undo } from './link-cuts.ts'
import { Overrides } from './overrides.ts'

/** Whom an action means, at the moment it is done. */
export interface ActionScope {
  /** The server whose event set it off. */
  readonly it: string | undefined
  readonly saved: (name: string) => readonly string[] | undefined
  readonly draw: RandomStream
}

/** What was done, for the report: `crash s2`. Or why there was nothing to do it to. */
export type Deed = Result<string, string>

/** Does to the cluster what faults and steps say, and takes it back when its time is over. */
export class Injector {
  readonly #cluster: Cluster
  readonly #machines: Machines
  readonly #cuts: LinkCuts
  readonly #disks: Overrides<DiskSetting>
  readonly #links: Overrides<LinkSetting>
  readonly #rates: Overrides<number>
  /** Deeds to be taken back later. */
  readonly #ends = new Set<Undo>()

  constructor(cluster: Cluster, machines: Machines) {
    this.#cluster = cluster
    this.#machines = machines
    this.#cuts = new LinkCuts(machines)
    this.#disks = new Overrides((node, setting) => machines.setDisk(node, setting))
    this.#links = new Overrides((node, setting) => machines.setLinks(node, setting))
    this.#rates = new Overrides((node, rate) => machines.setClockRate(node, rate))
  }

  /** Does one action. With `for` it is taken back after a time drawn from it. */
  perform(action: FaultAction, scope: ActionScope): Deed {
    const deed = this.#perform(action, scope)
    if (!deed.ok) return deed
    const { text, undo } = deed.value
    if (undo === undefined || action.for === undefined) return { ok: true, value: text }
    const spanMs = drawRange(scope.draw, action.for)
    const end = (): void => {
      if (this.#ends.delete(end)) undo()
    }
    this.#ends.add(end)
    this.#machines.after(spanMs, end)
    return { ok: true, value: `${text}, for ${spanMs.toFixed(0)} ms` }
  }

  /** Everything goes back to normal: links, disks, clocks; what is down is started unless it left, what is paused goes on. */
  mendEverything(): void {
    this.#ends.clear()
    this.#cuts.heal(undefined)
    this.#disks.clear()
    this.#links.clear()
    this.#rates.clear()
    for (const node of this.#cluster.nodeNames) {
      this.#machines.mendSyncs(node)
      if (this.#cluster.webServers.has(node)) this.#cluster.setWebServers(node, 'well')
      this.#cluster.resume(node)
      if (!this.#cluster.isRunning(node) && !this.#cluster.hasLeft(node)) this.#cluster.start(node)
    }
  }

  #perform(action: FaultAction, scope: ActionScope): Result<{ readonly text: string; readonly undo?: Undo }, string> {
    if (action.crash !== undefined) return this.#crash(action.crash, scope)
    if (action.pause !== undefined) return this.#pause(action.pause, scope)
    if (action.partition !== undefined) return this.#partition(action.partition, scope)
    if (action.cut !== undefined) return this.#cut(action.cut, scope)
    if (action['slow disk'] !== undefined) {
      const { nodes, latency, fsync } = action['slow disk']
      const setting = { ...given('operationMs', latency), ...given('syncMs', fsync) }
      return this.#disk(nodes, 'slow disk', setting, scope)
    }
    if (action['fill disk'] !== undefined) return this.#disk(action['fill disk'], 'fill disk', { full: true }, scope)
    if (action['slow network'] !== undefined) {
      const { of, latency, loss, duplicate, reorder } = action['slow network']
      const setting = {
        ...given('latencyMs', latency),
        ...(loss === undefined ? {} : { loss }),
        ...(duplicate === undefined ? {} : { duplicate }),
        ...(reorder === undefined ? {} : { reorder }),
      }
      return this.#each(of, 'slow network', scope, (server) => this.#links.lay(server, setting))
    }
    if (action['clock rate'] !== undefined) {
      const { nodes, rate } = action['clock rate']
      return this.#each(nodes, 'clock rate', scope, (server) => this.#rates.lay(server, drawRange(scope.draw, rate)))
    }
    if (action['web server'] !== undefined) return this.#webServer(action['web server'], scope)
    return this.#once(action, scope)
  }

  /** What cannot be taken back. */
  #once(action: FaultAction, scope: ActionScope): Result<{ readonly text: string; readonly undo?: Undo }, string> {
    if (action['fail fsync'] !== undefined) {
      return this.#each(action['fail fsync'], 'fail fsync', scope, (server) => {
        this.#machines.failNextSync(server)
        return undefined
      })
    }
    if (action['break connections'] !== undefined) {
      return this.#each(action['break connections'], 'break connections of', scope, (server) => {
        this.#machines.breakConnections(server)
        return undefined
      })
    }
    if (action.restart !== undefined) {
      return this.#each(action.restart, 'restart', scope, (server) => {
        this.#cluster.crash(server)
        this.#cluster.start(server)
        return undefined
      })
    }
    if (action.resume !== undefined) {
      return this.#each(action.resume, 'resume', scope, (server) => {
        this.#cluster.resume(server)
        return undefined
      })
    }
    if (action.heal === 'everything') {
      this.#cuts.heal(undefined)
      return { ok: true, value: { text: 'heal everything' } }
    }
    if (action.heal !== undefined) {
      return this.#each(action.heal, 'heal', scope, (server) => {
        this.#cuts.heal([server])
        return undefined
      })
    }
    if (action.leave !== undefined) {
      return this.#each(action.leave, 'leave', scope, (node) => {
        this.#cluster.leave(node)
        return undefined
      })
    }
    if (action['step clock'] !== undefined) {
      const { nodes, by } = action['step clock']
      return this.#each(nodes, 'step clock', scope, (server) => {
        this.#machines.stepClock(server, drawRange(scope.draw, by))
        return undefined
      })
    }
    if (action['transfer leadership'] !== undefined) return this.#transfer(action['transfer leadership'].to, scope)
    return err('it names no action')
  }

  #crash(selector: Selector, scope: ActionScope): Result<{ readonly text: string; readonly undo: Undo }, string> {
    return this.#each(selector, 'crash', scope, (server) => {
      if (!this.#cluster.isRunning(server)) return () => {}
      this.#cluster.crash(server)
      const boot = this.#cluster.bootOf(server)
      return () => {
        if (!this.#cluster.isRunning(server) && this.#cluster.bootOf(server) === boot) this.#cluster.start(server)
      }
    })
  }

  #pause(selector: Selector, scope: ActionScope): Result<{ readonly text: string; readonly undo: Undo }, string> {
    return this.#each(selector, 'pause', scope, (server) => {
      if (!this.#cluster.isRunning(server)) return () => {}
      this.#cluster.pause(server)
      const boot = this.#cluster.bootOf(server)
      return () => {
        if (this.#cluster.bootOf(server) === boot) this.#cluster.resume(server)
      }
    })
  }

  #webServer(
    { at, is }: NonNullable<FaultAction['web server']>,
    scope: ActionScope,
  ): Result<{ readonly text: string; readonly undo: Undo }, string> {
    const lacking = this.#select(at, scope).find((node) => !this.#cluster.webServers.has(node))
    if (lacking !== undefined) return err(`web server: there is none on ${lacking}`)
    const deed = this.#each(at, 'web server of', scope, (node) => {
      this.#cluster.setWebServers(node, is)
      return () => this.#cluster.setWebServers(node, 'well')
    })
    return deed.ok ? { ok: true, value: { ...deed.value, text: `${deed.value.text} is ${is}` } } : deed
  }

  #partition(
    partition: NonNullable<FaultAction['partition']>,
    scope: ActionScope,
  ): Result<{ readonly text: string; readonly undo: Undo }, string> {
    const groups: (readonly string[])[] =
      'groups' in partition
        ? partition.groups.map((group) => this.#select(group, scope))
        : [this.#select(partition, scope)]
    if (!('groups' in partition)) {
      const [side] = groups as [readonly string[]]
      groups.push(this.#cluster.nodeNames.filter((node) => !side.includes(node)))
    }
    if (groups.some((group) => group.length === 0)) return err('partition: one side has nobody now')
    const text = `partition ${groups.map((group) => group.join(' ')).join(' | ')}`
    return { ok: true, value: { text, undo: this.#cuts.partition(groups) } }
  }

  #cut(
    cut: NonNullable<FaultAction['cut']>,
    scope: ActionScope,
  ): Result<{ readonly text: string; readonly undo: Undo }, string> {
    const from = this.#select(cut.from, scope)
    const to = this.#select(cut.to, scope, from).filter((server) => !from.includes(server))
    if (from.length === 0 || to.length === 0) return err('cut: one end has nobody now')
    const arrow = cut['one way'] ? '->' : '<->'
    const undo = this.#cuts.cut(from, to, cut['one way'])
    return { ok: true, value: { text: `cut ${from.join(' ')} ${arrow} ${to.join(' ')}`, undo } }
  }

  #disk(
    selector: Selector,
    name: string,
    setting: DiskSetting,
    scope: ActionScope,
  ): Result<{ readonly text: string; readonly undo: Undo }, string> {
    return this.#each(selector, name, scope, (server) => this.#disks.lay(server, setting))
  }

  #transfer(to: Selector | undefined, scope: ActionScope): Result<{ readonly text: string }, string> {
    const leader = this.#cluster.leader()
    if (leader === undefined) return err('transfer leadership: nobody leads now')
    const target = to === undefined ? undefined : this.#select(to, scope)[0]
    if (to !== undefined && target === undefined) return err(`transfer leadership: '${to.text}' is nobody now`)
    this.#cluster.transferLeadership(leader, target)
    return {
      ok: true,
      value: { text: `transfer leadership from ${leader}${target === undefined ? '' : ` to ${target}`}` },
    }
  }

  #each(
    selector: Selector,
    verb: string,
    scope: ActionScope,
    act: (server: string) => Undo | undefined,
  ): Result<{ readonly text: string; readonly undo: Undo }, string> {
    const servers = this.#select(selector, scope)
    if (servers.length === 0) return err(`${verb}: '${selector.text}' is nobody now`)
    const undos = servers.map((server) => act(server))
    return {
      ok: true,
      value: {
        text: `${verb} ${servers.join(' ')}`,
        undo: () => {
          for (const undo of undos) undo?.()
        },
      },
    }
  }

  #select(selector: Selector, scope: ActionScope, except: readonly string[] = []): readonly string[] {
    return select(selector, selectable(this.#cluster, scope, except))
  }
}

/** The cluster as selections see it. */
export function selectable(cluster: Cluster, scope: ActionScope, except: readonly string[] = []): Selectable {
  return {
    servers: cluster.serverNames,
    clients: cluster.clientNames,
    datacenterOf: (server) => cluster.datacenterOf(server),
    isRunning: (server) => cluster.isRunning(server),
    leader: () => cluster.leader(),
    saved: scope.saved,
    it: scope.it,
    except,
    draw: (bound) => scope.draw.below(bound),
  }
}

/** A range of milliseconds under its name in the world's options; nothing where none is given. */
function given(name: string, range: Range | undefined): Readonly<Record<string, readonly [number, number]>> {
  return range === undefined ? {} : { [name]: [range.min, range.max] }
}

/** Evenly from the range, to the thousandth. */
export function drawRange(draw: RandomStream, range: Range): number {
  if (range.max === range.min) return range.min
  return range.min + draw.fraction() * (range.max - range.min)
}
