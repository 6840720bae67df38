import { err, ok, type Result } from '../../src/base/result.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { DiskSetting, LinkSetting, Machines } from '../cluster/machines.ts'
import type { Selector } from '../scenario/language/selector.ts'
import type { FaultAction } from '../scenario/language/step-schema.ts'
import { select } from '../scenario/selection.ts'
import { type ActionScope, drawRange, given, selectable, sidesOf } from './action-scope.ts'
import { type ConsensusView, DataLimit } from './data-limit.ts'
import { LinkCuts, type Undo } from './link-cuts.ts'
import { troubled } from './manager-trouble.ts'
import { Overrides } from './overrides.ts'

/** What was done, for the report: `crash s2`. Or why there was nothing to do it to. */
export type Deed = Result<string, string>

type Performed = Result<{ readonly text: string; readonly undo?: Undo }, string>

const failNext = { 'fail fsync': 'failNextSync', 'fail read': 'failNextRead', 'fail write': 'failNextWrite' } as const

/** Does to the cluster what faults and steps say, and takes it back when its time is over. */
export class Injector {
  readonly #cluster: Cluster
  readonly #machines: Machines
  readonly #cuts: LinkCuts
  readonly #disks: Overrides<DiskSetting>
  readonly #links: Overrides<LinkSetting>
  readonly #rates: Overrides<number>
  readonly #stalls: Overrides<true>
  readonly #refusals: Overrides<true>
  /** By datacenter; empty: the scenario says that a majority's data may be destroyed. */
  readonly #limits: ReadonlyMap<string, DataLimit>
  /** Deeds to be taken back later. */
  readonly #ends = new Set<Undo>()

