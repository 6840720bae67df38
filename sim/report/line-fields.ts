import { datagramFates, diskOperations, type TraceKindName } from './trace-kinds.ts'
import type { RecordFields } from './trace-record.ts'

/** The fields of a line of the trace besides its kind and node: three integers, the size of a payload, a text. */
export interface LineValues {
  readonly a: number
  readonly b: number
  readonly c: number
  readonly size: number
  readonly text: string
  /** The name of a node, by its number. */
  readonly nameOf: (node: number) => string
}

type FieldsByKind = { readonly [Kind in TraceKindName]: (line: LineValues) => RecordFields<Kind> }

const operationNames: ReadonlyMap<number, string> = new Map(
  Object.entries(diskOperations).map(([name, number]) => [number, name]),
)

/** For each kind of line, the names in a record of the three integers, the payload and the text. */
export const lineFields: FieldsByKind = {
  timer: ({ a }) => ({ setInTurn: a }),
  action: ({ text }) => ({ text }),
  datagram: ({ a, b, text, nameOf }) => ({
    from: nameOf(a),
    size: b,
    fate: text === '' ? 'arrives' : (text as 'no room'),
  }),
  segment: ({ a, b, size, nameOf }) => ({ from: nameOf(a), stream: b, size }),
  streamControl: ({ b, text }) => ({ stream: b, text }),
  diskDone: ({ a }) => ({ operation: operationName(a) }),
  boot: ({ a }) => ({ boot: a }),
  crash: ({ a, text }) => ({ boot: a, text }),
  pause: () => ({}),
  resume: ({ a }) => ({ waiting: a }),
  log: ({ text }) => ({ text }),
  datagramSent: ({ a, b, c, size, nameOf }) => ({ to: nameOf(a), fate: fateName(b), delayUs: c, size }),
  segmentSent: ({ a, b, c, nameOf }) => ({ to: nameOf(a), stream: b, size: c }),
  segmentLost: ({ a, b, c, nameOf }) => ({ to: nameOf(a), stream: b, tries: c }),
  dial: ({ a, b, c, nameOf }) => ({ to: nameOf(a), port: b, stream: c }),
  disk: ({ a, c, text }) => ({ operation: operationName(a), delayUs: c, path: text }),
  clock: ({ a, text }) => ({ text, value: a }),
  link: ({ a, text, nameOf }) => ({ to: nameOf(a), text }),
  driver: ({ text }) => ({ text }),
  error: ({ text }) => ({ text }),
  child: ({ a, text }) => ({ text, delayUs: a }),
  diskFault: ({ a, text }) => ({ text, value: a }),
  diskFile: ({ a, b, c }) => ({ operation: operationName(a), file: b, delayUs: c }),
  diskWrite: ({ a, b, size }) => ({ file: a, at: b, size }),
  lookup: ({ text }) => ({ text }),
}

const fateNames = {
  [datagramFates.onItsWay]: 'on its way',
  [datagramFates.lost]: 'lost',
  [datagramFates.nobody]: 'nobody',
  [datagramFates.noRoom]: 'no room',
  [datagramFates.copy]: 'copy',
  [datagramFates.replay]: 'replay',
  [datagramFates.forged]: 'forged',
} as const

function fateName(number: number): RecordFields<'datagramSent'>['fate'] {
  return fateNames[number as keyof typeof fateNames]
}

function operationName(number: number): string {
  return operationNames.get(number) ?? String(number)
}
