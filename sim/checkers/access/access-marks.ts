import { legacyDelete, legacySet } from '../../../src/features/acl/legacy/legacy-commands.ts'
import { replicatePolicies, replicateTokens } from '../../../src/features/acl/replication/replication-commands.ts'
import { type CheckedRun, checker } from '../checker.ts'
import type { Facts } from '../facts.ts'
import { type Reach, rareStates, toldStates } from '../rare-states.ts'
import type { ServerSeen, Visit } from './access-facts.ts'

export const accessMarks = rareStates({
  'mixed access mode': 'servers that were alive worked with different systems of access control',
  'cache served without a server': 'an agent that reached no server accepted a token',
  'deleted token still served': 'an agent accepted a token that had been deleted before the request',
  'access changed in flight': 'tokens or policies changed while a request with a token was under way',
  'old token written in the new mode': 'a token was written in the old form after access control had left the old mode',
  'access replicated': 'a datacenter took policies or tokens from the primary one',
  'access restored': 'a restore brought back earlier tokens and policies',
})

export const accessTold = toldStates({
  'access replication failed': ['acl: replication failed', 'a round of the replication of access control failed'],
  'access replication resumed': [
    'acl: replication goes on',
    'the replication of access control went on after it had failed',
  ],
  'no server to resolve a token': [
    'acl: no server can say what the token may do',
    'an agent reached no server that could tell what a token may do',
  ],
})

type AccessMark = keyof typeof accessMarks.marks

/** Observes rare states of access control. */
class AccessMarks {
  readonly #reach: Reach<AccessMark>
  readonly #nowUs: () => number
  readonly #reachingSinceUs: (agent: string) => number | undefined
  /** When each token was deleted, by secret. */
  readonly #deletedUs = new Map<string, number>()
  #changedUs = Number.NEGATIVE_INFINITY
  #isNew = false

  constructor({ of, nowUs, resolution }: Pick<CheckedRun, 'of' | 'nowUs' | 'resolution'>) {
    this.#reach = of(accessMarks)
    this.#nowUs = nowUs
    this.#reachingSinceUs = resolution.reachingSinceUs
  }

  recorded(isNew: boolean): void {
    this.#isNew ||= isNew
  }

  changed(by: Facts['access changed']['by']): void {
    this.#changedUs = this.#nowUs()
    if (by !== 'restore') return
    this.#deletedUs.clear()
    this.#reach('access restored')
  }

  tookEffect({ command: { kind, body } }: Facts['command took effect']): void {
    if (kind === legacySet.kind) {
      this.#deletedUs.delete((body as { readonly id: string }).id)
      if (this.#isNew) this.#reach('old token written in the new mode')
    }
    if (kind === legacyDelete.kind) this.#deletedUs.set((body as { readonly id: string }).id, this.#nowUs())
    if (kind === replicatePolicies.kind || kind === replicateTokens.kind) this.#reach('access replicated')
  }

  visited({ agent, secret, said, callUs, returnUs }: Visit): void {
    if (callUs < this.#changedUs && this.#changedUs < returnUs) this.#reach('access changed in flight')
    if (said !== 'allowed') return
    if (this.#reachingSinceUs(agent) === undefined) this.#reach('cache served without a server')
    if ((this.#deletedUs.get(secret) ?? Number.POSITIVE_INFINITY) < callUs) this.#reach('deleted token still served')
  }

  answered({ node, line, status }: Facts['request answered']): void {
    if (status !== 200 || !line.includes('token=')) return
    if (this.#reachingSinceUs(node) === undefined) this.#reach('cache served without a server')
  }

  seen(servers: readonly ServerSeen[]): void {
    const systems = new Set(servers.flatMap(({ status, acls }) => (status === 'alive' ? [acls] : [])))
    if (systems.has('1') && systems.size > 1) this.#reach('mixed access mode')
  }
}

export const markedAccess = checker({
  codes: {},
  make: (run) => new AccessMarks(run),
  takes: {
    'mode recorded': (it, { isNew }) => it.recorded(isNew),
    'access changed': (it, { by }) => it.changed(by),
    'token written': (it) => it.changed('command'),
    'command took effect': (it, fact) => it.tookEffect(fact),
    'visit made': (it, visit) => it.visited(visit),
    'request answered': (it, fact) => it.answered(fact),
    'servers seen': (it, { servers }) => it.seen(servers()),
  },
})
