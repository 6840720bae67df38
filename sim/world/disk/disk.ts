import { utf8 } from '../../../src/base/bytes.ts'
import { type Err, ok, type Result } from '../../../src/base/result.ts'
import type { DiskFailure } from '../../../src/env/disk.ts'
import { traceKinds } from '../../report/trace-kinds.ts'
import type { Boot } from '../boot.ts'
import type { Draws } from '../decisions/draws.ts'
import type { Identity, Part } from '../decisions/identity.ts'
import type { Kernel } from '../kernel.ts'
import { drawRangeUs, type RangeMs, type RangeUs, rangeUs } from '../time-range.ts'
import { DiskErrors, type FailingOperation, type LastingErrors } from './disk-errors.ts'
import { diskFailure } from './disk-failure.ts'
import { FileTree } from './file-tree.ts'
import type { UnsyncedModel } from './inode.ts'
import { partsOf } from './paths.ts'

export interface DiskOptions {
  readonly readMs?: RangeMs
  readonly writeMs?: RangeMs
  /** Duration of syncing a file or a directory. */
  readonly syncMs?: RangeMs
  /** Duration of opening, listing, renaming and removing. */
  readonly nameMs?: RangeMs
  /** Multiplies all of them. */
  readonly slowFactor?: number
  /** Room for the contents of files; `Infinity` by default. */
  readonly quotaBytes?: number
  /**
   * Overwriting needs free space too, as on a copy-on-write file system (ZFS, Btrfs); otherwise only growth of a file
   * does.
   */
  readonly copyOnWrite?: boolean
  readonly unsynced?: UnsyncedModel
}

const defaultDisk: Required<DiskOptions> = {
  readMs: [0.02, 0.2],
  writeMs: [0.01, 0.1],
  syncMs: [0.3, 2],
  nameMs: [0.01, 0.1],
  slowFactor: 1,
  quotaBytes: Number.POSITIVE_INFINITY,
  copyOnWrite: false,
  unsynced: 'any',
}

export type DiskTiming = 'read' | 'write' | 'sync' | 'name'

/** The disk of one machine. It outlives processes; a power cut leaves what `src/env/disk.ts` promises, and no more. */
export class SimDisk {
  readonly #identity: Identity
  readonly tree: FileTree
  readonly #kernel: Kernel
  readonly #node: number
  #options: Required<DiskOptions>
  #times: Record<DiskTiming, RangeUs>
  readonly #locks = new Map<string, Boot>()
  readonly #errors = new DiskErrors((text, value) => this.#trace(text, value))
  #stalled = false
  /** Number of the event that set its present state; 0: unchanged since the start. */
  setBy = 0
  /** It was full, or made to fail, since the process began. */
  hasFailed = false
  /** Is told which operations fail because they were told to. */
  onFailed: (operation: FailingOperation, path: string) => void = () => undefined
  /** Is told for which files there is no space. */
  onFull: (path: string) => void = () => undefined
  /** Number of operations of the process that have not ended. */
  underWay = 0
  #held: (() => void)[] = []

