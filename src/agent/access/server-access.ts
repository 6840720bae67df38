import { err } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import { isNewMode, migrationOf, tokenByAccessor } from '../../features/acl/views.ts'
import type { ServerAccess } from '../../features/contract/access-control.ts'
import type { ServedEndpoint, ServerDuty } from '../../features/contract/server-context.ts'
import type { Raft } from '../../raft/raft.ts'
import type { Store } from '../../store/store.ts'
import type { ReadTransaction } from '../../store/types.ts'
import type { Closing } from '../boot/lifecycle.ts'
import { knowsPolicies } from '../pool/pool-servers.ts'
import { unmatchedPolicy } from '../settings/access-settings.ts'
import { askedTokens, authorizersOf } from './access-control.ts'
import { Gate } from './gate.ts'
import { primaryOf, ServerMode } from './mode.ts'
import { DifferenceReport } from './report.ts'
import { rightsEndpoint } from './rights.ts'
import type { AccessGround, AskServers, RunningAccess } from './running-access.ts'
import { ServerStanding } from './server-standing.ts'
import { StateTokens } from './state-tokens.ts'

/** Access control of a server, as its other parts need it. */
interface OpenedServerAccess {
  /** Undefined: it is off. */
  readonly gate: Gate | undefined
  readonly control: ServerAccess | undefined
  readonly running: RunningAccess | undefined
  readonly endpoints: readonly ServedEndpoint[]
  readonly duties: readonly ServerDuty[]
  reasonsNotReady(): readonly string[]
  /** A server of another datacenter may have become reachable. */
  hope(): void
}

/** `calls` reach the servers of the primary datacenter, where this one is secondary. */
export function openServerAccess(
  ground: AccessGround,
  raft: Raft,
  store: Store,
  calls: AskServers,
  closing: Closing,
): OpenedServerAccess {
  const { env, config } = ground
  if (!config.access.enabled) return off
  const primary = primaryOf(config)
  const isPrimary = primary === config.datacenter
  const state = { live: store.live, read: () => store.read(), watch: watchOf(store) }
  const authorizers = authorizersOf(ground, closing, comparingIn(ground, state, isPrimary, closing))
  const beyond = isPrimary ? undefined : askedTokens(ground, authorizers, calls, primary, store)
  const standing = new ServerStanding(env, raft, config)
  const { datacenter } = config
  const replicates = config.access.tokenReplication
  const tokens = new StateTokens({ env, state, authorizers, datacenter, beyond, replicates, standing })
  const isComing = (): boolean => standing.now() === 'coming'
  const mode = new ServerMode({ env, config, lan: ground.pool, wan: ground.wan?.pool, raft, isComing, state })
  closing.push(() => {
    mode.stop()
    tokens.stop()
    beyond?.stop()
  })
  return {
    gate: new Gate(env, tokens),
    control: controlOf(ground, primary, mode, (accessor) => byAccessor(state.read(), tokens, accessor)),
    running: {
      resolver: tokens,
      authorizers,
      mode: () => mode.mode,
      refusesNew: () => mode.refusesNew(),
    },
    endpoints: [rightsEndpoint((question) => tokens.rightsFor(question))],
    duties: [mode.duty],
    reasonsNotReady: () => mode.reasonsNotReady(),
    hope: () => beyond?.hope(),
  }
}

const off: OpenedServerAccess = {
  gate: undefined,
  control: undefined,
  running: undefined,
  // Agents with access control on learn that this server has it off.
  endpoints: [rightsEndpoint(async () => ({ ok: false, error: { kind: 'access-control-off' } }))],
  duties: [],
  reasonsNotReady: () => [],
  hope: () => {},
}

function controlOf(
  { config, tokens }: AccessGround,
  primaryDatacenter: string,
  mode: ServerMode,
  authorizerOf: ServerAccess['authorizerOf'],
): ServerAccess {
  const { access, dataDir = '', datacenter } = config
  const isSecondary = primaryDatacenter !== datacenter
  return {
    primaryDatacenter,
    defaultPolicy: unmatchedPolicy(access),
    masterToken: access.tokens.master,
    replicatesTokens: isSecondary && access.tokenReplication,
    missing: () => mode.missing(),
    authorizerOf,
    replicationToken: () => tokens.replication,
    dataDir,
  }
}

async function byAccessor(
  tx: ReadTransaction,
  tokens: StateTokens,
  accessor: string,
): ReturnType<ServerAccess['authorizerOf']> {
  const token = tokenByAccessor(tx, accessor)
  return token === undefined ? err({ kind: 'token-not-found' }) : tokens.resolve(token.secret)
}

/** Undefined: this release knows no other grammar. */
function comparingIn(
  { env, config }: AccessGround,
  state: ConstructorParameters<typeof Migrating>[0],
  isPrimary: boolean,
  closing: Closing,
): DifferenceReport | undefined {
  if (!knowsPolicies(config.release)) return undefined
  const migrating = new Migrating(state, isPrimary)
  const report = new DifferenceReport(env, () => !migrating.isOver)
  closing.push(() => {
    migrating.stop()
    report.stop()
  })
  return report
}

function watchOf(store: Store): (...args: Parameters<Store['watch']>) => Closable {
  return (look, use) => store.watch(look, use)
}

interface WatchedState {
  read(): ReadTransaction
  watch(look: (tx: ReadTransaction) => void, use: () => void): Closable
}

/**
 * Whether a datacenter is migrating from legacy tokens to the new ones. The migration ends once, for good: when the
 * datacenter is in the new mode, and the primary datacenter has given every token an accessor.
 */
export class Migrating {
  readonly #state: WatchedState
  readonly #isPrimary: boolean
  #watching: Closable | undefined
  #isOver = false

  constructor(state: WatchedState, isPrimary: boolean) {
    this.#state = state
    this.#isPrimary = isPrimary
    this.#follow()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  stop(): void {
    this.#watching?.close()
  }

  #follow(): void {
    this.#isOver = this.#looksOver(this.#state.read())
    this.#watching = this.#isOver
      ? undefined
      : this.#state.watch(
          (tx) => this.#looksOver(tx),
          () => this.#follow(),
        )
  }

  #looksOver(tx: ReadTransaction): boolean {
    const completeIndex = migrationOf(tx)?.completeIndex ?? 0
    return isNewMode(tx) && (!this.#isPrimary || completeIndex > 0)
  }
}
