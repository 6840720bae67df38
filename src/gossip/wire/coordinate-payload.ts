import type { Coordinate } from '../../model/coordinate.ts'
import { coordinateDimensions } from '../../model/coordinate.ts'
import { ValueReader } from './value-reader.ts'
import { ValueWriter } from './value-writer.ts'

/** First byte of an acknowledgement's payload. Source: serf, `PingVersion`. */
const pingVersion = 1

/** A coordinate as acks carry it (serf's ping delegate). */
export function encodeCoordinate({ vec, error, adjustment, height }: Coordinate): Uint8Array {
  const writer = new ValueWriter(160)
  writer.byte(pingVersion)
  writer.mapHead(4)
  writer.text('Adjustment')
  writer.double(adjustment)
  writer.text('Error')
  writer.double(error)
  writer.text('Height')
  writer.double(height)
  writer.text('Vec')
  writer.arrayHead(vec.length)
  for (const value of vec) writer.double(value)
  return writer.take()
}

/** Undefined for another version, other dimensions, or malformed bytes. */
export function decodeCoordinate(bytes: Uint8Array): Coordinate | undefined {
  if (bytes[0] !== pingVersion) return undefined
  const from = new ValueReader(bytes, 1)
  const read = { error: 0, adjustment: 0, height: 0 }
  let vec: number[] = []
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
    const key = from.key()
    if (key === 'Adjustment') read.adjustment = from.double()
    else if (key === 'Error') read.error = from.double()
    else if (key === 'Height') read.height = from.double()
    else if (key === 'Vec') vec = readVec(from)
    else from.skip()
  }
  return from.failed ? undefined : { ...read, vec }
}

function readVec(from: ValueReader): number[] {
  const length = from.arrayHead()
  if (length !== coordinateDimensions) from.fail()
  const vec: number[] = []
  for (let left = length; left > 0 && !from.failed; left--) vec.push(from.double())
  return vec
}
