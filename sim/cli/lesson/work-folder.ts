import { err, ok, type Result } from '../../../src/base/result.ts'
import { fileName } from '../../lessons/answers.ts'
import { noProgress, type Progress, progressText, readProgress } from '../../lessons/progress.ts'
import { shellWord } from '../../report/shell-word.ts'
import { scenarioBytesMax } from '../../scenario/language/yaml-document.ts'
import { readText, type TextKind, writeText } from '../files.ts'
import type { SimTerminal } from '../terminal.ts'
import type { ShelvedLesson } from './shelf.ts'

/** The folder in which a student works if no other one is named. */
export const usualFolder = 'svc-lessons'

const studentText: TextKind = {
  bytesMax: scenarioBytesMax,
  instead: 'a file is expected there',
  tooLarge: 'shorten it',
}

/** The folder of a student: a folder for each lesson that was started, and the progress. */
export class WorkFolder {
  readonly #terminal: SimTerminal
  readonly #dir: string

  constructor(terminal: SimTerminal, dir: string) {
    this.#terminal = terminal
    this.#dir = dir
  }

  /** The option for this folder, for printed commands: nothing for the usual one. */
  get flag(): string {
    return this.#dir === usualFolder ? '' : ` --dir ${shellWord(this.#dir)}`
  }

  pathOf({ name }: ShelvedLesson, file?: string): string {
    return file === undefined ? `${this.#dir}/${name}` : `${this.#dir}/${name}/${fileName(file)}`
  }

  async progress(): Promise<Result<Progress, string>> {
    const file = this.#progressFile
    const { disk } = this.#terminal
    const found = await disk.stat(file)
    if (!found.ok && found.error.kind === 'not-found') return ok(noProgress)
    const text = await readText(disk, file, studentText)
    return text.ok ? readProgress(file, text.value) : text
  }

  /** Returns false if the progress could not be written; the error has been printed then. */
  keep(progress: Progress): Promise<boolean> {
    return writeText(this.#terminal, this.#progressFile, progressText(progress))
  }

  /** The text of one of the student's files. */
  read(lesson: ShelvedLesson, file: string): Promise<Result<string, string>> {
    return readText(this.#terminal.disk, this.pathOf(lesson, file), studentText)
  }

  /** A page of a lesson as it is shipped with this program. */
  original({ folder }: ShelvedLesson, page: string): Promise<Result<string, string>> {
    return readText(this.#terminal.disk, `${folder}/${page}`, studentText)
  }

  /**
   * Writes these files into the folder of a lesson. Existing files stay as they are, unless `isAnew` is set. Returns
   * the names of the files that stayed.
   */
  async fill(
    lesson: ShelvedLesson,
    files: ReadonlyMap<string, string>,
    isAnew: boolean,
  ): Promise<Result<readonly string[], string>> {
    const folder = this.pathOf(lesson)
    const made = await this.#terminal.disk.makeDirectory(folder)
    if (!made.ok) return err(`${folder}: cannot be made (${made.error.kind}): name another folder with --dir`)
    const stayed: string[] = []
    for (const [name, text] of files) {
      const path = this.pathOf(lesson, name)
      const isThere = !isAnew && (await this.#terminal.disk.stat(path)).ok
      if (isThere) stayed.push(name)
      else if (!(await writeText(this.#terminal, path, text))) return err(`${path}: was not written`)
    }
    return ok(stayed)
  }

  get #progressFile(): string {
    return `${this.#dir}/progress.json`
  }
}
