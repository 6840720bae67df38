/**
 * The kinds of lines in a trace. A number never changes its meaning, because hashes in stored seeds depend on it. The
 * template says how a line reads: `%a %b %c` are its integers, `%A` a node by its number, `%t` its text or the size of
 * its payload.
 */
const templates = {
  timer: [1, 'timer set at turn %a'],
  action: [2, '%t'],
  datagram: [3, 'gets datagram from %A %t'],
  segment: [4, 'gets bytes from %A stream %b %t'],
  streamControl: [5, 'stream %b: %t'],
  diskDone: [6, 'disk done: operation %a'],
  boot: [7, 'boots, number %a'],
  crash: [8, 'crashes, boot %a'],
  pause: [9, 'pauses'],
  resume: [10, 'resumes with %a waiting'],
  log: [11, '%t'],
  datagramSent: [12, 'sends datagram to %A, fate %b, %c us %t'],
  segmentSent: [13, 'sends on stream %b to %A, %c B'],
  segmentLost: [14, 'lost on stream %b to %A, try %c'],
  dial: [15, 'dials %A port %b stream %c'],
  disk: [16, 'disk: operation %a, %c us: %t'],
  clock: [17, 'clock: %t %a'],
  link: [18, 'link to %A: %t'],
  driver: [19, 'driver: %t'],
  error: [20, 'error: %t'],
  child: [21, 'runs %t, %a us'],
  diskFault: [22, 'disk: %t %a'],
  diskFile: [23, 'disk: operation %a on file %b, %c us'],
  diskWrite: [24, 'writes to file %a at %b %t'],
  lookup: [25, 'looks up %t'],
} as const satisfies Record<string, readonly [number, string]>

export type TraceKindName = keyof typeof templates

export type TraceKind = (typeof templates)[keyof typeof templates][0]

export const traceKinds: { readonly [Name in keyof typeof templates]: (typeof templates)[Name][0] } = kindsOf()

export const traceKindNames: ReadonlyMap<TraceKind, TraceKindName> = new Map(
  Object.entries(templates).map(([name, [kind]]) => [kind, name as TraceKindName]),
)

/** Numbers of disk operations. */
export const diskOperations = {
  open: 1,
  list: 2,
  makeDirectory: 3,
  syncDirectory: 4,
  rename: 5,
  remove: 6,
  stat: 7,
  lock: 8,
  unlock: 9,
  read: 10,
  write: 11,
  sync: 12,
  truncate: 13,
  size: 14,
  close: 15,
  writeSynced: 16,
  realPath: 17,
  allocate: 18,
} as const

/** The fate of a datagram when it was sent. */
export const datagramFates = { onItsWay: 0, lost: 1, nobody: 2, noRoom: 3, copy: 4, replay: 5, forged: 6 } as const

const templateOf: ReadonlyMap<number, string> = new Map(Object.values(templates))

export function lineText(
  kind: TraceKind,
  [a, b, c]: readonly [number, number, number],
  text: string | undefined,
  nameOf: (node: number) => string,
): string {
  return (templateOf.get(kind) ?? `kind ${kind}`).replace(/%[aAbct]/g, (place) => {
    if (place === '%a') return String(a)
    if (place === '%A') return nameOf(a)
    if (place === '%b') return String(b)
    return place === '%c' ? String(c) : (text ?? '')
  })
}

function kindsOf(): { readonly [Name in keyof typeof templates]: (typeof templates)[Name][0] } {
  const kinds = Object.entries(templates).map(([name, [kind]]) => [name, kind])
  return Object.fromEntries(kinds) as ReturnType<typeof kindsOf>
}
