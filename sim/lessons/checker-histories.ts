import seedrandom from 'seedrandom'
import type { KeyOperation } from '../checkers/keys/key-history.ts'
import { judgeKey, searchStepsMax } from '../checkers/keys/key-verdict.ts'

/** A history for the checker of a student, with the verdict of the simulator. */
export interface JudgedHistory {
  /** What a checker may get wrong in it. */
  readonly about: string
  readonly operations: readonly KeyOperation[]
  readonly isLinearizable: boolean
}

/** All histories of the first project: by hand, at random, and long ones last. */
export function checkerHistories(): readonly JudgedHistory[] {
  const drawn = Array.from({ length: 280 }, (_, at) =>
    drawnHistory(`small-${at}`, { clients: 4, operations: 8 + (at % 5) }),
  )
  const long = Array.from({ length: 4 }, (_, at) => drawnHistory(`long-${at}`, { clients: 5, operations: 150 }))
  return [...byHand, ...drawn, ...long].map(judged)
}

type Unjudged = Omit<JudgedHistory, 'isLinearizable'>

function judged({ about, operations }: Unjudged): JudgedHistory {
  const { kind } = judgeKey(operations, { staleDefaultUs: 0, stepsMax: searchStepsMax })
  if (kind === 'undecided') throw new Error(`the history '${about}' cannot be decided`)
  return { about, operations, isLinearizable: kind === 'linearizable' }
}

type Part = Pick<KeyOperation, 'kind'> & Partial<KeyOperation>

/** An answered operation, unless it says otherwise. */
function operation(client: number, callUs: number, returnUs: number, part: Part): KeyOperation {
  const { value, expected, found, outcome = 'ok', kind } = part
  const open = outcome === 'unknown'
  return {
    client: `${client}`,
    key: 'k',
    kind,
    value,
    expected,
    consistency: 'consistent',
    callUs,
    returnUs: open ? Number.POSITIVE_INFINITY : returnUs,
    outcome,
    found,
  }
}

const write = (value: string): Part => ({ kind: 'write', value })
const read = (found?: string): Part => ({ kind: 'read', found })

const byHand: readonly Unjudged[] = [
  { about: 'nothing happened', operations: [] },
  { about: 'a key holds nothing at first', operations: [operation(1, 0, 1, read()), operation(2, 2, 3, read('a'))] },
  {
    about: 'a value that was never written is read',
    operations: [operation(1, 0, 1, write('a')), operation(2, 2, 3, read('b'))],
  },
  {
    about: 'a read returns before the write of its value is called',
    operations: [operation(2, 0, 1, read('a')), operation(1, 2, 3, write('a'))],
  },
  {
    about: 'an acknowledged write is overlooked',
    operations: [operation(1, 0, 1, write('a')), operation(1, 2, 3, write('b')), operation(2, 4, 5, read('a'))],
  },
  {
    about: 'a read overlaps a write and finds the old value',
    operations: [operation(1, 0, 1, write('a')), operation(1, 2, 9, write('b')), operation(2, 3, 4, read('a'))],
  },
  {
    about: 'two reads during one write go back in time',
    operations: [
      operation(1, 0, 1, write('a')),
      operation(1, 2, 9, write('b')),
      operation(2, 3, 4, read('b')),
      operation(3, 5, 6, read('a')),
    ],
  },
  {
    about: 'a write without an answer took effect late',
    operations: [
      operation(1, 0, 0, { ...write('a'), outcome: 'unknown' }),
      operation(2, 5, 6, read()),
      operation(2, 7, 8, read('a')),
    ],
  },
  {
    about: 'a write without an answer never took effect',
    operations: [operation(1, 0, 0, { ...write('a'), outcome: 'unknown' }), operation(2, 50, 60, read())],
  },
  {
    about: 'a write without an answer takes effect once',
    operations: [
      operation(1, 0, 0, { ...write('a'), outcome: 'unknown' }),
      operation(2, 1, 2, read('a')),
      operation(2, 3, 4, write('b')),
      operation(2, 5, 6, read('a')),
    ],
  },
  {
    about: 'two compare-and-sets from one value succeed',
    operations: [
      operation(1, 0, 1, write('a')),
      operation(1, 2, 5, { kind: 'cas', expected: 'a', value: 'b' }),
      operation(2, 3, 6, { kind: 'cas', expected: 'a', value: 'c' }),
    ],
  },
  {
    about: 'a compare-and-set is refused although it must have found its value',
    operations: [
      operation(1, 0, 1, write('a')),
      operation(2, 2, 3, { kind: 'cas', expected: 'a', value: 'b', outcome: 'refused' }),
    ],
  },
  {
    about: 'a refused compare-and-set changes nothing',
    operations: [
      operation(1, 0, 1, { kind: 'cas', expected: 'a', value: 'b', outcome: 'refused' }),
      operation(2, 2, 3, read('b')),
    ],
  },
  {
    about: 'a compare-and-set from nothing after a delete',
    operations: [
      operation(1, 0, 1, write('a')),
      operation(1, 2, 3, { kind: 'delete' }),
      operation(2, 4, 5, { kind: 'cas', expected: undefined, value: 'b' }),
      operation(2, 6, 7, read('b')),
    ],
  },
  {
    about: 'operations that touch overlap',
    operations: [operation(1, 0, 5, write('a')), operation(2, 5, 6, read())],
  },
  {
    about: 'two writes of one value',
    operations: [
      operation(1, 0, 1, write('a')),
      operation(1, 2, 3, write('b')),
      operation(2, 4, 9, write('a')),
      operation(3, 5, 6, read('a')),
      operation(3, 7, 8, read('b')),
    ],
  },
]

