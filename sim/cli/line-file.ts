import { utf8 } from '../../src/base/bytes.ts'
import type { DiskFile } from '../../src/env/disk.ts'
import type { SimTerminal } from './terminal.ts'

/**
 * Why a campaign's file is not begun anew; undefined: it may be. A campaign of hours is not overwritten by a command that
 * was meant to continue it.
 */
export async function thereAlready({ disk }: Pick<SimTerminal, 'disk'>, path: string): Promise<string | undefined> {
  const stat = await disk.stat(path)
  const isThere = stat.ok && stat.value.kind === 'file' && stat.value.sizeBytes > 0
  return isThere ? `${path}: is there already: add --resume to go on with it, or name another file` : undefined
}

/**
 * A file that grows line by line while a command runs, so that a command that is stopped leaves what it had written.
 */
export class LineFile {
  readonly #file: DiskFile
  readonly #path: string
  #pending: string[] = []
  #writing: Promise<void> | undefined
  #at: number
  #problem: string | undefined

  private constructor(file: DiskFile, path: string, at: number) {
    this.#file = file
    this.#path = path
    this.#at = at
  }

  /** Creates the file, or cuts it after its first `at` bytes; reports a failure and returns undefined. */
  static async create({ disk, error }: SimTerminal, path: string, at = 0): Promise<LineFile | undefined> {
    const opened = await disk.open(path, 'create', 'everybody')
    const size = opened.ok ? await opened.value.size() : opened
    // A device such as /dev/null cannot be truncated.
    const emptied = opened.ok && size.ok && size.value > at ? await opened.value.truncate(at) : size
    if (opened.ok && emptied.ok) return new LineFile(opened.value, path, at)
    const kind = emptied.ok ? 'io' : emptied.error.kind
    error(`${path}: cannot be written (${kind}): name another file\n`)
    return undefined
  }

  /** Lines after a failure are dropped: a long command would keep them in memory. */
  add(line: string): void {
    if (this.#problem !== undefined) return
    this.#pending.push(`${line}\n`)
    this.#writing ??= this.#write()
  }

  /** Why the file could not be written; undefined: all of it is written. */
  async end(): Promise<string | undefined> {
    await this.#writing
    await this.#file.close()
    return this.#problem
  }

  async #write(): Promise<void> {
    while (this.#pending.length > 0 && this.#problem === undefined) {
      const bytes = utf8(this.#pending.join(''))
      this.#pending = []
      const written = await this.#file.write(this.#at, bytes)
      if (!written.ok) this.#problem = `${this.#path}: was not written whole (${written.error.kind})`
      this.#at += bytes.length
    }
    this.#writing = undefined
  }
}
