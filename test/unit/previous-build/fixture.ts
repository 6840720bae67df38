import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { textOf } from '../../../src/base/bytes.ts'
import type { Frame } from '../../../src/rpc/frame.ts'
import { FrameReader } from '../../../src/rpc/frame-reader.ts'

/** What agents of the previous build wrote and sent: test/fixtures/previous-build says how it was made. */
const folder = new URL('../../fixtures/previous-build/', import.meta.url)

function unpacked<T>(name: string): T {
  return JSON.parse(brotliDecompressSync(readFileSync(new URL(name, folder))).toString()) as T
}

/** One connection: the bytes that its opener sent, and those that came back. */
interface RecordedStream {
  readonly asked: string
  readonly answered: string
}

export const frames = unpacked<{
  readonly rpc: readonly RecordedStream[]
  readonly streams: readonly RecordedStream[]
  readonly packets: readonly string[]
}>('frames.json.br')

/** Answers of the server's HTTP API before it stopped, by path. */
export const answers = unpacked<Readonly<Record<string, unknown>>>('answers.json.br')

/** `snapshot save` of that moment. */
export const archive = readFileSync(new URL('state.snap', folder))

/** The files of a data directory, by path. */
export function dataDirectory(of: 'server' | 'client'): ReadonlyMap<string, Uint8Array> {
  const files = unpacked<Readonly<Record<string, string>>>(`${of}.json.br`)
  return new Map(Object.entries(files).map(([path, text]) => [path, bytesOf(text)]))
}

export function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'))
}

/** The connection over which the client of the previous build sent its writes. */
export const clientsConnection = frames.rpc.reduce((longest, each) => {
  const writes = (stream: string) => textOf(bytesOf(stream)).split('KV.Put').length
  return writes(each.asked) > writes(longest.asked) ? each : longest
})

/** Whether each request got an answer or a failure, by its ID. */
export function kindsOf(stream: string): Readonly<Record<number, string>> {
  return kindsIn(framesIn(new FrameReader({ awaitsAnswers: () => true }), bytesOf(stream)))
}

export function framesIn(reader: FrameReader, bytes: Uint8Array): readonly Frame[] {
  const found: Frame[] = []
  const read = reader.push(bytes, (frame) => found.push(frame))
  if (!read.ok) throw new Error(read.error)
  return found
}

export function kindsIn(found: readonly Frame[]): Readonly<Record<number, string>> {
  const said = found.flatMap((frame) => (frame.kind === 'answer' || frame.kind === 'failure' ? [frame] : []))
  return Object.fromEntries(said.map(({ id, kind }) => [id, kind]))
}
