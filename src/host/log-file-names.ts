import { basename, dirname, join } from 'node:path'
import { productName } from '../model/names.ts'

/** Names of the files of one log: `dir/name.ext` becomes `dir/name-<unix nanoseconds>.ext`. Source: LOG-6. */
export class LogFileNames {
  readonly directory: string
  readonly #before: string
  readonly #after: string
  #last = 0n

  /** `path`: of a file, or of a directory, which has files of the product's name. */
  constructor(path: string, isDirectory: boolean) {
    const whole = isDirectory || path.endsWith('/')
    const name = whole ? productName : basename(path)
    const dot = name.lastIndexOf('.')
    this.directory = whole ? path : dirname(path)
    this.#before = `${dot < 0 ? name : name.slice(0, dot)}-`
    this.#after = dot < 0 ? '.log' : name.slice(dot)
  }

  /** Unique and ascending, whatever the clock does. */
  next(wallMs: number): string {
    const stamp = BigInt(Math.floor(wallMs)) * 1_000_000n
    this.#last = stamp > this.#last ? stamp : this.#last + 1n
    return join(this.directory, `${this.#before}${this.#last}${this.#after}`)
  }

  /** Which of these names are such, the oldest first. */
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
