import { decodeCommand } from '../../src/agent/replication/command-codec.ts'
import type { WriteIdentity } from '../../src/features/contract/command.ts'
import { restoreTake } from '../../src/features/snapshot/commands.ts'
import type { Release } from '../../src/model/release.ts'
import type { Entry } from '../../src/raft/core/types.ts'
import type { ReadTransaction } from '../../src/store/types.ts'
import type { Invariants } from './invariants.ts'
import { stateMachineSafety } from './raft/state-machine-safety.ts'
import { rareStates } from './rare-states.ts'

export const commandMarks = rareStates({
  'write repeated': 'a forwarded write came a second time, and was not applied again',
})

/**
 * States are compared at every fourth entry, because a difference does not go away. They are compared again when the
 * run is at rest.
 */
const digestEvery = 4

/** An applied command, and the state right after it. */
export interface Carried {
  readonly kind: string
  readonly index: number
  /** Index in the log. It is behind the indexes of the state once a state with later indexes was restored. */
  readonly entryIndex: number
  readonly outcome: unknown
  readonly identity: WriteIdentity | undefined
  readonly tx: ReadTransaction
}

interface CommandSource {
  readonly node: string
  readonly release: Release
  /** The digest of a server's whole state; undefined while it starts. */
  readonly digest: () => { readonly index: number; readonly digest: string } | undefined
}

/**
 * Reports to the checkers the commands that one boot of one server applies, and, for the first server to apply one,
 * what it changed.
 */
export class CommandObserver {
  readonly #all: Invariants
  readonly #source: CommandSource
  /**
   * The last applied command without its entry, or the last entry without its command: the agent may report either
   * first.
   */
  #entry: Entry | undefined
  #command: Carried | undefined

  constructor(all: Invariants, source: CommandSource) {
    this.#all = all
    this.#source = source
  }

  applied(entry: Entry): void {
    const first = this.#all.of(stateMachineSafety).applied(this.#source.node, entry)
    // An applied command is reported as such; one that was not applied is a repeat, or too old.
    if (this.#entry !== undefined) this.#all.of(commandMarks)('write repeated')
    this.#entry = undefined
    if (!first || entry.kind !== 'command') return
    if (this.#command?.entryIndex === entry.index) this.#tookEffect(entry, this.#command)
    else this.#entry = entry
  }

  carriedOut(carried: Carried): void {
    const { kind, index, identity } = carried
    const { node, release } = this.#source
    this.#all.tell('state moved', { node })
    this.#all.tell('command carried out', { node, release, kind, index, identity })
    if (index % digestEvery === 0) {
      const state = this.#source.digest()
      if (state?.index === index) this.#all.of(stateMachineSafety).state(node, index, state.digest)
    }
    this.#command = carried
    if (this.#entry?.index === carried.entryIndex) this.#tookEffect(this.#entry, carried)
  }

  #tookEffect(entry: Entry, { index, outcome, tx }: Carried): void {
    this.#entry = undefined
    const command = decodeCommand(entry.payload)
    if (!command.ok) return
    const { node } = this.#source
    if (command.value.kind === restoreTake.kind) this.#all.tell('state replaced', { node, index, tx })
    else this.#all.tell('command took effect', { node, command: command.value, index, outcome, tx })
  }
}