  /** `consensus`, by datacenter: keeps a majority's data from being destroyed; where there is none, nothing does. */
  constructor(cluster: Cluster, machines: Machines, consensus: ReadonlyMap<string, ConsensusView>) {
    this.#cluster = cluster
    this.#limits = new Map([...consensus].map(([datacenter, view]) => [datacenter, new DataLimit(view)]))
    this.#machines = machines
    this.#cuts = new LinkCuts(machines)
    this.#disks = new Overrides((node, setting) => machines.setDisk(node, setting))
    this.#links = new Overrides((node, setting) => machines.setLinks(node, setting))
    this.#rates = new Overrides((node, rate) => machines.setClockRate(node, rate))
    this.#stalls = new Overrides((node, stalls) => machines.stallDisk(node, stalls === true))
    this.#refusals = new Overrides((node, refuses) => machines.refuseConnections(node, refuses === true))
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
    this.freeze()
    this.#cuts.heal(undefined)
    this.#cluster.secretsManager?.recover()
    for (const node of this.#cluster.nodeNames) this.#mend(node)
  }

  /** No fault that goes on ends by itself any more. */
  freeze(): void {
    this.#ends.clear()
  }

  /** These nodes, and the links among them, go back to normal. Everything else stays as it is, for good. */
  mendCore(core: readonly string[]): void {
    this.freeze()
    this.#cuts.healAmong(core)
    this.#cluster.secretsManager?.recover()
    for (const node of core) this.#mend(node)
  }

  /** Whether what one node sends reaches another, however late and however often it must be repeated. */
  reaches(from: string, to: string): boolean {
    return !this.#machines.isCut(from, to) && !this.#refusals.has(to)
  }

  /** Some link carries nothing. */
  get hasCuts(): boolean {
    return this.#cuts.count > 0
  }

  /** Members of a pool may find it hard to reach each other, or to agree how time goes by. */
  get isNetworkTroubled(): boolean {
    return this.hasCuts || !this.#links.isEmpty || !this.#rates.isEmpty || !this.#refusals.isEmpty
  }

  #mend(node: string): void {
    for (const overrides of [this.#disks, this.#links, this.#rates, this.#stalls, this.#refusals]) overrides.clear(node)
    this.#machines.mendDisk(node)
    if (this.#cluster.webServers.has(node)) this.#machines.setWebServers(node, 'well')
    this.#cluster.resume(node)
    if (this.#cluster.isRunning(node) || this.#cluster.hasLeft(node)) return
    if (this.#cluster.isDamaged(node)) this.#cluster.replace(node, 'wipe')
    this.#cluster.start(node)
  }

  #perform(action: FaultAction, scope: ActionScope): Performed {
    if (action.crash !== undefined) return this.#end(action.crash, 'crash', scope, (node) => this.#cluster.crash(node))
    const kill = (node: string): void => this.#cluster.crash(node, 'kept')
    if (action.kill !== undefined) return this.#end(action.kill, 'kill', scope, kill)
    const replace = (how: 'wipe' | 'reimage') => (node: string) => this.#cluster.replace(node, how)
    if (action.wipe !== undefined) return this.#lose(action.wipe, 'wipe', scope, replace('wipe'))
    if (action.reimage !== undefined) return this.#lose(action.reimage, 'reimage', scope, replace('reimage'))
    if (action['damage log'] !== undefined) {
      const damage = (node: string): void => this.#cluster.damageLog(node, (bound) => scope.draw.below(bound))
      return this.#lose(action['damage log'], 'damage log', scope, damage)
    }
    if (action.pause !== undefined) return this.#pause(action.pause, scope)
    if (action.partition !== undefined) return this.#partition(action.partition, scope)
    if (action.cut !== undefined) return this.#cut(action.cut, scope)
    if (action['slow disk'] !== undefined) {
      const { nodes, latency, fsync } = action['slow disk']
      const setting = { ...given('operationMs', latency), ...given('syncMs', fsync) }
      return this.#disk(nodes, 'slow disk', setting, scope)
    }
    if (action['fill disk'] !== undefined) return this.#disk(action['fill disk'], 'fill disk', { full: true }, scope)
    if (action['stall disk'] !== undefined) {
      return this.#each(action['stall disk'], 'stall disk', scope, (node) => this.#stalls.lay(node, true))
    }
    if (action['refuse connections'] !== undefined) {
      const lay = (node: string): Undo => this.#refusals.lay(node, true)
      return this.#each(action['refuse connections'], 'refuse connections', scope, lay)
    }
    if (action['slow network'] !== undefined) {
      const { of, latency, tail, loss, duplicate, reorder, corrupt } = action['slow network']
      const setting = {
        ...given('latencyMs', latency),
        ...(loss === undefined ? {} : { loss }),
        ...(duplicate === undefined ? {} : { duplicate }),
        ...(reorder === undefined ? {} : { reorder }),
        ...(tail === undefined ? {} : { jitterMs: tail }),
        ...(corrupt === undefined ? {} : { corrupt }),
      }
      return this.#each(of, 'slow network', scope, (server) => this.#links.lay(server, setting))
    }
    if (action['clock rate'] !== undefined) {
      const { nodes, rate } = action['clock rate']
      return this.#each(nodes, 'clock rate', scope, (server) => this.#rates.lay(server, drawRange(scope.draw, rate)))
    }
    if (action['secrets manager'] !== undefined) return troubled(this.#cluster, action['secrets manager'])
    if (action['web server'] !== undefined) return this.#webServer(action['web server'], scope)
    return this.#forGood(action, scope)
  }

  /** What cannot be taken back. */
  #forGood(action: FaultAction, scope: ActionScope): Performed {
    for (const verb of ['fail fsync', 'fail read', 'fail write'] as const) {
      const selector = action[verb]
      if (selector !== undefined)
        return this.#once(selector, verb, scope, (node) => this.#machines[failNext[verb]](node))
    }
    if (action.rot !== undefined) return this.#rot(action.rot, scope)
    if (action['remove peer'] !== undefined) {
      return this.#once(action['remove peer'], 'remove peer', scope, (server) => {
        if (this.#maySpare(server)) this.#cluster.removePeer(server)
      })
    }
    if (action['break connections'] !== undefined) {
      return this.#once(action['break connections'], 'break connections of', scope, (server) => {
        this.#machines.breakConnections(server)
      })
    }
    if (action.restart !== undefined) {
      return this.#once(action.restart, 'restart', scope, (server) => {
        this.#cluster.crash(server)
        this.#cluster.start(server)
      })
    }
    if (action.resume !== undefined) {
      return this.#once(action.resume, 'resume', scope, (server) => {
        this.#cluster.resume(server)
      })
    }
    if (action.heal === 'everything') {
      this.#cuts.heal(undefined)
      return { ok: true, value: { text: 'heal everything' } }
    }
    if (action.heal !== undefined) {
      return this.#once(action.heal, 'heal', scope, (server) => {
        this.#cuts.heal([server])
      })
    }
    if (action.leave !== undefined) {
      return this.#once(action.leave, 'leave', scope, (node) => {
        if (this.#maySpare(node)) this.#cluster.leave(node)
      })
    }
    if (action['step clock'] !== undefined) {
      const { nodes, by } = action['step clock']
      return this.#once(nodes, 'step clock', scope, (server) => {
        this.#machines.stepClock(server, drawRange(scope.draw, by))
      })
    }
    if (action['forge gossip'] !== undefined) return this.#forge(action['forge gossip'], scope)
    if (action['transfer leadership'] !== undefined) return this.#transfer(action['transfer leadership'].to, scope)
    return err('it names no action')
  }

  /** `for` starts it again, unless somebody else has done so. */
  #end(selector: Selector, verb: string, scope: ActionScope, end: (node: string) => void): Performed {
    return this.#each(selector, verb, scope, (node) => {
      if (!this.#cluster.isRunning(node)) return () => {}
      end(node)
      return this.#startAgain(node)
    })
  }

  #startAgain(node: string): Undo {
    const boot = this.#cluster.bootOf(node)
    return () => {
      if (!this.#cluster.isRunning(node) && this.#cluster.bootOf(node) === boot) this.#cluster.start(node)
    }
  }

  /** Ends servers whose data the others can spare, in a way that loses it. `for` starts them again. */
  #lose(selector: Selector, verb: string, scope: ActionScope, lose: (node: string) => void): Performed {
    const spared = this.#spared(selector, verb, scope)
    if (!spared.ok) return spared
    const undos = spared.value.map((node) => {
      lose(node)
      return this.#startAgain(node)
    })
    return ok({ text: `${verb} ${spared.value.join(' ')}`, undo: () => undos.forEach((undo) => void undo()) })
  }

  #rot(selector: Selector, scope: ActionScope): Performed {
    const spared = this.#spared(selector, 'rot', scope)
    if (!spared.ok) return spared
    const rotten = spared.value.filter((node) => this.#cluster.rot(node, (bound) => scope.draw.below(bound)))
    return rotten.length === 0
      ? err('rot: there is nothing yet that could')
      : ok({ text: `rot ${rotten.join(' ')}`, undo: () => {} })
  }

  /** Whether the group can do without this server, of those that are left to it. */
  #maySpare(node: string): boolean {
    const { id, kind, datacenter } = this.#cluster.identityOf(node)
    const limit = this.#limits.get(datacenter)
    if (kind !== 'server' || limit === undefined) return true
    if (!limit.allowsLeaving(id)) return false
    limit.leaves(id)
    return true
  }

  /** So many servers of a datacenter have lost their data, or have left those that have, that nobody can lead there. */
  isMajorityLost(datacenter: string): boolean {
    return this.#limits.get(datacenter)?.lacksMajority() === true
  }

  /** Those of the selection whose data may go. */
  #spared(selector: Selector, verb: string, scope: ActionScope): Result<readonly string[], string> {
    const servers = this.#select(selector, scope)
    if (servers.length === 0) return err(`${verb}: '${selector.text}' is nobody now`)
    const allowed = servers.filter((server) => {
      const { id, datacenter } = this.#cluster.identityOf(server)
      const limit = this.#limits.get(datacenter)
      if (limit?.allows(id) === false) return false
      limit?.lose(id)
      return true
    })
    return allowed.length === 0 ? err(`${verb}: the rest could not do without ${servers.join(' ')}`) : ok(allowed)
  }

  #pause(selector: Selector, scope: ActionScope): Performed {
    return this.#each(selector, 'pause', scope, (server) => {
      if (!this.#cluster.isRunning(server)) return () => {}
      this.#cluster.pause(server)
      const boot = this.#cluster.bootOf(server)
      return () => {
        if (this.#cluster.bootOf(server) === boot) this.#cluster.resume(server)
      }
    })
  }

  #webServer({ at, is }: NonNullable<FaultAction['web server']>, scope: ActionScope): Performed {
    const lacking = this.#select(at, scope).find((node) => !this.#cluster.webServers.has(node))
    if (lacking !== undefined) return err(`web server: there is none on ${lacking}`)
    const deed = this.#each(at, 'web server of', scope, (node) => {
      this.#machines.setWebServers(node, is)
      return () => this.#machines.setWebServers(node, 'well')
    })
    return deed.ok ? { ok: true, value: { ...deed.value, text: `${deed.value.text} is ${is}` } } : deed
  }

  #partition(partition: NonNullable<FaultAction['partition']>, scope: ActionScope): Performed {
    const sides = 'groups' in partition ? partition.groups : [partition]
    const groups: (readonly string[])[] = sidesOf(sides, this.#cluster, scope)
    if (!('groups' in partition)) {
      const [side] = groups as [readonly string[]]
      groups.push(this.#cluster.nodeNames.filter((node) => !side.includes(node)))
    }
    if (groups.some((group) => group.length === 0)) return err('partition: one side has nobody now')
    const twice = groups.flat().find((node, at, all) => all.indexOf(node) < at)
    if (twice !== undefined) return err(`partition: ${twice} is on two sides now`)
    const text = `partition ${groups.map((group) => group.join(' ')).join(' | ')}`
    return { ok: true, value: { text, undo: this.#cuts.partition(groups) } }
  }

  #cut(cut: NonNullable<FaultAction['cut']>, scope: ActionScope): Performed {
    const from = this.#select(cut.from, scope)
    const to = this.#select(cut.to, scope, from).filter((server) => !from.includes(server))
    if (from.length === 0 || to.length === 0) return err('cut: one end has nobody now')
    const arrow = cut['one way'] ? '->' : '<->'
    const undo = this.#cuts.cut(from, to, cut['one way'])
    return { ok: true, value: { text: `cut ${from.join(' ')} ${arrow} ${to.join(' ')}`, undo } }
  }

  #disk(selector: Selector, name: string, setting: DiskSetting, scope: ActionScope): Performed {
    return this.#each(selector, name, scope, (server) => this.#disks.lay(server, setting))
  }

  #forge({ at, about, says, incarnation }: NonNullable<FaultAction['forge gossip']>, scope: ActionScope): Performed {
    const [node] = this.#select(about, scope)
    if (node === undefined) return err(`forge gossip: '${about.text}' is nobody now`)
    return this.#once(at, `forge gossip, ${node} is ${says} at ${incarnation}, to`, scope, (to) => {
      this.#machines.forgeGossip(to, { kind: says, incarnation, node, from: to })
    })
  }

  #transfer(to: Selector | undefined, scope: ActionScope): Performed {
    const target = to === undefined ? undefined : this.#select(to, scope)[0]
    if (to !== undefined && target === undefined) return err(`transfer leadership: '${to.text}' is nobody now`)
    const leader = this.#cluster.leader(target === undefined ? undefined : this.#cluster.datacenterOf(target))
    if (leader === undefined) return err('transfer leadership: nobody leads now')
    this.#cluster.transferLeadership(leader, target)
    return {
      ok: true,
      value: { text: `transfer leadership from ${leader}${target === undefined ? '' : ` to ${target}`}` },
    }
  }

  #once(selector: Selector, verb: string, scope: ActionScope, act: (server: string) => void): Performed {
    return this.#each(selector, verb, scope, (server) => {
      act(server)
      return undefined
    })
  }

  #each(selector: Selector, verb: string, scope: ActionScope, act: (server: string) => Undo | undefined): Performed {
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
