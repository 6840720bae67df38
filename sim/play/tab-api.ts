import type { ToldEvent } from '../lessons/evidence.ts'
import type { Film } from '../picture/film.ts'

/**
 * What a page of `svc-sim build-web` and its worker say to each other: types only. The requests and answers of a session
 * are those of `play-api.ts`, each as one message. Before them comes `POST /begin`, once.
 *
 * | request | body | answer |
 * |---|---|---|
 * | `POST /begin` | `TabBegin` | nothing, or why it cannot begin |
 * | `GET /run?from=N` | | `TabRun`: of a run, its story from line N on |
 *
 * A run has `GET /overview` and `GET /piece?at=K`, too, and no other request of a session.
 *
 * Lessons are in a worker of their own, which answers what `lessons-api.ts` lists, and:
 *
 * | request | answer |
 * |---|---|
 * | `GET /lesson/kept` | the student's work, as text: `TabBegin` takes it in another tab |
 * | `GET /lesson/overview`, `GET /lesson/piece?at=K` | the picture of the last run; what `PlayLessonTold` says of it is no path here |
 */
export interface TabQuestion {
  readonly id: number
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** JSON; empty for `GET`. */
  readonly body: string
}

export interface TabAnswer {
  readonly id: number
  /** As of HTTP. */
  readonly status: number
  readonly text: string
}

/** The worker cannot go on: an error of the program. */
export interface TabEnd {
  readonly ended: string
}

/** What a worker does: a run of a scenario to its end, a cluster to play with, or lessons. */
export type TabBegin = TabCluster | TabLessons

export interface TabCluster {
  readonly does: 'run' | 'play'
  /** Undefined: the cluster of a session without a scenario. */
  readonly scenario?: { readonly file: string; readonly text: string }
  readonly servers?: number
  readonly clients?: number
  /** Undefined: that of the scenario, or 1. */
  readonly seed?: number
  /** Number of events after which time stands still; undefined: it passes. */
  readonly steps?: number
  /** The page has lessons. */
  readonly hasLessons?: boolean
  /** Name of the lesson whose cluster this is. */
  readonly lesson?: string
}

export interface TabLessons {
  readonly does: 'lessons'
  readonly lessons: readonly TabLesson[]
  readonly recordings: readonly PackedRecording[]
  /** What the student has done until now; undefined: nothing. */
  readonly kept?: string
}

/** A lesson as the page has it. */
export interface TabLesson {
  readonly number: number
  readonly name: string
  readonly title: string
  readonly minutes: number
  /** Its `lesson.yaml`. */
  readonly text: string
  readonly run: { readonly page: string; readonly seed: number }
  /** Texts of its pages, by the names that the lesson has for them. */
  readonly pages: Readonly<Record<string, string>>
}

/** The run of a planted program, which no tab can make: `build-web` has made it. */
export interface TabRecording {
  /** What it printed. */
  readonly text: string
  readonly film: Film
  /** The events that show the cause. */
  readonly evidence: readonly ToldEvent[]
}

export interface PackedRecording {
  /** Name of the lesson. */
  readonly lesson: string
  /** Number of the task. */
  readonly task: number
  /** A `TabRecording`, as base64 of gzip. */
  readonly packed: string
}

/** A run of a scenario so far. */
export interface TabRun {
  readonly title: string
  readonly seed: number
  readonly nowUs: number
  readonly events: number
  readonly lines: readonly string[]
  readonly nextLine: number
  /** Undefined: it has not ended. */
  readonly end?: TabRunEnd
}

export interface TabRunEnd {
  readonly passed: boolean
  /** The verdict as `svc-sim run` prints it. */
  readonly lines: readonly string[]
  /** The hash of its trace. */
  readonly trace: string
}
