import type { Env } from '../env/env.ts'
import type { Terminal } from '../env/terminal.ts'
import type { Naming } from '../model/naming/naming.ts'

/** A flag of a command, written `-name=value`, `-name value` or, for a bool, `-name`. */
export interface CommandFlag {
  readonly name: string
  readonly kind: 'bool' | 'text' | 'integer' | 'list' | 'pairs'
  readonly value?: string
  readonly help: string
  /**
   * Another name, under which the values of all flags with that name are found in the order of the command line, each as
   * `flag=value`.
   */
  readonly together?: string
  /** The only values that the flag takes; absent: the command checks the value. */
  readonly choices?: readonly string[]
  /**
   * Whether every command that asks an agent has this flag; such flags are shown in a part of their own in the help.
   */
  readonly standing?: true
}

export type FlagValue = boolean | string | readonly string[]

export interface Invocation {
  /** The naming that belongs to the name by which the program was started. */
  readonly naming: Naming
  readonly env: Env
  readonly terminal: Terminal
  readonly flags: ReadonlyMap<string, FlagValue>
  readonly args: readonly string[]
  /** The command's own help; printed after the line that names a mistake in its use. */
  readonly help: string
}

/** What a command would destroy; `no-agent`: no agent answers, which the command itself reports. */
export type Losses =
  | { readonly kind: 'known'; readonly sentences: readonly string[] }
  | { readonly kind: 'unknown'; readonly why: string }
  | { readonly kind: 'no-agent' }

/** Stands before a command that can destroy something: it says first what would be lost. */
export interface Guard {
  /** In which case something is lost, a clause for docs: `the member has failed`. */
  readonly when: string
  /** What the guard says in that case, with `…` for what it counts. */
  readonly says: string
  /** Reads the losses through the API; none where the command will refuse its operands. */
  losses(invocation: Invocation): Promise<Losses>
}

/** A command of `svc`, as data: the program, its help and its flag parser are built from these. */
export interface CliCommand {
  /** `['operator', 'raft', 'list-peers']`. */
  readonly path: readonly string[]
  readonly summary: string
  /** Shown after the flags in the usage line: `KEY [DATA]`. */
  readonly operands: string
  /** Shown under the summary in the command's own help. */
  readonly about?: string
  readonly flags: readonly CommandFlag[]
  /** The operands are, or end with, a program and its own arguments: flags among them are that program's. */
  readonly runsOperands?: true
  /** The exit code for flags that cannot be read; absent: 1. For a command whose 1 is an answer. */
  readonly mistakenCode?: number
  /** Stands before `run` where the command can destroy something; it gives the command the flag -force. */
  readonly guard?: Guard
  /** Runs to the end and gives the exit code: 0 success, 1 an error, others as the command documents. */
  run(invocation: Invocation): Promise<number>
}

/** The commands, and the purpose of each group by its words: `operator raft`. */
export interface CommandTree {
  readonly commands: readonly CliCommand[]
  readonly groups: Readonly<Record<string, string>>
}

/** The words that may follow these: sub-commands and groups with their summaries, in the order of the list. */
export function wordsAfter({ commands, groups }: CommandTree, prefix: readonly string[]): ReadonlyMap<string, string> {
  const words = new Map<string, string>()
  for (const command of commands) {
    if (!prefix.every((word, at) => command.path[at] === word)) continue
    const name = command.path[prefix.length]
    if (name === undefined) continue
    const leaf = command.path.length === prefix.length + 1
    words.set(name, leaf ? command.summary : (groups[[...prefix, name].join(' ')] ?? ''))
  }
  return words
}
