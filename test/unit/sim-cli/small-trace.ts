import { runSimCli } from '../../../sim/cli/program.ts'
import type { SimTerminal } from '../../../sim/cli/terminal.ts'
import { readPieces } from '../../../sim/platform/input.ts'
import type { Meaning } from '../../../sim/report/meaning.ts'
import type { TraceHeader, TraceRecord } from '../../../sim/report/trace-record.ts'
import { utf8 } from '../../../src/base/bytes.ts'
import { done } from '../../../src/base/result.ts'

/** A small trace of three machines, and what `svc-sim trace` prints of one. */
export const header: TraceHeader = { v: 1, scenario: 'Small', seed: 3, build: '1.4.0', nodes: ['s1', 's2', 'c1'] }
const idOfS2 = '00000000-0000-4000-8000-000000000002'
const append: Meaning = {
  layer: 'raft',
  name: 'append-request',
  term: 4,
  prev: 89,
  prevTerm: 3,
  count: 2,
  commit: 88,
  round: 7,
  entries: [
    { index: 90, term: 4, kind: 'no-op' },
    { index: 91, term: 4, kind: 'command', command: 'kv.put', about: { key: 'a/b' } },
  ],
}
const answer: Meaning = {
  layer: 'raft',
  name: 'append-response',
  term: 4,
  success: true,
  index: 91,
  hintTerm: 0,
  round: 7,
}
const gossip: readonly Meaning[] = [
  { layer: 'gossip', name: 'ping', sequence: 5, member: 'c1' },
  { layer: 'gossip', name: 'suspect', member: 'c1', incarnation: 2, from: 's2' },
]
const hello: Meaning = {
  layer: 'rpc',
  name: 'hello',
  node: 's2',
  id: idOfS2,
  datacenter: 'dc1',
  address: '10.0.1.2:8300',
  protocol: 1,
}

export const events: readonly TraceRecord[] = [
  { n: 1, t: 500, node: 's1', kind: 'boot', causes: [], boot: 1 },
  { n: 2, t: 900, node: 's1', kind: 'segment', causes: [1], from: 's2', stream: 4, size: 60, means: [hello] },
  { n: 3, t: 1_000_000, node: 's1', kind: 'timer', causes: [1], setInTurn: 1, waits: 'raft.election' },
  {
    n: 4,
    t: 1_000_000,
    node: 's1',
    kind: 'diskWrite',
    causes: [3],
    file: 2,
    at: 512,
    size: 90,
    means: [{ layer: 'log', name: 'hard-state', term: 4, votedFor: idOfS2 }],
  },
  {
    n: 5,
    t: 1_500_000,
    node: 's1',
    kind: 'segmentSent',
    causes: [4, 2],
    to: 's2',
    stream: 4,
    size: 80,
    means: [append],
  },
  { n: 6, t: 1_502_250, node: 's2', kind: 'segment', causes: [5], from: 's1', stream: 4, size: 80, means: [append] },
  { n: 7, t: 1_502_250, node: 's2', kind: 'log', causes: [6], text: '[INFO] raft: follows a leader term=4 leader=s1' },
  { n: 8, t: 1_503_000, node: 's2', kind: 'segmentSent', causes: [6], to: 's1', stream: 4, size: 30, means: [answer] },
  {
    n: 9,
    t: 2_000_000,
    node: 's2',
    kind: 'datagramSent',
    causes: [],
    to: 'c1',
    fate: 'lost',
    delayUs: 0,
    size: 44,
    means: [...gossip],
  },
  { n: 10, t: 2_500_000, node: 'world', kind: 'violation', causes: [8, 9], code: 'R1', text: 'two leaders in term 4' },
]

export function textOf(records: readonly TraceRecord[], first: unknown = header): string {
  return [first, ...records].map((line) => `${JSON.stringify(line)}\n`).join('')
}

export interface Said {
  readonly exit: number
  readonly out: string
  readonly error: string
}

export async function trace(text: string, ...args: readonly string[]): Promise<Said> {
  const said = { out: '', error: '' }
  const bytes = utf8(text)
  const terminal: Pick<SimTerminal, 'out' | 'error' | 'version' | 'readPieces' | 'outLeft'> = {
    out: (more) => {
      said.out += more
    },
    error: (more) => {
      said.error += more
    },
    outLeft: async () => undefined,
    readPieces: async (file, take) => {
      if (file !== 'a.trace' && file !== '-') return readPieces(file, take)
      for (let at = 0; at < bytes.length; at += 97) if (!(await take(bytes.slice(at, at + 97)))) break
      return done
    },
    version: '1.4.0',
  }
  const file = args.some((arg) => arg === '-' || arg.endsWith('.trace') || arg.endsWith('.gz')) ? [] : ['a.trace']
  return { exit: await runSimCli(['trace', ...file, ...args], terminal as SimTerminal), ...said }
}

/** Numbers of the events in the text form. */
export function numbers({ out }: Said): readonly number[] {
  return [...out.matchAll(/^ *[\d.]+ {2}\S+ +#(\d+) /gm)].map(([, n]) => Number(n))
}