/** A history of a register that answers at one moment between call and return, with one answer changed in every other. */
function drawnHistory(name: string, { clients, operations }: { clients: number; operations: number }): Unjudged {
  const draw = seedrandom(name)
  const below = (count: number): number => Math.floor(draw() * count)
  const made: KeyOperation[] = []
  const effects: { readonly atUs: number; readonly place: number }[] = []
  const freeUs = Array.from({ length: clients }, () => 0)
  for (let place = 0; place < operations; place++) {
    const client = below(clients)
    const callUs = (freeUs[client] ?? 0) + below(60)
    const effectUs = callUs + below(80)
    const returnUs = effectUs + below(80)
    const isOpen = draw() < 0.04 + (operations < 50 ? 0.08 : 0)
    freeUs[client] = isOpen ? callUs + 1 : returnUs + 1
    made.push(drawnOperation(client, callUs, returnUs, isOpen, place, below))
    if (!isOpen || draw() < 0.5) effects.push({ atUs: effectUs, place })
  }
  applyAll(made, effects)
  if (draw() < 0.6) spoil(made, below)
  return { about: `drawn at random: ${name}`, operations: made }
}

function drawnOperation(
  client: number,
  callUs: number,
  returnUs: number,
  isOpen: boolean,
  place: number,
  below: (count: number) => number,
): KeyOperation {
  const value = below(3) === 0 ? `v${below(2)}` : `u${place}`
  const kinds = [
    read(),
    read(),
    write(value),
    write(value),
    { kind: 'cas', value } as const,
    { kind: 'delete' } as const,
  ]
  const part = kinds[below(kinds.length)] ?? read()
  return operation(client, callUs, returnUs, { ...part, ...(isOpen ? { outcome: 'unknown' } : {}) })
}

/** Lets the operations take effect in the order of these moments, and gives each its answer. */
function applyAll(made: KeyOperation[], effects: readonly { readonly atUs: number; readonly place: number }[]): void {
  let held: string | undefined
  for (const { place } of effects.toSorted((one, other) => one.atUs - other.atUs)) {
    const one = made[place] as KeyOperation
    const isOpen = one.outcome === 'unknown'
    if (one.kind === 'read') made[place] = isOpen ? one : { ...one, found: held }
    else if (one.kind !== 'cas') held = one.value
    else if (place % 3 === 0) made[place] = isOpen ? one : { ...one, expected: `w${place}`, outcome: 'refused' }
    else {
      made[place] = { ...one, expected: held }
      held = one.value
    }
  }
}

/** Changes what one read has found. */
function spoil(made: KeyOperation[], below: (count: number) => number): void {
  const reads = [...made.keys()].filter((place) => made[place]?.kind === 'read' && made[place]?.outcome === 'ok')
  const place = reads[reads.length - 1 - below(Math.ceil(reads.length / 2))]
  const values = made.flatMap(({ value }) => (value === undefined ? [] : [value]))
  const chosen = made[place ?? -1]
  if (place !== undefined && chosen !== undefined) made[place] = { ...chosen, found: values[below(values.length)] }
}
