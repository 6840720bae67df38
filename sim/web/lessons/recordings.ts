import { concatBytes, fromBase64, textOf } from '../../../src/base/bytes.ts'
import { gunzipped } from '../../../src/base/gzip.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { NamedEvent } from '../../lessons/judge.ts'
import type { PackedRecording, TabRecording } from '../../play/tab-api.ts'

/** The runs of planted programs that are recorded in the page. */
export class Recordings {
  readonly #packed: readonly PackedRecording[]

  constructor(packed: readonly PackedRecording[]) {
    this.#packed = packed
  }

  of(lesson: string, task: number): Result<TabRecording, string> {
    const found = this.#packed.find((each) => each.lesson === lesson && each.task === task)
    const bytes = found === undefined ? undefined : fromBase64(found.packed)
    if (bytes === undefined) return err(`this page has no run of task ${task}`)
    return ok(JSON.parse(textOf(concatBytes([...gunzipped(bytes)]))) as TabRecording)
  }
}

/** What is known of an event of a recorded run. */
export function recordedEvent({ film, evidence }: TabRecording, n: number): NamedEvent {
  const shown = evidence.find((event) => event.n === n)
  if (shown !== undefined) return { ...shown, isEvidence: true }
  return Number.isInteger(n) && n >= 1 && n <= film.overview.events ? 'another' : undefined
}
