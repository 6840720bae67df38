import { err, ok, type Result } from '../../src/base/result.ts'
import type { ProgramEnd, Workplace } from './workplace.ts'

/** Maximum number of output lines of a failed command in a message. */
const wordsMax = 3

/** A checkout of this program with its history. It is never changed: commits are written to other folders. */
export class Checkout {
  readonly root: string
  readonly #workplace: Workplace

  private constructor(root: string, workplace: Workplace) {
    this.root = root
    this.#workplace = workplace
  }

  /** The checkout around a folder; the error is one line. */
  static async at(folder: string | undefined, workplace: Workplace): Promise<Result<Checkout, string>> {
    const top = await workplace.run(['git', 'rev-parse', '--show-toplevel'], folder === undefined ? {} : { folder })
    if (top.exit === undefined)
      return err(`git could not be started (${top.error}), and bisect reads the history with git`)
    if (top.exit !== 0) return err(`this folder is not in a checkout of git: run bisect in one (${lastWords(top)})`)
    return ok(new Checkout(top.out.trim(), workplace))
  }

  /** Refuses uncommitted changes, except in one file; the error names them. */
  async clean(except: string): Promise<Result<undefined, string>> {
    const status = await this.#git(['status', '--porcelain', '--untracked-files=no'])
    if (status.exit !== 0) return err(`git status failed: ${lastWords(status)}`)
    const changed = status.out
      .split('\n')
      .map((line) => line.slice(3))
      .filter((file) => file !== '' && `${this.root}/${file}` !== except)
    if (changed.length === 0) return ok(undefined)
    const more = changed.length > wordsMax ? ` and ${changed.length - wordsMax} more` : ''
    return err(
      `${changed.slice(0, wordsMax).join(', ')}${more} changed since the last commit, so no commit has the code that failed: commit or stash the changes`,
    )
  }

  /** The full name of a commit. */
  async commit(option: string, name: string): Promise<Result<string, string>> {
    const found = await this.#git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`])
    return found.exit === 0 ? ok(found.out.trim()) : err(`${option} ${name}: the checkout has no such commit`)
  }

  async isAncestor(one: string, other: string): Promise<boolean> {
    return (await this.#git(['merge-base', '--is-ancestor', one, other])).exit === 0
  }

  /** See `History`. */
  async between(good: readonly string[], bad: string): Promise<Result<readonly string[], string>> {
    const listed = await this.#git(['rev-list', '--bisect-all', bad, '--not', ...good])
    if (listed.exit !== 0) return err(`git rev-list failed: ${lastWords(listed)}`)
    return ok(listed.out.split('\n').flatMap((line) => line.split(' ')[0] || []))
  }

  /** `1a2b3c4d raft: what it says`. */
  async title(commit: string): Promise<string> {
    return (await this.#git(['log', '-1', '--format=%h %s', commit])).out.trim()
  }

  /** Its author, its date, and the files that it changes. */
  async about(commit: string): Promise<readonly string[]> {
    const shown = await this.#git(['show', '--stat', '--format=%an, %ad', '--date=iso', commit])
    return shown.out.split('\n').filter((line) => line.trim() !== '')
  }

  /**
   * Writes the files of a commit into an empty folder. The index needed for that is there, too, so that the checkout is
   * not affected: nothing is left behind wherever this ends.
   */
  async writeOut(commit: string, folder: string): Promise<Result<undefined, string>> {
    const environment = { GIT_INDEX_FILE: `${folder}/.bisect-index` }
    const read = await this.#git(['read-tree', commit], environment)
    const written =
      read.exit === 0 ? await this.#git(['checkout-index', '--all', `--prefix=${folder}/`], environment) : read
    return written.exit === 0 ? ok(undefined) : err(`its files could not be written out: ${lastWords(written)}`)
  }

  /** Hash of a commit's version of a file; undefined: it does not have the file. */
  async fileHash(commit: string, file: string): Promise<string | undefined> {
    const found = await this.#git(['rev-parse', '--verify', '--quiet', `${commit}:${file}`])
    return found.exit === 0 ? found.out.trim() : undefined
  }

  /** Hash of the file in the checkout. */
  async hashHere(file: string): Promise<string | undefined> {
    const found = await this.#git(['hash-object', file])
    return found.exit === 0 ? found.out.trim() : undefined
  }

  #git(argv: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<ProgramEnd> {
    return this.#workplace.run(['git', ...argv], { folder: this.root, environment })
  }
}

/** The end of a command's output. */
export function lastWords({ out, error, exit }: ProgramEnd): string {
  const lines = `${out}\n${error}`.split('\n').filter((line) => line.trim() !== '')
  const said = lines.slice(-wordsMax).join('; ')
  return said === '' ? `exit code ${exit ?? 'unknown'}` : said
}
