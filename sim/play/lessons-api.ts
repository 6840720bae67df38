/**
 * What the HTTP face of `svc-sim play` and the page in a browser agree on about lessons: types only. Everything is kept in
 * the student's folder, in the same files as by `svc-sim lesson`.
 *
 * | request | body | answer |
 * |---|---|---|
 * | `GET /lessons` | | `PlayLessonList` |
 * | `POST /lesson/start` | `{ name }` | `PlayLesson`; writes the files of the lesson that are not there |
 * | `POST /lesson/run` | `PlayLessonRun` | `PlayLessonTold`, when the run has ended |
 * | `POST /lesson/check` | `PlayLessonCheck` | `PlayLessonTold`, when all tasks are judged |
 * | `GET /picture/…` | | the picture of a run; needs no token, for its address is secret |
 */
export interface PlayLessonList {
  readonly lessons: readonly PlayLessonLine[]
  /** Name of the lesson that was started last. */
  readonly current: string | null
}

export interface PlayLessonLine {
  readonly number: number
  readonly name: string
  readonly title: string
  readonly minutes: number
  readonly tasks: number
  /** Tasks that were right. */
  readonly right: number
}

export interface PlayLesson extends PlayLessonLine {
  readonly aims: readonly string[]
  /** Markdown, like all texts. */
  readonly reading: string
  readonly question: string
  readonly prediction: string
  /** Null before the student has predicted and seen the run. */
  readonly shown: PlayLessonShown | null
}

export interface PlayLessonShown {
  readonly answer: string
  /** Where to look in the picture. */
  readonly look: string
  readonly tasks: readonly PlayTask[]
  readonly readOn: readonly string[]
}

export interface PlayTask {
  readonly number: number
  readonly kind: 'choice' | 'page' | 'seed' | 'cause'
  readonly task: string
  /** By their letters; empty: there is nothing to choose. */
  readonly choices: Readonly<Record<string, string>>
  /** The student's page, for a task that is solved by editing it. */
  readonly page: { readonly name: string; readonly text: string } | null
  /** The range in which a seed is to be found. */
  readonly seeds: string | null
  /** Which event is to be named. */
  readonly event: string | null
  readonly answer: PlayTaskAnswer
  readonly tries: number
  readonly isRight: boolean
}

export interface PlayTaskAnswer {
  /** A letter, or a seed. */
  readonly line: string
  /** Number of an event. */
  readonly event: string
}

/** The run of the lesson, which needs a prediction, or of one of its tasks. */
export interface PlayLessonRun {
  readonly name: string
  readonly prediction?: string | undefined
  readonly task?: number | undefined
  /** The edited page of the task, which is kept. */
  readonly page?: string | undefined
  readonly seed?: number | undefined
}

export interface PlayLessonCheck {
  readonly name: string
  /** By the numbers of tasks. */
  readonly answers: Readonly<Record<string, PlayTaskAnswer>>
  /** Edited pages, by the numbers of tasks. */
  readonly pages: Readonly<Record<string, string>>
}

export interface PlayLessonTold {
  /** What the terminal would show. */
  readonly text: string
  /** Path of a picture of the run. */
  readonly picture: string | null
  readonly lesson: PlayLesson
}
