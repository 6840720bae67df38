import { closeSync, fstatSync, openSync, readdirSync, rmSync, statSync, writeSync as writeToFile } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { err, ok, type Result } from '../base/result.ts'
import type { Clock } from '../env/clock.ts'
import type { LogPlaces } from '../env/terminal.ts'
import { makeOpenDirectory } from './directories.ts'
import { codeOf, messageOf } from './system-error.ts'

/** Reports problems of a log file elsewhere, because the file cannot be written: each once, until it works again. */
export interface LogFileTroubles {
  failed(reason: string): void
  /** The file can be written again; `lostLines` lines are missing from it. */
  recovered(lostLines: number): void
}

/** Minimum interval between attempts to create a new file. */
const askAgainMs = 1_000
/** Maximum number of names that are tried for one instant. */
const triesMax = 100

/**
 * The log as a sequence of files: `name-<unix nanoseconds>.ext`, a new one once a file is large or old enough. Lines
 * are written before `append` returns, so that none is lost however the process ends; a failing file does not stop the
 * agent. Reference: telemetry.md#log-6.
 */
export class LogFile {
  readonly #places: LogPlaces
  readonly #names: LogFileNames
  readonly #clock: Clock
  readonly #troubles: LogFileTroubles
  readonly #write: typeof writeToFile
  #descriptor = -1
  #path = ''
  #bytes = 0
  #openedAtMs = 0
  /** Whether the last line was written only in part. */
  #torn = false
  #lostLines = 0
  #stuckUntilMs: number | undefined

  private constructor(places: LogPlaces, clock: Clock, troubles: LogFileTroubles, write: typeof writeToFile) {
    this.#places = places
    this.#names = new LogFileNames(places, isDirectory(places.file))
    this.#clock = clock
    this.#troubles = troubles
    this.#write = write
  }

  /** Creates the directory as well. The error says why the first file cannot be created. `write`: as Node's own. */
  static open(
    places: LogPlaces,
    clock: Clock,
    troubles: LogFileTroubles,
    write: typeof writeToFile = writeToFile,
  ): Result<LogFile, string> {
    try {
      const file = new LogFile(places, clock, troubles, write)
      makeOpenDirectory(file.#names.directory)
      file.#begin()
      // An agent that is restarted more often than its files are rotated would never remove one otherwise.
      file.#removeOldest()
      return ok(file)
    } catch (cause) {
      return err(messageOf(cause))
    }
  }

  /** `line` without line feed. */
  append(line: string): void {
    if (this.#isDue()) this.#next()
    const bytes = Buffer.from(`${this.#torn ? '\n' : ''}${line}\n`)
    let written = 0
    try {
      while (written < bytes.length) written += this.#write(this.#descriptor, bytes, written)
    } catch (cause) {
      this.#count(written)
      if (written > 0) this.#torn = true
      this.#lostLines += 1
      if (this.#lostLines === 1) this.#troubles.failed(`cannot be written: ${messageOf(cause)}`)
      return
    }
    this.#count(written)
    this.#torn = false
    const lost = this.#lostLines
    this.#lostLines = 0
    if (lost > 0) this.#troubles.recovered(lost)
  }

  /** Begins a new file if the present one was moved away or removed. */
  reopen(): void {
    if (!this.#isInPlace()) this.#next()
  }

  #count(written: number): void {
    this.#bytes += written
  }

  #isInPlace(): boolean {
    try {
      const own = fstatSync(this.#descriptor)
      const { ino, dev } = statSync(this.#path)
      return ino === own.ino && dev === own.dev
    } catch (cause) {
      if (!(cause instanceof Error)) throw cause
      // Unknown: if something is wrong with the path, the new file will show it.
      return false
    }
  }

  #isDue(): boolean {
    const { rotateBytes, rotateMs } = this.#places
    const nowMs = this.#clock.monoMs()
    if (this.#stuckUntilMs !== undefined && nowMs < this.#stuckUntilMs) return false
    return (rotateBytes > 0 && this.#bytes >= rotateBytes) || nowMs - this.#openedAtMs >= rotateMs
  }

  /** The former file is still used if no new one can be created. */
  #next(): void {
    const former = this.#descriptor
    try {
      this.#begin()
      closeSync(former)
      this.#stuckUntilMs = undefined
    } catch (cause) {
      if (this.#stuckUntilMs === undefined) this.#troubles.failed(`cannot be rotated: ${messageOf(cause)}`)
      this.#stuckUntilMs = this.#clock.monoMs() + askAgainMs
      return
    }
    this.#removeOldest()
  }

  #begin(): void {
    this.#descriptor = this.#open()
    this.#bytes = 0
    this.#openedAtMs = this.#clock.monoMs()
    this.#torn = false
  }

  /** Never opens another program's file, and follows no link to one: a file that already exists belongs to another. */
  #open(): number {
    for (let tries = 1; ; tries++) {
      const path = this.#names.next(this.#clock.wallMs())
      try {
        const descriptor = openSync(path, 'ax', 0o600)
        this.#path = path
        return descriptor
      } catch (cause) {
        if (codeOf(cause) !== 'EEXIST' || tries === triesMax) throw cause
      }
    }
  }

  #removeOldest(): void {
    const { oldFilesMax } = this.#places
    if (oldFilesMax === 0) return
    try {
      // If the clock was set back, this log's present file is the oldest by its name.
      const own = basename(this.#path)
      const old = this.#names.ofThis(readdirSync(this.#names.directory)).filter((name) => name !== own)
      const kept = Math.max(0, oldFilesMax)
      for (const name of old.slice(0, Math.max(0, old.length - kept))) this.#remove(name)
    } catch (cause) {
      this.#troubles.failed(`has rotated files that cannot be removed: ${messageOf(cause)}`)
    }
  }

  /** One that stays does not keep the others. Another program may have removed it already. */
  #remove(name: string): void {
    try {
      rmSync(join(this.#names.directory, name), { force: true })
    } catch (cause) {
      this.#troubles.failed(`has a rotated file that cannot be removed: ${messageOf(cause)}`)
    }
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Names of the files of one log: `dir/name.ext` becomes `dir/name-<unix nanoseconds>.ext`. Source: LOG-6. */
class LogFileNames {
  readonly directory: string
  readonly #before: string
  readonly #after: string
  #last = 0n

  /** `path`: a file, or a directory, in which files are named after the product. */
  constructor({ file: path, product }: LogPlaces, isDirectory: boolean) {
    const whole = isDirectory || path.endsWith('/')
    const name = whole ? product : basename(path)
    const dot = name.lastIndexOf('.')
    this.directory = whole ? path : dirname(path)
    this.#before = `${dot < 0 ? name : name.slice(0, dot)}-`
    this.#after = dot < 0 ? '.log' : name.slice(dot)
  }

  /** Unique and ascending, even if the clock is set back. */
  next(wallMs: number): string {
    const stamp = BigInt(Math.floor(wallMs)) * 1_000_000n
    this.#last = stamp > this.#last ? stamp : this.#last + 1n
    return join(this.directory, `${this.#before}${this.#last}${this.#after}`)
  }

  /** The names that belong to this log, the oldest first. */
  ofThis(names: readonly string[]): readonly string[] {
    const found = names.flatMap((name) => {
      const stamp = name.slice(this.#before.length, name.length - this.#after.length)
      return name === `${this.#before}${stamp}${this.#after}` && /^\d{1,20}$/.test(stamp)
        ? [{ name, stamp: BigInt(stamp) }]
        : []
    })
    return found.sort((one, other) => (one.stamp < other.stamp ? -1 : 1)).map(({ name }) => name)
  }
}
