import type { Env } from '../../src/env/env.ts'
import type { Consistency } from '../../src/features/contract/reading.ts'
import { meshLaws } from '../checkers/mesh/mesh-laws.ts'
import { calledName, knowsOf } from '../cluster/group-facts.ts'
import { clientHost, dnsEndpoint, httpEndpoint } from '../cluster/node-identity.ts'
import { selectable } from '../faults/action-scope.ts'
import type { Template } from '../notation/fields.ts'
import { select } from '../notation/selection.ts'
import { type AskedAgent, ClientGroup, type GroupWorld, keysOf, prefixOf } from '../workload/client-group.ts'
import { Heartbeats, type HeartbeatTargets } from '../workload/heartbeats.ts'
import { KeyWatchers } from '../workload/key-watchers.ts'
import { LockContenders } from '../workload/lock-contenders.ts'
import { MeshProxies } from '../workload/mesh-proxies.ts'
import { MeshTunnels } from '../workload/mesh-tunnels.ts'
import { ServiceWatcher } from '../workload/service-watcher.ts'
import { Visitors } from '../workload/visitors.ts'
import { filled } from './filled.ts'
import type {
  ClientGroup as GroupText,
  HeartbeatGroup,
  LockGroup,
  ProxyGroup,
  TunnelGroup,
  VisitorGroup,
  WatcherGroup,
} from './language/scenario-schema.ts'
import type { RunContext } from './run-context.ts'

/** How long a client waits for an answer, unless the scenario says. */
const answerWithinMs = 10_000

/** What goes on all the time in a scenario: groups of clients, heartbeats, watchers, each on a machine of its own. */
export class Workload {
  readonly #run: RunContext
  readonly #groups: ClientGroup[] = []
  readonly #keyWatchers: KeyWatchers[] = []
  readonly #heartbeats: Heartbeats[] = []
  readonly #locks: LockContenders[] = []
  readonly #visitors: Visitors[] = []
  readonly #proxies: MeshProxies[] = []
  readonly #tunnels: MeshTunnels[] = []
  readonly #watchers: ServiceWatcher[] = []
  /** Machines taken, beside the driver's. */
  #machines = 1

