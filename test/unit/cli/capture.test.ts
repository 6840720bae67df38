import { describe, expect, it } from 'vitest'
import { textOf } from '../../../src/base/bytes.ts'
import { Capture } from '../../../src/cli/api/capture.ts'
import type { ApiClient } from '../../../src/cli/api/client.ts'

const piece = new Uint8Array(1 << 20).fill(0x78)

describe('what is kept of the log', () => {
  it('is 16 MiB of an interval and 256 MiB in all, and says where it ends', async () => {
    let hear: (bytes: Uint8Array) => void = () => undefined
    const send = (...asked: readonly unknown[]) => {
      hear = (asked[4] as { onBody: typeof hear }).onBody
      return new Promise<never>(() => undefined)
    }
    const capture = new Capture({ send } as unknown as ApiClient, ['logs'], () => undefined)
    void capture.listen()
    for (let interval = 0; interval < 18; interval++) {
      for (let i = 0; i < 17; i++) hear(piece)
      await capture.mark(interval, new Promise(() => undefined))
    }
    const ends = capture.files.map(({ bytes }) => textOf(bytes.subarray(-60)).replaceAll('x', '').trim())
    const rest = '[the rest of this interval is left out]'
    expect(ends).toEqual([...Array<string>(15).fill(rest), '[the rest of all intervals is left out]', '', ''])
    const bytes = capture.files.map((file) => file.bytes.length)
    expect(bytes.slice(-2)).toEqual([0, 0])
    expect(bytes.reduce((sum, length) => sum + length, 0)).toBeLessThan((256 << 20) + 16 * 64)
  })
})
