import type { FilmOverview } from '../picture/film-format.ts'
import type { Lesson } from './lesson.ts'

/** One chapter of the workbook: a lesson, and its run. */
export interface Chapter {
  readonly number: number
  readonly lesson: Lesson
  readonly film: FilmOverview
}
