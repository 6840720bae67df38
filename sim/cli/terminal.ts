import type { Result } from '../../src/base/result.ts'
import type { Closable } from '../../src/env/async.ts'
import type { Disk } from '../../src/env/disk.ts'
import type { Env } from '../../src/env/env.ts'
import type { Signal } from '../../src/env/terminal.ts'
import type { Workplace } from '../bisect/workplace.ts'
import type { MutationWorkshop } from '../mutation/build.ts'
import type { Compiler } from '../mutation/operators/change.ts'
import type { Worker } from '../pool/worker.ts'
import type { SeedVerdict } from '../report/seed-record.ts'
import type { TextSink } from '../report/trace-writer.ts'
import type { Platform } from '../world/platform.ts'

/** The abilities of a screen. */
export interface ScreenKind {
  /** Standard error is read by a person as it is written: one line can be written over again. */
  readonly live: boolean
  /** Width of that screen, in characters. */
  readonly columns: number
  /** Standard output may have colours. */
  readonly colour: boolean
}

/** Exit codes. Of several runs the gravest counts, see `graver`. */
export const exits = {
  passed: 0,
  /** An expectation or an invariant was not met; a history is not linearizable. */
  failed: 1,
  /** Bad usage, or a scenario or history that cannot be read. */
  usage: 2,
  /** The same seed gave two different runs, be it in one process or in a fresh one. */
  notDeterministic: 3,
  /** Nothing failed, but a history of keys could not be decided within the bound of the search. */
  undecided: 4,
  /** A seed has no verdict: its process ended, ran out of memory, or its virtual time stood still. */
  noVerdict: 5,
  /** Nothing failed, but the time was spent before every seed had run, or seeds are missing in what is merged. */
  incomplete: 6,
} as const

const exitOfVerdict: Readonly<Record<SeedVerdict, number>> = {
  passed: exits.passed,
  failed: exits.failed,
  undecided: exits.undecided,
  'not deterministic': exits.notDeterministic,
  'leftover state': exits.notDeterministic,
  stuck: exits.noVerdict,
  'out of memory': exits.noVerdict,
  died: exits.noVerdict,
}

export function exitOf({ verdict }: { readonly verdict: SeedVerdict }): number {
  return exitOfVerdict[verdict]
}

/** From the mildest to the gravest: the result of a run that is not deterministic means nothing. */
const order: readonly number[] = [
  exits.passed,
  exits.incomplete,
  exits.undecided,
  exits.failed,
  exits.noVerdict,
  exits.usage,
  exits.notDeterministic,
]

/** The exit code of two runs together. */
export function graver(one: number, other: number): number {
  return order.indexOf(one) >= order.indexOf(other) ? one : other
}

/** Why a file could not be read to its end. */
export interface InputFailure {
  readonly kind: 'not-found' | 'permission' | 'is-directory' | 'damaged' | 'io'
  readonly message: string
}

/** Receives a piece of the input. False: no more is needed. */
export type TakePiece = (piece: Uint8Array) => Promise<boolean>

/** Lines that are typed, one after the other. */
export interface LineReader extends Closable {
  /** Undefined: there are no more. */
  next(): Promise<string | undefined>
}

/** What the commands of the simulator need of the real world. */
export interface SimTerminal {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  /** Real files: scenarios to read, traces to write. */
  readonly disk: Disk
  /** Reads a file piece by piece, `-` the standard input, and expands what is compressed with gzip. */
  readonly readPieces: (file: string, take: TakePiece) => Promise<Result<undefined, InputFailure>>
  /** Settles when the written output has been flushed: for unlimited output. */
  readonly outLeft: () => Promise<void>
  /** Milliseconds of the real clock, to tell how fast a run was. */
  readonly wallMs: () => number
  /** The real facilities that one run needs. */
  readonly createPlatform: () => Platform
  /** CPU time of this process so far, in milliseconds. */
  readonly cpuMs: () => number
  readonly environment: ReadonlyMap<string, string>
  readonly screen: ScreenKind
  /** Calls again and again by the real clock, until it is closed; alone it keeps no process alive. */
  readonly every: (ms: number, call: () => void) => Closable
  /** SHA-256 of the modules of this program, in hex. */
  readonly buildHash: () => string
  /** Number of processes that can run at the same time. */
  readonly cores: number
  /**
   * A process that runs seeds of this program. `stallCpuMs`: CPU time that a seed may use while its virtual time stands
   * still.
   */
  readonly startWorker: (stallCpuMs: number) => Worker
  /** A file that is written while a run goes on; packed where its name ends in `.gz`. */
  readonly createTextFile: (path: string) => TextSink
  /** A gzip member of these bytes, as small as the machine's own library makes it. */
  readonly gzip: (bytes: Uint8Array) => Uint8Array
  /** A page of HTML that comes with this program, without what it is to show. */
  readonly pageTemplate: (name: 'report' | 'still') => string
  /** The page of `svc-sim play`; undefined: this program was built without it. */
  readonly playPage: () => string | undefined
  /** Lines of the standard input; a person is shown the prompt before each. */
  readonly readLines: (prompt: string) => LineReader
  /** Paths of the scenarios that come with this program, sorted. */
  readonly shippedScenarios: () => readonly string[]
  /** Where copies of this program are made. */
  readonly createWorkshop: () => MutationWorkshop
  /** Folders and programs of the machine. */
  readonly workplace: Workplace
  /** The parser for mutants, a package that only developers have; undefined: it is not installed. */
  readonly loadCompiler: () => Compiler | undefined
  /** The real machine: sockets in front of simulated agents. */
  readonly host: Env
  readonly onSignal: (signal: Signal, use: () => void) => Closable
  readonly version: string
  /** Commit and date of the program; its release where they are not known. */
  readonly build: string
}
