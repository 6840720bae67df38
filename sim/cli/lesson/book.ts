import { err, ok, type Result } from '../../../src/base/result.ts'
import { bookMarkup } from '../../lessons/book.ts'
import { inputsMarkup } from '../../lessons/book-inputs.ts'
import type { Chapter } from '../../lessons/chapter.ts'
import { Meanings } from '../../meaning/meanings.ts'
import type { FilmMaker } from '../../picture/film.ts'
import type { FilmOverview } from '../../picture/film-format.ts'
import { pageOf, SeedRuns } from '../../pool/seed-runs.ts'
import { stillPage } from '../../report/still-page.ts'
import { type TraceHeader, traceVersion } from '../../report/trace-record.ts'
import type { LoadedScenario } from '../../scenario/language/load.ts'
import { readScenario, writeText } from '../files.ts'
import { newFilm } from '../run-page.ts'
import { Screen } from '../screen.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import { recordOptions } from '../trace-files.ts'
import { inputsNow } from './book-check.ts'
import { refused } from './desk.ts'
import { type ShelvedLesson, shelvedLessons } from './shelf.ts'

export interface BookFlags {
  readonly output: string
  /** Whether the book has answers, solutions and notes. */
  readonly teacher?: boolean
}

/** `svc-sim lesson book`: all lessons with pictures of their runs as one page, for students or for their teacher. */
export async function writeBook({ output, teacher }: BookFlags, terminal: SimTerminal): Promise<number> {
  const lessons = await shelvedLessons(terminal)
  if (!lessons.ok) return refused(lessons.error, terminal)
  const chapters: Chapter[] = []
  const screen = new Screen(terminal, () => `${chapters.length} of ${lessons.value.length} lessons`)
  for (const shelved of lessons.value) {
    const film = await filmOf(shelved, terminal)
    if (!film.ok) {
      screen.close()
      return refused(film.error, terminal)
    }
    chapters.push({ number: shelved.number, lesson: shelved.lesson, film: film.value })
  }
  screen.close()
  const inputs = await inputsNow(lessons.value, terminal)
  if (!inputs.ok) return refused([inputs.error], terminal)
  const body = `${inputsMarkup(inputs.value)}\n${bookMarkup(chapters, teacher === true)}`
  const page = stillPage(terminal.pageTemplate('still'), { title: 'How clusters behave', body })
  return (await writeText(terminal, output, page)) ? exits.passed : exits.usage
}

/** Runs the page of a lesson, and returns the data from which its picture is drawn. */
async function filmOf(
  { folder, lesson }: ShelvedLesson,
  terminal: SimTerminal,
): Promise<Result<FilmOverview, readonly string[]>> {
  const { page, seed } = lesson.run
  const read = await readScenario(terminal.disk, `${folder}/${page}`)
  if (!read.ok) return read
  const film = await filmOfRun(read.value.loaded, seed, terminal)
  return film === undefined ? err([`${folder}/${page}: the run has no event`]) : ok(film)
}

async function filmOfRun(
  loaded: LoadedScenario,
  seed: number,
  terminal: SimTerminal,
): Promise<FilmOverview | undefined> {
  const { createPlatform, wallMs, cpuMs, build } = terminal
  const platform = createPlatform()
  const page = pageOf(loaded, platform)
  platform.close()
  let film: FilmMaker | undefined
  await new SeedRuns({ createPlatform, wallMs, cpuMs }).first(
    { page, seed },
    {
      trace: (used) =>
        recordOptions(
          [
            (record, nodes) => {
              const header: TraceHeader = {
                v: traceVersion,
                scenario: loaded.scenario.scenario,
                seed,
                build,
                nodes: [...nodes],
              }
              film ??= newFilm(terminal, header)
              film.add(record)
            },
          ],
          new Meanings(used),
        ),
    },
  )
  return film?.overview()
}
