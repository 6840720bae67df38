import { InvariantViolation } from '../../base/invariant.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import { isNewMode } from '../../features/acl/views.ts'
import type { CommandDefinition, WriteIdentity } from '../../features/contract/command.ts'
import { readBy } from '../../features/contract/fields.ts'
import type { ComingStateCheck } from '../../features/contract/whole-state.ts'
import { replacedTable } from '../../features/snapshot/tables.ts'
import { comingPieces, comingState, lastReplaced } from '../../features/snapshot/views.ts'
import type { Failure } from '../../model/failure.ts'
import { modifyIndexOf, noChange } from '../../model/log-position.ts'
import { pause } from '../../model/pause.ts'
import { hasBehaviour, isAtLeast, newestRelease, type Release, releaseText } from '../../model/release.ts'
import type { Entry } from '../../raft/core/types.ts'
import type { StateMachine, StateRestore, StateSnapshot } from '../../raft/raft.ts'
import { Store, type StoreOptions } from '../../store/store.ts'
import type { Row, TableDefinition, WriteTransaction } from '../../store/types.ts'
import type { AgentObserver } from '../boot/observer.ts'
import { ComingState } from './coming-state.ts'
import { decodeCommand, type LoggedCommand } from './command-codec.ts'
import { type CommandMetric, commandMetric } from './command-metric.ts'
import { CommandOutcome } from './command-outcome.ts'
import { ForwardedWrites, forgottenOrigins, forwardedWrites, type OnceApplied } from './forwarded-writes.ts'

/** A replicated command that the release of this server does not know: the server stops, as it must. */
export class UnknownCommand extends InvariantViolation {
  readonly kind: string
  readonly index: number

  constructor(kind: string, index: number, release: Release) {
    const message = 'this release does not know a replicated command: upgrade this server'
    super(message, { kind, index, release: releaseText(release) })
    this.kind = kind
    this.index = index
  }
}

/** A command of this release, and the metric under which its time is reported. */
interface KnownCommand {
  readonly definition: CommandDefinition
  readonly metric: CommandMetric
}

/** Applies the commands of the Raft log to the store. */
export class ReplicatedState implements StateMachine {
  readonly store: Store
  readonly #forwarded: ForwardedWrites
  readonly #coming: ComingState
  readonly #commands: ReadonlyMap<string, KnownCommand>
  readonly #release: Release
  readonly #observer: Pick<AgentObserver, 'commandApplied'> | undefined
  readonly #measured: Pick<Env, 'clock' | 'metrics'> | undefined
  /** How far indexes of the state are ahead of those of the log, since a state with a higher index was restored. */
  #ahead = 0
  #replacedTell: (() => void) | undefined

