import { err, ok, type Result } from '../../../src/base/result.ts'
import { loadAllCommands } from '../../../src/cli/load-all.ts'
import type { Answers } from '../../lessons/answers.ts'
import { checkTasks } from '../../lessons/checking.ts'
import { seedsOf } from '../../lessons/judge.ts'
import type { NumberedLesson } from '../../lessons/lesson.ts'
import { loadLesson } from '../../lessons/load.ts'
import { predicted, started } from '../../lessons/progress.ts'
import type {
  PlayLesson,
  PlayLessonCheck,
  PlayLessonList,
  PlayLessonRun,
  PlayLessonTold,
} from '../../play/lessons-api.ts'
import { lessonLine, shownLesson } from '../../play/shown-lesson.ts'
import type { TabLesson, TabLessons, TabQuestion } from '../../play/tab-api.ts'
import { loadScenario, problemText } from '../../scenario/language/load.ts'
import { overviewAnswer, pieceAnswer, type ShownFilm } from '../film-answers.ts'
import { type Answered, type Going, refused, said } from '../going.ts'
import type { TabMachine } from '../machine.ts'
import { RunInTab } from '../run-in-tab.ts'
import { benchInTab } from './bench-in-tab.ts'
import { Recordings } from './recordings.ts'
import { keptText, keptWork, noAnswers, noWork, type Work, withAnswers, withPage } from './work.ts'

interface OpenLesson extends NumberedLesson {
  readonly tab: TabLesson
}

/** A run of a lesson: what it printed, and its picture. */
interface RunTold {
  readonly text: string
  readonly film: ShownFilm | undefined
}

/** The lessons of a page, and what the student has done of them, as `svc-sim lesson` has them in a folder. */
export class LessonsInTab implements Going {
  readonly #lessons: readonly OpenLesson[]
  readonly #recordings: Recordings
  readonly #machine: TabMachine
  /** Of the last run. */
  #film: ShownFilm | undefined
  #work: Work
  #isBusy = false

  private constructor(lessons: readonly OpenLesson[], work: Work, recordings: Recordings, machine: TabMachine) {
    this.#lessons = lessons
    this.#work = work
    this.#recordings = recordings
    this.#machine = machine
  }

  /** The error is what the page shows: a lesson or the kept work that cannot be read. */
  static begin({ lessons, recordings, kept }: TabLessons, machine: TabMachine): Result<LessonsInTab, string> {
    const work = kept === undefined ? ok(noWork) : keptWork(kept)
    if (!work.ok) return work
    const open: OpenLesson[] = []
    for (const tab of lessons) {
      const loaded = loadLesson(`lessons/${tab.name}/lesson.yaml`, tab.text)
      if (!loaded.ok) return err(loaded.error.join('\n'))
      open.push({ number: tab.number, name: tab.name, lesson: loaded.value, tab })
    }
    return ok(new LessonsInTab(open, work.value, new Recordings(recordings), machine))
  }