  constructor(kernel: Kernel, node: number, name: string, options: DiskOptions) {
    this.#kernel = kernel
    this.#identity = kernel.decisions.identity('disk', name)
    this.tree = new FileTree(kernel.slab, (path) => kernel.decisions.within(this.#identity, path))
    this.#node = node
    this.#options = { ...defaultDisk, ...options }
    this.#times = timesOf(this.#options)
    this.tree.quotaBytes = this.#options.quotaBytes
    this.tree.copyOnWrite = this.#options.copyOnWrite
  }

  get isStalled(): boolean {
    return this.#stalled
  }

  /** Size of all files in bytes. */
  get usedBytes(): number {
    return this.tree.usedBytes
  }

  /** Changes some settings; the others stay. */
  setOptions(options: DiskOptions): void {
    this.#options = { ...this.#options, ...options }
    this.#times = timesOf(this.#options)
    this.tree.quotaBytes = this.#options.quotaBytes
    this.tree.copyOnWrite = this.#options.copyOnWrite
    this.hasFailed ||= this.tree.isFull
    this.#trace(JSON.stringify(options), 0)
  }

  /** The next `count` operations of this kind fail; a write after writing a part. */
  fail(operation: FailingOperation, count: number): void {
    this.hasFailed ||= count > 0
    this.#errors.fail(operation, count)
  }

  /** From now on these operations fail; undefined: they succeed again. */
  setErrors(errors: LastingErrors | undefined): void {
    this.hasFailed ||= errors !== undefined
    this.#errors.set(errors)
  }

  /** From now on these files cannot be changed; undefined: they can again. */
  setReadOnly(files: RegExp | undefined): void {
    this.hasFailed ||= files !== undefined
    this.#errors.setReadOnly(files)
  }

  /** No operation fails any more because it was told to. */
  mend(): void {
    this.#errors.mend()
    this.#errors.set(undefined)
    this.#errors.setReadOnly(undefined)
  }

  /** Installs another disk, which has only these directories. Only while no process runs. */
  replace(directories: readonly string[]): void {
    this.tree.erase()
    for (const path of directories) this.tree.prepare(path)
    this.#trace('is another one', 0)
  }

  /** No operation finishes until `unstall`. */
  stall(): void {
    this.#stalled = true
    this.#trace('stalls', 0)
  }

  unstall(): void {
    this.#stalled = false
    this.#trace('goes on', this.#held.length)
    const held = this.#held
    this.#held = []
    for (const goOn of held) goOn()
  }

  /** An operation that became due while the disk was stalled. */
  hold(goOn: () => void): void {
    this.#held.push(goOn)
  }

  /** Flips one bit of a file. False if there is no such byte. */
  flipBit(path: string, at: number): boolean {
    const inode = this.tree.files().get(`/${partsOf(path).join('/')}`)
    if (inode === undefined || at >= inode.size) return false
    inode.flipBit(at)
    this.#trace(`rots ${path}`, at)
    return true
  }

  /** Replaces the bytes of a file, on the platter too. Only while no process runs. */
  rewrite(path: string, bytes: Uint8Array): void {
    this.tree.rewrite(path, bytes)
    this.#trace(`is damaged ${path}`, bytes.length)
  }

  /** Every file with its bytes, by path, in order. */
  files(): ReadonlyMap<string, Uint8Array> {
    return new Map([...this.tree.files()].map(([path, inode]) => [path, inode.read(0, inode.size)]))
  }

  /** The power fails after the process has ended: what it had not synced may be lost even now. */
  losePower(life: Identity): void {
    if (!this.tree.hasUnsynced) return
    this.#trace('loses power', 0)
    this.processEnded(true, life)
  }

  /** Releases what the process held; if the power failed too, decides what remains of unsynced changes. */
  processEnded(power: boolean, life: Identity): void {
    this.#locks.clear()
    this.#held = []
    this.underWay = 0
    this.hasFailed = this.tree.isFull || this.#errors.areDue
    const { decisions } = this.#kernel
    const fateOf = (path: string): Draws => decisions.drawsOnce(life, 'power cut', path)
    if (power) this.tree.cutPower(fateOf, this.#options.unsynced)
    else this.tree.closeAll()
  }

  /** Random numbers for an operation on a file or a name: different ones for each repetition. */
  draws(operation: number, of: Identity, ...about: readonly Part[]): Draws {
    return this.#kernel.decisions.drawsOnce(of, operation, ...about)
  }

  /** Random numbers for an operation on a name that no file has yet, or on several names. */
  drawsOf(operation: number, names: string): Draws {
    return this.draws(operation, this.#identity, names)
  }

  delayUs(timing: DiskTiming, draws: Draws): number {
    return Math.round(drawRangeUs(this.#times[timing], draws) * this.#options.slowFactor)
  }

  /** Why the present operation fails, which ends now; undefined: it does not. */
  failureOf(
    operation: FailingOperation,
    path: string,
    draws: Draws,
    mayChange?: boolean,
  ): Err<DiskFailure> | undefined {
    const failure = this.#errors.failureOf(operation, path, draws, mayChange)
    if (failure !== undefined) this.onFailed(operation, path)
    return failure
  }

  /**
   * Why the present write fails, and the number of bytes that it writes nevertheless; undefined: it does not fail. It
   * ends later: `onFailed` is told then.
   */
  writeFailureOf(
    path: string,
    length: number,
    draws: Draws,
  ): { readonly failure: Err<DiskFailure>; readonly written: number } | undefined {
    const failure = this.#errors.failureOf('write', path, draws)
    if (failure === undefined) return undefined
    return { failure, written: failure.error.kind === 'io' ? draws.below(length + 1) : 0 }
  }

  /** The result of an operation of this file that ends now. */
  told<T>(path: string, result: Result<T, DiskFailure>): Result<T, DiskFailure> {
    if (!result.ok && result.error.kind === 'full') this.onFull(path)
    return result
  }

  /** Takes a lock for a process. Its file stays when the process dies, and then has no effect. */
  lock(path: string, boot: Boot): Result<{ release(): void }, DiskFailure> {
    const key = `/${partsOf(path).join('/')}`
    if (this.#locks.get(key)?.alive === true) return diskFailure('locked', path)
    const opened = this.tree.open(path, 'create')
    if (!opened.ok) return opened
    const written = this.tree.write(path, opened.value, 0, utf8(`${boot.name} ${boot.number}\n`))
    this.tree.closed(opened.value)
    if (!written.ok) return this.told(path, written)
    this.#locks.set(key, boot)
    let held = true
    return ok({
      release: () => {
        if (!held || this.#locks.get(key) !== boot) return
        held = false
        this.#locks.delete(key)
        this.tree.remove(path)
      },
    })
  }

  #trace(text: string, value: number): void {
    this.#kernel.trace.addText(traceKinds.diskFault, this.#node, value, 0, 0, text)
    this.setBy = this.#kernel.trace.last
  }
}

function timesOf(options: Required<DiskOptions>): Record<DiskTiming, RangeUs> {
  return {
    read: rangeUs(options.readMs),
    write: rangeUs(options.writeMs),
    sync: rangeUs(options.syncMs),
    name: rangeUs(options.nameMs),
  }
}