  /** `tables` and `commands` are those of the features; `release` is the one that this server runs as. */
  constructor(parts: {
    readonly tables: readonly TableDefinition<Row>[]
    readonly commands: readonly CommandDefinition[]
    readonly release?: Release
    readonly observer?: Pick<AgentObserver, 'commandApplied'> | undefined
    readonly store?: StoreOptions
    /** Receives how long commands take. */
    readonly measured?: Pick<Env, 'clock' | 'metrics'>
  }) {
    this.store = new Store([...parts.tables, forwardedWrites, forgottenOrigins, replacedTable], parts.store)
    this.#forwarded = new ForwardedWrites(this.store)
    this.#coming = new ComingState(this.store)
    this.#release = parts.release ?? newestRelease
    this.#observer = parts.observer
    this.#measured = parts.measured
    const known = parts.commands.filter((command) => isAtLeast(this.#release, command.since))
    this.#commands = new Map(
      known.map((definition) => [definition.kind, { definition, metric: commandMetric(definition.kind) }]),
    )
  }

  /**
   * Returns what the command returned, or a failure if the write is too old to tell whether it is a repeat; undefined
   * for Raft's own entries. A command that this release does not know, or cannot read, stops the agent on purpose: skipping
   * it would make this server's state differ from the others'.
   */
  apply(entry: Entry): CommandOutcome | undefined {
    if (entry.kind !== 'command') return undefined
    const command = this.#decoded(entry)
    const { definition, metric } = this.#known(command, entry)
    const body = readBy(definition.body, command.body)
    if (!body.ok) throw this.#unreadable(entry, `${command.kind}: ${body.error}`)
    const { identity } = command
    const startedMs = this.#measured?.clock.monoMs() ?? 0
    const index = modifyIndexOf(entry.index + this.#ahead)
    const run = (tx: WriteTransaction): unknown => definition.apply(tx, body.value, this.#coming)
    const applied: Result<OnceApplied, Failure> =
      identity === undefined
        ? ok({ outcome: this.store.apply(index, run), repeated: false })
        : this.#forwarded.applyOnce(index, identity, definition, run)
    this.#measured?.metrics.sample(metric.name, this.#measured.clock.monoMs() - startedMs, metric.labels)
    if (!applied.ok) return new CommandOutcome(command.kind, applied)
    const { outcome, repeated } = applied.value
    this.#replaceIfReady()
    if (!repeated) {
      const { store } = this
      this.#observer?.commandApplied?.(store.index, command.kind, outcome, identity, store.live, entry.index)
    }
    return new CommandOutcome(command.kind, ok(outcome))
  }

  /**
   * The outcome of a write that took effect, or a failure if it is too old to tell; undefined if it did not take
   * effect.
   */
  outcomeOf<Body, Outcome>(
    identity: WriteIdentity,
    command: CommandDefinition<Body, Outcome>,
  ): Result<Outcome, Failure> | undefined {
    return this.#forwarded.outcomeOf(identity, command)
  }

  /** Checks a state that is to replace this one. */
  coming(env: Pick<Env, 'deferred' | 'timers'>): ComingStateCheck {
    return {
      fault: () => this.#coming.fault(),
      check: () => {
        const state = this.store.read()
        return this.#coming.check(comingState(state)?.sizeBytes ?? 0, comingPieces(state), () => pause(env, 0))
      },
    }
  }

  /** Calls `use` after a command has replaced the whole state. */
  onReplaced(use: () => void): void {
    this.#replacedTell = use
  }

  #replaceIfReady(): void {
    const version = this.#coming.take()
    const replaced = version === undefined ? undefined : lastReplaced(this.store.read())
    if (version === undefined || replaced === undefined) return
    this.store.replace(version, replaced.index)
    this.#ahead = replaced.ahead
    this.#replacedTell?.()
  }

  applied(): void {
    this.store.committed()
  }

  snapshot(): StateSnapshot {
    return this.store.snapshot()
  }

  restore(): StateRestore {
    const restore = this.store.restore()
    return {
      write: (bytes) => restore.write(bytes),
      finish: () => {
        const finished = restore.finish()
        if (!finished.ok) return finished
        const foreign = this.#foreign()
        if (foreign !== undefined) return err(foreign)
        this.#restored()
        return finished
      },
    }
  }

  /** Why this release cannot use the restored state, as it could not apply the commands that led to it. */
  #foreign(): string | undefined {
    if (hasBehaviour(this.#release, 'tokens-and-policies') || !isNewMode(this.store.read())) return undefined
    const release = releaseText(this.#release)
    return `it is of a later release, whose access control has policies, which ${release} does not know: upgrade this server`
  }

  #restored(): void {
    this.#forwarded.restored()
    this.#coming.forget()
    const replaced = lastReplaced(this.store.read())
    this.#ahead = replaced?.ahead ?? 0
    this.store.raiseFloor(replaced?.index ?? noChange)
  }

  #decoded(entry: Entry): LoggedCommand {
    const command = decodeCommand(entry.payload)
    if (!command.ok) throw this.#unreadable(entry, command.error)
    return command.value
  }

  #known(command: LoggedCommand, entry: Entry): KnownCommand {
    const known = this.#commands.get(command.kind)
    if (known !== undefined) return known
    throw new UnknownCommand(command.kind, entry.index, this.#release)
  }

  #unreadable(entry: Entry, why: string): InvariantViolation {
    return new InvariantViolation('a replicated command that cannot be read', {
      why,
      index: entry.index,
      release: releaseText(this.#release),
    })
  }
}
