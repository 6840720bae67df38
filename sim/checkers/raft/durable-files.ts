import { releaseText } from '../../../src/model/release.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import { checker, type Judge } from '../checker.ts'
import type { DiskLook } from './disk-look.ts'
import { type LogEnd, type ReadMark, readLogEnd, readMark } from './log-reader.ts'
import { serverLogs } from './server-logs.ts'
import { readSnapshotFile } from './snapshot-reader.ts'

/** A log seals itself after a second without writes; a slow disk takes this long for the seal and the mark behind it. */
const sealedWithinUs = 3_000_000
/** One more is there while it takes the place of the oldest. */
const snapshotsKept = 2
/** Older ones that a server keeps while it sends them, and until the next snapshot after that. */
const sentMost = 2
/** More of each, while a disk does not remove what is not needed: the next attempt waits for that. */
const unwantedMost = 2
/** Replaced snapshots that a disk does not remove: with this many, the next attempt waits for that. */
const replacedMost = 8
/** Of files that are written before they get their names: one that is written, and one that is received. */
const unfinishedMost = 2
const logFolder = '/data/raft/log/'
const snapshotFolder = '/data/raft/snapshots/'

const unfinishedFile = /[.](tmp|part)$/

type Excuse = 'rotten' | 'failing disk' | 'in use'

/**
 * D3. What servers have on their disks can be read back: the files are read apart from the agent's code, so errors that
 * writer and reader share, and protections that matter only after another fault, are found as well.
 */
export class DurableFiles {
  readonly #judge: Judge<{ D3: Excuse }>
  readonly #nowUs: () => number
  readonly #lastIndexOf: (node: string) => number
  /** By node, when it last wrote to its log, and the term and vote that it wrote. */
  readonly #wroteUs = new Map<string, number>()
  readonly #terms = new Map<string, Pick<LogEnd, 'term' | 'votedFor'>>()
  /** The nodes that have sent snapshots. */
  readonly #senders = new Set<string>()
  /** By release and name, the checksum of the first snapshot that a server took, and that server. */
  readonly #taken = new Map<string, { readonly node: string; readonly sum: number }>()

  constructor(judge: Judge<{ D3: Excuse }>, nowUs: () => number, lastIndexOf: (node: string) => number) {
    this.#judge = judge
    this.#nowUs = nowUs
    this.#lastIndexOf = lastIndexOf
  }

  wrote(node: string): void {
    this.#wroteUs.set(node, this.#nowUs())
  }

  term(node: string, term: number, votedFor: string | undefined): void {
    this.#terms.set(node, { term, votedFor })
    this.wrote(node)
  }

  sent(node: string, { kind }: Pick<RaftMessage, 'kind'>): void {
    if (kind === 'snapshot-chunk') this.#senders.add(node)
  }

  /** Another cluster may begin on new disks, or entries with the same positions may replace lost ones. */
  beganAnew(): void {
    this.#taken.clear()
  }

  looked(node: string, look: DiskLook): void {
    if (look.isRotten) return this.#judge.excused('D3', 'rotten')
    this.#snapshots(node, look)
    this.#log(node, look)
  }

