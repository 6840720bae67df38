import { describe, expect, it } from 'vitest'
import {
  causesMax,
  type MeaningReader,
  type TraceHeader,
  type TraceRecord,
  traceHeaderSchema,
  traceRecordSchema,
} from '../../../sim/report/trace-record.ts'

const sent: TraceRecord = {
  n: 7,
  t: 1_500_000,
  node: 's1',
  kind: 'datagramSent',
  causes: [5, 6],
  to: 's2',
  fate: 'on its way',
  delayUs: 900,
  size: 42,
  means: [{ layer: 'gossip', name: 'ping', sequence: 3, member: 's2' }],
}

describe('a record of a trace', () => {
  it('has the fields of its kind and no others', () => {
    expect(traceRecordSchema.parse(sent)).toEqual(sent)
    expect(traceRecordSchema.safeParse({ ...sent, stream: 4 }).success).toBe(false)
    expect(traceRecordSchema.safeParse({ ...sent, kind: 'pause' }).success).toBe(false)
    expect(traceRecordSchema.safeParse({ ...sent, kind: 'unheard of' }).success).toBe(false)
  })

  it('has a bounded number of causes', () => {
    const causes = Array.from({ length: causesMax + 1 }, () => 1)
    expect(traceRecordSchema.safeParse({ ...sent, causes }).success).toBe(false)
    expect(traceRecordSchema.safeParse({ ...sent, causes: causes.slice(1) }).success).toBe(true)
  })

  it('has meanings with the fields of their layer and name', () => {
    const read: MeaningReader = ({ payload }) => [{ layer: 'raft', name: 'timeout-now', term: payload.length }]
    const bytes = { kind: 'datagram', from: 's1', to: 's2', port: 1, stream: 0, payload: new Uint8Array(3) } as const
    expect(traceRecordSchema.safeParse({ ...sent, means: read(bytes) }).success).toBe(true)
    expect(traceRecordSchema.safeParse({ ...sent, means: [{ name: 'ping' }] }).success).toBe(false)
    const wide = { layer: 'raft', name: 'timeout-now', term: 3, index: 4 }
    expect(traceRecordSchema.safeParse({ ...sent, means: [wide] }).success).toBe(false)
  })

  it('follows a header with the version of the format', () => {
    const header: TraceHeader = { v: 1, scenario: 'Crash', seed: 3, build: '1.4.0', nodes: ['s1'] }
    expect(traceHeaderSchema.parse(header)).toEqual(header)
    expect(traceHeaderSchema.safeParse({ ...header, v: 2 }).success).toBe(false)
  })
})
