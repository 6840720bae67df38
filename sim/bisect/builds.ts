import { err, ok, type Result } from '../../src/base/result.ts'
import { type Checkout, lastWords } from './checkout.ts'
import type { Workplace } from './workplace.ts'

const lockFile = 'package-lock.json'

/** Builds commits, each in a folder of its own that exists as long as it is used. */
export class Builds {
  readonly #checkout: Checkout
  readonly #workplace: Workplace
  readonly #command: readonly string[]
  /** Folders with packages, by the hash of their lock file. */
  readonly #packages = new Map<string, string>()
  /** Folders of commits whose packages others use: they stay until the end. */
  readonly #kept = new Set<string>()

  /** `command`: builds the program in the folder of a commit. */
  constructor(checkout: Checkout, workplace: Workplace, command: readonly string[]) {
    this.#checkout = checkout
    this.#workplace = workplace
    this.#command = command
  }

  /** Calls `use` with the folder of the built commit. The error says why it cannot be built. */
  async use<Used>(commit: string, use: (folder: string) => Promise<Used>): Promise<Result<Used, string>> {
    const folder = this.#workplace.folder()
    try {
      const built = await this.#built(commit, folder)
      return built.ok ? ok(await use(folder)) : built
    } finally {
      if (!this.#kept.has(folder)) this.#workplace.remove(folder)
    }
  }

  close(): void {
    for (const folder of this.#kept) this.#workplace.remove(folder)
    this.#kept.clear()
  }

  async #built(commit: string, folder: string): Promise<Result<undefined, string>> {
    const written = await this.#checkout.writeOut(commit, folder)
    if (!written.ok) return written
    const packages = await this.#withPackages(commit, folder)
    if (!packages.ok) return packages
    const built = await this.#workplace.run(this.#command, { folder })
    return built.exit === 0 ? ok(undefined) : err(`does not build: ${lastWords(built)}`)
  }

  /** Uses the packages of the checkout, or of an earlier commit, if the lock file is equal; otherwise installs them. */
  async #withPackages(commit: string, folder: string): Promise<Result<undefined, string>> {
    const lock = await this.#checkout.fileHash(commit, lockFile)
    if (lock === undefined) return ok(undefined)
    const known = this.#packages.get(lock) ?? (await this.#packagesHere(lock))
    if (known !== undefined) {
      this.#packages.set(lock, known)
      this.#workplace.link(known, `${folder}/node_modules`)
      return ok(undefined)
    }
    const installed = await this.#workplace.run(['npm', 'ci', '--no-audit', '--no-fund'], { folder })
    if (installed.exit !== 0) return err(`its packages cannot be installed: ${lastWords(installed)}`)
    this.#packages.set(lock, `${folder}/node_modules`)
    this.#kept.add(folder)
    return ok(undefined)
  }

  async #packagesHere(lock: string): Promise<string | undefined> {
    const here = `${this.#checkout.root}/node_modules`
    const isSame = this.#workplace.exists(here) && (await this.#checkout.hashHere(lockFile)) === lock
    return isSame ? here : undefined
  }
}
