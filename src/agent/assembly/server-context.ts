import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { ServerAccess } from '../../features/contract/access-control.ts'
import { readBy } from '../../features/contract/fields.ts'
import type { ServerContext, WanView } from '../../features/contract/server-context.ts'
import type { Pool } from '../../gossip/pool.ts'
import type { Failure } from '../../model/failure.ts'
import type { Raft } from '../../raft/raft.ts'
import { primaryOf } from '../access/mode.ts'
import { meshFederation } from '../mesh/federation.ts'
import { knownServers, serverOf } from '../pool/pool-servers.ts'
import { encodeToPropose } from '../replication/command-codec.ts'
import { resultOf } from '../replication/command-outcome.ts'
import type { OpenStates } from '../replication/open-states.ts'
import type { ReplicatedState } from '../replication/state-machine.ts'
import type { Calls } from '../requests/asking/calls.ts'
import { failureOfRefusal } from '../requests/serving/refusal.ts'
import { outcomeWithoutEntry } from '../requests/serving/without-entry.ts'
import { CommandGate } from '../servers/command-gate.ts'
import type { RunningDuties } from '../servers/leadership.ts'
import type { ServerMembershipDuty } from '../servers/server-membership.ts'
import type { Ground } from './ground.ts'

function unreadable(env: Env, kind: string, why: string): Failure {
  env.log.write('error', 'agent', 'a command that no server could read is not proposed', { kind, why }, 'sampled')
  return { kind: 'refused', message: `${kind}: ${why}` }
}

/** The parts that a server's endpoints and duties reach through their context. */
interface ContextParts {
  readonly state: ReplicatedState
  readonly raft: Raft
  readonly archives: OpenStates
  readonly running: RunningDuties
  readonly membership: ServerMembershipDuty
  readonly accessControl: ServerAccess | undefined
  readonly callsElsewhere: Calls
}

/** The server as its endpoints and duties see it. */
export function serverContext(ground: Ground, parts: ContextParts): ServerContext {
  const { env, config, pool, wan } = ground
  const { state, raft, archives, running, membership, accessControl, callsElsewhere } = parts
  const addressOf = (id: string): string | undefined =>
    raft.status().configuration.servers.find((server) => server.id === id)?.address
  const leads = async (): Promise<Result<undefined, Failure>> => {
    const confirmed = await raft.leaseRead()
    if (confirmed.ok) return ok(undefined)
    // Nothing was proposed: the loss of leadership leaves no doubt about the outcome.
    const { error } = confirmed
    return err(
      failureOfRefusal(error.kind === 'leadership-lost' ? { kind: 'not-leader', leader: undefined } : error, addressOf),
    )
  }
  const coming = state.coming(env)
  const federation = meshFederation(ground, raft)
  const gate = new CommandGate(pool, config, () => raft.status().configuration)
  return {
    env,
    raft,
    release: config.release,
    naming: config.naming,
    datacenter: config.datacenter,
    sessionTtlMinMs: config.sessionTtlMinMs,
    keyCare: config.keyCare,
    mesh: config.mesh,
    read: () => state.store.read(),
    async propose(command, body, identity) {
      const early = gate.refusal(command)
      if (early !== undefined) return err(early)
      // A body that servers cannot read would stop each of them when it is applied, so it must not reach the log.
      const checked = readBy(command.body, body)
      if (!checked.ok) return err(unreadable(env, command.kind, checked.error))
      const known = await outcomeWithoutEntry({ state, leads }, command, checked.value, identity)
      if (known !== undefined) return known
      const payload = encodeToPropose(command, body, identity)
      if (!payload.ok) return payload
      const proposed = await raft.propose(payload.value)
      if (!proposed.ok) return err(failureOfRefusal(proposed.error, addressOf))
      return resultOf(command, proposed.value.value)
    },
    earlier: (command, identity) => (identity === undefined ? undefined : state.outcomeOf(identity, command)),
    leads,
    archives,
    coming,
    duty: (duty) => running.of(duty),
    health: () => membership.health(),
    accessControl,
    federation,
    isPrimary: primaryOf(config) === config.datacenter,
    readElsewhere: (endpoint, args, read, token) => callsElsewhere.query(endpoint, args, read, { token }),
    writeElsewhere: (endpoint, args, to) => callsElsewhere.write(endpoint, args, to),
    watch: (look, use) => state.store.watch(look, use),
    servers: () => knownServers(pool.members(), config.datacenter),
    keys: (which, request) => (which === 'lan' ? pool : wan?.pool)?.keys(request),
    fireEvent: (name, payload) => pool.fireEvent(name, payload),
    wan: () => (wan === undefined ? undefined : wanView(wan.pool)),
  }
}

/** The endpoints' view of the pool of all datacenters. */
function wanView(pool: Pool): WanView {
  const servers = pool.members().flatMap((member) => {
    const server = member.status === 'left' ? undefined : serverOf(member)
    if (server === undefined) return []
    const { name, datacenter } = server
    return [{ name, datacenter, coordinate: pool.coordinateOf(name) }]
  })
  return { own: pool.coordinateOf(pool.self().name), servers }
}