  constructor(run: RunContext) {
    this.#run = run
    for (const [at, [name, group]] of Object.entries(run.scenario.workload ?? {}).entries()) {
      this.#machine(`clients-${at + 1}`, (env) => {
        this.#groups.push(new ClientGroup(env, planOf(name, group), this.#worldOf(group)))
      })
    }
    for (const [at, [name, group]] of Object.entries(run.scenario.workload ?? {}).entries()) {
      if (group.watchers === 0) continue
      this.#machine(`followers-${at + 1}`, (env) => this.#keyWatchers.push(this.#follow(env, name, group)))
    }
    for (const [at, [name, group]] of Object.entries(run.scenario.heartbeats ?? {}).entries()) {
      const plan = { name, check: group.check, everyMs: group.every }
      this.#machine(`heartbeats-${at + 1}`, (env) => {
        this.#heartbeats.push(new Heartbeats(env, plan, this.#targetsOf(group)))
      })
    }
    for (const [at, [name, group]] of Object.entries(run.scenario.locks ?? {}).entries()) {
      this.#machine(`contenders-${at + 1}`, (env) => this.#locks.push(this.#contenders(env, name, group)))
    }
    for (const [at, [name, group]] of Object.entries(run.scenario.visitors ?? {}).entries()) {
      this.#machine(`visitors-${at + 1}`, (env) => this.#visitors.push(this.#visit(env, name, group)))
    }
    for (const [at, [name, group]] of Object.entries(run.scenario.proxies ?? {}).entries()) {
      this.#machine(`proxies-${at + 1}`, (env) => this.#proxies.push(this.#meet(env, name, group)))
    }
    for (const [at, [name, group]] of Object.entries(run.scenario.tunnels ?? {}).entries()) {
      this.#machine(`tunnels-${at + 1}`, (env, host) => this.#tunnels.push(this.#dig(env, host, name, group)))
    }
    for (const [at, [name, group]] of Object.entries(run.scenario.watchers ?? {}).entries()) {
      this.#machine(`watchers-${at + 1}`, (env, host) => this.#watch(env, host, name, group))
    }
  }

  /** A machine of its own, not in any datacenter. */
  #machine(name: string, boot: (env: Env, host: string) => void): void {
    this.#machines++
    const host = clientHost(this.#machines)
    this.#run.simulation.addNode({ name, host }).boot((env) => boot(env, host))
  }

  #follow(env: Env, name: string, group: GroupText): KeyWatchers {
    const { consistencies, keys, ...plan } = planOf(name, group)
    const watching = { name, watchers: group.watchers, consistencies, pauseMs: group['watch pause'] }
    const which = { prefix: prefixOf(plan), keys: keysOf({ name, keys }) }
    return new KeyWatchers(env, { ...watching, ...which }, this.#worldOf(group))
  }

  #watch(env: Env, host: string, name: string, group: WatcherGroup): void {
    const run = this.#run
    const plan = { service: group.service, atLeast: group['at least'], silentMsMax: group['silent for at most'], host }
    for (const node of run.select(group.at)) {
      const identity = run.cluster.identityOf(node)
      const agent = { name: node, http: httpEndpoint(identity), dns: dnsEndpoint(identity) }
      this.#watchers.push(new ServiceWatcher(env, plan, agent, (what) => run.fail(['watchers', name], what)))
    }
  }

  #visit(env: Env, name: string, group: VisitorGroup): Visitors {
    const run = this.#run
    const { clients, key, rate: ratePerSecond } = group
    const plan = { name, clients, key, ratePerSecond, timeoutMs: group.within ?? answerWithinMs }
    const tokens = () => (run.driver.answers.get(group.tokens)?.json() ?? []) as readonly string[]
    const { nowUs, invariants } = this.#worldOf(group)
    return new Visitors(env, plan, {
      nowUs,
      agent: (draw) => this.#anyOf(group, draw),
      tokens,
      onVisit: (visit) => invariants.tell('visit made', visit),
    })
  }

  #meet(env: Env, name: string, group: ProxyGroup): MeshProxies {
    const { cluster } = this.#run
    const agents = this.#run.select(group.at)
    const proxies = Array.from({ length: group.count }, (_, at) => {
      const agent = agents[at % agents.length] ?? ''
      const service = `${name}-${at + 1}`
      const endpoint = httpEndpoint(cluster.identityOf(agent))
      return { name: `${service} at ${agent}`, service, agent, endpoint, waitMs: group.wait }
    })
    const plan = { name, proxies, connections: group.connections, everyMs: group.every }
    return new MeshProxies(env, plan, {
      meshOf: (agent) => this.#run.checksOf(cluster.datacenterOf(agent)).of(meshLaws),
      wallMsOf: (agent) => cluster.nodeOf(agent).clock.wallUs() / 1000,
      token: () => tokenOf(this.#run, group.token).token ?? '',
    })
  }

  #dig(env: Env, host: string, name: string, group: TunnelGroup): MeshTunnels {
    const { cluster } = this.#run
    const agents = this.#run.select(group.at)
    const services = Array.from({ length: group.count }, (_, at) => {
      const agent = agents[at % agents.length] ?? ''
      const endpoint = httpEndpoint(cluster.identityOf(agent))
      return { name: `${name}-${at + 1}`, agent, endpoint, datacenter: cluster.datacenterOf(agent) }
    })
    const world = { tally: this.#run.tunnels, token: () => tokenOf(this.#run, group.token).token ?? '' }
    return new MeshTunnels(env, { name, host, services, everyMs: group.every }, world)
  }

  /** Of whatever datacenter: each has the keys that its visitors ask for. */
  #anyOf({ at }: VisitorGroup, draw: (bound: number) => number): AskedAgent | undefined {
    const { cluster } = this.#run
    const meant = select(at, { ...selectable(cluster, this.#run.stepScope()), draw })
    const name = meant[draw(Math.max(1, meant.length))]
    if (name === undefined) return undefined
    const identity = cluster.identityOf(name)
    return { name, endpoint: httpEndpoint(identity), isServer: identity.kind === 'server' }
  }

  #contenders(env: Env, name: string, group: LockGroup): LockContenders {
    const plan = {
      name,
      contenders: group.contenders,
      locks: group.locks,
      ttlMs: group.ttl,
      lockDelayMs: group['lock delay'],
      holdMs: group.hold,
      sleepChance: group.asleep,
      timeoutMs: group.within ?? answerWithinMs,
    }
    const { nowUs, server, invariants } = this.#worldOf(group)
    return new LockContenders(env, plan, { nowUs, agent: server, invariants })
  }

  /** Services are well from the beginning to the end, whatever else stops. */
  startHeartbeats(): void {
    this.#run.simulation.after(0, () => {
      for (const group of this.#heartbeats) group.start()
    })
  }

  /** They go on to the end, as the heartbeats do: at rest all of them must have what the cluster has. */
  startProxies(): void {
    this.#run.simulation.after(0, () => {
      for (const group of this.#proxies) group.follow()
      for (const group of this.#tunnels) group.follow()
    })
  }

  proxiesBehind(datacenter: string | undefined): readonly string[] {
    const isMeant = (agent: string) => datacenter === undefined || this.#run.cluster.datacenterOf(agent) === datacenter
    return this.#proxies.flatMap((group) => group.behind(isMeant))
  }

  proxiesMeet(): void {
    for (const group of this.#proxies) group.meetAll()
  }

  /** They go on when everything else stops: that they have heard of everything is judged at rest. */
  switchKeyWatchers(to: 'start' | 'stop'): void {
    this.#run.simulation.after(0, () => {
      for (const group of this.#keyWatchers) {
        if (to === 'start') group.start()
        else group.stop()
      }
    })
  }

  switch(to: 'start' | 'stop'): void {
    if (to === 'start') this.switchKeyWatchers('start')
    this.#run.simulation.after(0, () => {
      for (const group of this.#groups) {
        if (to === 'start') group.start()
        else group.stop()
      }
      for (const group of this.#locks) {
        if (to === 'start') group.start()
        else group.stop()
      }
      for (const group of this.#visitors) {
        if (to === 'start') group.start()
        else group.stop()
      }
      for (const group of this.#proxies) {
        if (to === 'start') group.start()
        else group.stop()
      }
      for (const group of this.#tunnels) {
        if (to === 'start') group.start()
        else group.stop()
      }
      for (const watcher of this.#watchers) {
        if (to === 'start') watcher.start()
        else watcher.stop()
      }
    })
  }

  openRequests(): readonly string[] {
    return [...this.#groups, ...this.#locks].flatMap((group) => group.openRequests())
  }

  #targetsOf({ at }: HeartbeatGroup): HeartbeatTargets {
    const { cluster } = this.#run
    return () =>
      this.#run
        .select(at)
        .filter((node) => cluster.isRunning(node))
        .map((name) => ({ name, endpoint: httpEndpoint(cluster.identityOf(name)) }))
  }

  #worldOf(
    group: Pick<GroupText, 'at'> & { readonly datacenter?: string | undefined; readonly token?: Template | undefined },
  ): GroupWorld {
    const run = this.#run
    const datacenter = group.datacenter ?? run.cluster.datacenterNames[0] ?? ''
    return {
      nowUs: () => run.simulation.nowUs,
      server: (draw) => {
        const scope = selectable(run.cluster, run.stepScope())
        const meant = group.at === undefined ? run.cluster.serverNames : select(group.at, { ...scope, draw })
        // What they are told is judged as of one cluster; without a word on which, agents of that one alone are asked.
        const chosen = meant.filter((node) =>
          group.datacenter === undefined
            ? run.cluster.datacenterOf(node) === datacenter
            : knowsOf(run.cluster, node, datacenter),
        )
        const name = chosen[draw(Math.max(1, chosen.length))]
        if (name === undefined) return undefined
        const identity = run.cluster.identityOf(name)
        const isThere = identity.datacenter === datacenter
        const asked = isThere ? {} : { datacenter: calledName(run.cluster, datacenter) }
        return {
          name,
          endpoint: { ...httpEndpoint(identity), ...asked, ...tokenOf(run, group.token) },
          isServer: identity.kind === 'server' && isThere,
        }
      },
      bootOf: (server) => run.cluster.bootOf(server),
      onAcknowledged: (server) => run.triggered('write acknowledged', server),
      invariants: run.checksOf(datacenter),
    }
  }
}

/** Filled anew for each request: the step that saves it may come later. */
function tokenOf(run: RunContext, token: Template | undefined): { readonly token?: string } {
  return token === undefined ? {} : { token: filled(run, token) }
}

function planOf(name: string, group: GroupText): ConstructorParameters<typeof ClientGroup>[1] {
  const { consistency } = group
  const consistencies: readonly Consistency[] = typeof consistency === 'string' ? [consistency] : consistency
  return {
    name,
    clients: group.clients,
    operations: group.operations,
    keys: group.keys,
    ratePerSecond: group.rate,
    consistencies,
    timeoutMs: group.within ?? answerWithinMs,
  }
}
