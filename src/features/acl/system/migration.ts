import type { Closable } from '../../../env/async.ts'
import { failureText } from '../../../model/failure.ts'
import type { WithProposals, WithState, WithWatches } from '../../contract/server-context.ts'
import type { WithEnv } from '../../contract/surroundings.ts'
import { drawnUuid } from '../asked.ts'
import { migrationOf, unmigratedTokens, watchUnmigratedTokens } from '../views.ts'
import { migratedAtOnce, migrateTokens } from './mode-commands.ts'

/** The server as far as this duty uses it. */
type MigrationServer = WithEnv & WithState & WithProposals & WithWatches

/** Pause between two batches. Spec: ACL-036. */
const pauseMs = 1_000

/**
 * Gives legacy tokens accessors, batch by batch. A leader begins with a pause, and its predecessor's last batch was
 * applied before it began, so batches are a second apart whichever server leads.
 */
export class Migration implements Closable {
  readonly #server: MigrationServer
  #timer: Closable | undefined
  #watching: Closable | undefined
  #closed = false

  constructor(server: MigrationServer) {
    this.#server = server
    this.#later()
  }

  close(): void {
    this.#closed = true
    this.#timer?.close()
    this.#watching?.close()
  }

  #later(): void {
    if (this.#closed) return
    const { timers, detach } = this.#server.env
    this.#timer = timers.after(pauseMs, () => detach(this.#step()))
  }

  async #step(): Promise<void> {
    const tx = this.#server.read()
    const tokens: { readonly secret: string; readonly accessor: string; readonly at: number }[] = []
    for (const { secret, modifyIndex: at } of unmigratedTokens(tx)) {
      if (tokens.length === migratedAtOnce) break
      tokens.push({ secret, accessor: drawnUuid(this.#server, 'migrated'), at })
    }
    // Without tokens to migrate, one batch records that none is left: the proof.
    if (tokens.length === 0 && (migrationOf(tx)?.completeIndex ?? 0) > 0) return this.#wait()
    await this.#migrate(tokens)
    this.#later()
  }

  async #migrate(
    tokens: readonly { readonly secret: string; readonly accessor: string; readonly at: number }[],
  ): Promise<void> {
    const { env } = this.#server
    const done = await this.#server.propose(migrateTokens, { tokens })
    if (this.#closed) return
    if (!done.ok) return env.log.write('warn', 'acl', 'could not migrate tokens', { why: failureText(done.error) })
    const complete = (migrationOf(this.#server.read())?.completeIndex ?? 0) > 0
    env.metrics.count('acl.migrated', done.value)
    env.log.write('info', 'acl', complete ? 'all legacy tokens are migrated' : 'migrated legacy tokens', {
      count: done.value,
    })
  }

  /** Waits until a token is created by the legacy API, or the state is replaced. */
  #wait(): void {
    this.#watching = this.#server.watch(watchUnmigratedTokens, () => this.#later())
  }
}
