import { hex } from '../../../src/base/bytes.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import { type Answers, answersText } from '../../lessons/answers.ts'
import type {
  PlayLesson,
  PlayLessonCheck,
  PlayLessonList,
  PlayLessonRun,
  PlayLessonTold,
} from '../../play/lessons-api.ts'
import { lessonLine, shownLesson } from '../../play/shown-lesson.ts'
import { readText, writeText } from '../files.ts'
import { type Desk, deskOf, lessonAt } from '../lesson/desk.ts'
import { answersOf } from '../lesson/run.ts'
import type { ShelvedLesson } from '../lesson/shelf.ts'
import { answersFile, startLesson } from '../lesson/start.ts'
import { exits, type SimTerminal } from '../terminal.ts'

/** Pictures that can be opened: the latest ones. */
const picturesMax = 20
const pictureBytesMax = 256 << 20
const pictureIdBytes = 16
/** Behind this line the terminal repeats what the page shows by itself. */
const shownByPage = 'WHAT THE RUN SHOWS:'

/** A lesson that is open, with what the student has done of it. */
interface OpenLesson {
  readonly desk: Desk
  readonly shelved: ShelvedLesson
  readonly answers: Answers
}

/**
 * Lessons in the page of `play`. Runs and checks are those of `svc-sim lesson`, in a process of their own, so that the
 * world that is played with is not held up.
 */
export class LessonRoom {
  readonly #terminal: SimTerminal
  readonly #dir: string
  /** Files of pictures, by the secret part of their addresses. */
  readonly #pictures = new Map<string, string>()
  #isBusy = false

  constructor(terminal: SimTerminal, dir: string) {
    this.#terminal = terminal
    this.#dir = dir
  }

  async list(): Promise<Result<PlayLessonList, string>> {
    const desk = await this.#desk()
    if (!desk.ok) return desk
    const { lessons, progress } = desk.value
    return ok({ lessons: lessons.map((one) => lessonLine(one, progress)), current: progress.current ?? null })
  }

