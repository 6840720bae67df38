import { err, ok, type Result } from '../../../base/result.ts'
import { utcText } from '../../../base/utc-text.ts'
import type { Closable } from '../../../env/async.ts'
import type { Failure } from '../../../model/failure.ts'
import type { ReadTransaction } from '../../../store/types.ts'
import type { WriteIdentity } from '../../contract/command.ts'
import { type MeshTimes, updateWithinMs } from '../limits.ts'
import type { AuthorityRow, ProviderOptions } from '../model.ts'
import { commonProblem, withStoredSecrets } from '../options.ts'
import type { AuthorityParts } from '../parts.ts'
import { kindNamed, type ProviderKind } from '../provider/provider.ts'
import { type Updated, updateAuthority } from '../rotation-commands.ts'
import type { RotationRow } from '../tables.ts'
import { authorityOf, isOpen, openRotation, roomFromMs, rotationById, waitsForRoom, watchRotation } from '../views.ts'
import { isPrepared, onlyWaits } from './rotation.ts'
import { type Due, planOf, refusalOf, silenceOf, unnamedProblem } from './trial.ts'

export interface ConfigurationWish {
  readonly provider: string
  readonly options: ProviderOptions
  /** Only if the configuration has this ModifyIndex; null: any. */
  readonly onlyAt: number | null
  /** The rotation omits the old root's signature. */
  readonly uncrossed?: boolean
}

const goesAway: Failure = { kind: 'not-leader', leader: undefined }

/**
 * Applies changes of the configuration one after the other. A change that finds a rotation under way waits for its end,
 * unless it wishes the very same configuration, or the one before the rotation, which cancels it. A caller whose leader
 * is lost repeats the same write, is referred to the rotation that it began, and waits for its end.
 */
export class Updates implements Closable {
  readonly #parts: AuthorityParts
  readonly #problem: () => string
  readonly #waiting = new Set<() => void>()
  #closed = false

  constructor(parts: AuthorityParts, problem: () => string) {
    this.#parts = parts
    this.#problem = problem
  }

