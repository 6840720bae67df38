import { err, ok, type Result } from '../../../src/base/result.ts'
import { fileName } from '../../lessons/answers.ts'
import { type Bench, type NoRuns, type PageRuns, pageOfRuns } from '../../lessons/checking.ts'
import type { Task } from '../../lessons/lesson.ts'
import type { TabLesson } from '../../play/tab-api.ts'
import { pageOf, SeedRuns } from '../../pool/seed-runs.ts'
import { hasFailed, type SeedRecord } from '../../report/seed-record.ts'
import type { TabMachine } from '../machine.ts'
import { createWebPlatform } from '../platform/platform.ts'
import { type Recordings, recordedEvent } from './recordings.ts'

interface BenchParts {
  readonly lesson: TabLesson
  /** The student's texts of pages. */
  readonly edited: ReadonlyMap<string, string>
  readonly recordings: Recordings
  /** The number of a task of the lesson. */
  readonly numberOf: (task: Task) => number
  readonly machine: TabMachine
}

/** Where a student works in a tab: runs are made one after another, in this thread. */
export function benchInTab({ lesson, edited, recordings, numberOf, machine }: BenchParts): Bench {
  const original = (page: string): Result<string, string> => {
    const text = lesson.pages[page]
    return text === undefined ? err(`this page has no file ${page}`) : ok(text)
  }
  return {
    pathOf: fileName,
    original: async (page) => original(page),
    edited: async (page) => {
      const text = edited.get(page)
      return text === undefined ? original(page) : ok(text)
    },
    runs: (runs) => runsInTab(runs, machine),
    eventOfBug: async (task, n) => {
      const recording = recordings.of(lesson.name, numberOf(task))
      return recording.ok ? ok(recordedEvent(recording.value, n)) : recording
    },
  }
}

async function runsInTab(wanted: PageRuns, machine: TabMachine): Promise<Result<readonly SeedRecord[], NoRuns>> {
  const loaded = pageOfRuns(wanted)
  if (!loaded.ok) return loaded
  const { seeds } = wanted
  const createPlatform = () => createWebPlatform(machine)
  const platform = createPlatform()
  const page = pageOf(loaded.value, platform)
  platform.close()
  const runs = new SeedRuns({ createPlatform, wallMs: machine.wallMs, cpuMs: machine.wallMs })
  const records: SeedRecord[] = []
  for (let seed = seeds.first; seed <= seeds.last; seed++) {
    const turn = { page, seed }
    const record = await runs.record(turn, await runs.first(turn), false, undefined)
    records.push(record)
    // Further seeds after the first failure tell a student nothing new.
    if (hasFailed(record)) break
  }
  return ok(records)
}