  /** Makes a lesson the present one, and writes those of its files that are not there. */
  async start(name: string): Promise<Result<PlayLesson, string>> {
    let problem = ''
    const error = (text: string): void => {
      problem += text
    }
    const quiet = { ...this.#terminal, out: () => undefined, error }
    const exit = await startLesson(name, { dir: this.#dir }, quiet)
    if (exit !== exits.passed) return err(problem.trim())
    return await this.#shown(name)
  }

  async run({ name, prediction, task, page, seed }: PlayLessonRun): Promise<Result<PlayLessonTold, string>> {
    const open = await this.#open(name)
    if (!open.ok) return open
    const { shelved, answers, desk } = open.value
    if (prediction !== undefined) {
      const kept = await this.#keepAnswers(open.value, { ...answers, prediction })
      if (!kept.ok) return kept
    }
    if (task !== undefined && page !== undefined) {
      const kept = await this.#keepPage(open.value, task, page)
      if (!kept.ok) return kept
    }
    const which = task === undefined ? [] : ['--task', String(task)]
    const told = await this.#lesson('run', [name, ...which, ...(seed === undefined ? [] : ['--seed', String(seed)])])
    if (!told.ok) return told
    const file = task === undefined ? 'run.html' : `task-${task}.html`
    const [text = ''] = told.value.split(shownByPage)
    return await this.#told(name, text, this.#pictureAt(desk.folder.pathOf(shelved, file)))
  }

  async check({ name, answers: given, pages }: PlayLessonCheck): Promise<Result<PlayLessonTold, string>> {
    const open = await this.#open(name)
    if (!open.ok) return open
    const { answers } = open.value
    const byTask = new Map(Object.entries(given).map(([number, answer]) => [Number(number), answer]))
    const kept = await this.#keepAnswers(open.value, { ...answers, byTask })
    if (!kept.ok) return kept
    for (const [number, text] of Object.entries(pages)) {
      const written = await this.#keepPage(open.value, Number(number), text)
      if (!written.ok) return written
    }
    const told = await this.#lesson('check', [name])
    return told.ok ? await this.#told(name, told.value, null) : told
  }

  /** The text of a picture; undefined: there is none with this secret. */
  async picture(secret: string): Promise<string | undefined> {
    const file = this.#pictures.get(secret)
    if (file === undefined) return undefined
    const kind = { bytesMax: pictureBytesMax, instead: 'a file is expected there', tooLarge: 'open the file itself' }
    const text = await readText(this.#terminal.disk, file, kind)
    return text.ok ? text.value : undefined
  }

  async #told(name: string, text: string, picture: string | null): Promise<Result<PlayLessonTold, string>> {
    const lesson = await this.#shown(name)
    return lesson.ok ? ok({ text: text.trim(), picture, lesson: lesson.value }) : lesson
  }

  #pictureAt(file: string): string {
    const secret = hex(this.#terminal.host.crypto.randomBytes(pictureIdBytes))
    this.#pictures.set(secret, file)
    for (const oldest of this.#pictures.keys()) if (this.#pictures.size > picturesMax) this.#pictures.delete(oldest)
    return `/picture/${secret}`
  }

  async #desk(): Promise<Result<Desk, string>> {
    const desk = await deskOf({ dir: this.#dir }, this.#terminal)
    return desk.ok ? desk : err(desk.error.join('\n'))
  }

  async #open(name: string): Promise<Result<OpenLesson, string>> {
    const desk = await this.#desk()
    if (!desk.ok) return desk
    const shelved = lessonAt(desk.value, name)
    if (!shelved.ok) return shelved
    const answers = await answersOf(shelved.value, desk.value)
    if (!('prediction' in answers)) return err(answers.join('\n'))
    return ok({ desk: desk.value, shelved: shelved.value, answers })
  }

  async #shown(name: string): Promise<Result<PlayLesson, string>> {
    const open = await this.#open(name)
    if (!open.ok) return open
    const { desk, shelved, answers } = open.value
    const pages = new Map<string, string>()
    for (const task of shelved.lesson.tasks) {
      const text = task.kind === 'page' ? await desk.folder.read(shelved, task.page) : undefined
      if (text?.ok === false) return text
      if (task.kind === 'page' && text !== undefined) pages.set(task.page, text.value)
    }
    return ok(shownLesson(shelved, desk.progress, answers, pages))
  }

  #keepAnswers({ desk, shelved }: OpenLesson, answers: Answers): Promise<Result<undefined, string>> {
    const text = answersText(shelved.number, shelved.lesson, answers)
    return this.#write(desk.folder.pathOf(shelved, answersFile), text)
  }

  async #keepPage({ desk, shelved }: OpenLesson, number: number, text: string): Promise<Result<undefined, string>> {
    const task = shelved.lesson.tasks[number - 1]
    if (task?.kind !== 'page') return err(`task ${number} of lesson ${shelved.number} has no page to edit`)
    return await this.#write(desk.folder.pathOf(shelved, task.page), text)
  }

  async #write(file: string, text: string): Promise<Result<undefined, string>> {
    let problem = ''
    const error = (said: string): void => {
      problem += said
    }
    return (await writeText({ ...this.#terminal, error }, file, text)) ? ok(undefined) : err(problem.trim())
  }

  /** Runs `svc-sim lesson …` to its end. Returns what it printed, or why it was not done. */
  async #lesson(command: 'run' | 'check', args: readonly string[]): Promise<Result<string, string>> {
    if (this.#isBusy) return err('a run of a lesson is under way: wait for its end')
    this.#isBusy = true
    try {
      const lines: string[] = []
      const argv = ['lesson', command, ...args, '--dir', this.#dir]
      const { exit, error } = await this.#terminal.runAnother(argv, (line) => void lines.push(line))
      if (exit === exits.passed || exit === exits.failed || exit === exits.noVerdict) return ok(lines.join('\n'))
      return err(error.trim() === '' ? `svc-sim lesson ${command} ended with ${exit ?? 'a signal'}` : error.trim())
    } finally {
      this.#isBusy = false
    }
  }
}
