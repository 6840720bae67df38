import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import { type Failure, failureText } from '../../model/failure.ts'
import { hasBehaviour } from '../../model/release.ts'
import type { ServerAccess } from '../contract/access-control.ts'
import type { LeaderDuty } from '../contract/duty.ts'
import type { WithPlace, WithServerAccess, WithWatches } from '../contract/server-context.ts'
import type { WithEnv, WithRelease } from '../contract/surroundings.ts'
import { drawnUuid, isPrimary } from './asked.ts'
import { legacySet } from './legacy/legacy-commands.ts'
import { anonymousSecret, managementPolicyId } from './model.ts'
import type { CopyingServer } from './replication/asking-primary.ts'
import { legacyRound, policiesRound, tokensRound } from './replication/copying.ts'
import { Replicator } from './replication/replication-duty.ts'
import { Migration } from './system/migration.ts'
import { putBuiltins } from './system/mode-commands.ts'
import { isNewMode, policyById, tokenBySecret } from './views.ts'

/** The server as far as this duty uses it. */
type AclServer = WithEnv & WithRelease & WithWatches & WithPlace & WithServerAccess & CopyingServer

/** Pause before a refused attempt is repeated, and between checks whether the datacenter stays in the legacy mode. */
const retryMs = 1_000

/**
 * The leader's care for tokens and policies: in the primary datacenter it creates the built-in ones and migrates legacy
 * tokens, in a secondary one it replicates the primary's. When the datacenter switches to the new mode, the duty of the
 * old mode ends and that of the new one begins; whether to switch is decided elsewhere.
 */
export const tokensDuty: LeaderDuty<TokensDuty, AclServer> = {
  name: 'acl.tokens',
  start: (server) => new TokensDuty(server),
}

export class TokensDuty implements Closable {
  readonly #server: AclServer
  readonly #access: ServerAccess | undefined
  #isNew = false
  #policies: Replicator | undefined
  #tokens: Replicator | undefined
  #legacy: Replicator | undefined
  readonly #running: Closable[] = []
  #timer: Closable | undefined
  #watching: Closable | undefined
  #closed = false

  constructor(server: AclServer) {
    this.#server = server
    this.#access = server.accessControl
    if (this.#access !== undefined) this.#begin(this.#access)
  }

  /** What is replicated to this datacenter, by kind. */
  get replicators(): {
    readonly legacy: Replicator | undefined
    readonly policies: Replicator | undefined
    readonly tokens: Replicator | undefined
  } {
    return { legacy: this.#legacy, policies: this.#policies, tokens: this.#tokens }
  }

  close(): void {
    this.#closed = true
    this.#timer?.close()
    this.#watching?.close()
    this.#end()
  }

  #end(): void {
    for (const each of this.#running.splice(0)) each.close()
    this.#legacy = undefined
  }

  #begin(access: ServerAccess): void {
    this.#isNew = isNewMode(this.#server.read())
    if (this.#isNew) return this.#beginNew(access)
    this.#watching = this.#server.watch(isNewMode, () => {
      this.#timer?.close()
      this.#end()
      this.#begin(access)
    })
    if (isPrimary(this.#server, access)) return this.#lookAgain(access, 0)
    if (access.replicatesTokens) this.#legacy = this.#replicator(access, 'legacy tokens', legacyRound)
  }

  #beginNew(access: ServerAccess): void {
    if (isPrimary(this.#server, access)) {
      this.#attempt(() => this.#putBuiltins(access))
      this.#running.push(new Migration(this.#server))
      return
    }
    this.#policies = this.#replicator(access, 'policies', policiesRound)
    if (access.replicatesTokens) this.#tokens = this.#replicator(access, 'tokens', tokensRound)
  }

  #replicator(access: ServerAccess, what: string, round: typeof policiesRound): Replicator {
    const replicator = new Replicator({ server: this.#server, access, what, round })
    this.#running.push(replicator)
    return replicator
  }

  /**
   * Built-in legacy tokens are created only where the legacy mode lasts: if every server supports the new mode, it
   * begins at once, and its own tokens take their place.
   */
  #lookAgain(access: ServerAccess, afterMs: number): void {
    this.#timer = this.#server.env.timers.after(afterMs, () => {
      const lasts = !hasBehaviour(this.#server.release, 'tokens-and-policies') || access.missing().length > 0
      if (lasts) this.#attempt(() => this.#putLegacyBuiltins(access))
      else this.#lookAgain(access, retryMs)
    })
  }

  /** Repeats the work until it succeeds, or is no longer this server's task. */
  #attempt(work: () => Promise<Result<unknown, Failure>>): void {
    const { env } = this.#server
    const run = async (): Promise<void> => {
      if (this.#closed) return
      const done = await work()
      if (done.ok || this.#closed) return
      env.log.write('warn', 'acl', 'could not create the tokens that must exist', { why: failureText(done.error) })
      this.#timer = env.timers.after(retryMs, () => env.detach(run()))
    }
    env.detach(run())
  }

  async #putBuiltins({ masterToken }: ServerAccess): Promise<Result<unknown, Failure>> {
    const tx = this.#server.read()
    const isThere = (secret: string): boolean => tokenBySecret(tx, secret) !== undefined
    const all = policyById(tx, managementPolicyId) !== undefined && isThere(anonymousSecret)
    if (all && (masterToken === '' || isThere(masterToken))) return { ok: true, value: undefined }
    const master = masterToken === '' ? null : { accessor: drawnUuid(this.#server, 'master'), secret: masterToken }
    return this.#server.propose(putBuiltins, { createdMs: this.#server.env.clock.wallMs(), master })
  }

  async #putLegacyBuiltins({ masterToken }: ServerAccess): Promise<Result<unknown, Failure>> {
    const anonymous = { id: anonymousSecret, name: 'Anonymous Token', type: 'client', rules: '' } as const
    const master = { id: masterToken, name: 'Master Token', type: 'management', rules: '' } as const
    for (const token of masterToken === '' ? [anonymous] : [anonymous, master]) {
      if (this.#isNew || this.#closed) break
      if (tokenBySecret(this.#server.read(), token.id) !== undefined) continue
      const done = await this.#server.propose(legacySet, { ...token, unlessThere: true })
      if (!done.ok) return done
    }
    return { ok: true, value: undefined }
  }
}
