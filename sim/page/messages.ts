import type { Meaning } from '../report/meaning.ts'
import type { TraceRecord } from '../report/trace-record.ts'
import type { OpenPiece } from './film-source.ts'
import type { Layer } from './view.ts'

/** A message between two machines: from the event of its sending to that of its arrival or loss. */
export interface Arrow {
  readonly from: string
  readonly to: string
  readonly fromUs: number
  readonly toUs: number
  readonly layer: Layer
  readonly isLost: boolean
  /** Number of the event of its arrival, or of its sending if it is lost. */
  readonly n: number
}

const layerOfMeaning: Readonly<Record<Meaning['layer'], Layer>> = {
  gossip: 'gossip',
  raft: 'raft',
  rpc: 'rpc',
  http: 'http',
  dns: 'dns',
  log: 'rpc',
  part: 'rpc',
  unknown: 'rpc',
}

/** The most informative layer of a packet: a vote within an RPC frame is a vote. Undefined: it has no meaning. */
function layerOf(event: TraceRecord): Layer | undefined {
  const means = 'means' in event ? event.means : undefined
  if (means === undefined || means.length === 0) return undefined
  if (means.some(({ layer, name }) => layer === 'raft' && name.startsWith('vote-'))) return 'votes'
  const telling = means.find(({ layer }) => layer !== 'rpc' && layer !== 'part') ?? means[0]
  return telling === undefined ? undefined : layerOfMeaning[telling.layer]
}

/** The messages of these pieces, in the order of their arrival. */
export function arrowsIn(pieces: readonly OpenPiece[]): readonly Arrow[] {
  const byNumber = new Map<number, TraceRecord>()
  for (const { events } of pieces) for (const event of events) byNumber.set(event.n, event)
  const arrows: Arrow[] = []
  for (const event of byNumber.values()) {
    const layer = layerOf(event)
    if (layer === undefined) continue
    if (event.kind === 'datagram' || event.kind === 'segment') {
      const sent = event.causes.map((n) => byNumber.get(n)).find((cause) => cause !== undefined && sends(cause, event))
      if (sent === undefined) continue
      const isLost = event.kind === 'datagram' && event.fate !== 'arrives'
      const ends = { from: event.from, to: event.node, fromUs: sent.t, toUs: event.t }
      arrows.push({ ...ends, layer, isLost, n: event.n })
    } else if (isLostSending(event)) {
      const ends = { from: event.node, to: event.to, fromUs: event.t, toUs: event.t }
      arrows.push({ ...ends, layer, isLost: true, n: event.n })
    }
  }
  return arrows
}

type Arrival = Extract<TraceRecord, { readonly kind: 'datagram' | 'segment' }>

function sends(cause: TraceRecord, event: Arrival): boolean {
  return (cause.kind === 'datagramSent' || cause.kind === 'segmentSent') && cause.node === event.from
}

function isLostSending(
  event: TraceRecord,
): event is Extract<TraceRecord, { readonly kind: 'datagramSent' | 'segmentLost' | 'lost' }> {
  return (
    event.kind === 'segmentLost' || event.kind === 'lost' || (event.kind === 'datagramSent' && event.fate === 'lost')
  )
}
