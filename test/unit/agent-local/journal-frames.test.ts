import { describe, expect, it } from 'vitest'
import { frameOf, readFrames } from '../../../src/agent/local/journal-frames.ts'
import { concatBytes, textOf, utf8 } from '../../../src/base/bytes.ts'

const texts = ['{"a":1}', '', 'ä😀'.repeat(20)]
const frames = texts.map((text, at) => frameOf(at + 1, utf8(text)))
const whole = concatBytes(frames)
const starts = [0, ...frames.keys()].map((at) => concatBytes(frames.slice(0, at)).length)

const read = (bytes: Uint8Array) => {
  const { frames: found, damage, endsAt } = readFrames(bytes)
  return { texts: found.map(({ text }) => textOf(text)), damage, endsAt }
}

describe('the frames of a journal', () => {
  it('are read as they were written', () => {
    expect(read(whole)).toEqual({ texts, damage: [], endsAt: whole.length })
    expect(read(new Uint8Array(0))).toEqual({ texts: [], damage: [], endsAt: 0 })
  })

  it('are those before the place at which a write was cut off, whatever stands behind it', () => {
    for (let cut = 0; cut < whole.length; cut++) {
      const kept = frames.filter((_, at) => concatBytes(frames.slice(0, at + 1)).length <= cut)
      const end = concatBytes(kept).length
      const expected = { texts: texts.slice(0, kept.length), damage: [], endsAt: end }
      expect(read(whole.subarray(0, cut))).toEqual(expected)
      expect(read(concatBytes([whole.subarray(0, cut), new Uint8Array(100).fill(0x55)]))).toEqual(expected)
    }
  })

  it('are told apart from a last one that is there in its whole length, and is not what was written', () => {
    for (let cut = 0; cut <= whole.length; cut++) expect(readFrames(whole.subarray(0, cut)).endIsDoubtful).toBe(false)
    for (let at = (starts[3] ?? 0) + 16; at < whole.length; at++) {
      const bytes = whole.slice()
      bytes[at] = (bytes[at] ?? 0) ^ 1
      expect(readFrames(bytes)).toMatchObject({ endsAt: starts[3], endIsDoubtful: true })
    }
    expect(readFrames(concatBytes([whole, new Uint8Array(100)])).endIsDoubtful).toBe(true)
  })

  it('are all but one that any changed bit has damaged, and where that was is told', () => {
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const bytes = whole.slice()
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const hit = frames.findIndex((_, at) => bit >> 3 < concatBytes(frames.slice(0, at + 1)).length)
      const isLast = hit === frames.length - 1
      const [from, to] = [starts[hit + 1] ?? 0, concatBytes(frames.slice(0, hit + 1)).length]
      expect(read(bytes)).toEqual({
        texts: texts.filter((_, at) => at !== hit),
        damage: isLast ? [] : [{ from, to }],
        endsAt: isLast ? from : whole.length,
      })
    }
  })

  it('of an earlier life of the file do not come back behind newer ones', () => {
    const old = frameOf(2, utf8('old'))
    const [first, second] = [frameOf(1, utf8('first')), frameOf(2, utf8('second'))]
    expect(read(concatBytes([first, second, old])).texts).toEqual(['first', 'second'])
  })
})
