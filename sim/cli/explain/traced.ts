import type { EvidenceKind } from '../../checkers/evidence.ts'
import { Events } from '../../explain/events.ts'
import { type Explanation, explained } from '../../explain/explanation.ts'
import { evidenceOf } from '../../explain/judged-by.ts'
import { Lane } from '../../pool/lane.ts'
import type { Ended } from '../../pool/messages.ts'
import { type SentPage, WorkerDidNotStart } from '../../pool/warm-worker.ts'
import type { Worker } from '../../pool/worker.ts'
import type { TraceRecord } from '../../report/trace-record.ts'
import { type ReadRun, violationsText } from '../shrink/failing-run.ts'
import type { ExplainFlags } from './flags.ts'
import type { ExplainedPicture } from './picture.ts'

interface TracedParts {
  readonly startWorker: () => Worker
  readonly flags: Pick<ExplainFlags, 'steps' | 'violation'>
}

/** The page of a run as workers are sent it. */
export function pageOfRun({ loaded, text }: ReadRun): SentPage {
  return { loaded, text, hash: '' }
}

export type Failure = Ended['record']['failures'][number]

export interface Traced {
  readonly explanation: Explanation
  readonly ended: Ended
  readonly events: Events
  readonly failure: Failure
  readonly evidence: readonly EvidenceKind[]
}

/** The run with all its events; a text: why there is nothing to explain. */
export async function tracedRun(
  run: ReadRun,
  { startWorker, flags }: TracedParts,
  picture: ExplainedPicture | undefined,
): Promise<Traced | string> {
  const { loaded, seed } = run
  const page = pageOfRun(run)
  const lane = new Lane({ startWorker, pages: [], verify: false, confirm: false, searchStepsMax: flags.steps })
  const events = new Events()
  try {
    let names: readonly string[] = []
    const onEvent = (event: TraceRecord, nodes = names): void => {
      names = nodes
      events.add(event)
      picture?.add(event, names)
    }
    const ended = await lane.probe({ page, seed }, { onEvent, states: picture && true })
    if (ended === undefined) return `${loaded.file}: seed ${seed} did not come to an end`
    const place = (flags.violation ?? 1) - 1
    const { failures } = ended.record
    const failure = failures[place]
    if (failure === undefined) {
      if (failures.length === 0) return `${loaded.file}: seed ${seed} does not fail: there is nothing to explain`
      return `--violation ${place + 1}: the run has only ${violationsText(failures.length)}`
    }
    const code = failure.code ?? ''
    const evidence = evidenceOf(code)
    const explanation = explained(events, place, evidence)
    return explanation === undefined
      ? `${loaded.file}: no event shows what fails`
      : { explanation, ended, events, failure, evidence }
  } catch (cause) {
    if (cause instanceof WorkerDidNotStart) return cause.message
    throw cause
  } finally {
    lane.close()
  }
}
