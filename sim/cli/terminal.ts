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
import type { ProgramCopy } from '../self-test/workshop.ts'
import type { Platform } from '../world/platform.ts'

/** The abilities of a screen. */
export interface ScreenKind {
  /** A person reads standard error as it is written, and a line of it can be overwritten. */
  readonly live: boolean
  /** Width of that screen, in characters. */
  readonly columns: number
  /** Standard output may have colours. */
  readonly colour: boolean
}

/** Exit codes. The worst of several runs counts, see `graver`. */
export const exits = {
  passed: 0,
  /** An expectation or an invariant was not met; a history is not linearizable. */
  failed: 1,
  /** Wrong usage, or a scenario or history that cannot be read. */
  usage: 2,
  /** The same seed gave two different runs, in one process or in a fresh one. */
  notDeterministic: 3,
  /** Nothing failed, but a history of keys could not be decided within the limit of the search. */
  undecided: 4,
  /** A seed has no verdict: its process ended, ran out of memory, or its virtual time stood still. */
  noVerdict: 5,
  /** Nothing failed, but the time was over before every seed had run, or a merge lacks seeds. */
  incomplete: 6,
  /** An error of this program itself: nothing was shown about the scenario. As `EX_SOFTWARE` of BSD. */
  internal: 70,
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

/** From the mildest to the gravest: the result of a run that is not deterministic has no meaning. */
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

/** Typed lines, one after another. */
export interface LineReader extends Closable {
  /** Undefined: the input has ended. */
  next(): Promise<string | undefined>
}

/** The files of the program's bundle that a browser needs. */
export interface WebFiles {
  /** Name of the file that is loaded first. */
  readonly entry: string
  /** Texts by name: CommonJS. */
  readonly files: ReadonlyMap<string, string>
  /** A script that declares `loader.load(bodies, entry)`. */
  readonly loader: string
}

/** What the simulator's commands need of the real world. */
/** This installation cannot run changed copies of the program; the message says which can. */
export class LacksModules extends Error {
  constructor() {
    super(
      'this command runs a changed copy of the program, which a program in one file cannot: install the package of npm, or use a checkout',
    )
  }
}

export interface SimTerminal {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  /** Real files: scenarios to read, traces to write. */
  readonly disk: Disk
  /** Reads a file piece by piece, `-` being standard input, and decompresses gzip. */
  readonly readPieces: (file: string, take: TakePiece) => Promise<Result<undefined, InputFailure>>
  /** Settles when the written output has been flushed: for unlimited output. */
  readonly outLeft: () => Promise<void>
  /** Milliseconds of the real clock, for the speed of a run. */
  readonly wallMs: () => number
  /** The real facilities that one run needs. */
  readonly createPlatform: () => Platform
  /** CPU time of this process so far, in milliseconds. */
  readonly cpuMs: () => number
  readonly environment: ReadonlyMap<string, string>
  readonly screen: ScreenKind
  /** Calls repeatedly by the real clock, until it is closed; it does not keep the process alive. */
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
  /** A file that is written during a run; compressed if its name ends in `.gz`. */
  readonly createTextFile: (path: string) => TextSink
  /** A gzip member of these bytes, compressed by the machine's own library. */
  readonly gzip: (bytes: Uint8Array) => Uint8Array
  /** The simulator for a browser, or why this program has none. */
  readonly webFiles: () => Result<WebFiles, string>
  /** A page of HTML shipped with this program, without its content. */
  readonly pageTemplate: (name: 'report' | 'still' | 'tab') => string
  /** The page of `svc-sim play`; undefined: this program was built without it. */
  readonly playPage: () => string | undefined
  /** Lines of standard input; a person sees the prompt before each. */
  readonly readLines: (prompt: string) => LineReader
  /** Paths of the shipped scenarios, sorted. */
  readonly shippedScenarios: () => readonly string[]
  /** Paths of the `lesson.yaml` of each lesson that comes with this program, in their order. */
  readonly shippedLessons: () => readonly string[]
  /** Path of the folder with the lessons that come with this program. */
  readonly lessonsFolder: () => string
  /** URL of the module that a test imports as `svc/sim`. */
  readonly libraryUrl: () => string
  /** Runs this program once more, with other arguments, in a process of its own. */
  readonly runAnother: ProgramCopy['run']
  /** Where copies of this program are made. Throws `LacksModules` where the program has none that could be copied. */
  readonly createWorkshop: () => MutationWorkshop
  /** Folders and programs of the machine. */
  readonly workplace: Workplace
  /** The parser for mutants, a package that only developers have; undefined: it is not installed. */
  readonly loadCompiler: () => Compiler | undefined
  /** The Env of the real machine: sockets in front of simulated agents. */
  readonly host: Env
  readonly onSignal: (signal: Signal, use: () => void) => Closable
  readonly version: string
  /** Commit and date of the program; its release if they are unknown. */
  readonly build: string
}