  async answer({ method, path, body }: Pick<TabQuestion, 'method' | 'path' | 'body'>): Promise<Answered> {
    const [name = '', query = ''] = path.split('?')
    switch (`${method} ${name}`) {
      case 'GET lessons':
        return said(this.#list())
      case 'GET lesson/kept':
        return { status: 200, text: keptText(this.#work) }
      case 'GET lesson/overview':
        return overviewAnswer(this.#film, 1)
      case 'GET lesson/piece':
        return pieceAnswer(this.#film, Number(/^at=(\d{1,9})$/.exec(query)?.[1] ?? Number.NaN))
      case 'POST lesson/start':
        return answered(this.#start((JSON.parse(body) as { readonly name: string }).name))
      case 'POST lesson/run':
        return answered(await this.#alone(() => this.#run(JSON.parse(body) as PlayLessonRun)))
      case 'POST lesson/check':
        return answered(await this.#alone(() => this.#check(JSON.parse(body) as PlayLessonCheck)))
      default:
        return refused(404, `lessons have no ${method} ${path}`)
    }
  }

  async #alone<T>(work: () => Promise<Result<T, string>>): Promise<Result<T, string>> {
    if (this.#isBusy) return err('a run of a lesson is under way: wait for its end')
    this.#isBusy = true
    try {
      await loadAllCommands()
      return await work()
    } finally {
      this.#isBusy = false
    }
  }

  #list(): PlayLessonList {
    const { progress } = this.#work
    return { lessons: this.#lessons.map((one) => lessonLine(one, progress)), current: progress.current ?? null }
  }

  #start(name: string): Result<PlayLesson, string> {
    const open = this.#open(name)
    if (!open.ok) return open
    this.#work = { ...this.#work, progress: started(this.#work.progress, name, false) }
    return ok(this.#shown(open.value))
  }

  async #run({ name, prediction, task, page, seed }: PlayLessonRun): Promise<Result<PlayLessonTold, string>> {
    const open = this.#open(name)
    if (!open.ok) return open
    const lesson = open.value
    if (prediction !== undefined) this.#keepAnswers(name, { ...this.#answersOf(name), prediction })
    if (this.#answersOf(name).prediction === '') return err('write your prediction first')
    if (task !== undefined) {
      if (page !== undefined) this.#keepPage(lesson, task, page)
      const run = await this.#runOfTask(lesson, task, seed)
      return run.ok ? ok(this.#told(lesson, run.value)) : run
    }
    const run = await this.#made(lesson.tab.pages[lesson.tab.run.page] ?? '', lesson.tab.run.page, lesson.tab.run.seed)
    if (run.ok) this.#work = { ...this.#work, progress: predicted(this.#work.progress, name) }
    return run.ok ? ok(this.#told(lesson, run.value)) : run
  }

  async #runOfTask(
    { number, name, lesson, tab }: OpenLesson,
    at: number,
    seed: number | undefined,
  ): Promise<Result<RunTold, string>> {
    const task = lesson.tasks[at - 1]
    if (task === undefined || !('page' in task)) return err(`task ${at} of lesson ${number} has no run`)
    if (task.kind === 'cause') {
      const recording = this.#recordings.of(name, at)
      if (!recording.ok) return recording
      const { text, film } = recording.value
      return ok({ text, film: { overview: () => film.overview, piece: (place) => film.pieces[place] } })
    }
    const edited = task.kind === 'page' ? this.#work.pages.get(name)?.get(task.page) : undefined
    return this.#made(edited ?? tab.pages[task.page] ?? '', task.page, seed ?? seedsOf(task).first)
  }

  async #check({ name, answers, pages }: PlayLessonCheck): Promise<Result<PlayLessonTold, string>> {
    const open = this.#open(name)
    if (!open.ok) return open
    const lesson = open.value
    const byTask = new Map(Object.entries(answers).map(([number, answer]) => [Number(number), answer]))
    this.#keepAnswers(name, { ...this.#answersOf(name), byTask })
    for (const [number, text] of Object.entries(pages)) this.#keepPage(lesson, Number(number), text)
    const lines: string[] = []
    const bench = benchInTab({
      lesson: lesson.tab,
      edited: this.#work.pages.get(name) ?? new Map(),
      recordings: this.#recordings,
      numberOf: (task) => lesson.lesson.tasks.indexOf(task) + 1,
      machine: this.#machine,
    })
    const checked = await checkTasks(lesson, byTask, this.#work.progress, bench, (line) => void lines.push(line))
    this.#work = { ...this.#work, progress: checked.progress }
    return ok({ text: lines.join('\n'), picture: null, lesson: this.#shown(lesson) })
  }

  async #made(text: string, file: string, seed: number): Promise<Result<RunTold, string>> {
    const loaded = loadScenario(file, text)
    if (!loaded.ok) return err(loaded.error.map(problemText).join('\n'))
    const run = new RunInTab(loaded.value, seed, this.#machine)
    await run.make()
    return ok({ text: run.text, film: run.film })
  }

  #told(lesson: OpenLesson, { text, film }: RunTold): PlayLessonTold {
    this.#film = film
    return { text, picture: film === undefined ? null : 'the last run', lesson: this.#shown(lesson) }
  }

  #shown(lesson: OpenLesson): PlayLesson {
    const pages = new Map([...Object.entries(lesson.tab.pages), ...(this.#work.pages.get(lesson.name) ?? [])])
    return shownLesson(lesson, this.#work.progress, this.#answersOf(lesson.name), pages)
  }

  #open(name: string): Result<OpenLesson, string> {
    const found = this.#lessons.find((each) => each.name === name)
    return found === undefined ? err(`this page has no lesson '${name}'`) : ok(found)
  }

  #answersOf(name: string): Answers {
    return this.#work.answers.get(name) ?? noAnswers
  }

  #keepAnswers(name: string, answers: Answers): void {
    this.#work = withAnswers(this.#work, name, answers)
  }

  #keepPage({ name, lesson }: OpenLesson, at: number, text: string): void {
    const task = lesson.tasks[at - 1]
    if (task?.kind === 'page') this.#work = withPage(this.#work, name, task.page, text)
  }
}

function answered(result: Result<object, string>): Answered {
  return result.ok ? said(result.value) : refused(400, result.error)
}
