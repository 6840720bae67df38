import { base64, utf8 } from '../../../src/base/bytes.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import { isEvidence, type ToldEvent } from '../../lessons/evidence.ts'
import { pagesOf, type TaskOf } from '../../lessons/lesson.ts'
import type { FilmMaker } from '../../picture/film.ts'
import type { PackedRecording, TabLesson, TabRecording } from '../../play/tab-api.ts'
import { scenarioBytesMax } from '../../scenario/language/yaml-document.ts'
import { readText, type TextKind } from '../files.ts'
import { runOfBug } from '../lesson/event-of-bug.ts'
import { lessonNamed, type ShelvedLesson, shelvedLessons } from '../lesson/shelf.ts'
import { newFilm } from '../run-page.ts'
import { Screen } from '../screen.ts'
import type { SimTerminal } from '../terminal.ts'

/** The lessons of a page. */
export interface PageLessons {
  readonly lessons: readonly TabLesson[]
  readonly recordings: readonly PackedRecording[]
}

/** The name that stands for all lessons. */
const allLessons = 'all'

const shipped: TextKind = { bytesMax: scenarioBytesMax, instead: 'name another one', tooLarge: 'make it smaller' }

/** The named lessons, with runs of the programs that have bugs on purpose: a tab cannot make those. */
export async function lessonsOf(
  named: readonly string[],
  folder: string,
  terminal: SimTerminal,
): Promise<Result<PageLessons, string>> {
  const chosen = await chosenLessons(named, terminal)
  if (!chosen.ok) return chosen
  const lessons: TabLesson[] = []
  const recordings: PackedRecording[] = []
  const screen = new Screen(terminal, () => `${lessons.length} of ${chosen.value.length} lessons`)
  try {
    for (const shelved of chosen.value) {
      const lesson = await tabLesson(shelved, terminal)
      if (!lesson.ok) return lesson
      for (const [at, task] of shelved.lesson.tasks.entries()) {
        if (task.kind !== 'cause') continue
        const recording = await recorded(task, shelved, folder, terminal)
        if (!recording.ok) return err(`${shelved.name}, task ${at + 1}: ${recording.error}`)
        const packed = base64(terminal.gzip(utf8(JSON.stringify(recording.value))))
        recordings.push({ lesson: shelved.name, task: at + 1, packed })
      }
      lessons.push(lesson.value)
    }
  } finally {
    screen.close()
  }
  return ok({ lessons, recordings })
}

/** In the order of the course, each once. */
async function chosenLessons(
  named: readonly string[],
  terminal: SimTerminal,
): Promise<Result<readonly ShelvedLesson[], string>> {
  if (named.length === 0) return ok([])
  const all = await shelvedLessons(terminal)
  if (!all.ok) return err(all.error.join('\n'))
  if (named.includes(allLessons)) return all
  const chosen = new Set<ShelvedLesson>()
  for (const name of named) {
    const found = lessonNamed(all.value, name)
    if (!found.ok) return found
    chosen.add(found.value)
  }
  return ok(all.value.filter((each) => chosen.has(each)))
}

async function tabLesson(
  { number, name, folder, lesson }: ShelvedLesson,
  { disk }: SimTerminal,
): Promise<Result<TabLesson, string>> {
  const text = await readText(disk, `${folder}/lesson.yaml`, shipped)
  if (!text.ok) return text
  const pages: Record<string, string> = {}
  for (const page of pagesOf(lesson)) {
    const read = await readText(disk, `${folder}/${page}`, shipped)
    if (!read.ok) return read
    pages[page] = read.value
  }
  const { lesson: title, minutes, run } = lesson
  return ok({ number, name, title, minutes, text: text.value, run: { page: run.page, seed: run.seed }, pages })
}

async function recorded(
  task: TaskOf<'cause'>,
  shelved: ShelvedLesson,
  folder: string,
  terminal: SimTerminal,
): Promise<Result<TabRecording, string>> {
  const lines: string[] = []
  const evidence: ToldEvent[] = []
  let film: FilmMaker | undefined
  const run = { task, page: `${shelved.folder}/${task.page}`, trace: `${folder}/recording.jsonl.gz` }
  const read = await runOfBug(run, terminal, {
    onText: (line) => void lines.push(line),
    onHeader: (header) => {
      film = newFilm(terminal, header)
    },
    onEvent: (event, record, failure) => {
      film?.add(record)
      if (isEvidence(task.evidence, failure, event)) evidence.push(event)
      return true
    },
  })
  if (!read.ok) return read
  if (film === undefined || evidence.length === 0) return err('its run shows no cause')
  return ok({ text: withoutCommands(lines), film: film.end(), evidence })
}

/** What a run prints, without the commands for a terminal at its end, which a tab does not have. */
function withoutCommands(lines: readonly string[]): string {
  const commands = lines.findIndex((line) => /^seed \d+; repeat with: /.test(line))
  return lines.slice(0, commands === -1 ? lines.length : commands).join('\n')
}