  close(): void {
    this.#closed = true
    for (const end of [...this.#waiting]) end()
  }

  async update(wish: ConfigurationWish, identity: WriteIdentity | undefined): Promise<Result<boolean, Failure>> {
    const { server, kinds } = this.#parts
    const untilMs = server.env.clock.monoMs() + updateWithinMs
    const kind = kindNamed(kinds, wish.provider)
    if (kind === undefined)
      return mistaken(`could not initialize provider: unknown CA provider ${JSON.stringify(wish.provider)}`)
    tellUnknown(server, kind, wish.options)
    let named = identity
    for (;;) {
      if (this.#closed) return err(goesAway)
      const tx = server.read()
      const authority = authorityOf(tx)
      if (authority === undefined) return refused('the certificate authority has not started yet', this.#problem())
      const unnamed = unnamedProblem(wish.provider, kind, authority)
      if (unnamed !== undefined) return mistaken(`could not initialize provider: ${unnamed}`)
      const options = checkedOptions(kind, wish.options, {
        authority,
        rotation: openRotation(tx),
        times: this.#parts,
      })
      if (!options.ok) return options
      const plan = planOf(tx, authority, kind, { options: options.value, isPrimary: server.isPrimary })
      if (plan.kind === 'wait') {
        const ended = await this.#ended(plan.rotation, untilMs)
        if (!ended.ok) return ended
        continue
      }
      const trial = { due: plan.due, kind, options: options.value, untilMs }
      const refusal = this.#problem() === '' ? await refusalOf(this.#parts, tx, trial) : undefined
      if (refusal !== undefined) return mistaken(`error configuring provider: ${refusal}`)
      const silence = await silenceOf(this.#parts, authority, trial)
      if (silence !== undefined) return refused('error configuring provider: nothing was changed', silence)
      const done = await this.#propose(tx, { due: plan.due, kind, options: options.value, wish }, named)
      if (!done.ok) return done
      if (done.value.kind !== 'changed') return this.#outcome(done.value, untilMs)
      // The outcome of this write was to look again, and a repetition would return the same for ever: use a new
      // identity.
      named = undefined
    }
  }

  #propose(
    tx: ReadTransaction,
    update: {
      readonly due: Due
      readonly kind: ProviderKind
      readonly options: ProviderOptions
      readonly wish: ConfigurationWish
    },
    identity: WriteIdentity | undefined,
  ): Promise<Result<Updated, Failure>> {
    const { server } = this.#parts
    const body = {
      due: update.due,
      provider: update.kind.name,
      options: update.options,
      at: authorityOf(tx)?.modifyIndex ?? 0,
      rotation: openRotation(tx)?.id ?? 0,
      onlyAt: update.wish.onlyAt,
      uncrossed: update.wish.uncrossed === true,
      nowMs: server.env.clock.wallMs(),
    }
    return server.propose(updateAuthority, body, identity)
  }

  async #outcome(updated: Exclude<Updated, { kind: 'changed' }>, untilMs: number): Promise<Result<boolean, Failure>> {
    if (updated.kind === 'other-index') return ok(false)
    if (updated.kind === 'done') return ok(true)
    const accepted = await this.#ended(updated.rotation, untilMs, true)
    if (!accepted.ok) return accepted
    if (accepted.value !== undefined && isOpen(accepted.value)) this.#tellAccepted(accepted.value)
    return endOf(accepted.value)
  }

  #tellAccepted(row: RotationRow): void {
    const { env } = this.#parts.server
    const begins = this.#waitsUntil(row)
    const text =
      begins === '' ? 'a change of the root is accepted and continues' : 'a change of the root is accepted and waits'
    env.log.write('info', 'connect', text, { rotation: row.id, ...(begins === '' ? {} : { begins }) })
  }

  /** When a rotation begins that waits for the removal of a root; empty: it has begun. */
  #waitsUntil(row: RotationRow): string {
    const tx = this.#parts.server.read()
    return waitsForRoom(tx, row, this.#parts) ? utcText(roomFromMs(tx, this.#parts)) : ''
  }

  /**
   * Waits for the end of the rotation or, if the caller accepts that, until it is accepted: nothing is left but to
   * wait, or everything is prepared and the time is over. Undefined: it ended long ago and was forgotten.
   */
  async #ended(id: number, untilMs: number, orAccepted = false): Promise<Result<RotationRow | undefined, Failure>> {
    const { server } = this.#parts
    for (;;) {
      const tx = server.read()
      const row = rotationById(tx, id)
      if (row === undefined || !isOpen(row)) return ok(row)
      if (orAccepted && onlyWaits(this.#parts, tx, row)) return ok(row)
      const leftMs = untilMs - server.env.clock.monoMs()
      if (this.#closed) return err(goesAway)
      if (leftMs <= 0 && orAccepted && isPrepared(this.#parts, tx, row)) return ok(row)
      if (leftMs <= 0) return refused(this.#underWay(row), this.#problem())
      await this.#changed(id, leftMs)
    }
  }

  #underWay(row: RotationRow): string {
    const begins = this.#waitsUntil(row)
    if (begins === '') return `the rotation ${row.id} is under way, and goes on`
    return `the rotation ${row.id} waits until ${begins} for a root to expire: set the present configuration to cancel it`
  }

  async #changed(id: number, limitMs: number): Promise<void> {
    const { server } = this.#parts
    const changed = server.env.deferred<void>()
    const end = (): void => changed.resolve()
    const timer = server.env.timers.after(limitMs, end)
    const watching = server.watch((tx) => watchRotation(tx, id), end)
    this.#waiting.add(end)
    await changed.promise
    this.#waiting.delete(end)
    watching.close()
    timer.close()
  }
}

/**
 * Unknown options are stored, as in the field; the warning helps against mistyped ones. It shows no values, which may
 * be secrets.
 */
function tellUnknown(
  { env }: AuthorityParts['server'],
  { name, knownOptions }: ProviderKind,
  given: ProviderOptions,
): void {
  const unknown = Object.keys(given).filter((option) => !knownOptions.includes(option))
  if (unknown.length === 0) return
  const text = 'unknown options of the provider are stored and have no effect'
  env.log.write('warn', 'connect', text, { provider: name, options: unknown.join(' ') })
}

function checkedOptions(
  kind: ProviderKind,
  given: ProviderOptions,
  {
    authority,
    rotation,
    times,
  }: {
    readonly authority: AuthorityRow
    readonly rotation: RotationRow | undefined
    readonly times: MeshTimes
  },
): Result<ProviderOptions, Failure> {
  const stored = authority.provider === kind.name ? authority.options : {}
  const target = rotation?.provider === kind.name ? rotation.options : stored
  const kept = withKept(kind, given, stored)
  const again = kept.ok ? kept : withKept(kind, given, target)
  if (!again.ok) return mistaken(`error configuring provider: ${again.error}`)
  const problem = commonProblem(again.value, times) ?? kind.problem(again.value)
  return problem === undefined ? again : mistaken(`error configuring provider: ${problem}`)
}

/** Restores stored secrets where hidden ones were written back, if they may be kept. */
function withKept(
  kind: ProviderKind,
  given: ProviderOptions,
  stored: ProviderOptions,
): Result<ProviderOptions, string> {
  const merged = withStoredSecrets(given, stored, kind.secretOptions)
  if (!merged.ok) return err(`${merged.error} stands for a stored value, but there is none`)
  const problem = kind.hiddenProblem?.(stored, given)
  return problem === undefined ? merged : err(problem)
}

function endOf(row: RotationRow | undefined): Result<boolean, Failure> {
  switch (row?.step) {
    case 'refused':
      return mistaken(row.why)
    case 'given-up':
      return refused('the rotation was cancelled', 'another change restored the previous configuration')
    default:
      return ok(true)
  }
}

function mistaken(message: string): Result<never, Failure> {
  return err({ kind: 'bad-request', message })
}

function refused(message: string, why: string): Result<never, Failure> {
  return err({ kind: 'refused', message: why === '' ? message : `${message}: ${why}` })
}