  #snapshots(node: string, { files, release, when, isBusy, hasFailed }: DiskLook): void {
    const placed = [...files].filter(([path]) => path.startsWith(snapshotFolder) && path.endsWith('.snapshot'))
    for (const [path, file] of placed) {
      this.#judge.judged('D3')
      const read = readSnapshotFile(file.read(0, file.size))
      const name = path.slice(snapshotFolder.length)
      if (typeof read === 'string') this.#report(`${path} of ${node} cannot be read: ${read}`)
      else if (nameOf(read) !== name) this.#report(`${path} of ${node} holds the snapshot ${nameOf(read)}`)
      else if (read.isTaken) this.#compare(node, `${releaseText(release)} ${name}`, read.sum)
    }
    const kept = this.#senders.has(node) ? snapshotsKept + sentMost : snapshotsKept
    const most = when === 'at rest' && !isBusy ? kept : kept + 1
    const unwanted = hasFailed ? unwantedMost : 0
    if (placed.length > most + unwanted + (hasFailed ? replacedMost : 0))
      this.#report(`${node} keeps ${placed.length} snapshots`)
    const unfinished = [...files.keys()].filter((path) => unfinishedFile.test(path))
    if (unfinished.length > 0) this.#judge.judged('D3')
    if (unfinished.length > unfinishedMost + unwanted)
      this.#report(`${node} keeps ${unfinished.length} unfinished files, such as ${unfinished[0]}`)
  }

  /** Equal states of equal logs give equal bytes. */
  #compare(node: string, name: string, sum: number): void {
    const first = this.#taken.get(name)
    if (first === undefined) this.#taken.set(name, { node, sum })
    else if (first.sum !== sum) this.#report(`the snapshot ${name} of ${node} is not that of ${first.node}`)
  }

  #log(node: string, look: DiskLook): void {
    const { files, when } = look
    const path = [...files.keys()].filter((each) => /[/]log[/][0-9]{10}[.]log$/.test(each)).at(-1)
    const segment = path === undefined ? undefined : files.get(path)
    const watermark = files.get(`${logFolder}watermark`)
    if (segment === undefined || watermark === undefined) return
    const end = readLogEnd(segment)
    const mark = readMark(watermark.read(0, watermark.size))
    const isSettled = when !== 'ended' && this.#isSettled(node, look)
    this.#judge.judged('D3')
    if (typeof end === 'string') this.#report(`${path} of ${node} cannot be read: ${end}`)
    else if (typeof mark === 'string') this.#report(`the watermark of ${node} cannot be read: ${mark}`)
    else {
      const wrong = markAhead(end, mark) ?? (isSettled ? unsettled(end, mark) : undefined)
      // A process that stops may write what it does not tell any more.
      const differs = wrong ?? (isSettled && when === 'at rest' ? this.#untold(node, end) : undefined)
      if (differs !== undefined) this.#report(`the log of ${node}, which ${endings[when]}, ${differs}`)
    }
  }

  #isSettled(node: string, { when, hasFailed, isBusy }: DiskLook): boolean {
    if (hasFailed) this.#judge.excused('D3', 'failing disk')
    if (hasFailed || when === 'stopped') return !hasFailed
    // What is written now is not told before it is durable.
    const isIdle = !isBusy && this.#nowUs() - (this.#wroteUs.get(node) ?? 0) > sealedWithinUs
    if (!isIdle) this.#judge.excused('D3', 'in use')
    return isIdle
  }

  /** How the log differs from what the server reported that it wrote. */
  #untold(node: string, end: LogEnd): string | undefined {
    const lastIndex = this.#lastIndexOf(node)
    if (end.lastIndex !== lastIndex) return `ends with entry ${end.lastIndex}, but the server wrote ${lastIndex}`
    const told = this.#terms.get(node)
    if (told === undefined || (told.term === end.term && told.votedFor === end.votedFor)) return undefined
    return `has term ${end.term} and the vote ${end.votedFor}, but the server wrote ${told.term} and ${told.votedFor}`
  }

  #report(message: string): void {
    this.#judge.report('D3', message)
  }
}

const endings = { ended: 'has ended', stopped: 'has stopped', 'at rest': 'is at rest' } as const

/** A mark is written when what it describes is durable. */
function markAhead(end: LogEnd, mark: ReadMark): string | undefined {
  const isSame = mark.chain === end.chain && mark.lastIndex === end.lastIndex && mark.term === end.term
  if (mark.batch < end.batch || (mark.batch === end.batch && isSame)) return undefined
  return `ends with ${placeText(end)}, but its watermark says ${placeText(mark)}`
}

/** What is missing at the end of a log to which the server does not write. */
function unsettled(end: LogEnd, mark: ReadMark): string | undefined {
  if (!end.isSealed) return `ends without a seal after ${placeText(end)}`
  if (mark.wrong !== undefined) return `has a watermark of which ${mark.wrong}`
  if (mark.batch === end.batch) return undefined
  return `ends with ${placeText(end)}, but its watermark only says ${placeText(mark)}`
}

function placeText({ batch, lastIndex, term }: Pick<LogEnd, 'batch' | 'lastIndex' | 'term'>): string {
  return `batch ${batch} (entry ${lastIndex}, term ${term})`
}

function nameOf({ index, term }: { readonly index: number; readonly term: number }): string {
  return `${String(term).padStart(10, '0')}-${String(index).padStart(15, '0')}.snapshot`
}

export const durableFiles = checker({
  codes: {
    D3: {
      text: 'durable files: snapshots and the end of the log can be read apart from the agent, sealed and as it wrote them; unfinished files do not pile up',
      sources: ['docs/architecture/formats.md#the-raft-log', 'docs/architecture/formats.md#snapshots'],
      evidence: ['snapshots', 'entries', 'terms', 'complaints'],
      judges: ['file or log read', 'files and logs read'],
      excuses: {
        rotten: 'Rotten data are not judged; until the machine is replaced.',
        'failing disk': 'A log whose disk was full or failed need not be sealed; until its process ends.',
        'in use':
          'A log that was written to in the last three seconds, or is now, need not be sealed; until it is idle.',
      },
    },
  },
  make: (run) => {
    const logs = run.of(serverLogs)
    return new DurableFiles(run, run.nowUs, (node) => logs.of(node).lastIndex)
  },
  takes: {
    'log written': (it, { node }) => it.wrote(node),
    'log reset': (it, { node }) => it.wrote(node),
    'term found': (it, { node, term, votedFor }) => it.term(node, term, votedFor),
    'term written': (it, { node, term, votedFor }) => it.term(node, term, votedFor),
    'message sent': (it, { node, message }) => it.sent(node, message),
    'machine replaced': (it) => it.beganAnew(),
    'entries lost': (it) => it.beganAnew(),
    'disk looked at': (it, { node, look }) => it.looked(node, look),
  },
})
